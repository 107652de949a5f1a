// dense_gram.cpp -- engine `dense`: all of C, symmetric; each row brings one group of columns up to date.
//
//     C_ij = stored_ij + sum_{b < min(l_i, l_j)} g_bi g_bj
//     (C v)_i = sum_s stored_is v_s + sum_{b < l_i} g_bi G_b,     G_b = sum_{s: b < l_s} g_bs v_s
//
//   code      meaning
//   g_b       sqrt(weight) h of the row of age b, 0 the newest: what eq. (15) adds to C is g'g
//   groups_   K: the inputs are in K groups of consecutive ones; row t updates group t mod K
//   l_i       rows since the last turn of the group of i, 0 to K - 1: what its columns lack
//
// At the turn of group J, C_IJ and its mirror image gain the rows since the turn of I, for every I: on average K / 2 rows
// at once, p^2 / 2 multiplications a row, and C is read and written twice in K rows. Every row costs the same, and which
// rows are stored where follows from the number of rows alone. Where all of C fits the nearest caches K is 1: each row is
// added as it comes.
//
// A new engine has a ring of zeros: rows that are zero change nothing. With `deflation = refit` a row needs products with
// several targets: there, copies of the columns in use are kept up to date (current_columns.hpp), so that no rows pend.
#include "dense_gram.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "history.hpp"
#include "kernels.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kUnbuffered = 128;  // inputs, at most: all of C is 128 kB
// Groups of 16 inputs, or larger ones where these would be more than 64. More rows at once save passes over C, and cost more
// where they are still to be added to a product. Measured at 323 and 1,000 inputs: 8 and 16 cost the same, 24 to 48 more.
constexpr std::size_t kLeastGroup = 16;
constexpr std::size_t kMostGroups = 64;
constexpr std::size_t kGroupsPiece = 512;   // inputs of one piece of a product
constexpr std::size_t kLeastShared = 1024;  // inputs from which threads share the update
// Room for products with this number of columns is taken at once, so that a support that grows allocates nothing.
constexpr std::size_t kUsualColumns = 64;

std::size_t usual_group(std::size_t inputs) {
    if (inputs <= kUnbuffered) {
        return padded(std::max<std::size_t>(inputs, 1));
    }
    return std::max(kLeastGroup, padded((inputs + kMostGroups - 1) / kMostGroups));
}

}  // namespace

DenseGram::DenseGram(std::size_t inputs, std::size_t in_use)
    : DenseGram(inputs, in_use, Grouping{usual_group(inputs)}) {}

DenseGram::DenseGram(std::size_t inputs, std::size_t in_use, Grouping grouping)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      group_(grouping.group),
      groups_(std::max<std::size_t>((padded(inputs) + group_ - 1) / group_, 1)),
      C_(padded(inputs) * stride_),
      ring_(groups_ * stride_),
      product_(padded(inputs)) {
    if (groups_ > 1 && in_use > 0) {
        current_.emplace(inputs, in_use);
    }
    rows_.reserve(groups_);
    const std::size_t most = std::min(inputs, kUsualColumns) + groups_;
    pointers_.reserve(most);
    factors_.reserve(most * 2);
    united_.reserve(kUsualColumns);
}

bool DenseGram::rows_pend(std::size_t inputs) {
    return inputs > kUnbuffered;
}

std::size_t DenseGram::bytes_for(std::size_t inputs, std::size_t in_use) {
    const std::size_t group = usual_group(inputs);
    const std::size_t groups = (padded(inputs) + group - 1) / group;
    return ((padded(inputs) + groups) * column_stride(inputs) * sizeof(double)) +
           (groups > 1 ? CurrentColumns::bytes_for(inputs, in_use) : 0);
}

std::size_t DenseGram::group_size(std::size_t I) const {
    return std::min(group_, padded(inputs_) - (I * group_));
}

// Of the row of that age, in the ring.
std::size_t DenseGram::place_of(std::size_t age) const {
    return (turn_ + groups_ - 1 - age) % groups_ * stride_;
}

// Appends the newest rows, the newest first.
void DenseGram::list_newest(std::size_t count, std::vector<const double*>& rows) const {
    std::size_t place = turn_;
    for (std::size_t age = 0; age < count; ++age) {
        place = place == 0 ? groups_ - 1 : place - 1;
        rows.push_back(ring_.data() + (place * stride_));
    }
}

// rows_ = the newest rows, the oldest of them first: in this order they are added.
void DenseGram::list_oldest(std::size_t count) const {
    rows_.clear();
    list_newest(count, rows_);
    std::ranges::reverse(rows_);
}

void DenseGram::add_row(double weight, Workers& workers) {
    double* g = row();
    const double root = std::sqrt(weight);
    for (std::size_t j = 0; j < inputs_; ++j) {
        g[j] *= root;
    }
    if (groups_ == 1) {  // nothing is pending
        kernels::add_outer(g, inputs_, padded(inputs_), stride_, C_.data());
        return;
    }
    const std::size_t J = turn_;
    turn_ = turn_ + 1 == groups_ ? 0 : turn_ + 1;
    update_group(J, workers);
    if (current_) {
        current_->add_row(g);
    }
}

