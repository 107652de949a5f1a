// plan.hpp -- how often, from which seed and on how many threads an experiment is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "sluice/simulate.hpp"

namespace sluice::experiments {

struct Plan {
    std::size_t runs = 500;
    std::uint64_t seed = 1;
    std::size_t threads = 1;  ///< the numbers do not depend on it
    ThirdPhase third_phase = ThirdPhase::caption;
    std::string data = {};  ///< folder with OR-Library's indtrack files, or with a folder `indtrack`; empty: none
    std::size_t portfolios = 1000;  ///< random ones, beside those of section 4.2
    /// Told now and then, on the caller's thread, how many rows were learnt since it was last told. False: stop.
    std::function<bool(std::size_t rows)> go_on = {};
};

/// Thrown out of an experiment whose plan said stop.
class Stopped : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// Tells the plan that so many rows were learnt. Throws Stopped where it says stop.
void tell(const Plan& plan, std::size_t rows);

/// The same for the same two numbers; runs of neighbouring seeds have nothing in common.
[[nodiscard]] std::uint64_t seed_of_run(std::uint64_t seed, std::size_t run);

/// Calls one(run, seed of that run) for each run of the plan, on as many threads as it says. Each call writes only what
/// belongs to its own run; adding up comes afterwards, in the order of the runs. `rows`: learnt by one run.
void each_run(const Plan& plan, std::size_t rows, const std::function<void(std::size_t, std::uint64_t)>& one);

}  // namespace sluice::experiments
