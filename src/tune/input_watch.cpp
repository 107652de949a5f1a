#include "input_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "far_outside.hpp"
#include "robust_constants.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

InputWatch::InputWatch(std::size_t inputs) : inputs_(inputs) {
    suspects_.reserve(inputs);
    others_.reserve(inputs);
}

bool InputWatch::far(const Input& input, double value) {
    if (input.known < kFewestKnown) {
        return false;
    }
    double low = input.in_block > 0 ? input.low : input.low_before;
    double high = input.in_block > 0 ? input.high : input.high_before;
    if (input.in_before > 0) {
        low = std::min(low, input.low_before);
        high = std::max(high, input.high_before);
    }
    return far_outside(value, low, high, kInputReach);
}

bool InputWatch::stopped(const Input& input, double value) {
    return input.met != 0 && value == input.last && input.alike + 1 >= kStoppedRepeats && input.alike < kMostStopped &&
           input.unlike >= kNeverRepeats;
}

void InputWatch::believe(Input& input, double value) {
    input.low = input.in_block > 0 ? std::min(input.low, value) : value;
    input.high = input.in_block > 0 ? std::max(input.high, value) : value;
    input.in_block = static_cast<std::uint16_t>(std::min<std::size_t>(input.in_block + 1U, kRangeRows));
    input.known = static_cast<std::uint8_t>(std::min<std::size_t>(input.known + 1U, kFewestKnown));
}

bool InputWatch::add_ordinary(Input& input, double value) {
    const bool ordinary = input.known == kFewestKnown && input.in_block > 0 && input.alike == 0 &&
                          value != input.last && value >= input.low && value <= input.high;
    if (!ordinary) {
        return false;
    }
    input.unlike = static_cast<std::uint16_t>(std::min<unsigned>(input.unlike + 1U, kNeverRepeats));
    input.last = value;
    input.met = 1;
    input.away = 0;
    input.in_block = static_cast<std::uint16_t>(std::min<unsigned>(input.in_block + 1U, kRangeRows));
    return true;
}

bool InputWatch::find(std::span<const double> x, std::vector<std::size_t>& suspects) const {
    thread_local std::vector<std::size_t> all;
    while (all.size() < x.size()) {
        all.push_back(all.size());
    }
    return find(x, std::span(all).first(x.size()), suspects);
}

bool InputWatch::find(std::span<const double> x, std::span<const std::size_t> among,
                      std::vector<std::size_t>& suspects) const {
    suspects.clear();
    std::size_t away = 0;
    for (const std::size_t i : among) {
        const bool is_far = far(inputs_[i], x[i]);
        if (is_far || stopped(inputs_[i], x[i])) {
            away += is_far ? 1U : 0U;
            suspects.push_back(i);
        }
    }
    if (away > kFewFail + (x.size() / kManyShare)) {  // sensors fail one by one: this is a change of what they measure
        std::erase_if(suspects, [&](std::size_t i) { return far(inputs_[i], x[i]); });
        return false;
    }
    return true;
}

bool InputWatch::replace(std::span<const double> x, std::span<const std::size_t> suspects,
                         std::vector<double>& believed) {
    if (suspects.empty()) {
        return false;
    }
    believed.assign(x.begin(), x.end());
    for (const std::size_t i : suspects) {
        believed[i] = kMissing;
    }
    return true;
}

bool InputWatch::look(std::span<const double> x, std::vector<double>& believed) const {
    thread_local std::vector<std::size_t> suspects;
    (void)find(x, suspects);
    return replace(x, suspects, believed);
}

bool InputWatch::add(std::span<const double> x, std::vector<double>& believed) {
    others_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!add_ordinary(inputs_[i], x[i])) {
            others_.push_back(i);
        }
    }
    const bool all_far_are_suspect = find(x, others_, suspects_);
    auto suspect = suspects_.begin();
    for (const std::size_t i : others_) {
        const bool is_suspect = suspect != suspects_.end() && *suspect == i;
        suspect += is_suspect ? 1 : 0;
        if (!std::isnan(x[i])) {
            update(inputs_[i], x[i], is_suspect, (is_suspect || !all_far_are_suspect) && far(inputs_[i], x[i]));
        }
    }
    if (++rows_ % kRangeRows == 0) {
        for (Input& input : inputs_) {
            input.low_before = input.low;
            input.high_before = input.high;
            input.in_before = input.in_block;
            input.in_block = 0;
        }
    }
    return replace(x, suspects_, believed);
}

void InputWatch::update(Input& input, double value, bool suspect, bool is_far) {
    if (value == input.last && input.met != 0) {
        input.alike = static_cast<std::uint8_t>(std::min<unsigned>(input.alike + 1U, kMostStopped));
    } else {
        const bool had_stopped =
            input.alike >= kStoppedRepeats && input.alike < kMostStopped && input.unlike >= kNeverRepeats;
        if (had_stopped) {
            input.unlike = kNeverRepeats - kStoppedAgain;
        } else if (input.alike > 0) {
            input.unlike = 0;
        } else {
            input.unlike = static_cast<std::uint16_t>(std::min<unsigned>(input.unlike + 1U, kNeverRepeats));
        }
        input.alike = 0;
    }
    input.last = value;
    input.met = 1;
    if (!suspect) {
        input.away = 0;
        if (is_far) {  // together with many others: a new level
            input.known = 0;
            input.in_block = 0;
            input.in_before = 0;
        }
        believe(input, value);
    } else if (is_far && ++input.away == kPatience) {  // it stays there: its range is not known from the next row on
        input.away = 0;
        input.known = 0;
        input.in_block = 0;
        input.in_before = 0;
    }
}

void InputWatch::save(core::StateWriter& out) const {
    out.put(rows_);
    for (const Input& input : inputs_) {
        for (const double number : {input.low, input.high, input.low_before, input.high_before, input.last}) {
            out.put(number);
        }
        out.put(input.unlike);
        for (const std::uint8_t count : {input.known, input.alike, input.away}) {
            out.put(count);
        }
        out.put(input.in_block);
        out.put(input.in_before);
        out.put(input.met);
    }
}

void InputWatch::load(core::StateReader& in) {
    in.get(rows_);
    for (Input& input : std::span(inputs_).first(in.stored_inputs(inputs_.size()))) {
        for (double* number : {&input.low, &input.high, &input.low_before, &input.high_before, &input.last}) {
            in.get(*number);
        }
        in.get(input.unlike);
        for (std::uint8_t* count : {&input.known, &input.alike, &input.away}) {
            in.get(*count);
        }
        in.get(input.in_block);
        in.get(input.in_before);
        input.met = in.get_flag() ? 1 : 0;
        in.require(input.known <= kFewestKnown && input.alike <= kMostStopped && input.away < kPatience &&
                       input.in_block <= kRangeRows && input.in_before <= kRangeRows && input.unlike <= kNeverRepeats &&
                       (input.in_block == 0 || input.low <= input.high) &&
                       (input.in_before == 0 || input.low_before <= input.high_before),
                   "what recent rows allow an input is out of range");
    }
}

}  // namespace sluice::tune
