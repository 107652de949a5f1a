// fit.cpp -- the public door of the off-line methods: checks, then one method, then what follows from it.
#include "sluice/fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "batch_moments.hpp"
#include "methods.hpp"
#include "moments_table.hpp"
#include "sluice/error.hpp"
#include "table.hpp"
#include "text.hpp"

namespace sluice {

namespace {

std::vector<std::string> problems_of(const FitControl& control) {
    std::vector<std::string> problems;
    if (!(control.tolerance > 0.0)) {
        problems.push_back("tolerance = " + core::text(control.tolerance) + ": must be above 0");
    }
    if (control.max_iterations < 1) {
        problems.push_back("max_iterations = " + core::text(control.max_iterations) + ": must be at least 1");
    }
    return problems;
}

// Throws OptionError with all broken rules: those of the caller, of the options and of the control.
void require_valid(const StreamOptions& options, const FitControl& control, std::size_t inputs, std::size_t outputs,
                   std::vector<std::string> problems) {
    StreamOptions rules = options;  // the engine and its memory are the on-line model's: C is not stored here
    rules.engine = Engine::automatic;
    rules.memory_limit = std::numeric_limits<std::size_t>::max();
    for (std::string& problem : rules.problems(inputs, outputs)) {
        problems.push_back(std::move(problem));
    }
    for (std::string& problem : problems_of(control)) {
        problems.push_back(std::move(problem));
    }
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
}

batch::Directions nothing(const batch::Table& table, const char* why) {
    const batch::MatrixXd none(table.inputs.working.cols(), 0);
    return {.weights = none, .rotation = none, .coefficients = {}, .notes = {why}};
}

batch::Directions find_directions(Method method, const batch::Table& table, const StreamOptions& options,
                                  const FitControl& control) {
    if (table.inputs.working.isZero(0.0)) {
        return nothing(table, "no input varies: there are no components");
    }
    if (table.outputs.working.isZero(0.0)) {
        return nothing(table, "no output varies: there are no components");
    }
    switch (method) {
        case Method::pls2:
            return batch::pls2(table, options);
        case Method::sparse_bridge:
            return batch::sparse_bridge(table, options, control);
        case Method::bridge:
            return batch::bridge(table, options);
        case Method::pcr:
            break;
    }
    StreamOptions principal = options;
    principal.ridge = 1.0;
    return batch::bridge(table, principal);
}

void check_row(std::span<const double> x, std::size_t inputs) {
    if (x.size() != inputs) {
        throw DataError(core::text(x.size()) + " inputs: must be " + core::text(inputs) + ", as many as were fitted");
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (std::isinf(x[j])) {
            throw DataError("input " + core::text(j + 1) + (x[j] > 0.0 ? " is inf" : " is -inf") +
                            ": must be finite, or NaN where missing");
        }
    }
}

// y = intercept + coefficients' x, a missing value counted as its mean.
void apply(const Matrix& coefficients, std::span<const double> intercept, std::span<const double> means,
           std::span<const double> x, std::span<double> y) {
    assert(y.size() == coefficients.cols() && intercept.size() == y.size());
    const auto sum = [&]<typename Number>(std::size_t k, Number start) {
        const std::span<const double> column = coefficients.column(k);
        for (std::size_t j = 0; j < x.size(); ++j) {
            start += static_cast<Number>(std::isnan(x[j]) ? means[j] : x[j]) * static_cast<Number>(column[j]);
        }
        return start;
    };
    for (std::size_t k = 0; k < y.size(); ++k) {
        y[k] = sum(k, intercept[k]);
        if (!std::isfinite(
                y[k])) {  // a product or a sum is beyond double, but not beyond long double: then the nearest
            constexpr auto most = static_cast<long double>(std::numeric_limits<double>::max());
            y[k] = static_cast<double>(std::clamp(sum(k, static_cast<long double>(intercept[k])), -most, most));
        }
    }
}

}  // namespace

Fit fit(Method method, const Rows& x, const Rows& y, const StreamOptions& options, const FitControl& control) {
    require_valid(options, control, x.width(), y.width(), {});
    const batch::Table table = batch::make_table(x, y, options);
    return batch::describe(method, table, &x, find_directions(method, table, options, control), options.center);
}

Fit fit_moments(Method method, const BatchMoments& moments, const StreamOptions& options, const FitControl& control) {
    std::vector<std::string> problems;
    if (options.forgetting != 1.0) {
        problems.push_back("forgetting = " + core::text(options.forgetting) +
                           ": must be 1 for a fit from moments, whose rows have no order");
    }
    require_valid(options, control, moments.inputs(), moments.outputs(), std::move(problems));
    const batch::Table table = batch::make_table(moments.impl_->all(), moments.inputs(), options);
    return batch::describe(method, table, nullptr, find_directions(method, table, options, control), options.center);
}

void Fit::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, input_means.size());
    apply(coefficients, intercept, input_means, x, y);
}

std::vector<double> Fit::predict(std::span<const double> x) const {
    std::vector<double> y(intercept.size());
    predict(x, y);
    return y;
}

void Fit::scores_of(std::span<const double> x, std::span<double> s) const {
    if (score_coefficients.rows() != input_means.size()) {
        throw DataError(
            "this fit is from a file of an earlier version, which does not say how rows become scores: fit "
            "again");
    }
    check_row(x, input_means.size());
    apply(score_coefficients, score_intercept, input_means, x, s);
}

std::vector<double> Fit::scores_of(std::span<const double> x) const {
    std::vector<double> s(components());
    scores_of(x, s);
    return s;
}

}  // namespace sluice
