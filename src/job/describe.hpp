// describe.hpp -- a model file in words: options, names, what is selected with weights and coefficients, counters,
// memory, error so far.
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

/// The same questions answered for on-line and fitted models alike.
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
