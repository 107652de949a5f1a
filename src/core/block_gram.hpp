// block_gram.hpp -- engine `screened`: the small block of C among the inputs that the screen lets through.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "gram.hpp"
#include "history.hpp"
#include "resident.hpp"
#include "row_buffer.hpp"
#include "score_cache.hpp"
#include "single_gram.hpp"

namespace sluice::core {

class BlockGram final : public Gram {
  public:
    /// most: inputs in the block, at most. Without a history, the moments of an input with the others start from zero
    /// when it enters the block.
    /// `single`: where products at all inputs are needed, to look for candidates.
    BlockGram(std::size_t inputs, std::size_t most, std::optional<History> history,
              std::optional<SingleGram> single = std::nullopt);

    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t room);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<BlockGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::screened; }
    [[nodiscard]] double* row() override;
    void add_row(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                               Workers& workers) override;
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply_newest_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, double least_weight,
                            std::span<double> out) const override;
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
    [[nodiscard]] SingleGram* single() noexcept override { return single_ ? &*single_ : nullptr; }
    [[nodiscard]] std::size_t bytes() const override;
    void save(StateWriter& out) const override;
    void load(StateReader& in) override;

  private:
    using Bits = std::uint64_t;
    /// The workers of the last request. A copy of the engine has none until its owner requests something.
    class Borrowed {
      public:
        Borrowed() = default;
        explicit Borrowed(Workers& workers) : workers_(&workers) {}
        Borrowed(const Borrowed& /*other*/) {}
        Borrowed(Borrowed&&) noexcept = default;
        Borrowed& operator=(const Borrowed&) = delete;
        Borrowed& operator=(Borrowed&&) noexcept = default;
        ~Borrowed() = default;
        [[nodiscard]] Workers& get() { return workers_ != nullptr ? *workers_ : alone_; }

      private:
        Workers* workers_ = nullptr;
        Workers alone_{1};
    };
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
    static constexpr std::size_t kOwners = 3;  // as many as meet a series in registers (series_kernels.cpp)

    [[nodiscard]] std::size_t room(std::size_t inputs) const { return std::min(inputs, most_); }
    [[nodiscard]] std::size_t words(std::size_t inputs) const { return (room(inputs) + 63) / 64; }
    [[nodiscard]] double* column(std::size_t place) const { return C_.data() + (place * stride_); }
    [[nodiscard]] Bits* known(std::size_t place) const { return known_.data() + (place * words_); }
    [[nodiscard]] RowBuffer& recent() { return history_ ? history_->recent() : *coming_row_; }
    void note_whether_entries_stay();
    void admit(std::size_t input, double square);
    [[nodiscard]] bool knows_others(std::size_t place) const;
    /// How many series of the history compute_unknown() reads for the entries of C at support x inputs that are not known yet;
    /// above `enough` it is no less than that. kAll where an input has no place in the block.
    [[nodiscard]] std::size_t series_for_unknown(std::span<const std::size_t> support,
                                                 std::span<const std::size_t> inputs, std::size_t enough) const;
    void note_places(std::span<const std::size_t> inputs, std::vector<Bits>& bits) const;
    /// Computes unknown entries, about `most` of them.
    void compute_unknown(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                         std::size_t most) const;
    [[nodiscard]] std::size_t note_many_lacking(std::span<const std::size_t> support, std::size_t enough) const;
    void compute_entries() const;
    void multiply_block(std::span<const std::size_t> support, std::span<const double> coefficient) const;

    std::size_t inputs_;
    std::size_t most_;
    Resident resident_;
    std::size_t stride_;
    std::size_t words_;
    mutable Buffer<double> C_;    // by place; mutable: entries are computed when first asked for
    mutable Buffer<Bits> known_;  // for each place, with which others its entry is known
    std::optional<History> history_;
    std::optional<SingleGram> single_;
    std::optional<RowBuffer> coming_row_;  // where there is no history
    Buffer<double> gathered_;              // one row at the resident inputs
    std::vector<std::size_t> updated_;     // scratch: places that know entries with others
    std::size_t series_length_;
    mutable Buffer<double> series_;             // scratch: one number per row of the history, for each of owners_
    mutable std::vector<std::size_t> owners_;   // scratch: inputs whose entries are computed together, kOwners at most
    mutable std::vector<Bits> owners_lack_;     // scratch: places of the inputs with which these are unknown
    mutable std::vector<std::size_t> lacking_;  // scratch: these inputs
    mutable std::vector<double> entries_;       // scratch: the entries
    mutable ScoreCache scores_;
    mutable Borrowed workers_;
    bool any_admitted_ = false;             // by the last call of prepare()
    bool entries_stay_ = false;             // those that are computed in this row will probably be asked for again
    mutable std::vector<Bits> in_support_;  // scratch: places of a support
    mutable std::vector<Bits> in_inputs_;   // scratch: places of the inputs that are asked for
    mutable std::vector<Bits> lacks_many_;  // scratch: places of the support that lack many of these
    mutable std::vector<const double*> columns_;  // scratch
    mutable Buffer<double> products_;             // scratch: C v, by place
};

}  // namespace sluice::core
