// live_history.hpp -- the history of a stream that runs, from the records of its job: weights and gains are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "histories.hpp"
#include "record_writer.hpp"

namespace sluice::report {

class LiveHistory {
  public:
    /// `inputs`: names of the model's inputs. `latest`: whether the latest rows are kept one by one too.
    LiveHistory(std::vector<std::string> inputs, std::vector<std::string> targets, std::uint64_t warmup,
                bool latest = false);

    void add(const job::Record& record);

    [[nodiscard]] const History& history(Span span = Span::whole) const { return histories_.of(span); }
    [[nodiscard]] Mark mark(Span span) { return histories_.mark(span); }

    void save(core::StateWriter& out) const { histories_.save(out); }
    void load(core::StateReader& in) { histories_.load(in); }

  private:
    [[nodiscard]] std::size_t variable(std::size_t input);

    std::vector<std::string> inputs_;
    std::vector<std::size_t> variables_;  // of each input, once it was selected
    Histories histories_;
    std::vector<Use> uses_;
    std::vector<Reason> reasons_;
    std::vector<StreamEvent> events_;
};

}  // namespace sluice::report
