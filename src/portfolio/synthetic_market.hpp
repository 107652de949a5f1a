// synthetic_market.hpp -- a market without a file: MarketStream's returns, named and dated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "market.hpp"
#include "sluice/simulate.hpp"

namespace sluice::portfolio {

/// Indices index1, index2, ...; the stocks of the first are index1.1, index1.2, ... Throws OptionError.
[[nodiscard]] Market synthetic_market(const MarketOptions& options, std::size_t periods, std::uint64_t seed);

}  // namespace sluice::portfolio
