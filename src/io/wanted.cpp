#include "wanted.hpp"

namespace sluice::io {

Wanted::Wanted(std::size_t columns, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& texts)
    : columns_(columns), numbers_(numbers.size()), texts_(texts.size()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (std::size_t& place = columns_.at(numbers[i]).number; place == kNot) {
            place = i;
        } else {
            again_numbers_.emplace_back(place, i);
        }
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (std::size_t& place = columns_.at(texts[i]).text; place == kNot) {
            place = i;
        } else {
            again_texts_.emplace_back(place, i);
        }
    }
}

void Wanted::prepare(Row& row) const {
    row.numbers.resize(numbers_);
    row.texts.resize(texts_);
}

void Wanted::finish(Row& row) const {
    for (const auto& [from, to] : again_numbers_) {
        row.numbers[to] = row.numbers[from];
    }
    for (const auto& [from, to] : again_texts_) {
        row.texts[to] = row.texts[from];
    }
}

}  // namespace sluice::io
