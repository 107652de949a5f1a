#include "suggest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace sluice::io {

namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Insertions, deletions, replacements and swaps of neighbours (Damerau), case left aside.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        above[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            now[j] = std::min({above[j] + 1, now[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                now[j] = std::min(now[j], before[j - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, now);
    }
    return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view given, std::span<const std::string> known) {
    constexpr std::size_t kLongest = 200;  // longer names are not typed by hand
    std::string best;
    std::size_t least = (std::max<std::size_t>(given.size(), 3) / 3) + 1;
    for (const std::string& name : known) {
        if (given.size() > kLongest || name.size() > kLongest) {
            continue;
        }
        const std::size_t edits = distance(given, name);
        if (edits < least) {
            least = edits;
            best = name;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> known) {
    const std::string name = nearest(given, known);
    return name.empty() ? "" : ". Did you mean " + name + "?";
}

}  // namespace sluice::io
