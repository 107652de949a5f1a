#include "interval_methods.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace sluice::bench {

namespace {

constexpr std::size_t kFirstErrors = IntervalTracker::kFirstErrors;  // all methods begin with the same row
constexpr std::size_t kWindow = 250;
constexpr double kBeyondAll = 3.0;

double normal_quantile(double coverage) {
    double low = 0.0;
    double high = 8.0;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (low + high);
        (std::erf(middle / std::numbers::sqrt2) < coverage ? low : high) = middle;
    }
    return low;
}

class Ours final : public IntervalMethod {
  public:
    Ours(double coverage, std::size_t late) : tracker_(1, {.coverage = coverage}), late_(late) {}
    std::optional<Interval> interval(double predicted) override { return tracker_.interval(0, predicted); }
    void add(double predicted, double observed, const std::optional<Interval>& given) override {
        tracker_.add(0, {.predicted = predicted, .observed = observed, .given = given, .rows_late = late_});
    }

  private:
    IntervalTracker tracker_;
    std::size_t late_;
};

class Gaussian final : public IntervalMethod {
  public:
    Gaussian(double coverage, double memory) : times_(normal_quantile(coverage)), memory_(memory) {}
    std::optional<Interval> interval(double predicted) override {
        const double half = times_ * std::sqrt(squares_ / weight_);
        return errors_ < kFirstErrors
                   ? std::nullopt
                   : std::optional(Interval{.low = predicted + mean_ - half, .high = predicted + mean_ + half});
    }
    void add(double predicted, double observed, const std::optional<Interval>& /*given*/) override {
        weight_ = (memory_ * weight_) + 1.0;
        const double step = observed - predicted - mean_;
        mean_ += step / weight_;
        squares_ = (memory_ * squares_) + (step * (observed - predicted - mean_));
        ++errors_;
    }

  private:
    double times_;
    double memory_;
    double weight_ = 0.0;
    double mean_ = 0.0;
    double squares_ = 0.0;
    std::size_t errors_ = 0;
};

// The sizes of the last errors, and which of them is at a level.
class Window {
  public:
    void add(double size) {
        if (last_.size() < kWindow) {
            last_.push_back(size);
        } else {
            last_[next_] = size;
        }
        next_ = (next_ + 1) % kWindow;
        sorted_ = last_;
        std::ranges::sort(sorted_);
    }
    [[nodiscard]] std::size_t count() const { return last_.size(); }
    [[nodiscard]] double largest() const { return sorted_.back(); }
    [[nodiscard]] double quantile(double level) const {
        const double rank = std::ceil(level * static_cast<double>(sorted_.size() + 1));
        return rank < 1.0                                   ? 0.0
               : rank > static_cast<double>(sorted_.size()) ? kBeyondAll * largest()
                                                            : sorted_[static_cast<std::size_t>(rank) - 1];
    }
    /// The share of sizes that are at least as large.
    [[nodiscard]] double share_above(double size) const {
        const auto at = std::ranges::lower_bound(sorted_, size);
        return static_cast<double>(sorted_.end() - at) / static_cast<double>(sorted_.size());
    }

  private:
    std::vector<double> last_;
    std::vector<double> sorted_;
    std::size_t next_ = 0;
};

Interval around(double predicted, double half) {
    return {.low = predicted - half, .high = predicted + half};
}

class Aci final : public IntervalMethod {
  public:
    Aci(double coverage, double gamma) : outside_(1.0 - coverage), gamma_(gamma), level_(coverage) {}
    std::optional<Interval> interval(double predicted) override {
        return window_.count() < kFirstErrors ? std::nullopt
                                              : std::optional(around(predicted, window_.quantile(level_)));
    }
    void add(double predicted, double observed, const std::optional<Interval>& given) override {
        if (given) {
            level_ += gamma_ * ((given->contains(observed) ? 0.0 : 1.0) - outside_);
        }
        window_.add(std::abs(observed - predicted));
    }

  private:
    double outside_;
    double gamma_;
    double level_;
    Window window_;
};

