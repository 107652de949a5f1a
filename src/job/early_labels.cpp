#include "early_labels.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "state.hpp"

namespace sluice::job {

EarlyLabels::EarlyLabels(std::size_t window, std::size_t outputs)
    : outputs_(outputs),
      times_(window),
      y_(window * outputs),
      taken_(window, 0),
      passed_at_(window, 0),
      index_(window) {}

void EarlyLabels::push(const TimeKey& time, std::span<const double> y) {
    assert(!full() && y.size() == outputs_);
    const std::size_t to = place(end_++);
    times_[to] = time;
    std::ranges::copy(y, y_.begin() + static_cast<std::ptrdiff_t>(to * outputs_));
    taken_[to] = 0;
    passed_at_[to] = 0;
    index_.insert(to, time.hash());
    ++waiting_;
}

void EarlyLabels::remove(std::size_t at) {
    index_.erase(at, times_[at].hash());
    taken_[at] = 1;
    --waiting_;
}

bool EarlyLabels::take(const TimeKey& time, std::uint64_t row, Label& label) {
    std::size_t oldest = TimeIndex::kNone;
    for (std::size_t at = index_.first(time.hash()); at != TimeIndex::kNone; at = index_.next(at)) {
        oldest = times_[at] == time ? at : oldest;  // a chain begins with its newest
    }
    if (oldest == TimeIndex::kNone) {
        return false;
    }
    const std::uint64_t number = begin_ + ((oldest + times_.size() - place(begin_)) % times_.size());
    remove(oldest);
    for (passed_ = std::max(passed_, begin_); passed_ < number; ++passed_) {
        passed_at_[place(passed_)] = row;
    }
    label = {.time = &times_[oldest], .y = std::span(y_).subspan(oldest * outputs_, outputs_)};
    while (begin_ < end_ && taken_[place(begin_)] != 0) {
        ++begin_;
    }
    return true;
}

bool EarlyLabels::front_was_passed(std::uint64_t row) const {
    return begin_ < passed_ && row >= passed_at_[place(begin_)] + times_.size();
}

void EarlyLabels::drop_front() {
    remove(place(begin_));
    while (begin_ < end_ && taken_[place(begin_)] != 0) {
        ++begin_;
    }
}

void EarlyLabels::save(core::StateWriter& out) const {
    for (const std::uint64_t number : {begin_, end_, passed_}) {
        out.put(number);
    }
    for (std::uint64_t label = begin_; label < end_; ++label) {
        const std::size_t from = place(label);
        out.put(taken_[from]);
        if (taken_[from] == 0) {
            out.put(passed_at_[from]);
            out.put_text(times_[from].text());
            out.put_raw(std::span(y_).subspan(from * outputs_, outputs_));
        }
    }
}

void EarlyLabels::load(core::StateReader& in) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    in.get(begin);
    in.get(end);
    in.get(passed_);
    in.require(begin <= end && end - begin <= times_.size() && passed_ <= end,
               "more labels wait for their rows than its window has");
    in.require(end - begin <= in.left(), "it has fewer labels than wait for their rows");
    begin_ = end_ = begin;
    TimeKey time;
    std::vector<double> y(outputs_);
    while (end_ < end) {
        const bool taken = in.get_flag();
        const std::size_t to = place(end_);
        in.require(!taken || end_ > begin, "its first label does not wait");
        if (taken) {
            taken_[to] = 1;
            ++end_;
            continue;
        }
        std::uint64_t passed_at = 0;
        in.get(passed_at);
        time.assign(in.get_text());
        in.get_raw(y);
        push(time, y);
        passed_at_[to] = passed_at;
    }
}

}  // namespace sluice::job
