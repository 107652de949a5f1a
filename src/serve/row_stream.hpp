// row_stream.hpp -- one model that learns from batches of rows: the way of a row is that of a stream job.
//
// A batch is read as a whole before the model learns from it: a row that cannot be read leaves everything as it was.
//     RowStream::Read read = stream.read(batch);      // throws where the batch is refused
//     std::string answers = stream.learn(read);       // what was predicted before each row was learnt
// Several batches may be read before the first of them is learnt, and learnt later in the same order. Both steps follow
// from the batches alone: the same batches give the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch.hpp"
#include "column_watch.hpp"
#include "event_log.hpp"
#include "intervals.hpp"
#include "learner.hpp"
#include "live_history.hpp"
#include "model_file.hpp"
#include "parse_spec.hpp"
#include "tally.hpp"

namespace sluice::serve {

class RowStream {
  public:
    explicit RowStream(ModelSpec spec);
    /// Continues from a model file that pack() wrote. Throws StateError.
    RowStream(ModelSpec spec, job::ModelFile&& file);
    ~RowStream();
    RowStream(RowStream&& other) noexcept;
    RowStream& operator=(RowStream&&) = delete;
    RowStream(const RowStream&) = delete;
    RowStream& operator=(const RowStream&) = delete;

    /// The model with all that belongs to it. It is made by the first batch, which names the columns.
    struct Model {
        Roles roles;
        std::vector<std::string> input_names;  ///< lags included
        job::Learner learner;
        job::Tally tally;
        job::EventLog events;
        std::optional<job::Intervals> intervals;
    };

    /// What reading the next batch depends on. A copy of it can be put back where the batches read since are not learnt.
    struct ReadingState {
        bool opened = false;
        Roles roles = {};
        std::vector<std::string> columns = {};  ///< of the first batch, in their order
        job::ColumnWatch watch = {};
        std::uint64_t rows = 0;  ///< that could be read
    };

    /// A batch that was read.
    struct Read {
        struct Row {
            std::string time;
            std::vector<job::Event> events;
            std::string error;  ///< as JSON; where it is not empty, the row could not be read and has no numbers
        };
        std::size_t width = 0;
        std::vector<double> numbers;  ///< of the good rows, `width` each: inputs, then targets
        std::vector<Row> rows;
        job::ColumnWatch watch;        ///< after the batch
        std::unique_ptr<Model> model;  ///< of the first batch
    };
    /// Throws io::RowError, DataError, UsageError, OptionError, RequestError; nothing has changed then.
    [[nodiscard]] Read read(const Batch& batch);
    [[nodiscard]] const ReadingState& reading() const noexcept { return reading_; }
    void restore(ReadingState&& reading) { reading_ = std::move(reading); }

    /// Learns the batch that was read and not learnt first. Returns the members of the answer:
    ///     "first_row":1,"rows":2,"skipped":0,"answers":[{"row":1,"predicted":{...},"observed":{...},"outcome":"learned"},...]
    [[nodiscard]] std::string learn(Read&& read);

    /// Null before the first batch was learnt.
    [[nodiscard]] const Model* model() const noexcept { return model_.get(); }
    [[nodiscard]] const ModelSpec& spec() const noexcept { return spec_; }
    [[nodiscard]] const job::ColumnWatch& watch() const noexcept { return watch_; }
    /// What a page shows of the model. Null before the first batch was learnt.
    [[nodiscard]] report::LiveHistory* live() noexcept { return live_ ? &*live_ : nullptr; }
    [[nodiscard]] const report::LiveHistory* live() const noexcept { return live_ ? &*live_ : nullptr; }
    [[nodiscard]] std::uint64_t entered() const noexcept { return entered_; }  ///< names, since this process started

    /// The events since the last call, for those who watch.
    [[nodiscard]] std::vector<job::Event> take_events();

    /// The model file, with more sections. Only where there is a model.
    [[nodiscard]] std::vector<std::byte> pack(
        const std::vector<std::pair<std::string, std::vector<std::byte>>>& more = {}) const;

    static constexpr std::size_t kMostRows = 100'000;                        ///< of one batch
    static constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 20U;  ///< of one batch, roughly
    static constexpr std::size_t kMostCells = 20'000'000;                    ///< inputs times targets, roughly
    static constexpr std::size_t kMostFreshEvents = 100;
    static constexpr std::size_t kMostInputs = 200'000;          ///< of a model, lags included
    static constexpr std::size_t kMostKeptNumbers = 50'000'000;  ///< of earlier rows, for lags and horizon

  private:
    [[nodiscard]] std::unique_ptr<Model> make_model(const Roles& roles) const;
    void begin_with(std::unique_ptr<Model> model);
    void learn_row(const Read& read, std::size_t row, std::span<const double> numbers, std::string& answers);

    ModelSpec spec_;
    ReadingState reading_;
    std::unique_ptr<Model> model_;
    job::ColumnWatch watch_;
    std::optional<report::LiveHistory> live_;
    std::vector<job::Event> fresh_events_;
    std::uint64_t entered_ = 0;
    std::vector<std::string> json_targets_;  // escaped once
};

}  // namespace sluice::serve
