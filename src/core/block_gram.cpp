// block_gram.cpp -- engine `screened`: the small block of C that the screen leaves to be known.
//
// Per row: the row at the resident inputs is gathered and added, n^2 multiplications for n residents. An entry that is
// asked for and not known yet costs one dot product over the history. Where so many are that it is cheaper, a product is
// made without them, by way of the support's own series of scores:
//     (C v)_i = sum_t weight_t h_ti (h_t v)                                 |support| + 1 passes over a series, no more
#include "block_gram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

BlockGram::BlockGram(std::size_t inputs, std::size_t room, std::optional<History> history)
    : inputs_(inputs),
      resident_(inputs, room),
      stride_(column_stride(room)),
      words_((room + 63) / 64),
      C_(room * stride_),
      known_(room * words_),
      history_(std::move(history)),
      gathered_(stride_),
      series_(history_ ? history_->room() + RecentRows::kMost : 0),
      raw_(series_.size()),
      ahead_(room),
      asked_(words_, 0),
      spread_(stride_) {
    if (!history_) {
        last_.emplace(inputs, 1);
    }
}

std::size_t BlockGram::bytes_for(std::size_t inputs, std::size_t room) {
    return (room * column_stride(room) * sizeof(double)) + (inputs * sizeof(std::uint32_t));
}

double* BlockGram::row() {
    return recent().next();
}

void BlockGram::take(double weight, Workers& /*workers*/) {
    ++moment_;
    const double root = std::sqrt(weight);
    const double* h = recent().next();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        gathered_[place] = root * h[resident_.input(place)];
    }
    const double* row = gathered_.data();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        double* own = column(place);
        const std::array<double, kernels::kColumnsAtOnce> factor = {row[place]};
        if (knows_others(place)) {
            kernels::add_rows(&row, factor.data(), 1, 0, padded(resident_.count()), &own, 1);
        } else {
            own[place] += row[place] * row[place];
        }
    }
    if (history_) {
        history_->recent().push(weight);
        if (history_->recent().full()) {
            history_->archive();
        }
    }
}

bool BlockGram::knows_others(std::size_t place) const {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words_; ++word) {
        const Bits bits = known(place)[word] & ~(word == place / 64 ? Bits{1} << (place % 64) : Bits{0});
        count += bits != 0 ? 1U : 0U;
    }
    return count > 0;
}

bool BlockGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& /*workers*/) {
    if (!resident_.ask(inputs)) {
        return history_.has_value();  // then products come from the series alone
    }
    anybody_new_ = false;
    for (const std::size_t input : inputs) {
        if (!resident_.has(input)) {
            enter(input, square[input]);
            anybody_new_ = true;
        }
    }
    return true;
}

// The newcomer's entries: known when first asked for, or where there is no history, from now on. What the place held
// before stays there until then, and counts for nothing.
void BlockGram::enter(std::size_t input, double square) {
    const std::size_t place = resident_.admit(input);
    ahead_[place].moment = 0;
    const Bits bit = Bits{1} << (place % 64);
    std::fill_n(known(place), words_, history_ ? Bits{0} : ~Bits{0});
    for (std::size_t other = 0; other < resident_.count(); ++other) {
        Bits& bits = known(other)[place / 64];
        bits = history_ ? bits & ~bit : bits | bit;
        if (!history_) {
            column(other)[place] = 0.0;
            column(place)[other] = 0.0;
        }
    }
    column(place)[place] = square;
    known(place)[place / 64] |= bit;
}

std::size_t BlockGram::missing(std::span<const std::size_t> support, std::span<const std::size_t> inputs) const {
    std::ranges::fill(asked_, Bits{0});
    for (const std::size_t j : support) {
        if (!resident_.has(j)) {
            return kAll;
        }
        asked_[resident_.place(j) / 64] |= Bits{1} << (resident_.place(j) % 64);
    }
    std::size_t count = 0;
    for (const std::size_t i : inputs) {
        if (!resident_.has(i)) {
            return kAll;
        }
        const Bits* have = known(resident_.place(i));
        for (std::size_t word = 0; word < words_; ++word) {
            const Bits lacks = asked_[word] & ~have[word];
            count += lacks != 0 ? static_cast<std::size_t>(std::popcount(lacks)) : 0U;
        }
    }
    return count;
}

