// ndjson_log.hpp -- records in NDJSON, one by one, as histories: of a log that is finished, or of a stream that runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "histories.hpp"

namespace sluice::report {

class NdjsonLog {
  public:
    /// `latest`: as in Histories.
    NdjsonLog(std::uint64_t warmup, bool latest);
    ~NdjsonLog();
    NdjsonLog(const NdjsonLog&) = delete;
    NdjsonLog& operator=(const NdjsonLog&) = delete;
    NdjsonLog(NdjsonLog&&) = delete;
    NdjsonLog& operator=(NdjsonLog&&) = delete;

    /// Throws DataError where the line is no record, one of another stream, or comes after a later row.
    void add(std::string_view line);
    /// Null before the first record.
    [[nodiscard]] Histories* histories() noexcept;

  private:
    class Reader;
    std::unique_ptr<Reader> reader_;
};

}  // namespace sluice::report
