// describe.hpp -- what a model file holds, for people: options, names, what is selected with weights and coefficients,
// counts, memory, errors.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model_file.hpp"

namespace sluice::job {

/// One selected variable.
struct SelectedVariable {
    std::string name;
    double weight = 0.0;                    ///< in its component
    std::vector<double> coefficients = {};  ///< one per target, in the data's units
};

/// What on-line and fitted models have in common.
struct Description {
    std::string method;  ///< "stream", or the off-line method
    std::vector<std::pair<std::string, std::string>> options;
    std::vector<std::vector<SelectedVariable>> components;  ///< largest weight first
    std::vector<double> intercept;                          ///< one per target
};

[[nodiscard]] Description describe(const ModelFile& file);
[[nodiscard]] std::string description_json(const ModelFile& file);
[[nodiscard]] std::string name_of(Method method);

}  // namespace sluice::job
