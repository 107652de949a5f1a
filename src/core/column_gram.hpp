// column_gram.hpp -- engine `columns`: the columns of C in use.
#pragma once

#include <optional>
#include <vector>

#include "buffer.hpp"
#include "column_update.hpp"
#include "gram.hpp"
#include "history.hpp"
#include "late_rows.hpp"
#include "resident.hpp"
#include "row_buffer.hpp"

namespace sluice::core {

class ColumnGram final : public Gram {
  public:
    /// Room for some columns. Others are rebuilt from the history when asked for; without a history they start from
    /// zero.
    ColumnGram(std::size_t inputs, std::size_t room, std::optional<History> history);

    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t room);
    /// Bytes of the rows that columns may lack, where there is a history.
    [[nodiscard]] static std::size_t late_bytes_for(std::size_t inputs) { return LateRows::bytes_for(inputs); }

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<ColumnGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::columns; }
    [[nodiscard]] double* row() override { return recent().next(); }
    void add_row(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                               Workers& workers) override;
    void expect(std::span<const std::size_t> inputs) override;
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
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

    /// C_ij, where column j is kept.
    [[nodiscard]] double at(std::size_t i, std::size_t j) const;

  private:
    [[nodiscard]] std::size_t columns() const { return resident_.count(); }
    [[nodiscard]] bool in_use(std::size_t place) const { return !resident_.is_free(place); }
    [[nodiscard]] std::size_t place(std::size_t j) const { return resident_.place(j); }
    [[nodiscard]] std::size_t input(std::size_t place) const { return resident_.input(place); }
    [[nodiscard]] double* column(std::size_t place) { return C_.data() + (place * stride_); }
    [[nodiscard]] const double* column(std::size_t place) const { return C_.data() + (place * stride_); }
    [[nodiscard]] RowBuffer& recent() { return history_ ? history_->recent() : *recent_; }
    [[nodiscard]] const RowBuffer& recent() const { return history_ ? history_->recent() : *recent_; }
    [[nodiscard]] bool may_lag() const { return history_.has_value(); }
    [[nodiscard]] LaggingColumn lagging(std::size_t place);
    [[nodiscard]] std::size_t rows_lacked(std::size_t place) const;
    [[nodiscard]] RowList newest_rows(std::size_t count) const;
    void flush(Workers& workers);
    void catch_up(Workers& workers);
    void rebuild(Workers& workers);
    void start_from_zero(std::span<const double> square);

    std::size_t inputs_;
    std::size_t stride_;
    Resident resident_;
    Buffer<double> C_;
    std::optional<History> history_;
    std::optional<RowBuffer> recent_;   // where there is no history
    std::vector<std::uint64_t> as_of_;  // of each place: History::archived() that its column is up to date with
    LateRows late_;                     // the last rows flushed, where columns may lag
    ColumnUpdate update_;
    std::vector<LaggingColumn> lagging_;           // scratch: the columns that are to catch up
    std::vector<std::size_t> admitted_;            // inputs whose columns are to be rebuilt
    std::vector<std::size_t> expected_;            // inputs that may be asked for next
    std::vector<double> series_;                   // scratch
    mutable std::vector<const double*> pointers_;  // scratch
    mutable std::vector<double> factors_;
};

}  // namespace sluice::core
