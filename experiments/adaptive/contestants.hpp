// contestants.hpp -- who is compared on the switching stream: fixed forgetting, forgetting on auto, and an oracle.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/common/paper_run.hpp"
#include "experiments/common/plan.hpp"

namespace sluice::experiments {

inline constexpr std::array<double, 4> kFixedFactors = {0.9, 0.95, 0.98, 1.0};  ///< those of `forgetting`
inline constexpr std::size_t kFromRow = 35;                                     ///< averages are over rows 35 to 400

struct Contestant {
    std::string name;     ///< the JSON's "forgetting" where there is no factor: "auto"
    bool fixed = false;   ///< named by its factor
    double factor = 1.0;  ///< of a fixed one
    RunSummary runs = {};

    [[nodiscard]] double average_of(std::size_t component) const;  ///< share right over rows kFromRow to 400
    [[nodiscard]] double average_error() const;                    ///< one step ahead over variance, same rows
};

/// The defaults with two components of 20 variables: scaling and refit, which the paper does not have.
[[nodiscard]] StreamOptions our_options(double forgetting);

/// The four factors with the paper's options, auto, oracle, auto-paper, oracle-paper, best-fixed; in this order.
[[nodiscard]] std::vector<Contestant> switching_contest(const Plan& plan);
[[nodiscard]] std::size_t switching_contest_rows(const Plan& plan);

/// On the static stream, our options: forgetting 1, then auto.
[[nodiscard]] std::array<RunSummary, 2> static_contest(const Plan& plan);
[[nodiscard]] std::size_t static_contest_rows(const Plan& plan);

}  // namespace sluice::experiments
