// mixture.hpp -- all readings of the moments, mixed into one forecast for each output.
//
// A reading is a memory b, a shrinkage r, a number of names s and a speed g of the drifting intercept. It predicts
//     f = base(b, r, s) + bias(g, b, r, s),      bias <- the discounted mean of its errors, with discount g
// and has for each discount d its sum E_d of discounted losses one step ahead. Its weight is (Raftery et al. 2010)
//     w_d = exp(-(E_d - min E_d) / s_d),         s_d the least mean loss
// and the mixtures of the discounts are combined by BOA (boa.hpp), with discount kEvidence.
// Weights are computed after a row was scored: a forecast is then a sum of products. Only sizes up to the number of names in
// use take part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aligned_numbers.hpp"
#include "constants.hpp"
#include "mixture_kernels.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

/// Where the readings of one speed stand: memories x shrinkages x sizes, sizes padded to eight.
struct Grid {
    std::size_t memories = 1;
    std::size_t shrinkages = 1;
    std::size_t sizes = 1;
    std::size_t speeds = 1;

    [[nodiscard]] std::size_t stride() const { return (sizes + 7) / 8 * 8; }
    [[nodiscard]] std::size_t memory_cells() const { return shrinkages * stride(); }
    [[nodiscard]] std::size_t cells() const { return memories * memory_cells(); }
    [[nodiscard]] std::size_t cell(std::size_t memory, std::size_t shrinkage, std::size_t size) const {
        return (((memory * shrinkages) + shrinkage) * stride()) + size;
    }
};

class Mixture {
  public:
    Mixture(std::size_t outputs, const Grid& grid);

    [[nodiscard]] const Grid& grid() const { return grid_; }

    static constexpr std::size_t kAll = ~std::size_t{0};

    /// What the readings predict, given base(b, r, s) of one output. Valid until the next weigh().
    struct Forecast {
        double value = 0.0;
        std::array<double, kDiscounts.size()> by_discount{};
    };
    [[nodiscard]] Forecast forecast(std::size_t output, std::span<const double> base) const;
    /// The same for one memory at a time: the sum over all memories and offset() is the forecast's value.
    [[nodiscard]] double part(std::size_t output, std::size_t memory, std::span<const double> base) const;
    [[nodiscard]] double offset(std::size_t output) const { return final_offset_[output]; }
    /// The forecast with each number of names alone, by the readings whose intercept drifts slowly.
    void by_size(std::size_t output, std::span<const double> base, std::span<double> forecasts) const;

    /// An observed value, for the readings of the first `memories`. variance: of the output, 0 where it is not known.
    void score(std::size_t output, double y, std::span<const double> base, const Forecast& forecast, double variance,
               std::size_t memories = kAll);
    /// New weights. sizes: those from 0 to sizes - 1 predict. only: that memory alone predicts, or all.
    void weigh(std::span<const unsigned char> mixes, std::size_t sizes, std::size_t only = kAll);

    /// A memory that begins: each of its readings starts with the sums of a mean loss, in units of the outputs' variance, as they were
    /// this number of rows ago.
    void start(std::size_t memory, double mean_loss, std::span<const double> variances, std::size_t rows_ago);
    /// A memory that ends: its readings have no errors. What is zero needs little room in a saved state.
    void clear(std::size_t memory);
    /// An observed value of a row that this memory learns again.
    void score_memory(std::size_t output, double y, std::span<const double> base, std::size_t memory, double variance);
    [[nodiscard]] std::size_t best_shrinkage(std::size_t memory) const;
    /// The least mean loss of a memory's readings that do not drift, over the outputs' variances; sum over the outputs.
    [[nodiscard]] double loss(std::size_t memory, std::span<const double> variances) const;
    /// The reading of that memory without drift that has the least error now.
    [[nodiscard]] std::size_t best_cell(std::size_t output, std::size_t memory) const;

