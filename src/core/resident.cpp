// resident.cpp -- which inputs have a place in a store of limited size.
#include "resident.hpp"

#include <algorithm>

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
        }
    }
    return true;
}

std::size_t Resident::admit(std::size_t input) {
    std::size_t place = input_at_.size();
    if (place < room_) {
        input_at_.push_back(input);
        asked_.push_back(request_);
    } else {
        place = static_cast<std::size_t>(std::ranges::min_element(asked_) - asked_.begin());
        place_of_[input_at_[place]] = kNowhere;
        input_at_[place] = input;
        asked_[place] = request_;
    }
    place_of_[input] = static_cast<std::uint32_t>(place);
    return place;
}

void Resident::clear() {
    for (const std::size_t input : input_at_) {
        place_of_[input] = kNowhere;
    }
    input_at_.clear();
    asked_.clear();
}

void Resident::save(StateWriter& out) const {
    out.put(request_);
    out.put_list(input_at_);
    out.put_all(asked_);
}

void Resident::load(StateReader& in) {
    clear();
    in.get(request_);
    const auto inputs = in.get_list();
    in.require(inputs.size() <= room_, "it keeps more inputs than it has room for");
    for (const std::size_t input : inputs) {
        in.require(input < place_of_.size() && !has(input), "an input's place is out of range");
        place_of_[input] = static_cast<std::uint32_t>(input_at_.size());
        input_at_.push_back(input);
    }
    asked_.resize(input_at_.size());
    in.get_all(asked_);
}

}  // namespace sluice::core
