// log_reader.hpp -- the records that `sluice stream --out` has written, as a history.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "history.hpp"
#include "records.hpp"
#include "source.hpp"

namespace sluice::report {

struct LogSettings {
    std::uint64_t warmup = 0;
    std::function<void(double share_read)> progress = {};  ///< called now and then
};

/// NDJSON or CSV, plain or compressed. Throws DataError for a line that is no record, for rows that are not in order and for
/// a log without any record, and what the source throws.
[[nodiscard]] History read_log(std::unique_ptr<io::ByteSource> source, const LogSettings& settings);

// The two formats.
[[nodiscard]] History read_ndjson_log(std::unique_ptr<io::Records> records, const LogSettings& settings);
[[nodiscard]] History read_csv_log(std::unique_ptr<io::Records> records, const LogSettings& settings);

inline constexpr std::uint64_t kRecordsBetweenProgress = 4096;

}  // namespace sluice::report
