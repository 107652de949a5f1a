// dense_gram_state.cpp -- engine `dense` as bytes: C, and the rows that pend.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dense_gram.hpp"
#include "row_buffer.hpp"
#include "state.hpp"
#include "symmetric_state.hpp"

namespace sluice::core {

// f(place in the ring, count) for the numbers that columns of C still lack, of the first `inputs` inputs. No others are read again.
template <typename F>
void DenseGram::for_each_pending(std::size_t inputs, const F& use) const {
    for (std::size_t age = 0; age + 1 < groups_; ++age) {
        for (std::size_t I = 0; I < groups_ && I * group_ < inputs; ++I) {
            if (age < lacks(I)) {
                use(place_of(age) + (I * group_), std::min(group_, inputs - (I * group_)));
            }
        }
    }
}

// After C, earlier versions saved the rows of a buffer of RowBuffer::kMost: fewer than that.
void DenseGram::save(StateWriter& out) const {
    save_symmetric(out, C_.data(), inputs_, stride_);
    if (groups_ == 1) {
        out.put(std::uint64_t{0});
        return;
    }
    out.put(static_cast<std::uint64_t>(RowBuffer::kMost + groups_ - 1));
    out.put(static_cast<std::uint64_t>(group_));
    out.put(static_cast<std::uint64_t>(turn_));
    for_each_pending(inputs_,
                     [&](std::size_t place, std::size_t count) { out.put_all(ring_.all().subspan(place, count)); });
}

void DenseGram::load(StateReader& in) {
    forget_current();
    const std::size_t stored = in.stored_inputs(inputs_);
    if (in.current()) {
        load_symmetric(in, C_.data(), stored, stride_);
    } else {
        for (std::size_t j = 0; j < stored; ++j) {
            in.get_all(std::span(column(j), stored));
        }
    }
    std::uint64_t count = 0;
    in.get(count);
    if (count < RowBuffer::kMost) {
        load_buffered(in, stored, count);
    } else {
        load_pending(in, stored, count - RowBuffer::kMost);
    }
}

// Rows that all of C lacks, with their weights.
void DenseGram::load_buffered(StateReader& in, std::size_t stored, std::size_t count) {
    std::vector<double> h(stored);
    for (std::size_t b = 0; b < count; ++b) {
        double weight = 0.0;
        in.get(weight);
        in.require(weight >= 0.0, "the weight of a row is negative");
        in.get_all(h);
        for (std::size_t j = 0; j < stored; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                column(j)[i] += weight * (h[i] * h[j]);
            }
        }
    }
    for (std::size_t j = 0; j < stored; ++j) {  // the same bits on both sides of the diagonal
        for (std::size_t i = 0; i < j; ++i) {
            column(i)[j] = column(j)[i];
        }
    }
}

// The ring. Where the state has other groups, as with fewer inputs, C gets the rows at once and the ring stays empty.
void DenseGram::load_pending(StateReader& in, std::size_t stored, std::size_t count) {
    std::uint64_t group = 0;
    std::uint64_t turn = 0;
    in.get(group);
    in.get(turn);
    in.require(group > 0 && group % kLanes == 0 && group <= padded(stored), "the groups of its columns are unknown");
    const bool as_ours = group == group_ && count + 1 == groups_;
    DenseGram theirs(as_ours ? 0 : stored, 0, Grouping{group});
    DenseGram& to = as_ours ? *this : theirs;
    in.require(count + 1 == to.groups_, "the number of its newest rows is not that of its groups");
    in.require(turn < to.groups_, "it has fewer groups of columns than it says");
    to.turn_ = turn;
    to.for_each_pending(
        stored, [&](std::size_t place, std::size_t numbers) { in.get_all(to.ring_.all().subspan(place, numbers)); });
    if (as_ours) {
        return;
    }
    for (std::size_t j = 0; j < stored; ++j) {
        std::copy_n(column(j), stored, theirs.column(j));
    }
    theirs.complete();
    for (std::size_t j = 0; j < stored; ++j) {
        std::copy_n(theirs.column(j), stored, column(j));
    }
}

}  // namespace sluice::core
