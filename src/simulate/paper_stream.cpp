// paper_stream.cpp -- the simulated streams of section 4.1.
//
//     F_{t,j} = delta_j F_{t-1,j} + e_{t,j}      three hidden factors                                        eq. (21)
//     x_{t,i} = F_{t,j(i)} + n_{t,i}             sixty streams, twenty to a factor                           eq. (22)
//     y_t     = sum_i b_{t,i} x_{t,i}            b near 10 in one group, near 5 in another, 0 in the third
//
//   group        1     2      3
//   delta_j      0.1   0.4    0.2
//   mean of e    0     -1.5   1.5     variance 12.25
//
// The paper leaves open: F at row 1 (here its error term), the variance of b (here 0.01), and the third phase.
#include <algorithm>
#include <cmath>

#include "sluice/simulate.hpp"

namespace sluice {

namespace {

constexpr std::array<double, 3> kDelta = {0.1, 0.4, 0.2};
constexpr std::array<double, 3> kErrorMean = {0.0, -1.5, 1.5};
constexpr double kErrorDeviation = 3.5;
constexpr double kCoefficientDeviation = 0.1;
constexpr double kLarge = 10.0;
constexpr double kSmall = 5.0;
constexpr std::size_t kSwap = 100;      // rows before the swap of groups 1 and 2
constexpr std::size_t kTakeOver = 300;  // rows before group 3 takes over

}  // namespace

PaperStream::PaperStream(Kind kind, std::uint64_t seed, ThirdPhase third_phase)
    : kind_(kind), third_phase_(third_phase), normal_(seed) {}

void PaperStream::begin_phase() {
    auto draw_group = [&](int group, double centre) {
        const auto from = coefficients_.begin() + (group * static_cast<std::ptrdiff_t>(group_size));
        std::generate_n(from, group_size, [&] { return normal_.next(centre, kCoefficientDeviation); });
    };
    const std::size_t phase_row = row_ % phase_rows;
    const auto second = coefficients_.begin() + group_size;
    const auto third = second + group_size;
    if (phase_row == 0 && (row_ == 0 || kind_ == Kind::switching)) {
        coefficients_.fill(0.0);
        draw_group(0, kLarge);
        draw_group(1, kSmall);
        large_ = 0;
        small_ = 1;
    } else if (kind_ == Kind::switching && phase_row == kSwap) {
        std::swap_ranges(coefficients_.begin(), second, second);
        large_ = 1;
        small_ = 0;
    } else if (kind_ == Kind::switching && phase_row == kTakeOver) {
        std::fill(coefficients_.begin(), second, 0.0);
        if (third_phase_ == ThirdPhase::caption) {
            draw_group(1, kSmall);
        }
        std::fill(third, coefficients_.end(), 0.0);
        draw_group(2, kLarge);
        large_ = 2;
        small_ = 1;
    }
}

PaperStream::Row PaperStream::next() {
    begin_phase();
    Row row;
    for (std::size_t j = 0; j < factor_.size(); ++j) {
        const double error = normal_.next(kErrorMean[j], kErrorDeviation);
        factor_[j] = row_ == 0 ? error : (kDelta[j] * factor_[j]) + error;
    }
    for (std::size_t i = 0; i < inputs; ++i) {
        row.x[i] = factor_[i / group_size] + normal_.next();
        row.y += coefficients_[i] * row.x[i];
    }
    row.large = large_;
    row.small = small_;
    ++row_;
    return row;
}

double PaperStream::share_right(std::span<const std::size_t> selected, int group) {
    if (selected.empty()) {
        return 0.0;
    }
    const auto right = std::ranges::count_if(
        selected, [&](std::size_t i) { return i / group_size == static_cast<std::size_t>(group); });
    return static_cast<double>(right) / static_cast<double>(selected.size());
}

}  // namespace sluice
