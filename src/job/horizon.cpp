#include "horizon.hpp"

#include <cassert>
#include <cmath>
#include <limits>

#include "state.hpp"

namespace sluice::job {

namespace {

constexpr double kNotPredicted = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Horizon::Horizon(std::size_t rows_ahead, std::size_t inputs, std::size_t outputs, bool observed)
    : rows_ahead_(rows_ahead),
      inputs_(inputs),
      observed_(outputs, observed ? 1 : 0),
      predicted_(outputs, kNotPredicted),
      forecast_(rows_ahead > 0 ? outputs : 0, kNotPredicted),
      pending_x_(rows_ahead * inputs, kNotPredicted),
      pending_y_(rows_ahead * outputs, kNotPredicted) {}

void Horizon::mark_observed(std::span<const double> y) {
    for (std::size_t j = 0; j < y.size(); ++j) {
        observed_[j] |= static_cast<unsigned char>(!std::isnan(y[j]));
    }
}

void Horizon::hide_unobserved(std::span<double> predicted) const {
    std::ranges::transform(predicted, observed_, predicted.begin(),
                           [](double value, unsigned char observed) { return observed != 0 ? value : kNotPredicted; });
}

std::span<const double> Horizon::forecast_made(std::size_t ahead) const {
    assert(ahead >= 1 && ahead <= rows_ahead_);
    const std::size_t outputs = observed_.size();
    const auto slot = static_cast<std::size_t>((rows_ + ahead - 1) % rows_ahead_);
    return std::span(pending_y_).subspan(slot * outputs, outputs);
}

void Horizon::save_counts(core::StateWriter& out) const {
    out.put(rows_);
    out.put_all(observed_);
}

void Horizon::load_counts(core::StateReader& in) {
    in.get(rows_);
    in.get_all(observed_);
}

void Horizon::save_pending(core::StateWriter& out) const {
    out.put_raw(pending_x_);
    out.put_raw(pending_y_);
}

void Horizon::load_pending(core::StateReader& in) {
    in.get_raw(pending_x_);
    in.get_raw(pending_y_);
}

}  // namespace sluice::job
