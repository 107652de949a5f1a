// column_gram.cpp -- engine `columns`: the columns of C in use.
//
//     C v = sum_s C_s v_s + sum_b h_b (weight_b h_b v)          C_s: column as of the last flush, h_b: rows since then
//
// Rows are buffered, eight at most, and then flushed to all kept columns together: each column is read and written once
// for eight rows, eq. (15). Products use the buffered rows as further columns.
//
// Columns that are kept but were not asked for recently lag behind: an eighth of them gets its rows at each flush, 64
// rows at once, and a column gets what it lacks when it is asked for. The bits do not depend on when
// (column_update.cpp).
#include "column_gram.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "small_numbers.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kProductPiece = 512;  // inputs of one piece of a product

constexpr std::size_t kMostLag = RowList::kMost / RowBuffer::kMost;  // flushes after which every column gets its rows
constexpr std::uint64_t kIdle = 64;                                  // rows after which a column may lag
// Lengths of the history after which a column that was not asked for is released. Rebuilding a column costs far more
// than keeping it.
constexpr std::uint64_t kReleased = 4;
// Room for products with this number of columns is taken at once, so that a support that grows allocates nothing.
constexpr std::size_t kUsualSupport = 64;
constexpr std::size_t kRebuiltAtOnce = 8;  // columns rebuilt in one pass over the history

}  // namespace

ColumnGram::ColumnGram(std::size_t inputs, std::size_t room, std::optional<History> history)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      resident_(inputs, room),
      C_(room * stride_),
      history_(std::move(history)),
      as_of_(room, 0),
      late_(history_ ? LateRows(inputs) : LateRows()),
      update_(inputs),
      series_(history_ ? kRebuiltAtOnce * history_->capacity() : 0) {
    pointers_.reserve(room + RowBuffer::kMost);
    lagging_.reserve(room);
    admitted_.reserve(room + kRebuiltAtOnce);
    expected_.reserve(kRebuiltAtOnce);
    if (!history_) {
        recent_.emplace(inputs, RowBuffer::kMost);
    }
}

std::size_t ColumnGram::bytes_for(std::size_t inputs, std::size_t room) {
    return room * column_stride(inputs) * sizeof(double);
}

void ColumnGram::add_row(double weight, Workers& workers) {
    resident_.next_row();
    expected_.clear();
    recent().push(weight);
    if (recent().full()) {
        flush(workers);
    }
}

// Adds the buffered rows to the columns in use, and to an eighth of the others all the rows that they lack.
void ColumnGram::flush(Workers& workers) {
    if (may_lag()) {
        resident_.release_unused(kReleased * history_->capacity());
        late_.add(recent(), history_->archived());
        history_->archive();
    }
    lagging_.clear();
    for (std::size_t c = 0; c < columns(); ++c) {
        if (in_use(c) &&
            (!may_lag() || resident_.idle_rows(c) < kIdle || c % kMostLag == history_->archived() % kMostLag)) {
            lagging_.push_back(lagging(c));
        }
    }
    catch_up(workers);
    if (recent_) {
        recent_->clear();
    }
}

LaggingColumn ColumnGram::lagging(std::size_t place) {
    return {.column = column(place), .place = place, .input = input(place), .lacks = rows_lacked(place)};
}

std::size_t ColumnGram::rows_lacked(std::size_t place) const {
    return may_lag() ? (history_->archived() - as_of_[place]) * RowBuffer::kMost : recent_->count();
}

// The newest `count` rows that columns may lack.
RowList ColumnGram::newest_rows(std::size_t count) const {
    if (may_lag()) {
        return late_.newest(count, history_->archived());
    }
    assert(count == recent_->count());
    RowList list;
    list.count = count;
    for (std::size_t b = 0; b < count; ++b) {
        list.rows[b] = recent_->row(b);
        list.weights[b] = recent_->weight(b);
    }
    return list;
}

void ColumnGram::catch_up(Workers& workers) {
    if (lagging_.empty()) {
        return;
    }
    const std::size_t most = std::ranges::max(lagging_, {}, &LaggingColumn::lacks).lacks;
    update_.run(lagging_, newest_rows(most), workers);
    if (may_lag()) {
        for (const LaggingColumn& one : lagging_) {
            as_of_[one.place] = history_->archived();
        }
    }
}

