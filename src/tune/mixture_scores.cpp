// mixture_scores.cpp -- errors of the readings, and the shares of the discounts.
#include <algorithm>
#include <array>
#include <cmath>

#include "boa.hpp"
#include "mixture.hpp"

namespace sluice::tune {

namespace {

constexpr std::uint64_t kFirstRows = 20;  // in which errors have no scale yet: plain squares
constexpr double kMostRegret = 1e3;       // of a row, in the output's variance

}  // namespace

void Mixture::find_columns() {
    constexpr std::size_t kAtOnce = 8;
    const std::size_t stride = grid_.stride();
    columns_ = stride > kAtOnce ? stride - kAtOnce : stride;
    if (!repeats(bias_) || !repeats(errors_) || !repeats(squares_)) {
        columns_ = stride;
    }
}

bool Mixture::repeats(std::span<const double> rows) const {
    for (std::size_t row = 0; row < rows.size(); row += grid_.stride()) {
        for (std::size_t s = columns_; s < grid_.sizes; ++s) {
            if (rows[row + s] != rows[row + columns_ - 1]) {
                return false;
            }
        }
    }
    return true;
}

void Mixture::score_rows(std::size_t output, std::size_t speed, const kernels::Scored& how, const double* base,
                         std::size_t cell, std::size_t rows) {
    std::array<double*, kDiscounts.size()> sums{};
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        sums[d] = errors(output, d, speed) + cell;
    }
    double* squares = squares_.data() + place(output, speed) + cell;
    double* bias = bias_.data() + place(output, speed) + cell;
    const kernels::Rows computed{.count = rows,
                                 .stride = grid_.stride(),
                                 .columns = columns_,
                                 .copies = std::max(columns_, grid_.sizes) - columns_};
    kernels::score(base, computed, how, sums, squares, bias);
}

void Mixture::score(std::size_t output, double y, std::span<const double> base, const Forecast& forecast,
                    double variance, std::size_t memories) {
    if (variance > 0.0) {
        update_shares(output, y, forecast, variance);
    }
    memories = std::min(memories, grid_.memories);
    if (!repeats(base.first(memories * grid_.memory_cells()))) {
        columns_ = grid_.stride();
    }
    constexpr std::size_t kSlowest = kDiscounts.size() - 1;
    double tail = 0.0;
    if (rows_[output] >= kFirstRows) {
        const double least = least_[output] / std::max(count_[(output * kDiscounts.size()) + kSlowest], 1.0);
        tail = kTail * std::max({least, kLeastScale, 1e-12 * variance});
    }
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        double& count = count_[(output * kDiscounts.size()) + d];
        count = (kDiscounts[d] * count) + 1.0;
    }
    for (std::size_t g = 0; g < grid_.speeds; ++g) {
        double& rows = drift_rows_[(output * grid_.speeds) + g];
        rows = (kSpeeds[g] * rows) + 1.0;
        score_rows(output, g, {.y = y, .tail = tail, .step = g == 0 ? 0.0 : 1.0 / rows}, base.data(), 0,
                   memories * grid_.shrinkages);
    }
    ++rows_[output];
}

void Mixture::update_shares(std::size_t output, double y, const Forecast& forecast, double variance) {
    std::array<double, kDiscounts.size()> excess{};
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        excess[d] = std::clamp(2.0 * (forecast.value - y) * (forecast.by_discount[d] - forecast.value) / variance,
                               -kMostRegret, kMostRegret);
    }
    auto of_output = [&](std::vector<double>& all) {
        return std::span(all).subspan(output * kDiscounts.size(), kDiscounts.size());
    };
    tune::update_shares({.regret = of_output(regret_), .square = of_output(variance_), .share = of_output(share_)},
                        excess, kEvidence);
}

void Mixture::start(std::size_t memory, double mean_loss, std::span<const double> variances, std::size_t rows_ago) {
    const std::size_t cell = grid_.cell(memory, 0, 0);
    for (std::size_t k = 0; k < q_; ++k) {
        for (std::size_t g = 0; g < grid_.speeds; ++g) {
            std::fill_n(bias_.begin() + static_cast<std::ptrdiff_t>(place(k, g) + cell), grid_.memory_cells(), 0.0);
            for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
                const double rows =
                    count_[(k * kDiscounts.size()) + d] * std::pow(kDiscounts[d], static_cast<double>(rows_ago));
                std::fill_n(errors(k, d, g) + cell, grid_.memory_cells(),
                            std::min(mean_loss, 1e6) * variances[k] * rows);
            }
        }
    }
}

void Mixture::clear(std::size_t memory) {
    const std::size_t cells = grid_.memory_cells();
    for (auto* list : {&bias_, &errors_, &squares_}) {
        for (std::size_t first = memory * cells; first < list->size(); first += cells_) {
            std::fill_n(list->begin() + static_cast<std::ptrdiff_t>(first), cells, 0.0);
        }
    }
}

void Mixture::score_memory(std::size_t output, double y, std::span<const double> base, std::size_t memory,
                           double variance) {
    const std::size_t cell = grid_.cell(memory, 0, 0);
    if (!repeats(base.subspan(cell, grid_.memory_cells()))) {
        columns_ = grid_.stride();
    }
    for (std::size_t g = 0; g < grid_.speeds; ++g) {
        const double rows = drift_rows_[(output * grid_.speeds) + g];
        const kernels::Scored how{
            .y = y, .tail = kTail * std::max(variance, kLeastScale), .step = g == 0 ? 0.0 : 1.0 / std::max(rows, 1.0)};
        score_rows(output, g, how, base.data() + cell, cell, grid_.shrinkages);
    }
}

}  // namespace sluice::tune
