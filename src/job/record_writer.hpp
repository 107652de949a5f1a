// record_writer.hpp -- one line per row of the stream: what was predicted, what was observed, what is selected.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learner.hpp"

namespace sluice::job {

enum class RecordFormat { ndjson, csv };

/// What the names in a record are, told once.
struct RecordNames {
    std::vector<std::string> inputs;  ///< of the model: lags included
    std::vector<std::string> targets;
    bool has_time = false;
    std::size_t components = 1;  ///< 0: their number changes
    bool tuned = false;          ///< settings in use and decisions are told
    bool has_forecast = false;
};

class RecordWriter {
  public:
    RecordWriter() = default;
    virtual ~RecordWriter() = default;
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;
    RecordWriter(RecordWriter&&) = delete;
    RecordWriter& operator=(RecordWriter&&) = delete;

    /// What comes before the first record, if anything.
    virtual void begin(std::string& out) const = 0;
    /// `row` counts from 1.
    virtual void write(std::string& out, std::uint64_t row, std::string_view time, std::span<const double> observed,
                       const Learner::Step& step, const StreamModel& model) const = 0;
};

[[nodiscard]] std::unique_ptr<RecordWriter> make_record_writer(RecordFormat format, const RecordNames& names);

}  // namespace sluice::job
