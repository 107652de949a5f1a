// plan.hpp -- how often, from which seed and on how many threads an experiment is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "sluice/simulate.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kUsualRuns = 500;

struct Plan {
    std::size_t runs = kUsualRuns;
    std::uint64_t seed = 1;
    std::size_t threads = 1;  ///< the numbers do not depend on it
    ThirdPhase third_phase = ThirdPhase::caption;
    std::string data = {};  ///< folder with OR-Library's indtrack files, or with a folder `indtrack`; empty: none
    std::size_t portfolios = 1000;  ///< random ones, beside those of section 4.2
    /// Called from time to time, on the caller's thread, with the rows learnt since the last call. False: stop.
    std::function<bool(std::size_t rows)> on_progress = {};
};

/// Thrown by an experiment whose on_progress returned false.
class Stopped : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// Calls plan.on_progress with `rows`. Throws Stopped where it returns false.
void report_progress(const Plan& plan, std::size_t rows);

/// The same for the same two numbers; runs of neighbouring seeds have nothing in common.
[[nodiscard]] std::uint64_t seed_of_run(std::uint64_t seed, std::size_t run);

/// Calls one(run, seed of that run) for each run of the plan, on as many threads as it says. Each call writes only what
/// belongs to its own run; adding up comes afterwards, in the order of the runs. `rows`: learnt by one run.
void each_run(const Plan& plan, std::size_t rows, const std::function<void(std::size_t, std::uint64_t)>& one);

}  // namespace sluice::experiments
