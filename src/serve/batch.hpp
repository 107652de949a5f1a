// batch.hpp -- the rows of one request.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::serve {

/// The numbers are those of the log.
enum class RowFormat : std::uint8_t { automatic = 0, csv = 1, ndjson = 2 };

struct Batch {
    std::uint64_t seq = 0;  ///< the client's number of it, from 1; 0: none
    RowFormat format = RowFormat::automatic;
    std::string text;
};

}  // namespace sluice::serve
