// live_history.hpp -- the history of a stream that runs, from the records of its job: weights and gains are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history.hpp"
#include "record_writer.hpp"

namespace sluice::report {

class LiveHistory {
  public:
    /// `inputs`: names of the model's inputs.
    LiveHistory(std::vector<std::string> inputs, std::vector<std::string> targets, std::uint64_t warmup);

    void add(const job::Record& record);

    [[nodiscard]] const History& history() const { return history_; }

  private:
    [[nodiscard]] std::size_t variable(std::size_t input);

    std::vector<std::string> inputs_;
    std::vector<std::size_t> variables_;  // of each input, once it was selected
    History history_;
    std::vector<Use> uses_;
    std::vector<Reason> reasons_;
    std::vector<StreamEvent> events_;
};

}  // namespace sluice::report
