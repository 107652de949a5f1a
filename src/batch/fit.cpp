// fit.cpp -- the public door of the off-line methods: checks, then one method, then what follows from it.
#include "sluice/fit.hpp"

#include <cmath>

#include "methods.hpp"
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

}  // namespace

Fit fit(Method method, const Rows& x, const Rows& y, const StreamOptions& options, const FitControl& control) {
    std::vector<std::string> problems = options.problems(x.width(), y.width());
    for (std::string& problem : problems_of(control)) {
        problems.push_back(std::move(problem));
    }
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    const batch::Table table = batch::make_table(x, y, options);
    return batch::describe(method, table, x, find_directions(method, table, options, control), options.center);
}

std::vector<double> Fit::predict(std::span<const double> x) const {
    if (x.size() != input_means.size()) {
        throw DataError(core::text(x.size()) + " inputs: must be " + core::text(input_means.size()) +
                        ", as many as were fitted");
    }
    std::vector<double> y = intercept;
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (std::isinf(x[j])) {
            throw DataError("input " + core::text(j + 1) + (x[j] > 0.0 ? " is inf" : " is -inf") +
                            ": must be finite, or NaN where missing");
        }
        const double value = std::isnan(x[j]) ? input_means[j] : x[j];
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k] += value * coefficients(j, k);
        }
    }
    return y;
}

}  // namespace sluice
