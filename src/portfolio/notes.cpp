#include "notes.hpp"

#include <fmt/format.h>

namespace sluice::portfolio {

void Tally::say(std::vector<std::string>& notes) const {
    if (count_ == 0) {
        return;
    }
    constexpr std::size_t kShown = 3;
    std::string note = what_;
    note.replace(note.rfind("{}"), 2, fmt::format("{}", count_));  // the last one: names of files may hold braces
    note += fmt::format(" ({}", examples_);
    if (count_ > kShown) {
        note += fmt::format(", and {} more", count_ - kShown);
    }
    notes.push_back(note + ")");
}

}  // namespace sluice::portfolio
