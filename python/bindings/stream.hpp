// stream.hpp -- what a Python model holds: the on-line model with its names, intervals, scores and events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/interval.hpp"
#include "sluice/model_file.hpp"
#include "sluice/score.hpp"

namespace sluice::python {

/// A step report whose lists are its own.
struct Report {
    StepReport step;
    std::vector<double> predicted;
    std::vector<std::size_t> selected;
    std::vector<std::size_t> entered;
    std::vector<std::size_t> left;
    std::vector<std::size_t> suspect_inputs;
    std::vector<std::size_t> suspect_outputs;

    void copy(const StepReport& report);
};

/// Something worth a line in a log: a sudden change, a row that cannot be believed, an input that enters or leaves.
struct Event {
    std::uint64_t row = 0;
    std::string kind;                  ///< "drift", "suspect", "entered", "left", "fresh_start"
    std::vector<std::size_t> inputs;   ///< which ones it concerns
    std::vector<std::size_t> outputs;  ///< suspect: whose errors are too large
    double from = 0.0;                 ///< of a Decision; drift: first row after the change
    double to = 0.0;
};

constexpr const char* kAnotherThread =
    "another thread is using this model: give each thread a copy of its own, or let them take turns with a lock";

/// Several threads may predict at once; whoever learns must be alone.
class InUse {
  public:
    enum class As { reader, writer };
    /// Throws std::runtime_error where another thread uses the model.
    InUse(std::atomic<int>& users, As as);
    ~InUse();
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

  private:
    std::atomic<int>& users_;
    As as_;
};

/// Where the results of many rows go; a null pointer: not wanted.
struct Results {
    double* predicted = nullptr;  ///< rows x outputs
    double* low = nullptr;        ///< of the interval; NaN where there is none yet
    double* high = nullptr;
};

class Stream {
  public:
    static constexpr std::size_t kEvents = 1000;  ///< the last ones are kept

    /// coverage: that of intervals; empty: none. Throws OptionError.
    Stream(NamedModel named, std::optional<double> coverage);

    /// What is not in the model file.
    struct Beside {
        std::vector<std::byte> intervals;  ///< empty: none
        std::vector<Score::Sums> scores;
        std::vector<bool> observed;
        std::deque<Event> events;
    };
    [[nodiscard]] Beside beside() const;
    /// As it was saved. Throws StateError.
    Stream(NamedModel named, Beside beside);

    void predict(const Rows& x, Results results) const;
    /// Predicts each row, then learns from it.
    void learn(const Rows& x, const Rows& y, Results results);

    [[nodiscard]] const AdaptiveModel& model() const noexcept { return named_.model; }
    [[nodiscard]] const NamedModel& named() const noexcept { return named_; }
    [[nodiscard]] std::span<const Score> scores() const noexcept { return scores_; }
    [[nodiscard]] const std::deque<Event>& events() const noexcept { return events_; }
    [[nodiscard]] std::uint64_t events_noted() const noexcept { return events_noted_; }  ///< since the object was made
    /// Of the last row learnt, if any.
    [[nodiscard]] const std::optional<Report>& report() const noexcept { return report_; }
    [[nodiscard]] const std::optional<IntervalTracker>& intervals() const noexcept { return intervals_; }
    [[nodiscard]] std::atomic<int>& users() const noexcept { return users_; }

    void rename(std::vector<std::string> inputs, std::vector<std::string> targets);
    /// Appends inputs that were missing in every row so far. Throws DataError, OptionError, and changes nothing then.
    void add_inputs(const std::vector<std::string>& names);

  private:
    void note(const StepReport& report);
    void add_event(Event event);

    NamedModel named_;
    std::optional<IntervalTracker> intervals_;
    std::vector<Score> scores_;
    std::vector<bool> observed_;  // whether each output was observed before: else there is no forecast to score
    std::deque<Event> events_;
    std::uint64_t events_noted_ = 0;
    std::optional<Report> report_;
    std::vector<double> inputs_;  // of the row that is being learnt
    std::vector<double> outputs_;
    std::vector<std::optional<Interval>> given_;
    mutable std::atomic<int> users_ = 0;  // readers; -1: a writer
};

}  // namespace sluice::python
