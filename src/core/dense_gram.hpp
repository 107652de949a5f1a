// dense_gram.hpp -- engine `dense`: all of C, symmetric; each row brings one group of columns up to date.
#pragma once

#include <optional>
#include <vector>

#include "buffer.hpp"
#include "current_columns.hpp"
#include "gram.hpp"

namespace sluice::core {

class DenseGram final : public Gram {
  public:
    /// `in_use`: room for columns that are kept up to date with every row, for products with several targets.
    explicit DenseGram(std::size_t inputs, std::size_t in_use = 0);

    /// Whether rows are added to C later; with few inputs each is added as it comes.
    [[nodiscard]] static bool rows_pend(std::size_t inputs);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t in_use);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<DenseGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::dense; }
    [[nodiscard]] double* row() override { return ring_.data() + (turn_ * stride_); }
    void add_row(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> /*inputs*/, std::span<const double> /*square*/,
                               Workers& /*workers*/) override {
        return true;
    }
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const override;
    void inner_products(std::span<const std::span<const std::size_t>> supports,
                        std::span<const std::span<const double>> coefficients, std::span<const std::size_t> selected,
                        std::span<double> A) const override;
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
    /// Adds to every column the rows that it lacks.
    void complete();

  private:
    /// Columns in groups of `group`, a multiple of kLanes: as a state was saved.
    struct Grouping {
        std::size_t group;
    };
    DenseGram(std::size_t inputs, std::size_t in_use, Grouping grouping);

    [[nodiscard]] double* column(std::size_t j) { return C_.data() + (j * stride_); }
    [[nodiscard]] const double* column(std::size_t j) const { return C_.data() + (j * stride_); }
    [[nodiscard]] std::size_t group_of(std::size_t j) const { return j / group_; }
    [[nodiscard]] std::size_t group_size(std::size_t I) const;
    /// The rows since the last turn of group I, which its columns lack.
    [[nodiscard]] std::size_t lacks(std::size_t I) const { return (turn_ + groups_ - 1 - I) % groups_; }
    [[nodiscard]] std::size_t place_of(std::size_t age) const;
    void list_newest(std::size_t count, std::vector<const double*>& rows) const;
    void list_oldest(std::size_t count) const;
    [[nodiscard]] bool take_current(std::span<const std::size_t> support) const;
    void start_current(std::size_t j) const;
    void forget_current() const;
    void update_group(std::size_t J, Workers& workers);
    void gather_factors(std::span<const std::size_t> support, std::span<const double> coefficient,
                        std::size_t targets) const;
    void gather_pending(std::span<const std::size_t> inputs) const;
    template <typename F>
    void for_each_pending(std::size_t inputs, const F& use) const;
    void load_buffered(StateReader& in, std::size_t stored, std::size_t count);
    void load_pending(StateReader& in, std::size_t stored, std::size_t count);

    std::size_t inputs_;
    std::size_t stride_;
    std::size_t group_;     // columns that are updated together
    std::size_t groups_;    // and the rows between two turns of a group
    std::size_t turn_ = 0;  // the group that the coming row updates, and the place of that row in the ring
    Buffer<double> C_;      // by columns; C_ij lacks the rows since the later turn of the groups of i and j
    Buffer<double> ring_;   // the last `groups_` rows, sqrt(weight) h
    // A copy of what follows from C and the ring: not saved, and no bit depends on which columns it holds.
    mutable std::optional<CurrentColumns> current_;
    mutable std::vector<const double*> rows_;      // scratch: rows, the oldest first
    mutable std::vector<const double*> pointers_;  // scratch: columns, then rows, the newest first
    mutable std::vector<double> factors_;          // of each
    mutable Buffer<double> product_;               // scratch: a product at all inputs
    mutable std::vector<double> pending_;          // scratch: rows at a few inputs
    mutable std::vector<std::size_t> united_;      // scratch
};

}  // namespace sluice::core
