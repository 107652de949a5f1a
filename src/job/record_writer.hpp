// record_writer.hpp -- one line per row: what was predicted, what was observed and, of a stream, what is selected.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "intervals.hpp"
#include "learner.hpp"

namespace sluice::job {

enum class RecordFormat { ndjson, csv };

/// What is the same in every record of a file.
struct RecordNames {
    std::vector<std::string> inputs = {};  ///< of the model: lags included
    std::vector<std::string> targets = {};
    bool has_time = false;
    bool has_observed = true;
    bool has_forecast = false;
    bool has_interval = false;
    bool has_model = true;       ///< what is selected and how the row was learnt
    std::size_t components = 1;  ///< 0: the variables are found one by one
    bool tuned = false;          ///< what was chosen and the decisions are written
};

struct Record {
    std::uint64_t row = 0;  ///< counts from 1
    std::string_view time;
    std::span<const double> observed;
    Learner::Step step;
    const Intervals* intervals = nullptr;  ///< only where RecordNames::has_interval
    const AdaptiveModel* model = nullptr;  ///< only where RecordNames::has_model
};

class RecordWriter {
  public:
    RecordWriter() = default;
    virtual ~RecordWriter() = default;
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;
    RecordWriter(RecordWriter&&) = delete;
    RecordWriter& operator=(RecordWriter&&) = delete;

    /// Writes what comes before the first record, if anything.
    virtual void begin(std::string& out) const = 0;
    virtual void write(std::string& out, const Record& record) const = 0;
};

[[nodiscard]] std::unique_ptr<RecordWriter> make_record_writer(RecordFormat format, const RecordNames& names);

}  // namespace sluice::job
