#include "notes.hpp"

#include <fmt/format.h>

namespace sluice::portfolio {

void NoteCounter::append_to(std::vector<std::string>& notes) const {
    if (count_ == 0) {
        return;
    }
    std::string note = fmt::format("{}: {} ({}", what_, count_, examples_);
    if (count_ > kShown) {
        note += fmt::format(", and {} more", count_ - kShown);
    }
    notes.push_back(note + ")");
}

}  // namespace sluice::portfolio