class DtAci final : public IntervalMethod {
  public:
    explicit DtAci(double coverage) : outside_(1.0 - coverage) {
        alpha_.fill(outside_);
        weight_.fill(1.0 / static_cast<double>(kGamma.size()));
        const double a = outside_;
        const double c = coverage;
        rate_ = std::sqrt(3.0 / kRows) * std::sqrt((std::log(kRows * static_cast<double>(kGamma.size())) + 2.0) /
                                                   ((c * c * a * a * a) + (a * a * c * c * c)));
    }
    std::optional<Interval> interval(double predicted) override {
        double alpha = 0.0;
        for (std::size_t k = 0; k < kGamma.size(); ++k) {
            alpha += weight_[k] * alpha_[k];
        }
        return window_.count() < kFirstErrors ? std::nullopt
                                              : std::optional(around(predicted, window_.quantile(1.0 - alpha)));
    }
    void add(double predicted, double observed, const std::optional<Interval>& given) override {
        const double size = std::abs(observed - predicted);
        if (given) {
            const double beta = window_.share_above(size);
            double sum = 0.0;
            for (std::size_t k = 0; k < kGamma.size(); ++k) {
                const double loss = (outside_ * (beta - alpha_[k])) - std::min(0.0, beta - alpha_[k]);
                weight_[k] *= std::exp(-rate_ * loss);
                sum += weight_[k];
                const bool miss = size > window_.quantile(1.0 - alpha_[k]);
                alpha_[k] += kGamma[k] * (outside_ - (miss ? 1.0 : 0.0));
            }
            constexpr double kShare = 1.0 / (2.0 * kRows);
            for (double& weight : weight_) {
                weight = ((1.0 - kShare) * weight / sum) + (kShare / static_cast<double>(kGamma.size()));
            }
        }
        window_.add(size);
    }

  private:
    static constexpr std::array<double, 8> kGamma = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128};
    static constexpr double kRows = 500.0;
    double outside_;
    double rate_ = 0.0;
    std::array<double, 8> alpha_{};
    std::array<double, 8> weight_{};
    Window window_;
};

class Pid final : public IntervalMethod {
  public:
    explicit Pid(double coverage) : coverage_(coverage) {}
    std::optional<Interval> interval(double predicted) override {
        return window_.count() < kFirstErrors ? std::nullopt : std::optional(around(predicted, std::max(half_, 0.0)));
    }
    void add(double predicted, double observed, const std::optional<Interval>& given) override {
        window_.add(std::abs(observed - predicted));
        if (!given) {
            quantile_ = half_ = window_.quantile(coverage_);
            return;
        }
        const double off = (given->contains(observed) ? 0.0 : 1.0) - (1.0 - coverage_);
        ++rows_;
        sum_ += off;
        quantile_ += kRate * window_.largest() * off;
        const double turn = sum_ * std::log(rows_ + 1.0) / (kSaturation * (rows_ + 1.0));
        const double integral = std::abs(turn) < kMostTurn ? std::tan(turn) : std::copysign(std::tan(kMostTurn), turn);
        half_ = std::min(quantile_ + (window_.largest() * integral), kBeyondAll * window_.largest());
    }

  private:
    static constexpr double kRate = 0.1;
    static constexpr double kSaturation = 5.0;
    static constexpr double kMostTurn = 1.5;
    double coverage_;
    double quantile_ = 0.0;
    double half_ = 0.0;
    double rows_ = 0.0;
    double sum_ = 0.0;
    Window window_;
};

}  // namespace

NamedMethod our_intervals(double coverage, std::size_t late) {
    return {.name = "IntervalTracker", .make = [=] { return std::make_unique<Ours>(coverage, late); }};
}

NamedMethod gaussian_intervals(double coverage) {
    return {.name = "Gaussian, memory of 100 rows", .make = [=] { return std::make_unique<Gaussian>(coverage, 0.99); }};
}

std::vector<NamedMethod> other_intervals(double coverage) {
    return {{.name = "Gaussian, all errors", .make = [=] { return std::make_unique<Gaussian>(coverage, 1.0); }},
            gaussian_intervals(coverage),
            {.name = "window of 250", .make = [=] { return std::make_unique<Aci>(coverage, 0.0); }},
            {.name = "ACI, gamma 0.005", .make = [=] { return std::make_unique<Aci>(coverage, 0.005); }},
            {.name = "ACI, gamma 0.05", .make = [=] { return std::make_unique<Aci>(coverage, 0.05); }},
            {.name = "DtACI", .make = [=] { return std::make_unique<DtAci>(coverage); }},
            {.name = "conformal PID", .make = [=] { return std::make_unique<Pid>(coverage); }}};
}

}  // namespace sluice::bench
