// Any options, any small stream: never a number that is not finite, never more variables than promised, and a report that is
// true to the model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/adaptive.hpp"

namespace sluice {
namespace {

AdaptiveOptions any_options(std::size_t p) {
    const auto chance = [](int of) { return *rc::gen::inRange(0, of) == 0; };
    const auto number = [](std::size_t from, std::size_t to) { return *rc::gen::inRange(from, to + 1); };
    AdaptiveOptions options;
    StreamOptions& model = options.model;
    if (chance(2)) {
        model.components = number(1, p);
    }
    if (chance(6)) {
        model.gamma = *rc::gen::element(0.0, 0.2, 0.7);
    } else if (chance(2)) {
        model.keep = {number(1, p)};
    }
    if (chance(3)) {
        model.names = number(1, p + 2);
    }
    model.deflation = chance(2) ? Deflation::refit : Deflation::project;
    model.forgetting = *rc::gen::element(0.5, 0.9, 0.99, 1.0);
    model.ridge = *rc::gen::element(0.0, 1e-5, 0.5, 1.0);
    model.shrinkage = *rc::gen::element(0.0, 0.1, 5.0, 100.0);
    model.hold_bonus = *rc::gen::element(0.0, 0.25, 2.0);
    model.center = !chance(4);
    model.scale_inputs = chance(2);
    model.scale_outputs = chance(2);
    model.balance = chance(3) ? Balance::raw : Balance::trace;
    model.clip = chance(2) ? std::optional<double>(3.0) : std::nullopt;
    model.penalty = *rc::gen::element(Penalty::lasso, Penalty::hard, Penalty::scad, Penalty::adaptive_lasso);
    Tuning& tuning = options.tuning;
    for (bool* flag :
         {&tuning.forgetting, &tuning.keep, &tuning.components, &tuning.shrinkage, &tuning.intercept, &tuning.alarms}) {
        *flag = !chance(4);
    }
    tuning.keep_rule = chance(2) ? KeepRule::akaike : KeepRule::error;
    tuning.components_rule =
        *rc::gen::element(ComponentsRule::error, ComponentsRule::energy, ComponentsRule::covariance);
    tuning.keep_min = number(1, 3);
    if (chance(2)) {
        tuning.keep_max = number(tuning.keep_min, 12);
    }
    tuning.dwell = number(1, 12);
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

        const StreamModel& current = model.current();
        RC_ASSERT(std::ranges::equal(report.selected, current.selected()));
        RC_ASSERT(!options.model.names || report.selected.size() <= *options.model.names);
        if (options.tuning.any()) {
            RC_ASSERT(report.components == current.components());
            RC_ASSERT(report.shrinkage == current.options().shrinkage);
            RC_ASSERT(report.components >= 1 && report.keep >= 1);
            RC_ASSERT(!std::ranges::any_of(model.stability(), [](double s) { return !(s >= 0.0 && s <= 1.0); }));
        }
        if (!options.model.gamma) {
            for (std::size_t r = 0; r < current.components(); ++r) {
                RC_ASSERT(current.selected(r).size() <= current.options().keep_for(r, p));
            }
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
}  // namespace sluice
