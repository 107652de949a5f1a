// names_state.hpp -- the section "names" of a model file: which column is what, lags and horizon.
//
// The target lags follow after the horizon, and only where there are any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sluice/model_file.hpp"
#include "state.hpp"

namespace sluice::file {

void put_texts(core::StateWriter& out, const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> get_texts(core::StateReader& in);

[[nodiscard]] std::vector<std::byte> names_section(const Roles& roles, const RowLayout& layout);

struct Names {
    Roles roles;
    RowLayout layout;
    std::size_t inputs = 0;  ///< of the model: the columns times the lags, and the targets times theirs
};
/// Throws StateError.
[[nodiscard]] Names read_names(std::span<const std::byte> section);

}  // namespace sluice::file
