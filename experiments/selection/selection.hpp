// selection.hpp -- left alone, does the model select the inputs that drive the output, and no others?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"
#include "experiments/selection/name_runs.hpp"

namespace sluice::experiments {

/// A stream with drivers, and the F1 that we want on it.
struct SelectionCase {
    SelectionOptions options;
    double least_f1 = 0.0;
};

/// What the experiment measures. Tests make it small.
struct SelectionScenario {
    std::vector<SelectionCase> cases;
    std::vector<SelectionOptions> noise;  ///< without drivers
    std::size_t rows = 900;
    std::size_t from = 100;    ///< first row that counts
    std::size_t settled = 70;  ///< rows after the change that do not count
    std::size_t names = 20;    ///< of the model beside which the error is measured
};

/// The five streams with drivers, the two of noise.
[[nodiscard]] SelectionScenario selection_scenario();

/// All that was measured on one stream.
struct NamesMeasured {
    SelectionCase one;
    NameStream stream;
    NameSummary found;  ///< the model that finds the number of names
    NameSummary given;  ///< the model that uses all of `names`; noise: none
    [[nodiscard]] double error_ratio() const { return found.error_over_variance / given.error_over_variance; }
};

struct SelectionMeasured {
    SelectionScenario scenario;
    std::vector<NamesMeasured> cases;
    std::vector<NamesMeasured> noise;
    NameSummary switching;  ///< the paper's stream, names found

    /// The two models differ in some row of some stream. Where they never do, comparing their errors says nothing.
    [[nodiscard]] bool models_differ() const;
};

[[nodiscard]] std::string text_of(const SelectionOptions& options);  ///< "100 inputs, rho 0.5, snr 5, 5 drivers"

[[nodiscard]] SelectionMeasured measure_selection(const Plan& plan, const SelectionScenario& scenario);
[[nodiscard]] std::size_t selection_rows(const Plan& plan, const SelectionScenario& scenario);
[[nodiscard]] Result selection_result(const Plan& plan, const SelectionMeasured& all);

[[nodiscard]] std::size_t selection_rows(const Plan& plan);
[[nodiscard]] Result run_selection(const Plan& plan);

}  // namespace sluice::experiments
