// snapshot.hpp -- what readers see of a model: made by the thread that owns it, and never changed afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "durable_model.hpp"
#include "event.hpp"
#include "target_errors.hpp"

namespace sluice::serve {

struct Snapshot {
    std::uint64_t rows = 0;
    std::uint64_t learned = 0;
    std::uint64_t skipped = 0;
    std::uint64_t batches = 0;
    std::uint64_t seq = 0;      ///< the last one
    std::uint64_t entered = 0;  ///< names, since the process started
    double mean_turnover = 0.0;
    bool durable = false;
    std::size_t inputs = 0;  ///< lags included
    std::size_t columns = 0;
    std::size_t names = 0;  ///< inputs that predict
    std::size_t vanished = 0;
    std::size_t ignored = 0;
    std::size_t bytes = 0;  ///< of the model in memory
    std::array<std::uint64_t, job::kEventKinds> events{};
    std::vector<std::string> targets;
    std::vector<Score> scores;
    struct Name {
        std::string name;
        std::optional<double> contribution;  ///< none where nothing is tuned
        std::optional<double> gain;
    };
    std::vector<Name> selected;  ///< the most important first
    std::string errors = "{}";   ///< JSON of the targets' errors
};

[[nodiscard]] Snapshot snapshot_of(const DurableModel& durable);

/// {"name":"plant","rows":...,...,"spec":{...}}
[[nodiscard]] std::string state_json(const std::string& name, const Snapshot& snapshot, const std::string& spec);
/// {"rows":...,"selected":[{"name":...,"contribution":...,"gain":...},...]}
[[nodiscard]] std::string selected_json(const Snapshot& snapshot);
/// {"rows":...,"inputs":[names],"intercept":{"y":...},"coefficients":{"y":{"a":...}}}: those that are not zero.
[[nodiscard]] std::string coefficients_json(const DurableModel& durable);
/// What is sent to those who follow: members without braces.
[[nodiscard]] std::string update_members(const Snapshot& snapshot);

}  // namespace sluice::serve
