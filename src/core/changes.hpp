// changes.hpp -- what came into an ascending list and what went out of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::core {

/// Allocates nothing where both results have room for one more than can enter or leave.
void compare(std::span<const std::size_t> before, std::span<const std::size_t> after, std::vector<std::size_t>& entered,
             std::vector<std::size_t>& left);

}  // namespace sluice::core
