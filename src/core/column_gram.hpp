// column_gram.hpp -- engines `dense` and `columns`: whole columns of C, all of them or those in use.
#pragma once

#include <optional>
#include <vector>

#include "buffer.hpp"
#include "gram.hpp"
#include "history.hpp"
#include "resident.hpp"

namespace sluice::core {

class ColumnGram final : public Gram {
  public:
    /// Every column: nothing needs to be rebuilt, and nothing to be kept for it.
    explicit ColumnGram(std::size_t inputs);
    /// Room for some columns; others are rebuilt from the history when asked for, or start from zero where there is
    /// none.
    ColumnGram(std::size_t inputs, std::size_t room, std::optional<History> history);

    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t room);
    /// Of the rows that columns may lack, where there is a history.
    [[nodiscard]] static std::size_t late_bytes_for(std::size_t inputs);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<ColumnGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return resident_ ? Engine::columns : Engine::dense; }
    [[nodiscard]] double* row() override { return recent().next(); }
    void take(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                               Workers& workers) override;
    void expect(std::span<const std::size_t> inputs) override;
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

    /// C_ij, column j kept.
    [[nodiscard]] double at(std::size_t i, std::size_t j) const;
    /// All of C from another engine's history.
    void take_over(const History& history, Workers& workers);

  private:
    /// Every column is kept and no row waits: products at all inputs at once are cheaper than one by one.
    [[nodiscard]] bool at_once() const;
    void multiply_at_once(std::span<const std::size_t> support, std::span<const double> coefficient, double* all) const;
    [[nodiscard]] std::size_t columns() const { return resident_ ? resident_->count() : inputs_; }
    [[nodiscard]] bool in_use(std::size_t place) const { return !resident_ || !resident_->is_free(place); }
    [[nodiscard]] std::size_t place(std::size_t j) const { return resident_ ? resident_->place(j) : j; }
    [[nodiscard]] std::size_t input(std::size_t place) const { return resident_ ? resident_->input(place) : place; }
    [[nodiscard]] double* column(std::size_t place) { return C_.data() + (place * stride_); }
    [[nodiscard]] const double* column(std::size_t place) const { return C_.data() + (place * stride_); }
    [[nodiscard]] RecentRows& recent() { return history_ ? history_->recent() : *recent_; }
    [[nodiscard]] const RecentRows& recent() const { return history_ ? history_->recent() : *recent_; }
    /// A column that lacks the newest so many rows.
    struct Behind {
        std::size_t place;
        std::size_t rows;
    };
    [[nodiscard]] bool may_lag() const { return resident_ && history_; }
    [[nodiscard]] std::size_t rows_behind(std::size_t place) const;
    void settle(Workers& workers);
    void keep_late_rows();
    void lacked_rows(std::size_t count, const double** rows, double* weights) const;
    void catch_up(Workers& workers);
    void rebuild(Workers& workers);
    void start_from_zero(std::span<const double> square);

    std::size_t inputs_;
    std::size_t stride_;
    std::optional<Resident> resident_;  // none: every column has its place
    Buffer<double> C_;
    std::optional<History> history_;
    std::optional<RecentRows> recent_;  // where there is no history
    std::vector<std::uint64_t> as_of_;  // of each place: how many of History::archived() are in its column
    Buffer<double> late_;               // the last rows that have settled, row by row
    std::vector<double> late_weights_;
    std::vector<Behind> behind_;          // columns that are to catch up
    std::vector<std::size_t> newcomers_;  // inputs whose columns are to be rebuilt
    std::vector<std::size_t> expected_;   // inputs that may be the next ones
    std::vector<double> shares_;          // of the columns in each row: weight_b h_bj
    std::vector<double> series_;
    mutable std::vector<const double*> pointers_;  // scratch
    mutable std::vector<double> factors_;
};

}  // namespace sluice::core
