// block_gram.hpp -- engine `screened`: the small block of C that the screen leaves to be known.
#pragma once

#include <optional>
#include <vector>

#include "buffer.hpp"
#include "gram.hpp"
#include "history.hpp"
#include "resident.hpp"

namespace sluice::core {

class BlockGram final : public Gram {
  public:
    /// room: inputs in the block. Without a history, cross-moments of an input start when it enters the block.
    BlockGram(std::size_t inputs, std::size_t room, std::optional<History> history);

    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t room);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<BlockGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::screened; }
    [[nodiscard]] double* row() override;
    void take(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                               Workers& workers) override;
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
    void inner_products(std::span<const std::span<const std::size_t>> supports,
                        std::span<const std::span<const double>> coefficients, std::span<const std::size_t> selected,
                        std::span<double> A) const override;
    void block(std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                  double* out, std::size_t out_stride, Workers& workers) const override;
    void scale(double factor) override;
    void scale_input(std::size_t j, double factor) override;
    void append(const Gram& later, double factor, std::span<const double> h, double weight) override;
    [[nodiscard]] const History* history() const noexcept override { return history_ ? &*history_ : nullptr; }
    [[nodiscard]] std::size_t bytes() const override;
    void save(StateWriter& out) const override;
    void load(StateReader& in) override;

  private:
    using Bits = std::uint64_t;
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

    [[nodiscard]] double* column(std::size_t place) const { return C_.data() + (place * stride_); }
    [[nodiscard]] Bits* known(std::size_t place) const { return known_.data() + (place * words_); }
    [[nodiscard]] RecentRows& recent() { return history_ ? history_->recent() : *last_; }
    void enter(std::size_t input, double square);
    [[nodiscard]] bool knows_others(std::size_t place) const;
    /// Entries of C that are asked for and not in the block yet; kAll where an input has no place in it.
    [[nodiscard]] std::size_t missing(std::span<const std::size_t> support, std::span<const std::size_t> inputs) const;
    void fill(std::span<const std::size_t> support, std::span<const std::size_t> inputs, std::size_t most) const;
    void multiply_by_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const;
    /// Whether remembered scores can be brought up to this row; if so they are, and weighed.
    [[nodiscard]] bool refresh(std::size_t r) const;
    [[nodiscard]] std::span<const double> remember(std::size_t r, std::span<const std::size_t> support,
                                                   std::span<const double> coefficient) const;
    void add_recent_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                           std::span<double> series) const;
    void weigh(std::span<const double> raw, std::span<double> weighted) const;
    [[nodiscard]] double series_dot(std::size_t input, std::span<const double> series) const;

    std::size_t inputs_;
    Resident resident_;
    std::size_t stride_;
    std::size_t words_;
    mutable Buffer<double> C_;    // by place; mutable: entries are filled in when first asked for
    mutable Buffer<Bits> known_;  // for each place, with which others its entry is known
    std::optional<History> history_;
    std::optional<RecentRows> last_;  // where there is no history: the coming row alone
    Buffer<double> gathered_;         // one row at the resident inputs
    mutable Buffer<double> series_;   // scratch: one number per row, the ring's and then the recent ones
    mutable Buffer<double> raw_;      // likewise, not weighted
    struct Remembered {               // scores of one component's weights, in the ring
        std::vector<std::size_t> support;
        std::vector<double> coefficient;
        Buffer<double> series;
        std::uint64_t archived;
        Buffer<double> weighted = {};  // times the rows' weights, as of that moment
        std::uint64_t weighted_at = 0;
    };
    mutable std::vector<Remembered> remembered_;
    /// Products with remembered weights first .. last - 1 at the input of a place, made at that moment.
    struct Ahead {
        std::uint64_t moment = 0;
        std::size_t first = 0;
        std::size_t last = 0;
        std::vector<double> products = {};
    };
    mutable std::vector<Ahead> ahead_;
    mutable std::uint64_t moment_ = 1;  // changes with the rows, their weights and what is remembered
    bool anybody_new_ = false;          // among the inputs last prepared
    mutable std::vector<Bits> asked_;   // places of a support
    mutable Buffer<double> spread_;     // v, by place; zeros between calls
};

}  // namespace sluice::core
