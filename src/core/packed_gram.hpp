// packed_gram.hpp -- engine `dense` with more inputs: half of C, in blocks.
#pragma once

#include <vector>

#include "buffer.hpp"
#include "current_block.hpp"
#include "gram.hpp"
#include "packed_matrix.hpp"

namespace sluice::core {

class PackedGram final : public Gram {
  public:
    /// `in_use`: room for the columns that products at all inputs need, which are kept up to date with every row.
    /// `in_block`: the same for the inputs of products at few of them; 0 where all products are at all inputs.
    PackedGram(std::size_t inputs, std::size_t in_use, std::size_t in_block = 0);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t in_use, std::size_t in_block);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<PackedGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::dense; }
    [[nodiscard]] double* row() override { return row_.data(); }
    void add_row(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                               Workers& workers) override;
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const override;
    void block(std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                  double* out, std::size_t out_stride, Workers& workers) const override;
    void scale(double factor) override;
    void scale_input(std::size_t j, double factor) override;
    void append(const Gram& later, double factor, std::span<const double> h, double weight) override;
    [[nodiscard]] std::size_t bytes() const override;
    void save(StateWriter& out) const override;
    void load(StateReader& in) override;

    /// Computes all of C from the history of another engine.
    void rebuild_from(const History& history, Workers& workers);

  private:
    [[nodiscard]] bool take_block(std::span<const std::size_t> support, std::span<const std::size_t> inputs) const;
    [[nodiscard]] const double* column_of(std::size_t j, bool current) const;
    void list_columns(std::span<const std::size_t> support) const;
    void add_rows_of(const PendingRows<double>& theirs, std::size_t inputs);
    void load_buffered(StateReader& in, std::size_t inputs, std::size_t count);
    void load_pending(StateReader& in, std::size_t inputs, std::size_t count);

    std::size_t inputs_;
    PackedMatrix<double> C_;
    mutable CurrentBlock block_;
    bool has_block_;
    Buffer<double> row_;                           // the coming row
    mutable std::vector<const double*> pointers_;  // scratch
    mutable std::vector<std::size_t> asked_;       // scratch
    mutable std::vector<std::size_t> scratch_;
    mutable Buffer<double> column_;  // scratch: one column, where there is no room for all
};

}  // namespace sluice::core
