// record_writer.hpp -- one line per row: what was predicted, what was observed and, of a stream, what is selected. Where
// labels come late, also one line per label, with the prediction that was made when its row came.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event.hpp"
#include "intervals.hpp"
#include "learner.hpp"

namespace sluice::job {

enum class RecordFormat { ndjson, csv };

/// What is the same in every record of a file.
struct RecordNames {
    std::vector<std::string> inputs = {};  ///< of the model: lags included
    std::vector<std::string> targets = {};
    bool has_time = false;
    bool has_late_labels = false;  ///< records of labels are among those of rows
    bool has_missing_lags = false;
    bool has_observed = true;
    bool has_forecast = false;
    bool has_interval = false;
    bool has_model = true;       ///< what is selected and how the row was learnt
    std::size_t components = 1;  ///< 0: the variables are found one by one
    bool tuned = false;          ///< what was chosen and the decisions are written
    bool has_weights = false;    ///< the weight of each selected input, and its gain where the variables are found
};

struct Record {
    std::uint64_t row = 0;  ///< counts from 1
    std::string_view time;
    std::uint64_t label_of = 0;  ///< a label that came late: the row that it belongs to. 0: this is the record of a row
    std::size_t missing_lags = 0;  ///< earlier rows that the row's lags need and that are not known
    std::span<const double> observed;
    Learner::Step step;
    const Intervals* intervals = nullptr;  ///< only where RecordNames::has_interval
    const AdaptiveModel* model = nullptr;  ///< only where RecordNames::has_model
    std::span<const Event> events = {};
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
