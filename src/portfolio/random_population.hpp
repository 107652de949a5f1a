// random_population.hpp -- many portfolios of stocks drawn at random, with recursive least squares weights: the comparison of section 4.2.
#pragma once

#include <vector>

#include "performance.hpp"

namespace sluice::portfolio {

struct Population {
    Performance mean = {};             ///< of every figure, over the portfolios
    std::vector<Figures> spread = {};  ///< of each index: standard deviations over the portfolios, net
    std::vector<Figures> best =
        {};  ///< of each index: the least error over variance, with all figures of that portfolio
    std::size_t portfolios = 0;
};

/// options.random_portfolios of options.names stocks each, drawn from options.seed; the same on any number of threads.
[[nodiscard]] Population random_population(const Market& market, const TrackOptions& options);

/// Which stocks portfolio `number` holds: ascending, none twice.
[[nodiscard]] std::vector<std::size_t> random_names(std::size_t stocks, std::size_t names, std::size_t seed,
                                                    std::size_t number);

}  // namespace sluice::portfolio
