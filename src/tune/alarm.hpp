// alarm.hpp -- reports when the relation breaks: the one-step error rises, or the explained covariance falls. (A fresh start
// is reported as a break too, see model_bank.cpp.)
#pragma once

#include <cstdint>
#include <optional>

#include "adaptive_window.hpp"

namespace sluice::tune {

class DriftAlarm {
  public:
    struct Break {
        std::uint64_t rows = 0;  ///< since when, counted back from now
        bool error = false;
    };
    /// error: one-step square over the outputs' variance; covariance: explained share.
    [[nodiscard]] std::optional<Break> add(double error, double covariance);

    /// The explained covariance is that of another model from now on: earlier values no longer count.
    void forget_covariance();

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void restart_window();

    AdaptiveWindow window_;
    std::uint64_t rows_ = 0;  // since the window began
    double level_ = 0.0;      // mean log of the error in its first rows; then fixed
    double mean_ = 0.0;       // of the explained covariance
    double variance_ = 0.0;   // and how much it varies
    double weight_ = 0.0;
};

}  // namespace sluice::tune