    [[nodiscard]] std::span<const double> memory_weights() const { return memory_weight_; }  ///< sum 1
    /// Geometric mean of the shrinkages of a memory's readings, given their logarithms.
    [[nodiscard]] double log_shrinkage(std::size_t memory, std::span<const double> logs) const;
    [[nodiscard]] std::vector<double> size_weights() const;
    [[nodiscard]] std::span<const double> shrinkage_weights() const { return shrinkage_weight_; }
    [[nodiscard]] std::span<const double> speed_weights() const { return speed_weight_; }
    [[nodiscard]] std::array<double, kDiscounts.size()> discount_weights() const;
    /// What the drift adds to an output.
    [[nodiscard]] double drift(std::size_t output) const { return final_offset_[output]; }
    /// Weight of a reading of an output, over all speeds: what multiplies base.
    [[nodiscard]] std::span<const double> weights(std::size_t output) const;
    /// Sum of squared errors of a reading since the first row.
    [[nodiscard]] double squares(std::size_t output, std::size_t speed, std::size_t cell) const;
    [[nodiscard]] std::uint64_t rows(std::size_t output) const { return rows_[output]; }

    /// Values of this output are multiplied by `times` from now on: another unit.
    void change_unit(std::size_t output, double times);
    [[nodiscard]] std::size_t bytes() const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);
    /// Continues a mixture with other numbers of names. places: for each number, the place of the one that it continues.
    void continue_sizes(const Mixture& from, std::span<const std::size_t> places);

  private:
    static constexpr double kLeastScale = 1e-150;  // below: nothing to tell apart

    [[nodiscard]] double* errors(std::size_t output, std::size_t discount, std::size_t speed) {
        return errors_.data() + ((((output * kDiscounts.size()) + discount) * grid_.speeds) + speed) * cells_;
    }
    [[nodiscard]] const double* errors(std::size_t output, std::size_t discount, std::size_t speed) const {
        return errors_.data() + ((((output * kDiscounts.size()) + discount) * grid_.speeds) + speed) * cells_;
    }
    [[nodiscard]] std::size_t place(std::size_t output, std::size_t speed) const {
        return ((output * grid_.speeds) + speed) * cells_;
    }
    [[nodiscard]] std::size_t slow_speeds() const { return grid_.speeds == 1 ? 1 : kSlowSpeeds; }
    void weigh_output(std::size_t output, std::span<const unsigned char> mixes, std::size_t sizes, std::size_t only);
    template <typename List, typename F>
    void for_each_reading(List& list, const F& use) const;
    /// One speed: `rows` rows of readings, from `cell` on. base: of these.
    void score_rows(std::size_t output, std::size_t speed, const kernels::Scored& how, const double* base,
                    std::size_t cell, std::size_t rows);
    /// Whether the numbers beyond columns_ are those of the last column before, in each row.
    [[nodiscard]] bool repeats(std::span<const double> rows) const;
    void find_columns();
    void update_shares(std::size_t output, double y, const Forecast& forecast, double variance);

    Grid grid_;
    std::size_t q_;
    std::size_t cells_;
    std::size_t
        columns_;  // sizes that are computed. The others have predicted as the last of them in every row: copies
    AlignedNumbers bias_;             // outputs x speeds x cells
    AlignedNumbers errors_;           // outputs x discounts x speeds x cells: E
    AlignedNumbers squares_;          // outputs x speeds x cells
    std::vector<double> count_;       // outputs x discounts: discounted number of rows
    std::vector<double> drift_rows_;  // outputs x speeds: the same with the speed as discount
    std::vector<std::uint64_t> rows_;
    std::vector<double> regret_;    // outputs x discounts: R
    std::vector<double> variance_;  // V
    std::vector<double> share_;     // sum 1 for each output

    // What follows from these.
    AlignedNumbers by_discount_;              // outputs x discounts x cells: weights over all speeds
    std::vector<double> by_discount_offset_;  // outputs x discounts
    AlignedNumbers judged_;                   // outputs x cells
    std::vector<double> judged_offset_;       // outputs x sizes
    AlignedNumbers final_;                    // outputs x cells
    std::vector<double> final_offset_;
    std::vector<double> memory_weight_;
    std::vector<double> shrinkage_weight_;         // of the forecast
    std::vector<double> memory_shrinkage_weight_;  // memories x shrinkages
    std::vector<double> speed_weight_;
    std::vector<double> least_;  // E of the best reading, with the slowest discount
    AlignedNumbers w_;           // scratch: for each discount cells of the slow speeds, then of the fast ones
};

}  // namespace sluice::tune
