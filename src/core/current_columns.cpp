// current_columns.cpp -- copies of the columns of C in use that are up to date with every row.
#include "current_columns.hpp"

#include <algorithm>
#include <array>

#include "kernels.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

namespace {

// Rows after which a column that was not requested is released: about what it costs to start it again.
constexpr std::uint64_t kMostIdle = 16;

// From one column to the next: not a multiple of 4,096 bytes, which would map all columns to the same sets of the cache.
template <typename Number>
std::size_t stride_of(std::size_t length) {
    return length * sizeof(Number) % 4096 == 0 ? length + (kCacheLine / sizeof(Number)) : length;
}

}  // namespace

template <typename Number>
CurrentColumns<Number>::CurrentColumns(std::size_t inputs, std::size_t length, std::size_t room)
    : length_(length), stride_(stride_of<Number>(length)), resident_(inputs, room), columns_(room * stride_) {}

template <typename Number>
std::size_t CurrentColumns<Number>::bytes_for(std::size_t length, std::size_t room) {
    return room * stride_of<Number>(length) * sizeof(Number);
}

template <typename Number>
void CurrentColumns<Number>::add_row(const Number* g, Workers& workers) {
    resident_.next_row();
    resident_.release_unused(kMostIdle);
    workers.share_inputs(length_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        add_row_at(g, first * kPiece, std::min(last * kPiece, length_));
    });
}

// The same at the places first .. last of each column.
template <typename Number>
void CurrentColumns<Number>::add_row_at(const Number* g, std::size_t first, std::size_t last) {
    std::array<Number*, kernels::kColumnsAtOnce> to{};
    std::array<Number, kernels::kColumnsAtOnce> factors{};
    std::size_t count = 0;
    const auto add = [&] { kernels::add_rows(&g, factors.data(), 1, first, last, to.data(), count); };
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        if (resident_.is_free(place)) {
            continue;
        }
        to[count] = at(place);
        factors[count] = g[resident_.input(place)];
        if (++count == kernels::kColumnsAtOnce) {
            add();
            count = 0;
        }
    }
    if (count > 0) {
        add();
    }
}

template <typename Number>
void CurrentColumns<Number>::scale(Number factor) {
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        if (!resident_.is_free(place)) {
            multiply(std::span(at(place), length_), factor);
        }
    }
}

template class CurrentColumns<double>;
template class CurrentColumns<float>;

}  // namespace sluice::core
