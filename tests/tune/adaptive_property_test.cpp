// Any options, any small stream: never a number that is not finite, never more variables than promised, and a report that is
// true to the model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sluice/adaptive.hpp"
#include "sluice/adaptive_fields.hpp"

namespace sluice::adaptive_property_test {
namespace {

AdaptiveOptions any_options(std::size_t p) {
    const auto chance = [](int of) { return *rc::gen::inRange(0, of) == 0; };
    const auto number = [](std::size_t from, std::size_t to) { return *rc::gen::inRange(from, to + 1); };
    AdaptiveOptions options;
    StreamOptions& model = options.model;
    const bool given = chance(3);  // else the variables are found one by one
    if (given && chance(2)) {
        model.components = number(1, p);
    }
    if (given && chance(6)) {
        model.gamma = *rc::gen::element(0.0, 0.2, 0.7);
    } else if (given) {
        model.keep = {number(1, p)};
    }
    if (chance(3)) {
        model.names = number(1, p + 2);
    }
    model.deflation = given && chance(2) ? Deflation::project : Deflation::refit;
    model.forgetting = *rc::gen::element(0.5, 0.9, 0.99, 1.0);
    model.ridge = *rc::gen::element(0.0, 1e-5, 0.5, 1.0);
    model.shrinkage = *rc::gen::element(0.0, 0.1, 5.0, 100.0);
    model.hold_bonus = *rc::gen::element(0.0, 0.25, 2.0);
    model.center = !chance(4);
    model.scale_inputs = chance(2);
    model.scale_outputs = chance(2);
    model.balance = chance(3) ? Balance::raw : Balance::trace;
    model.clip = chance(2) ? std::optional<double>(3.0) : std::nullopt;
    if (given) {
        model.penalty = *rc::gen::element(Penalty::lasso, Penalty::hard, Penalty::scad, Penalty::adaptive_lasso);
    }
    Tuning& tuning = options.tuning;
    for (bool* flag : {&tuning.forgetting, &tuning.variables, &tuning.shrinkage, &tuning.intercept, &tuning.alarms,
                       &tuning.robust}) {
        *flag = !chance(4);
    }
    if (finds_variables(options)) {
        tuning.names = *rc::gen::element(Names::found, Names::found, Names::most, Names::all);
        if (tuning.names == Names::all) {
            model.names.reset();
        }
    }
    return options;
}

double any_cell() {
    const int kind = *rc::gen::inRange(0, 40);
    if (kind == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto value = static_cast<double>(*rc::gen::inRange(-50, 50)) / 8.0;
    return kind == 1 ? value * 1e12 : kind == 2 ? 0.0 : value;
}

RC_GTEST_PROP(AdaptiveProperty, AnyStreamIsMetWithFiniteNumbersAndTrueReports, ()) {
    const auto p = *rc::gen::inRange<std::size_t>(1, 9);
    const auto q = *rc::gen::inRange<std::size_t>(1, 4);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 60);
    const AdaptiveOptions options = any_options(p);
    RC_PRE(options.problems(p, q).empty());
    AdaptiveModel model(p, q, options);
    std::vector<std::size_t> before;
    std::vector<double> x(p);
    std::vector<double> y(q);
    for (std::size_t t = 0; t < rows; ++t) {
        std::ranges::generate(x, any_cell);
        std::ranges::generate(y, any_cell);
        if (*rc::gen::inRange(0, 2) == 0 && !std::isnan(x[0])) {  // something to find
            y[0] = (t < rows / 2 ? 2.0 : -3.0) * x[0];
        }
        const auto predicted = model.predict(x);
        const auto report = model.learn(x, y);
        RC_ASSERT(report.row == t);
        RC_ASSERT(model.rows_met() == t + 1);
        RC_ASSERT(std::ranges::equal(report.predicted, predicted));
        RC_ASSERT(std::ranges::all_of(report.predicted, [](double v) { return std::isfinite(v); }));
        RC_ASSERT(std::isfinite(report.error_before) && report.error_before >= 0.0);
        RC_ASSERT(report.explained_covariance >= 0.0 && report.explained_covariance <= 1.0);
        const auto missing = std::ranges::count_if(y, [](double v) { return std::isnan(v); });
        RC_ASSERT(report.missing_outputs == static_cast<std::size_t>(missing));
        RC_ASSERT((report.outcome == Outcome::outputs_missing) == (report.missing_outputs == q));

        RC_ASSERT(std::ranges::equal(report.selected, model.selected()));
        RC_ASSERT(std::ranges::is_sorted(report.selected));
        RC_ASSERT((report.selected.empty() || report.selected.back() < p));  // in parentheses, or both are evaluated
        RC_ASSERT(report.selected.size() <= options.model.names.value_or(p));
        if (options.tuning.any()) {
            RC_ASSERT(std::ranges::equal(report.importances, model.importances()));
            std::vector<std::size_t> important;
            for (const Importance& importance : report.importances) {
                RC_ASSERT(importance.contribution >= 0.0 && std::isfinite(importance.contribution));
                RC_ASSERT(importance.gain >= 0.0 && std::isfinite(importance.gain));
                important.push_back(importance.input);
            }
            RC_ASSERT(std::ranges::is_sorted(report.importances, std::greater{}, &Importance::gain));
            std::ranges::sort(important);
            RC_ASSERT(std::ranges::equal(important, report.selected));
            const AdaptiveModel::Shares shares = model.shares();
            for (const auto* list :
                 {&shares.memories, &shares.shrinkages, &shares.sizes, &shares.speeds, &shares.discounts}) {
                double sum = 0.0;
                for (const AdaptiveModel::Share& share : *list) {
                    RC_ASSERT(share.weight >= 0.0);
                    sum += share.weight;
                }
                RC_ASSERT(std::abs(sum - 1.0) < 1e-9);  // the rounding of some hundred terms
            }
            RC_ASSERT(report.last_value_share >= 0.0 && report.last_value_share <= 1.0 + 1e-9);
            RC_ASSERT(!std::ranges::any_of(model.stability(), [](double s) { return !(s >= 0.0 && s <= 1.0); }));
        }
        if (finds_variables(options)) {
            RC_ASSERT(report.components == 0U && report.keep == 0U);
            // What is not selected has no coefficient.
            const Matrix coefficients = model.coefficients();
            for (std::size_t j = 0; j < p; ++j) {
                for (std::size_t k = 0; k < q; ++k) {
                    RC_ASSERT(std::isfinite(coefficients(j, k)));
                    RC_ASSERT(coefficients(j, k) == 0.0 || std::ranges::binary_search(report.selected, j));
                }
            }
        } else if (options.tuning.any()) {
            RC_ASSERT(report.components == model.current().components());
            RC_ASSERT(report.shrinkage == model.current().options().shrinkage);
            RC_ASSERT(report.components >= 1U && report.keep >= 1U);
        }
        std::vector<std::size_t> changed;  // entered and left are what tells this row's selection from the last one's
        std::ranges::set_symmetric_difference(before, report.selected, std::back_inserter(changed));
        std::vector<std::size_t> told(report.entered.begin(), report.entered.end());
        told.insert(told.end(), report.left.begin(), report.left.end());
        std::ranges::sort(told);
        RC_ASSERT(told == changed);
        RC_ASSERT(std::ranges::includes(report.selected, report.entered));
        RC_ASSERT(std::ranges::includes(before, report.left));
        before.assign(report.selected.begin(), report.selected.end());
    }
    RC_ASSERT(AdaptiveModel::load(model.save()).save() == model.save());
}

}  // namespace
}  // namespace sluice::adaptive_property_test
