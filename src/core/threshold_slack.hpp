// threshold_slack.hpp -- how far below the last threshold the next row looks for candidates.
//
// A component's threshold moves little from row to row. Looking too far down costs time for too many candidates; looking not
// far enough costs a second look at all inputs. So the slack shrinks a little after each row with many candidates, and
// doubles after one with too few: 46 rows of the one undo one of the other. It changes time, never a result.
#pragma once

#include <algorithm>

namespace sluice::core {

class ThresholdSlack {
  public:
    struct Limits {
        double first;
        double least;
        double most;
    };
    explicit ThresholdSlack(const Limits& limits) : limits_(limits), share_(limits.first) {}

    /// Where to look from, as a share of the last threshold.
    [[nodiscard]] double reach() const { return 1.0 - share_; }
    void tighten() { share_ = std::max(share_ * 0.985, limits_.least); }
    void tighten_much() { share_ = std::max(share_ * 0.7, limits_.least); }
    void widen() { share_ = std::min(share_ * 2.0, limits_.most); }

    [[nodiscard]] double share() const { return share_; }
    void set_share(double share) { share_ = share; }

  private:
    Limits limits_;
    double share_;
};

}  // namespace sluice::core
