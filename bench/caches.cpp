// caches.cpp -- the sizes of this machine's caches, and which of them holds an array.
#include "caches.hpp"

#include <fmt/format.h>

#include <fstream>

namespace sluice::bench {

namespace {

// "1024K", as the kernel writes it.
std::size_t bytes_of(const std::string& text) {
    std::size_t number = 0;
    std::size_t place = 0;
    for (; place < text.size() && text[place] >= '0' && text[place] <= '9'; ++place) {
        number = (number * 10) + static_cast<std::size_t>(text[place] - '0');
    }
    const char unit = place < text.size() ? text[place] : ' ';
    return number << (unit == 'K' ? 10U : unit == 'M' ? 20U : unit == 'G' ? 30U : 0U);
}

std::string first_word(const std::string& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

}  // namespace

Caches Caches::of_this_machine() {
    Caches caches;
    for (int index = 0; index < 8; ++index) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
        const std::string level = first_word(folder + "level");
        if (first_word(folder + "type") == "Instruction") {
            continue;
        }
        const std::size_t bytes = bytes_of(first_word(folder + "size"));
        if (level == "1") {
            caches.L1 = bytes;
        } else if (level == "2") {
            caches.L2 = bytes;
        } else if (level == "3") {
            caches.L3 = bytes;
        }
    }
    return caches;
}

std::string Caches::holding(std::size_t bytes) const {
    if (L1 + L2 + L3 == 0) {
        return "?";
    }
    return bytes <= L1 ? "L1" : bytes <= L2 ? "L2" : bytes <= L3 ? "L3" : "memory";
}

std::string Caches::text() const {
    return L1 + L2 + L3 == 0 ? "caches unknown"
                             : fmt::format("L1 {}, L2 {}, L3 {}", size_text(L1), size_text(L2), size_text(L3));
}

std::string size_text(std::size_t bytes) {
    const auto value = static_cast<double>(bytes);
    if (value < 1e6) {
        return fmt::format("{:.0f} kB", value / 1e3);
    }
    return value < 1e7   ? fmt::format("{:.1f} MB", value / 1e6)
           : value < 1e9 ? fmt::format("{:.0f} MB", value / 1e6)
                         : fmt::format("{:.1f} GB", value / 1e9);
}

}  // namespace sluice::bench
