#include "wanted.hpp"

#include <limits>

namespace sluice::io {

Wanted::Wanted(std::size_t columns, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& texts)
    : columns_(columns), column_of_(numbers), numbers_(numbers.size()), texts_(texts.size()) {
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
    row.unreadable.clear();
}

void Wanted::tolerate(std::size_t number) {
    columns_.at(column_of_.at(number)).tolerant = true;
}

void Wanted::put_unreadable(Row& row, std::size_t number, std::string_view value) {
    constexpr std::size_t kShown = 60;
    if (row.unreadable.empty()) {
        row.unreadable_value.assign(value.substr(0, kShown));
    }
    row.unreadable.push_back(number);
    row.numbers[number] = std::numeric_limits<double>::quiet_NaN();
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
