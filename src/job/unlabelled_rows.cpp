#include "unlabelled_rows.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "state.hpp"

namespace sluice::job {

UnlabelledRows::UnlabelledRows(std::size_t window, std::size_t inputs, std::size_t outputs, std::uint64_t first)
    : inputs_(inputs),
      outputs_(outputs),
      begin_(first),
      end_(first),
      times_(window),
      x_(window * inputs),
      predicted_(window * outputs),
      simple_(window * outputs),
      labelled_(window * outputs),
      index_(window) {}

void UnlabelledRows::drop_oldest() {
    const std::size_t oldest = place(begin_++);
    index_.erase(oldest, times_[oldest].hash());
}

void UnlabelledRows::push(std::string_view time, std::span<const double> x, std::span<const double> predicted,
                          std::span<const Comparison::Forecast> simple) {
    assert(x.size() == inputs_ && predicted.size() == outputs_ && simple.size() == outputs_);
    if (size() == window()) {
        drop_oldest();
    }
    const std::size_t to = place(end_++);
    times_[to].assign(time);
    index_.insert(to, times_[to].hash());
    std::ranges::copy(x, x_.begin() + static_cast<std::ptrdiff_t>(to * inputs_));
    std::ranges::copy(predicted, predicted_.begin() + static_cast<std::ptrdiff_t>(to * outputs_));
    std::ranges::copy(simple, simple_.begin() + static_cast<std::ptrdiff_t>(to * outputs_));
    std::fill_n(labelled_.begin() + static_cast<std::ptrdiff_t>(to * outputs_), outputs_, 0);
}

std::size_t UnlabelledRows::place_of(const TimeKey& time) const {
    std::size_t at = index_.first(time.hash());
    while (at != TimeIndex::kNone && !(times_[at] == time)) {
        at = index_.next(at);
    }
    return at;
}

UnlabelledRows::Row UnlabelledRows::at(std::uint64_t number) {
    const std::size_t from = place(number);
    return {.number = number,
            .time = &times_[from],
            .x = std::span(x_).subspan(from * inputs_, inputs_),
            .predicted = std::span(predicted_).subspan(from * outputs_, outputs_),
            .simple = std::span(simple_).subspan(from * outputs_, outputs_),
            .labelled = std::span(labelled_).subspan(from * outputs_, outputs_)};
}

bool UnlabelledRows::find(const TimeKey& time, Row& row) {
    const std::size_t found = place_of(time);
    if (found == TimeIndex::kNone) {
        return false;
    }
    const std::size_t rows_back = (place(end_ - 1) + window() - found) % window();
    row = at(end_ - 1 - rows_back);
    return true;
}

UnlabelledRows::Row UnlabelledRows::back(std::size_t rows) {
    assert(rows < size());
    return at(end_ - 1 - rows);
}

void UnlabelledRows::save(core::StateWriter& out) const {
    out.put(begin_);
    out.put(end_);
    for (std::uint64_t number = begin_; number < end_; ++number) {
        const std::size_t from = place(number);
        out.put_text(times_[from].text());
        out.put_raw(std::span(x_).subspan(from * inputs_, inputs_));
        out.put_raw(std::span(predicted_).subspan(from * outputs_, outputs_));
        for (std::size_t j = 0; j < outputs_; ++j) {
            const Comparison::Forecast& simple = simple_[(from * outputs_) + j];
            out.put_raw(std::array{simple.mean, simple.last_value});
        }
        out.put_all(std::span(labelled_).subspan(from * outputs_, outputs_));
    }
}

void UnlabelledRows::load(core::StateReader& in) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    in.get(begin);
    in.get(end);
    in.require(begin <= end && end - begin <= window(), "more rows wait for their labels than its window has");
    in.require(end - begin <= in.left() / sizeof(double), "it has fewer rows than wait for their labels");
    begin_ = end_ = begin;
    std::vector<double> x(inputs_);
    std::vector<double> predicted(outputs_);
    std::vector<Comparison::Forecast> simple(outputs_);
    while (end_ < end) {
        const std::string time = in.get_text();
        in.get_raw(x);
        in.get_raw(predicted);
        for (Comparison::Forecast& one : simple) {
            std::array<double, 2> numbers{};
            in.get_raw(numbers);
            one = {.mean = numbers[0], .last_value = numbers[1]};
        }
        push(time, x, predicted, simple);
        const auto labelled = at(end_ - 1).labelled;
        in.get_all(labelled);
        in.require(std::ranges::all_of(labelled, [](unsigned char flag) { return flag <= 1; }),
                   "a mark of a learnt label is neither 0 nor 1");
    }
}

}  // namespace sluice::job
