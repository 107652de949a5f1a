#include "experiments/adaptive/contestants.hpp"

#include <algorithm>
#include <utility>

#include "sluice/adaptive.hpp"

namespace sluice::experiments {

namespace {

// Forgetting alone is tuned: every contestant keeps two components of 20 variables.
class Automatic {
  public:
    explicit Automatic(const StreamOptions& options) : model_(PaperStream::inputs, 1, tuned(options)) {}
    double step(std::span<const double> x, double y) { return model_.learn(x, {&y, 1}).predicted[0]; }
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const {
        return model_.current().selected(component);
    }

  private:
    static AdaptiveOptions tuned(const StreamOptions& options) {
        AdaptiveOptions all{.model = options, .tuning = Tuning::off()};
        all.tuning.forgetting = true;
        return all;
    }
    AdaptiveModel model_;
};

// Never forgets, and knows when to start again.
class Oracle {
  public:
    explicit Oracle(StreamOptions options) : options_(std::move(options)), model_(made()) {}
    double step(std::span<const double> x, double y) {
        ++row_;
        if (row_ == kSwap || row_ == kTakeOver) {
            model_ = made();
        }
        return model_.learn(x, {&y, 1}).predicted[0];
    }
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const {
        return model_.selected(component);
    }

  private:
    [[nodiscard]] StreamModel made() const { return {PaperStream::inputs, 1, options_}; }
    StreamOptions options_;
    StreamModel model_;
    std::size_t row_ = 0;
};

template <typename Learner>
RunSummary runs_of(const Plan& plan, PaperStream::Kind kind, const StreamOptions& options) {
    const std::size_t rows = rows_of(kind);
    RunSummary all = many_runs(plan, rows, [&](std::uint64_t seed) {
        return follow(Learner(options), PaperStream(kind, seed, plan.third_phase), rows);
    });
    all.runs = {};  // only what they say together is needed
    return all;
}

template <typename Learner>
Contestant contestant(const Plan& plan, const char* name, const StreamOptions& options) {
    return {.name = name,
            .fixed = false,
            .factor = options.forgetting,
            .runs = runs_of<Learner>(plan, PaperStream::Kind::switching, options)};
}

Contestant best_fixed(const Plan& plan) {
    Contestant best;
    double most = -1.0;
    for (const double factor : kFixedFactors) {
        Contestant one = contestant<OnLine>(plan, "best-fixed", our_options(factor));
        const double both = one.average_of(0) + one.average_of(1);
        if (both > most) {
            most = both;
            best = std::move(one);
        }
    }
    return best;
}

}  // namespace

double Contestant::average_of(std::size_t component) const {
    return average(runs.component.at(component).mean, kFromRow, kSwitchingRows);
}

double Contestant::average_error() const {
    return average(runs.error, kFromRow, kSwitchingRows);
}

StreamOptions our_options(double forgetting) {
    StreamOptions options;
    options.components = kComponents;
    options.keep = {PaperStream::group_size};
    options.forgetting = forgetting;
    return options;
}

std::vector<Contestant> switching_contest(const Plan& plan) {
    std::vector<Contestant> all;
    for (const double factor : kFixedFactors) {
        all.push_back(contestant<OnLine>(plan, "", paper_options(factor)));
        all.back().fixed = true;
    }
    all.push_back(contestant<Automatic>(plan, "auto", our_options(StreamOptions().forgetting)));
    all.push_back(contestant<Oracle>(plan, "oracle", our_options(1.0)));
    all.push_back(contestant<Automatic>(plan, "auto-paper", StreamOptions::paper()));
    all.push_back(contestant<Oracle>(plan, "oracle-paper", paper_options(1.0)));
    all.push_back(best_fixed(plan));
    return all;
}

std::size_t switching_contest_rows(const Plan& plan) {
    return ((2 * kFixedFactors.size()) + 4) * plan.runs * kSwitchingRows;
}

std::array<RunSummary, 2> static_contest(const Plan& plan) {
    return {runs_of<OnLine>(plan, PaperStream::Kind::constant, our_options(1.0)),
            runs_of<Automatic>(plan, PaperStream::Kind::constant, our_options(StreamOptions().forgetting))};
}

std::size_t static_contest_rows(const Plan& plan) {
    return 2 * plan.runs * kStaticRows;
}

}  // namespace sluice::experiments