// Missing entries, `most` of them, each by a dot product. First the rows of those that lack the most, so that series are weighted once.
void BlockGram::fill(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                     std::size_t most) const {
    auto is_known = [&](std::size_t a, std::size_t b) {
        return (known(resident_.place(a))[resident_.place(b) / 64] >> (resident_.place(b) % 64) & 1U) != 0;
    };
    auto complete = [&](std::size_t j, std::span<const std::size_t> others, std::size_t least) {
        if (most == 0) {
            return;
        }
        const auto lacks = static_cast<std::size_t>(
            std::ranges::count_if(others, [&](std::size_t other) { return !is_known(j, other); }));
        if (lacks < least) {
            return;
        }
        history_->ring_series(j, series_.all());
        for (std::size_t b = 0; b < history_->recent().count(); ++b) {
            series_[history_->ring_rows() + b] = history_->recent().weight(b) * history_->recent().row(b)[j];
        }
        const std::size_t place = resident_.place(j);
        for (const std::size_t other : others) {
            if (most == 0 || is_known(j, other)) {
                continue;
            }
            --most;
            const std::size_t there = resident_.place(other);
            const double entry = series_dot(other, series_.all());
            column(place)[there] = entry;
            column(there)[place] = entry;
            known(place)[there / 64] |= Bits{1} << (there % 64);
            known(there)[place / 64] |= Bits{1} << (place % 64);
        }
    };
    for (const std::size_t j : support) {
        complete(j, inputs, 3);
    }
    for (const std::size_t i : inputs) {
        complete(i, support, 1);
    }
}

// (C v)_i from the scores h_t v. Those of the last row's weights are kept, and only the rows that came into the ring since
// are added. A row asks for the products of one component after the other, and at the inputs chosen for one again for
// the next: an input's history is read once, for all the components to come.
void BlockGram::multiply_by_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                                   std::span<const std::size_t> inputs, std::span<double> out) const {
    std::size_t own = 0;
    while (own < remembered_.size() && !(std::ranges::equal(remembered_[own].support, support) &&
                                         std::ranges::equal(remembered_[own].coefficient, coefficient))) {
        ++own;
    }
    if (own == remembered_.size() || !refresh(own)) {
        history_->ring_scores(support, coefficient, raw_.all());
        add_recent_scores(support, coefficient, raw_.all());
        weigh(raw_.all(), series_.all());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] = series_dot(inputs[i], series_.all());
        }
        return;
    }
    std::size_t last = own + 1;
    while (last < remembered_.size() && refresh(last)) {
        ++last;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!resident_.has(inputs[i])) {
            out[i] = series_dot(inputs[i], remembered_[own].weighted.all());
            continue;
        }
        Ahead& ahead = ahead_[resident_.place(inputs[i])];
        if (ahead.moment != moment_ || own < ahead.first || own >= ahead.last) {
            ahead.products.resize(remembered_.size());
            for (std::size_t r = own; r < last; ++r) {
                ahead.products[r] = series_dot(inputs[i], remembered_[r].weighted.all());
            }
            ahead.moment = moment_;
            ahead.first = own;
            ahead.last = last;
        }
        out[i] = ahead.products[own];
    }
}

bool BlockGram::refresh(std::size_t r) const {
    Remembered& one = remembered_[r];
    if (one.weighted_at == moment_) {
        return true;
    }
    if (history_->archived() - one.archived > 1) {
        return false;
    }
    if (history_->archived() != one.archived) {
        history_->newest_ring_scores(one.support, one.coefficient, one.series.all());
        one.archived = history_->archived();
    }
    add_recent_scores(one.support, one.coefficient, one.series.all());
    if (one.weighted.size() == 0) {
        one.weighted = Buffer<double>(series_.size());
    }
    weigh(one.series.all(), one.weighted.all());
    one.weighted_at = moment_;
    return true;
}