bool ColumnGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& workers) {
    if (!resident_.request(inputs)) {
        return false;
    }
    lagging_.clear();
    admitted_.clear();
    for (const std::size_t input : inputs) {
        if (!resident_.has(input)) {
            resident_.admit(input);
            admitted_.push_back(input);
        } else if (may_lag() && rows_lacked(place(input)) > 0) {
            lagging_.push_back(lagging(place(input)));
        }
    }
    catch_up(workers);
    if (history_) {
        rebuild(workers);
    } else {
        start_from_zero(square);
    }
    return true;
}

void ColumnGram::expect(std::span<const std::size_t> inputs) {
    expected_.assign(inputs.begin(),
                     inputs.begin() + static_cast<std::ptrdiff_t>(std::min(inputs.size(), kRebuiltAtOnce)));
}

// The columns of the admitted inputs as of the last flush: one pass over the history for several of them. Where that
// pass is made, the columns that are expected next are rebuilt too, while there are free places.
void ColumnGram::rebuild(Workers& workers) {
    const std::size_t length = history_->capacity();
    for (const std::size_t input : expected_) {
        if (!admitted_.empty() && admitted_.size() < kRebuiltAtOnce && !resident_.has(input) && resident_.has_room()) {
            resident_.admit(input);
            admitted_.push_back(input);
        }
    }
    for (std::size_t done = 0; done < admitted_.size(); done += kRebuiltAtOnce) {
        const auto some = std::span(admitted_).subspan(done, std::min(kRebuiltAtOnce, admitted_.size() - done));
        for (std::size_t c = 0; c < some.size(); ++c) {
            history_->ring_series(some[c], std::span(series_).subspan(c * length, length));
            as_of_[place(some[c])] = history_->archived();
        }
        workers.share(inputs_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                for (std::size_t c = 0; c < some.size(); ++c) {
                    column(place(some[c]))[i] = history_->ring_dot(i, std::span(series_).subspan(c * length, length));
                }
            }
        });
    }
}

// Without a history, the moments of an admitted input with the others start from zero.
void ColumnGram::start_from_zero(std::span<const double> square) {
    for (const std::size_t input : admitted_) {
        double* own = column(place(input));
        std::fill(own, own + stride_, 0.0);
        own[input] = square[input];
        for (std::size_t b = 0; b < recent_->count(); ++b) {  // these are added at the next flush
            own[input] -= recent_->weight(b) * recent_->row(b)[input] * recent_->row(b)[input];
        }
    }
}

void ColumnGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                             std::span<const std::size_t> inputs, std::span<double> out) const {
    const RowBuffer& rows = recent();
    std::array<double, RowBuffer::kMost> along{};
    for (std::size_t b = 0; b < rows.count(); ++b) {
        for (std::size_t s = 0; s < support.size(); ++s) {
            along[b] += rows.weight(b) * rows.row(b)[support[s]] * coefficient[s];
        }
    }
    std::fill_n(out.begin(), inputs.size(), 0.0);
    auto add = [&](const double* from, double factor) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] += from[inputs[i]] * factor;
        }
    };
    for (std::size_t s = 0; s < support.size(); ++s) {
        add(column(place(support[s])), coefficient[s]);
    }
    for (std::size_t b = 0; b < rows.count(); ++b) {
        add(rows.row(b), along[b]);
    }
}

double ColumnGram::at(std::size_t i, std::size_t j) const {
    const RowBuffer& rows = recent();
    double sum = column(place(j))[i];
    for (std::size_t b = 0; b < rows.count(); ++b) {
        sum += rows.weight(b) * rows.row(b)[i] * rows.row(b)[j];
    }
    return sum;
}

void ColumnGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t i = 0; i <= c; ++i) {  // from one of the two columns, so that the block is symmetric
            out[(c * n) + i] = at(inputs[i], inputs[c]);
            out[(i * n) + c] = out[(c * n) + i];
        }
    }
}

void ColumnGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const {
    const RowBuffer& rows = recent();
    pointers_.clear();
    const std::size_t most = std::min(inputs_, std::max<std::size_t>(support.size(), kUsualSupport)) + RowBuffer::kMost;
    pointers_.reserve(most);
    factors_.reserve(most * targets);
    factors_.assign(coefficient.begin(), coefficient.end());
    for (const std::size_t j : support) {
        pointers_.push_back(column(place(j)));
    }
    for (std::size_t b = 0; b < rows.count(); ++b) {
        pointers_.push_back(rows.row(b));
        for (std::size_t m = 0; m < targets; ++m) {
            double along = 0.0;
            for (std::size_t s = 0; s < support.size(); ++s) {
                along += rows.row(b)[support[s]] * coefficient[(s * targets) + m];
            }
            factors_.push_back(along * rows.weight(b));
        }
    }
    workers.share((padded(inputs_) + kProductPiece - 1) / kProductPiece,
                  [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
                      const std::size_t last = std::min(to * kProductPiece, padded(inputs_));
                      kernels::columns_product(pointers_.data(), pointers_.size(), factors_.data(), targets,
                                               from * kProductPiece, last, out, out_stride);
                  });
}

void ColumnGram::scale(double factor) {
    core::multiply(C_.all().first(columns() * stride_), factor);
    late_.scale_weights(factor);
    if (history_) {
        history_->scale_weights(factor);
    } else {
        recent_->scale_weights(factor);
    }
}

void ColumnGram::scale_input(std::size_t j, double factor) {
    for (std::size_t c = 0; c < columns(); ++c) {
        column(c)[j] *= factor;
        if (in_use(c) && input(c) == j) {
            for (std::size_t i = 0; i < inputs_; ++i) {
                column(c)[i] *= factor;
            }
        }
    }
    late_.scale_input(j, factor);
    if (history_) {
        history_->scale_input(j, factor);
    } else {
        recent_->scale_input(j, factor);
    }
}

void ColumnGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    if (history_) {  // columns are rebuilt from the history
        history_->append(*later.history(), factor, h, weight);
        resident_.clear();
        return;
    }
    Workers alone(1);
    flush(alone);
    auto theirs = dynamic_cast<const ColumnGram&>(later);
    theirs.flush(alone);
    for (std::size_t c = 0; c < columns(); ++c) {
        if (!in_use(c)) {
            continue;
        }
        const std::size_t j = input(c);
        const bool known = theirs.resident_.has(j);
        for (std::size_t i = 0; i < inputs_; ++i) {
            const double added = known ? theirs.column(theirs.place(j))[i] : 0.0;
            column(c)[i] = (factor * column(c)[i]) + added + (weight * (h[i] * h[j]));
        }
    }
}

std::size_t ColumnGram::bytes() const {
    return bytes_for(inputs_, columns()) + resident_.bytes() +
           (history_ ? history_->bytes() + late_.bytes() : recent_->bytes());
}

void ColumnGram::save(StateWriter& out) const {
    resident_.save(out);
    Buffer<double> own(stride_);  // a column that lags is saved with the rows that it lacks, a released one not at all
    for (std::size_t c = 0; c < columns(); ++c) {
        if (!in_use(c)) {
            continue;
        }
        std::copy_n(column(c), stride_, own.data());
        if (may_lag()) {
            const RowList lacked = newest_rows(rows_lacked(c));
            for (std::size_t b = 0; b < lacked.count; ++b) {
                const std::array<double, kernels::kColumnsAtOnce> share = {lacked.weights[b] *
                                                                           lacked.rows[b][input(c)]};
                double* into = own.data();
                kernels::add_rows(&lacked.rows[b], share.data(), 1, 0, padded(inputs_), &into, 1);
            }
        }
        out.put_all(std::span<const double>(own.data(), inputs_));
    }
    if (history_) {
        history_->save(out);
    } else {
        recent_->save(out);
    }
}

void ColumnGram::load(StateReader& in) {
    resident_.load(in);
    const std::size_t stored = in.stored_inputs(inputs_);
    for (std::size_t c = 0; c < columns(); ++c) {
        if (in_use(c) || !in.current()) {
            in.get_all(std::span(column(c), stored));
        }
    }
    if (history_) {
        history_->load(in);
        std::ranges::fill(as_of_, history_->archived());
    } else {
        recent_->load(in);
    }
}

}  // namespace sluice::core