// The row was added to the ring: group J lacks all rows of the ring, group I those since its turn.
void DenseGram::update_group(std::size_t J, Workers& workers) {
    list_oldest(groups_);
    const auto update = [&](std::size_t I) {
        const std::size_t count = I == J ? groups_ : lacks(I);
        kernels::add_symmetric(rows_.data() + (groups_ - count), count,
                               {.i = I * group_, .height = group_size(I), .j = J * group_, .width = group_size(J)},
                               C_.data(), stride_);
    };
    if (inputs_ < kLeastShared || workers.count() == 1) {
        for (std::size_t I = 0; I < groups_; ++I) {
            update(I);
        }
        return;
    }
    // From both ends in turn, beginning at J: consecutive pieces then have about the same number of rows in sum.
    workers.share(groups_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            const std::size_t age = piece % 2 == 0 ? piece / 2 : groups_ - 1 - (piece / 2);
            update((J + age) % groups_);
        }
    });
}

// pointers_ and factors_ for a product: the columns of the support, then the rows of which some column lacks, the newest
// first. Group I uses the first lacks(I) of the rows.
void DenseGram::gather_factors(std::span<const std::size_t> support, std::span<const double> coefficient,
                               std::size_t targets) const {
    pointers_.clear();
    for (const std::size_t j : support) {
        pointers_.push_back(column(j));
    }
    list_newest(groups_ - 1, pointers_);
    factors_.assign(coefficient.begin(), coefficient.end());
    factors_.resize((support.size() + groups_ - 1) * targets, 0.0);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const std::size_t lacked = lacks(group_of(support[s]));
        for (std::size_t b = 0; b < lacked; ++b) {
            const double g = pointers_[support.size() + b][support[s]];
            for (std::size_t m = 0; m < targets; ++m) {
                factors_[((support.size() + b) * targets) + m] += g * coefficient[(s * targets) + m];
            }
        }
    }
}

// Whether there is a current copy of each column of the support; starts those that are missing.
bool DenseGram::take_current(std::span<const std::size_t> support) const {
    if (!current_ || !current_->request(support)) {
        return false;
    }
    for (const std::size_t j : support) {
        if (!current_->has(j)) {
            start_current(j);
        }
    }
    return true;
}

// A copy of column j, and in each group the rows that are lacking there.
void DenseGram::start_current(std::size_t j) const {
    double* to = current_->start(j);
    std::copy_n(column(j), padded(inputs_), to);
    const std::size_t lacked = lacks(group_of(j));
    list_oldest(lacked);
    factors_.assign(lacked * kernels::kColumnsAtOnce, 0.0);
    for (std::size_t b = 0; b < lacked; ++b) {
        factors_[b * kernels::kColumnsAtOnce] = rows_[b][j];
    }
    for (std::size_t I = 0; I < groups_; ++I) {
        const std::size_t count = std::min(lacked, lacks(I));
        const std::size_t skip = lacked - count;
        kernels::add_rows(rows_.data() + skip, factors_.data() + (skip * kernels::kColumnsAtOnce), count, I * group_,
                          (I * group_) + group_size(I), &to, 1);
    }
}

void DenseGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                         double* out, std::size_t out_stride, Workers& workers) const {
    const bool current = take_current(support);
    if (current || groups_ == 1) {
        pointers_.clear();
        for (const std::size_t j : support) {
            pointers_.push_back(current ? current_->column(j) : column(j));
        }
        kernels::columns_product(pointers_.data(), support.size(), coefficient.data(), targets, 0, padded(inputs_), out,
                                 out_stride);
        return;
    }
    gather_factors(support, coefficient, targets);
    const std::size_t at_once = std::max<std::size_t>(kGroupsPiece / group_, 1);
    workers.share((groups_ + at_once - 1) / at_once, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t I = first * at_once; I < std::min(last * at_once, groups_); ++I) {
            kernels::columns_product(pointers_.data(), support.size() + lacks(I), factors_.data(), targets, I * group_,
                                     (I * group_) + group_size(I), out, out_stride);
        }
    });
}

void DenseGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    if (inputs.size() > inputs_ / kLanes) {  // a product at all inputs costs less
        Workers alone(1);
        multiply(support, coefficient, 1, product_.data(), 0, alone);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] = product_[inputs[i]];
        }
        return;
    }
    gather_factors(support, coefficient, 1);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::size_t terms = support.size() + lacks(group_of(inputs[i]));
        double sum = 0.0;
        for (std::size_t c = 0; c < terms; ++c) {
            sum += pointers_[c][inputs[i]] * factors_[c];
        }
        out[i] = sum;
    }
}

void DenseGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                               std::span<const std::span<const double>> coefficients,
                               std::span<const std::size_t> /*selected*/, std::span<double> A) const {
    const std::size_t R = supports.size();
    united_.clear();
    for (std::size_t r = 0; r < R; ++r) {
        united_.insert(united_.end(), supports[r].begin(), supports[r].end());
        pending_.resize(united_.size());
        multiply_at(supports[r], coefficients[r], united_, pending_);
        const double* product = pending_.data();
        for (std::size_t s = 0; s <= r; ++s) {
            double sum = 0.0;
            for (std::size_t i = 0; i < supports[s].size(); ++i) {
                sum += coefficients[s][i] * product[i];
            }
            product += supports[s].size();
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

// pending_ = the rows that are pending, the newest first, at the inputs; 0 where the input does not lack the row: adding that
// changes nothing.
void DenseGram::gather_pending(std::span<const std::size_t> inputs) const {
    const std::size_t n = inputs.size();
    rows_.clear();
    list_newest(groups_ - 1, rows_);
    pending_.assign(n * rows_.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t lacked = lacks(group_of(inputs[i]));
        for (std::size_t b = 0; b < lacked; ++b) {
            pending_[(b * n) + i] = rows_[b][inputs[i]];
        }
    }
}

void DenseGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    gather_pending(inputs);
    for (std::size_t c = 0; c < n; ++c) {
        const double* own = column(inputs[c]);
        double* sums = out.data() + (c * n);
        for (std::size_t i = 0; i <= c; ++i) {
            sums[i] = own[inputs[i]];
        }
        const std::size_t lacked = lacks(group_of(inputs[c]));
        for (std::size_t b = 0; b < lacked; ++b) {
            const double* row = pending_.data() + (b * n);
            const double at_c = row[c];
            for (std::size_t i = 0; i <= c; ++i) {
                sums[i] += row[i] * at_c;
            }
        }
        for (std::size_t i = 0; i < c; ++i) {
            out[(i * n) + c] = sums[i];
        }
    }
}

void DenseGram::multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                 std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const {
    const std::size_t n = inputs.size();
    gather_pending(inputs);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const double* own = column(support[s]);
        double* sums = out + (s * out_stride);
        for (std::size_t i = 0; i < n; ++i) {
            sums[i] = own[inputs[i]] * coefficient[s];
        }
        const std::size_t lacked = lacks(group_of(support[s]));
        for (std::size_t b = 0; b < lacked; ++b) {
            const double* row = pending_.data() + (b * n);
            const double factor = rows_[b][support[s]] * coefficient[s];
            for (std::size_t i = 0; i < n; ++i) {
                sums[i] += row[i] * factor;
            }
        }
    }
}

void DenseGram::scale(double factor) {
    core::multiply(C_.all(), factor);
    core::multiply(ring_.all(), std::sqrt(factor));
    forget_current();
}

void DenseGram::scale_input(std::size_t j, double factor) {
    for (std::size_t i = 0; i < inputs_; ++i) {
        column(i)[j] *= factor;
        column(j)[i] *= factor;
    }
    for (std::size_t b = 0; b < groups_; ++b) {
        ring_[(b * stride_) + j] *= factor;
    }
    forget_current();
}

void DenseGram::forget_current() const {
    if (current_) {
        current_->clear();
    }
}

void DenseGram::complete() {
    list_oldest(groups_ - 1);
    for (std::size_t J = 0; J < groups_; ++J) {
        for (std::size_t I = J; I < groups_; ++I) {
            const std::size_t count = std::min(lacks(I), lacks(J));
            kernels::add_symmetric(rows_.data() + (groups_ - 1 - count), count,
                                   {.i = I * group_, .height = group_size(I), .j = J * group_, .width = group_size(J)},
                                   C_.data(), stride_);
        }
    }
    std::ranges::fill(ring_.all(), 0.0);
    forget_current();
}

void DenseGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    complete();
    auto theirs = dynamic_cast<const DenseGram&>(later);
    theirs.complete();
    for (std::size_t j = 0; j < inputs_; ++j) {
        for (std::size_t i = 0; i < inputs_; ++i) {
            column(j)[i] = (factor * column(j)[i]) + theirs.column(j)[i] + (weight * (h[i] * h[j]));
        }
    }
}

void DenseGram::rebuild_from(const History& history, Workers& workers) {
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double one = 1.0;
        history.multiply({&j, 1}, {&one, 1}, 1, column(j), stride_, workers);
        for (std::size_t i = 0; i < j; ++i) {  // the same bits on both sides of the diagonal
            column(i)[j] = column(j)[i];
        }
    }
    std::ranges::fill(ring_.all(), 0.0);
    forget_current();
}

std::size_t DenseGram::bytes() const {
    return C_.bytes() + ring_.bytes() + (current_ ? current_->bytes() : 0);
}

}  // namespace sluice::core