std::span<const double> BlockGram::remember(std::size_t r, std::span<const std::size_t> support,
                                            std::span<const double> coefficient) const {
    while (remembered_.size() <= r) {
        remembered_.push_back(
            {.support = {}, .coefficient = {}, .series = Buffer<double>(series_.size()), .archived = 0});
    }
    Remembered& one = remembered_[r];
    one.support.assign(support.begin(), support.end());
    one.coefficient.assign(coefficient.begin(), coefficient.end());
    one.archived = history_->archived();
    ++moment_;
    history_->ring_scores(support, coefficient, one.series.all());
    add_recent_scores(support, coefficient, one.series.all());
    return one.series.all();
}

void BlockGram::add_recent_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                                  std::span<double> series) const {
    const RecentRows& rows = history_->recent();
    for (std::size_t b = 0; b < rows.count(); ++b) {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += coefficient[s] * rows.row(b)[support[s]];
        }
        series[history_->ring_rows() + b] = sum;
    }
}

// The scores times the rows' weights.
void BlockGram::weigh(std::span<const double> raw, std::span<double> weighted) const {
    history_->ring_weigh(raw, weighted);
    const RecentRows& rows = history_->recent();
    for (std::size_t b = 0; b < rows.count(); ++b) {
        const std::size_t t = history_->ring_rows() + b;
        weighted[t] = raw[t] * rows.weight(b);
    }
}

double BlockGram::series_dot(std::size_t input, std::span<const double> series) const {
    const RecentRows& rows = history_->recent();
    double sum = history_->ring_dot(input, series);
    for (std::size_t b = 0; b < rows.count(); ++b) {
        sum += rows.row(b)[input] * series[history_->ring_rows() + b];
    }
    return sum;
}

void BlockGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t lacking = missing(support, inputs);
    if (lacking > 0 && history_) {
        if (lacking > support.size() + inputs.size()) {
            multiply_by_scores(support, coefficient, inputs, out);
            // Some entries are filled in all the same, so that those of inputs that stay are known in the end: but not
            // where inputs come and go, and more are lost than filled in.
            if (lacking != kAll && !anybody_new_) {
                fill(support, inputs, (support.size() + inputs.size()) / 16);
            }
            return;
        }
        fill(support, inputs, lacking);
    }
    for (std::size_t s = 0; s < support.size(); ++s) {
        spread_[resident_.place(support[s])] = coefficient[s];
    }
    const std::size_t n = resident_.count();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out[i] = kernels::dot(column(resident_.place(inputs[i])), spread_.data(), n);
    }
    for (const std::size_t j : support) {
        spread_[resident_.place(j)] = 0.0;
    }
}

void BlockGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                               std::span<const std::span<const double>> coefficients,
                               std::span<const std::size_t> selected, std::span<double> A) const {
    const std::size_t R = supports.size();
    std::size_t cost = R * R;
    for (const auto& support : supports) {
        cost += support.size();
    }
    if (!history_ || missing(selected, selected) / 2 <= cost) {
        Gram::inner_products(supports, coefficients, selected, A);
        return;
    }
    // A_rs = sum_t weight_t (h_t v_r) (h_t v_s)
    const std::size_t length = history_->ring_rows() + history_->recent().count();
    for (std::size_t r = 0; r < R; ++r) {
        weigh(remember(r, supports[r], coefficients[r]), series_.all());
        for (std::size_t s = 0; s <= r; ++s) {
            A[(r * R) + s] = kernels::dot(remembered_[s].series.data(), series_.data(), length);
            A[(s * R) + r] = A[(r * R) + s];
        }
    }
}

void BlockGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    if (history_ && missing(inputs, inputs) > 0) {
        fill(inputs, inputs, inputs.size() * inputs.size());
    }
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        const double* own = column(resident_.place(inputs[c]));
        for (std::size_t i = 0; i < n; ++i) {
            out[(c * n) + i] = own[resident_.place(inputs[i])];
        }
    }
}

void BlockGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                         double* out, std::size_t out_stride, Workers& workers) const {
    if (history_) {
        history_->multiply(support, coefficient, targets, out, out_stride, workers);
        return;
    }
    for (std::size_t m = 0; m < targets; ++m) {  // what has not entered the block counts as unrelated
        double* to = out + (m * out_stride);
        std::fill(to, to + inputs_, 0.0);
        for (std::size_t place = 0; place < resident_.count(); ++place) {
            double sum = 0.0;
            for (std::size_t s = 0; s < support.size(); ++s) {
                sum += column(place)[resident_.place(support[s])] * coefficient[(s * targets) + m];
            }
            to[resident_.input(place)] = sum;
        }
    }
}

void BlockGram::scale(double factor) {
    ++moment_;
    for (double& v : C_.all()) {
        v *= factor;
    }
    if (history_) {
        history_->scale_weights(factor);
    }
}

void BlockGram::scale_input(std::size_t j, double factor) {
    remembered_.clear();
    ++moment_;
    if (resident_.has(j)) {
        const std::size_t place = resident_.place(j);
        for (std::size_t other = 0; other < resident_.count(); ++other) {
            column(place)[other] *= factor;
            column(other)[place] *= factor;
        }
    }
    if (history_) {
        history_->scale_input(j, factor);
    }
}

void BlockGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    if (history_) {  // the block comes anew from the history
        history_->append(*later.history(), factor, h, weight);
        remembered_.clear();
        ++moment_;
        resident_.clear();
        return;
    }
    const auto& theirs = dynamic_cast<const BlockGram&>(later);
    for (std::size_t a = 0; a < resident_.count(); ++a) {
        for (std::size_t b = 0; b < resident_.count(); ++b) {
            const std::size_t i = resident_.input(a);
            const std::size_t j = resident_.input(b);
            const bool known = theirs.resident_.has(i) && theirs.resident_.has(j);
            const double added = known ? theirs.column(theirs.resident_.place(i))[theirs.resident_.place(j)] : 0.0;
            column(a)[b] = (factor * column(a)[b]) + added + (weight * h[i] * h[j]);
        }
    }
}

std::size_t BlockGram::bytes() const {
    return C_.bytes() + resident_.bytes() + (history_ ? history_->bytes() : last_->bytes());
}

void BlockGram::save(StateWriter& out) const {
    resident_.save(out);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        out.put_all(std::span<const double>(column(place), resident_.count()));
        out.put_all(std::span<const Bits>(known(place), words_));
    }
    if (history_) {
        history_->save(out);
        out.put(static_cast<std::uint64_t>(remembered_.size()));
        for (const Remembered& one : remembered_) {  // what it would not use again is left out
            const std::uint64_t behind = history_->archived() - one.archived;
            out.put_list(behind <= 1 ? one.support : std::vector<std::size_t>{});
            out.put_all(behind <= 1 ? one.coefficient : std::vector<double>{});
            std::vector<double> series(history_->ring_rows(), 0.0);
            if (behind <= 1) {
                std::copy_n(one.series.data(), series.size(), series.begin());
            }
            if (behind == 1) {  // these come anew
                std::fill_n(series.begin() + static_cast<std::ptrdiff_t>(history_->newest_slot()), kLanes, 0.0);
            }
            out.put_all(series);
            out.put(behind <= 1 ? one.archived : 0);
        }
    }
}

void BlockGram::load(StateReader& in) {
    resident_.load(in);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        in.get_all(std::span(column(place), resident_.count()));
        in.get_all(std::span(known(place), words_));
    }
    if (history_) {
        history_->load(in);
        std::uint64_t count = 0;
        in.get(count);
        in.require(count <= inputs_, "it remembers more than there is");
        remembered_.clear();
        ++moment_;
        for (std::uint64_t r = 0; r < count; ++r) {
            Remembered one{
                .support = in.get_list(), .coefficient = {}, .series = Buffer<double>(series_.size()), .archived = 0};
            in.require(std::ranges::all_of(one.support, [&](std::size_t j) { return j < inputs_; }),
                       "its variables are out of range");
            one.coefficient.resize(one.support.size());
            in.get_all(one.coefficient);
            in.get_all(one.series.all().first(history_->ring_rows()));
            in.get(one.archived);
            remembered_.push_back(std::move(one));
        }
    }
}

}  // namespace sluice::core
