// sluice_strategy.cpp -- our portfolio: the on-line model lists candidates, an exact step chooses names and weights among them.
//
//   StreamModel      shortlist x names candidates: refit deflation on the weighted moments, outputs scaled    ALGORITHM.md
//   choose_names     `names` of them, those held already preferred                                            name_search.hpp
//   index_weights    for each index its own names: long only, slope one                                       index_weights.hpp
#include <algorithm>

#include "index_weights.hpp"
#include "name_search.hpp"
#include "return_moments.hpp"
#include "sluice/model.hpp"
#include "strategies.hpp"

namespace sluice::portfolio {

namespace {

using Stocks = std::vector<std::size_t>;

// A stock that traded in less than this share of the remembered time is too new, or traded too rarely, to be chosen.
constexpr double kLeastTraded = 0.5;

StreamOptions candidates_options(const TrackOptions& options, std::size_t stocks) {
    StreamOptions model = options.model;
    const std::size_t wanted = std::min(stocks, options.names * options.shortlist);
    model.names = wanted;
    if (!model.components && !model.gamma) {
        const std::size_t keep = model.keep_for(0, stocks);
        model.components = std::max<std::size_t>(1, std::min((wanted + keep - 1) / keep, stocks / keep));
    }
    return model;
}

class SluiceStrategy final : public Strategy {
  public:
    SluiceStrategy(std::size_t stocks, std::size_t indices, const TrackOptions& options)
        : options_(options),
          model_(stocks, indices, candidates_options(options, stocks)),
          moments_(stocks, indices, options.model.forgetting),
          names_(indices) {}

    void learn(const Period& period) override {
        model_.learn(period.stocks, period.targets);
        moments_.add(period.stocks, period.targets);
    }

    Matrix weights(const Holdings& holdings) override {
        Matrix out(holdings.held.rows(), names_.size());
        names_ = affordable(chosen(holdings), holdings);
        for (std::size_t k = 0; k < names_.size(); ++k) {
            const Stocks& names = names_[k];
            std::vector<double> held;
            for (const std::size_t j : names) {
                held.push_back(holdings.held(j, k));
            }
            const std::vector<double> weights =
                index_weights(moments_.of(names), k, options_, held, budget(k, holdings));
            for (std::size_t a = 0; a < names.size(); ++a) {
                out(names[a], k) = weights[a];
            }
        }
        return out;
    }

  private:
    [[nodiscard]] bool usable(std::size_t j, const Holdings& holdings) const {
        return holdings.tradable[j] != 0 && moments_.traded_share(j) >= kLeastTraded;
    }

    // Names of each index, ascending, from the short list and from what was chosen last.
    [[nodiscard]] std::vector<Stocks> chosen(const Holdings& holdings) const {
        const auto listed = model_.selected();
        Stocks candidates(listed.begin(), listed.end());
        for (const Stocks& names : names_) {
            candidates.insert(candidates.end(), names.begin(), names.end());
        }
        std::ranges::sort(candidates);
        const auto again = std::ranges::unique(candidates);
        candidates.erase(again.begin(), again.end());
        std::erase_if(candidates, [&](std::size_t j) { return !usable(j, holdings); });

        NameSets held(names_.size());
        for (std::size_t k = 0; k < names_.size(); ++k) {
            for (const std::size_t j : names_[k]) {
                const auto at = std::ranges::lower_bound(candidates, j);
                if (at != candidates.end() && *at == j) {
                    held[k].push_back(static_cast<std::size_t>(at - candidates.begin()));
                }
            }
        }
        const FewMoments few = moments_.of(candidates);
        const Matrix G = with_ridge(few, options_.model.shrinkage);
        NameSets sets = choose_names({.G = G,
                                      .M = few.M,
                                      .v = few.v,
                                      .names = options_.names,
                                      .hold_bonus = options_.hold_bonus,
                                      .long_only = options_.long_only},
                                     std::move(held));
        for (Stocks& set : sets) {
            std::ranges::transform(set, set.begin(), [&](std::size_t at) { return candidates[at]; });
        }
        return sets;
    }

    // The sum of weights that one portfolio must sell.
    static double exits(const Stocks& names, std::size_t k, const Holdings& holdings) {
        double sold = 0.0;
        for (std::size_t j = 0; j < holdings.held.rows(); ++j) {
            if (holdings.tradable[j] != 0 && !std::ranges::binary_search(names, j)) {
                sold += std::abs(holdings.held(j, k));
            }
        }
        return sold;
    }

    static bool holds_something(std::size_t k, const Holdings& holdings) {
        return std::ranges::any_of(holdings.held.column(k), [](double w) { return w != 0.0; });
    }

    // How much one portfolio may still trade among its names.
    [[nodiscard]] std::optional<double> budget(std::size_t k, const Holdings& holdings) const {
        if (!options_.turnover_budget || !holds_something(k, holdings)) {
            return std::nullopt;
        }
        return std::max(0.0, *options_.turnover_budget - exits(names_[k], k, holdings));
    }

    // The new names; the old ones (those that still trade) where selling the dropped ones would exceed the budget.
    [[nodiscard]] std::vector<Stocks> affordable(std::vector<Stocks> wanted, const Holdings& holdings) const {
        for (std::size_t k = 0; options_.turnover_budget && k < wanted.size(); ++k) {
            if (holds_something(k, holdings) && exits(wanted[k], k, holdings) > *options_.turnover_budget) {
                std::vector<Stocks> same = names_;
                for (Stocks& names : same) {
                    std::erase_if(names, [&](std::size_t j) { return holdings.tradable[j] == 0; });
                }
                return same;
            }
        }
        return wanted;
    }

    TrackOptions options_;
    StreamModel model_;
    ReturnMoments moments_;
    std::vector<Stocks> names_;  // of each index, as chosen last
};

}  // namespace

StrategyPointer sluice_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    return std::make_unique<SluiceStrategy>(stocks, indices, options);
}

}  // namespace sluice::portfolio
