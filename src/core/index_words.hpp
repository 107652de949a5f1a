// index_words.hpp -- two ascending lists of numbers, 64 numbers at a time, as the bits of a word.
//
// Unions and differences of lists that are not far from full are then a few operations on words: no branch depends on
// which of two numbers is smaller, and no load waits for the comparison before it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::core {

constexpr std::size_t kNumbersPerWord = 64;

/// Whether words pay for two ascending lists: a word with a number has four of them, on average.
[[nodiscard]] inline bool words_pay(std::span<const std::size_t> a, std::span<const std::size_t> b) {
    return !a.empty() && !b.empty() && std::max(a.back(), b.back()) < (a.size() + b.size()) * kNumbersPerWord / 4;
}

/// The numbers of `list` from `next` on that are below first + 64, as bits from `first` on; `next` moves past them.
[[nodiscard]] inline std::uint64_t take_word(std::span<const std::size_t> list, std::size_t first, std::size_t& next) {
    const bool all = list.back() - first < kNumbersPerWord;
    const std::size_t last =
        all ? list.size()
            : static_cast<std::size_t>(std::ranges::lower_bound(list.subspan(next), first + kNumbersPerWord) -
                                       list.begin());
    std::uint64_t bits = 0;
    for (; next < last; ++next) {
        bits |= std::uint64_t{1} << (list[next] % kNumbersPerWord);
    }
    return bits;
}

/// Calls work(first, bits_of_a, bits_of_b) for each word in which one of the ascending lists has a number.
template <typename Work>
void for_each_word(std::span<const std::size_t> a, std::span<const std::size_t> b, Work&& work) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        const std::size_t least = j == b.size() ? a[i] : i == a.size() ? b[j] : std::min(a[i], b[j]);
        const std::size_t first = least / kNumbersPerWord * kNumbersPerWord;
        const std::uint64_t of_a = take_word(a, first, i);
        const std::uint64_t of_b = take_word(b, first, j);
        work(first, of_a, of_b);
    }
}

/// Writes the numbers of the bits set, ascending; returns how many.
inline std::size_t list_bits(std::uint64_t bits, std::size_t first, std::size_t* to) {
    std::size_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        to[count++] = first + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return count;
}

}  // namespace sluice::core
