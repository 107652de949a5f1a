// describe.hpp -- what a model file holds, for people: options, names, what is selected with weights or importances
// and coefficients,
// counts, memory, errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model_file.hpp"

namespace sluice::job {

/// One selected variable of a component.
struct SelectedVariable {
    std::string name;
    double weight = 0.0;                    ///< in its component
    std::vector<double> coefficients = {};  ///< one per target, in the data's units
};

/// One variable that predicts in a self-tuning model.
struct ImportantVariable {
    std::string name;
    double contribution = 0.0;              ///< as in Importance
    double gain = 0.0;                      ///< likewise
    double stability = 0.0;                 ///< recent share of rows in which it was selected
    std::optional<std::uint64_t> since;     ///< row at which it entered, from 1; none where that is no longer logged
    std::vector<double> coefficients = {};  ///< one per target, in the data's units
};

/// What on-line and fitted models have in common.
struct Description {
    std::string method;  ///< "stream", or the off-line method
    std::vector<std::pair<std::string, std::string>> options;
    std::vector<std::vector<SelectedVariable>> components;  ///< largest weight first; none where variables are found
    std::vector<ImportantVariable> selected;                ///< most important first; none where nothing is tuned
    std::vector<double> intercept;                          ///< one per target
};

[[nodiscard]] Description describe(const ModelFile& file);
[[nodiscard]] std::string description_json(const ModelFile& file);
[[nodiscard]] std::string name_of(Method method);

}  // namespace sluice::job
