// window_strategy.cpp -- the rival of section 4.2: LARS or lasso on the last `window` periods, through the origin, with inputs
// of unit length. Each index has an equal part of the names; the coefficients are those where one more name would join.
#include <algorithm>
#include <cmath>
#include <deque>

#include "lars.hpp"
#include "strategies.hpp"

namespace sluice::portfolio {

namespace {

class WindowStrategy final : public Strategy {
  public:
    WindowStrategy(baselines::LarsVariant variant, std::size_t stocks, std::size_t indices, const TrackOptions& options)
        : variant_(variant), stocks_(stocks), indices_(indices), names_(options.names), window_(options.window) {}

    void learn(const Period& period) override {
        if (x_.size() == window_) {
            x_.pop_front();
            y_.pop_front();
        }
        std::vector<double>& x = x_.emplace_back(period.stocks.begin(), period.stocks.end());
        std::ranges::replace_if(
            x, [](double value) { return std::isnan(value); }, 0.0);
        y_.emplace_back(period.targets.begin(), period.targets.end());
    }

    Matrix weights(const Standing& standing) override {
        std::vector<double> unit(stocks_, 0.0);  // one over the length of each column; 0: not to be had
        for (const auto& x : x_) {
            for (std::size_t j = 0; j < stocks_; ++j) {
                unit[j] += x[j] * x[j];
            }
        }
        std::vector<double> squares(stocks_, 0.0);
        for (std::size_t j = 0; j < stocks_; ++j) {
            const bool usable = standing.tradable[j] && unit[j] > 0.0;
            unit[j] = usable ? 1.0 / std::sqrt(unit[j]) : 0.0;
            squares[j] = usable ? 1.0 : 0.0;
        }
        const baselines::GramColumn column = [&](std::size_t j, std::span<double> out) {
            std::ranges::fill(out, 0.0);
            for (const auto& x : x_) {
                for (std::size_t i = 0; i < stocks_; ++i) {
                    out[i] += x[j] * x[i];
                }
            }
            for (std::size_t i = 0; i < stocks_; ++i) {
                out[i] *= unit[i] * unit[j];
            }
        };
        Matrix out(stocks_, indices_);
        for (std::size_t k = 0; k < indices_; ++k) {
            std::vector<double> cross(stocks_, 0.0);
            for (std::size_t t = 0; t < x_.size(); ++t) {
                for (std::size_t j = 0; j < stocks_; ++j) {
                    cross[j] += unit[j] * x_[t][j] * y_[t][k];
                }
            }
            const std::size_t part = (names_ / indices_) + (k < names_ % indices_ ? 1 : 0);
            const auto path = baselines::lars(column, squares, cross, {.variant = variant_, .max_names = part});
            const auto last = path.coefficients.column(path.coefficients.cols() - 1);
            for (std::size_t j = 0; j < stocks_; ++j) {
                out(j, k) = unit[j] * last[j];
            }
        }
        return out;
    }

  private:
    baselines::LarsVariant variant_;
    std::size_t stocks_;
    std::size_t indices_;
    std::size_t names_;
    std::size_t window_;
    std::deque<std::vector<double>> x_;
    std::deque<std::vector<double>> y_;
};

}  // namespace

StrategyPointer window_strategy(WindowKind kind, std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    const auto variant = kind == WindowKind::lasso ? baselines::LarsVariant::lasso : baselines::LarsVariant::lar;
    return std::make_unique<WindowStrategy>(variant, stocks, indices, options);
}

}  // namespace sluice::portfolio
