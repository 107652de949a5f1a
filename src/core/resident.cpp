// resident.cpp -- which inputs have a place in a store of limited size.
#include "resident.hpp"

#include <algorithm>
#include <set>

#include "state.hpp"

namespace sluice::core {

bool Resident::ask(std::span<const std::size_t> inputs) {
    if (inputs.size() > room_) {
        return false;
    }
    ++request_;
    for (const std::size_t input : inputs) {
        if (has(input)) {
            asked_[place_of_[input]] = request_;
            asked_row_[place_of_[input]] = row_;
        }
    }
    return true;
}

std::size_t Resident::admit(std::size_t input) {
    std::size_t place = input_at_.size();
    if (!free_.empty()) {
        place = free_.back();
        free_.pop_back();
    } else if (place < room_) {
        input_at_.push_back(kNobody);
        asked_.push_back(0);
        asked_row_.push_back(0);
    } else {
        place = static_cast<std::size_t>(std::ranges::min_element(asked_) - asked_.begin());
        place_of_[input_at_[place]] = kNowhere;
    }
    input_at_[place] = input;
    asked_[place] = request_;
    asked_row_[place] = row_;
    place_of_[input] = static_cast<std::uint32_t>(place);
    return place;
}

void Resident::release_unused(std::uint64_t rows) {
    for (std::size_t place = 0; place < input_at_.size(); ++place) {
        if (!is_free(place) && asked_row_[place] + rows < row_) {
            place_of_[input_at_[place]] = kNowhere;
            input_at_[place] = kNobody;
            free_.push_back(place);
        }
    }
}

void Resident::clear() {
    for (const std::size_t input : input_at_) {
        if (input != kNobody) {
            place_of_[input] = kNowhere;
        }
    }
    input_at_.clear();
    asked_.clear();
    asked_row_.clear();
    free_.clear();
}

void Resident::save(StateWriter& out) const {
    out.put(request_);
    out.put(row_);
    out.put_list(input_at_);
    out.put_all(asked_);
    out.put_all(asked_row_);
    out.put_list(free_);
}

void Resident::load(StateReader& in) {
    clear();
    in.get(request_);
    in.get(row_);
    const auto inputs = in.get_list();
    in.require(inputs.size() <= room_, "it keeps more inputs than it has room for");
    for (const std::size_t input : inputs) {
        if (input != kNobody) {
            in.require(input < place_of_.size() && !has(input), "an input's place is out of range");
            place_of_[input] = static_cast<std::uint32_t>(input_at_.size());
        }
        input_at_.push_back(input);
    }
    asked_.resize(input_at_.size());
    asked_row_.resize(input_at_.size());
    in.get_all(asked_);
    in.get_all(asked_row_);
    free_ = in.get_list();
    in.require(static_cast<std::size_t>(std::ranges::count(input_at_, kNobody)) == free_.size() &&
                   std::ranges::all_of(free_, [&](std::size_t place) { return place < count() && is_free(place); }) &&
                   std::set<std::size_t>(free_.begin(), free_.end()).size() == free_.size(),
               "its free places are not free");
}

}  // namespace sluice::core
