// packed_gram_state.cpp -- engine `dense` with more inputs, as bytes: half of C, and the rows that pend.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "packed_gram.hpp"
#include "row_buffer.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

// use(group, place, count) for the numbers that C still lacks, of the first `inputs` inputs. No others are read again.
template <typename F>
void for_each_lacked(const PendingRows<double>& pending, std::size_t inputs, const F& use) {
    for (std::size_t age = 0; age + 1 < pending.groups(); ++age) {
        for (std::size_t I = 0; I < pending.groups() && I * pending.group() < inputs; ++I) {
            if (age < pending.since(I)) {
                use(I, pending.place(age), std::min(pending.group(), inputs - (I * pending.group())));
            }
        }
    }
}

}  // namespace

// As symmetric_state.hpp writes a matrix with two equal halves. Earlier versions saved the rows of a buffer of
// RowBuffer::kMost after it: fewer than that.
void PackedGram::save(StateWriter& out) const {
    const PendingRows<double>& pending = C_.pending();
    std::vector<double> half(inputs_);
    for (std::size_t j = 0; j < inputs_; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            half[i] = C_.stored(i, j);
        }
        out.put_all(std::span<const double>(half).first(j + 1));
    }
    out.put(static_cast<unsigned char>(true));
    out.put(static_cast<std::uint64_t>(RowBuffer::kMost + pending.groups() - 1));
    out.put(static_cast<std::uint64_t>(pending.group()));
    out.put(static_cast<std::uint64_t>(pending.turn()));
    for_each_lacked(pending, inputs_, [&](std::size_t I, std::size_t place, std::size_t count) {
        out.put_all(std::span<const double>(pending.numbers(I, place), count));
    });
}

void PackedGram::load(StateReader& in) {
    C_.clear_rows();
    block_.clear();
    const std::size_t inputs = in.stored_inputs(inputs_);
    std::vector<double> column(inputs);
    for (std::size_t j = 0; j < inputs; ++j) {
        const std::size_t numbers = in.current() ? j + 1 : inputs;
        in.get_all(std::span(column).first(numbers));
        for (std::size_t i = 0; i <= j; ++i) {
            C_.entry(i, j) = column[i];
        }
    }
    if (in.current() && !in.get_flag()) {  // where rounding had made the two halves differ, one of them counts
        for (std::size_t j = 0; j < inputs; ++j) {
            for (std::size_t i = 0; i < j; ++i) {
                (void)in.get_near(C_.stored(i, j));
            }
        }
    }
    std::uint64_t count = 0;
    in.get(count);
    if (count < RowBuffer::kMost) {
        load_buffered(in, inputs, count);
    } else {
        load_pending(in, inputs, count - RowBuffer::kMost);
    }
}

// Rows that all of C lacks, with their weights.
void PackedGram::load_buffered(StateReader& in, std::size_t inputs, std::size_t count) {
    std::vector<double> h(inputs);
    for (std::size_t b = 0; b < count; ++b) {
        double weight = 0.0;
        in.get(weight);
        in.require(weight >= 0.0, "the weight of a row is negative");
        in.get_all(h);
        for (std::size_t j = 0; j < inputs; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                C_.entry(i, j) += weight * (h[i] * h[j]);
            }
        }
    }
}

// Where the state has other groups, as with fewer inputs, C gets the rows at once and none pend.
void PackedGram::load_pending(StateReader& in, std::size_t inputs, std::size_t count) {
    PendingRows<double>& pending = C_.pending();
    std::uint64_t group = 0;
    std::uint64_t turn = 0;
    in.get(group);
    in.get(turn);
    in.require(group > 0 && group % kLanes == 0 && group <= padded(inputs), "the groups of its columns are unknown");
    const bool as_ours = group == pending.group() && count + 1 == pending.groups();
    PendingRows<double> theirs(as_ours ? 0 : inputs, group);
    PendingRows<double>& to = as_ours ? pending : theirs;
    in.require(count + 1 == to.groups(), "the number of its newest rows is not that of its groups");
    in.require(turn < to.groups(), "it has fewer groups of columns than it says");
    to.set_turn(turn);
    for_each_lacked(to, inputs, [&](std::size_t I, std::size_t place, std::size_t numbers) {
        in.get_all(std::span(to.numbers(I, place), numbers));
    });
    if (!as_ours) {
        add_rows_of(theirs, inputs);
    }
}

// What entries of the first inputs lack of rows in other groups than ours.
void PackedGram::add_rows_of(const PendingRows<double>& theirs, std::size_t inputs) {
    for (std::size_t j = 0; j < inputs; ++j) {
        const std::size_t lacked = theirs.since(theirs.group_of(j));
        for (std::size_t i = 0; i <= j; ++i) {
            double& sum = C_.entry(i, j);
            for (std::size_t age = std::min(lacked, theirs.since(theirs.group_of(i))); age-- > 0;) {
                sum += theirs.at(age, i) * theirs.at(age, j);
            }
        }
    }
}

}  // namespace sluice::core
