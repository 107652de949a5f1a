#include "experiments/catalogue.hpp"

#include <algorithm>
#include <array>

#include "experiments/adaptive/adaptive.hpp"
#include "experiments/alarms/alarms.hpp"
#include "experiments/forgetting/forgetting.hpp"
#include "experiments/hindsight/hindsight.hpp"
#include "experiments/literal/literal.hpp"
#include "experiments/selection/selection.hpp"
#include "experiments/single/single.hpp"
#include "experiments/static/static.hpp"
#include "experiments/static_portfolio/static_portfolio.hpp"
#include "experiments/switching/switching.hpp"
#include "experiments/tracking/tracking.hpp"

namespace sluice::experiments {

std::span<const Experiment> catalogue() {
    static constexpr std::array kAll = {
        Experiment{.name = "static",
                   .about = "figure 1: off-line against on-line where nothing changes",
                   .rows = static_stream_rows,
                   .run = run_static_stream},
        Experiment{.name = "single",
                   .about = "figure 2: what each component selects in one run",
                   .rows = single_rows,
                   .run = run_single},
        Experiment{.name = "switching",
                   .about = "figure 3: both components where the truth changes twice",
                   .rows = switching_rows,
                   .run = run_switching},
        Experiment{.name = "forgetting",
                   .about = "figure 4: the forgetting factor",
                   .rows = forgetting_rows,
                   .run = run_forgetting},
        Experiment{.name = "static-portfolio",
                   .about = "figure 5: ten of 98 stocks, +15 % a year, weights set once",
                   .rows = static_portfolio_rows,
                   .run = run_static_portfolio},
        Experiment{.name = "tracking",
                   .about = "figure 6: two indices, ten of 323 stocks, +15 % a year, in three versions",
                   .rows = tracking_rows,
                   .run = run_tracking},
        Experiment{.name = "adaptive",
                   .about = "beyond the paper: forgetting chosen while the stream runs",
                   .rows = adaptive_rows,
                   .run = run_adaptive},
        Experiment{.name = "selection",
                   .about = "beyond the paper: does it find the inputs that drive the output?",
                   .rows = selection_rows,
                   .run = run_selection,
                   .usual_runs = 100},
        Experiment{.name = "hindsight",
                   .about = "beyond the paper: everything on auto beside the best in hindsight",
                   .rows = hindsight_rows,
                   .run = run_hindsight,
                   .usual_runs = 10},
        Experiment{.name = "alarms",
                   .about = "beyond the paper: faults of a process, and false alarms",
                   .rows = alarms_rows,
                   .run = run_alarms,
                   .figure = false},
        Experiment{.name = "literal",
                   .about = "what the paper's literal choices would give",
                   .rows = literal_rows,
                   .run = run_literal,
                   .figure = false},
    };
    return kAll;
}

const Experiment* find_experiment(std::string_view name) {
    const auto all = catalogue();
    const auto found = std::ranges::find(all, name, &Experiment::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace sluice::experiments
