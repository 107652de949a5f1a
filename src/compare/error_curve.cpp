#include "error_curve.hpp"

#include <cmath>
#include <utility>

namespace sluice::compare {

namespace {

// The window of a row, which is new where the row is the first of it.
template <typename Window>
Window& window_of(report::Bins& bins, std::vector<Window>& windows, std::uint64_t row) {
    while (!bins.has_room_for(row)) {
        report::join_neighbours(windows);
        bins.widen();
    }
    const std::size_t at = bins.of(row);
    if (at >= windows.size()) {
        windows.resize(at + 1);
    }
    return windows[at];
}

}  // namespace

void RootMeanSquare::join(const RootMeanSquare& other) {
    if (other.count == 0) {
        return;
    }
    const auto all = static_cast<double>(count + other.count);
    value = std::hypot(value * std::sqrt(static_cast<double>(count) / all),
                       other.value * std::sqrt(static_cast<double>(other.count) / all));
    count += other.count;
}

void ErrorCurve::Window::join(const Window& other) {
    outputs.resize(std::max(outputs.size(), other.outputs.size()));
    for (std::size_t j = 0; j < other.outputs.size(); ++j) {
        outputs[j].join(other.outputs[j]);
    }
}

void ErrorCurve::add(std::uint64_t row, std::span<const double> predicted, std::span<const double> observed,
                     bool scored) {
    Window& window = window_of(bins_, windows_, row);
    window.outputs.resize(outputs_);
    for (std::size_t j = 0; scored && j < outputs_; ++j) {
        if (!std::isnan(predicted[j]) && !std::isnan(observed[j])) {
            window.outputs[j].add(predicted[j] - observed[j]);
        }
    }
}

void WindowRows::Window::join(Window& other) {
    last = other.last;
    time = std::move(other.time);
}

void WindowRows::add(std::uint64_t row, std::string_view time) {
    Window& window = window_of(bins_, windows_, row);
    if (window.first == 0) {
        window.first = row;
    }
    window.last = row;
    window.time = time;
}

}  // namespace sluice::compare
