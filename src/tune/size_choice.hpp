// size_choice.hpp -- how many names: the fewest that are not clearly worse than more.
//
// For each number of names the loss of the forecast with that number alone, discounted by kEvidence, over the root of the present
// level of the losses: the large errors of the first rows, or right after a break, say little about the rows that follow. A number is good enough where
// its loss is at most kTolerance above the least, and at most one standard error of the paired differences. The least number that is good
// enough is used; a smaller one than now only where it keeps half of both bounds. So evidence is needed to add a name, not to leave
// it out, and chance does not move the number to and fro.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class SizeChoice {
  public:
    explicit SizeChoice(std::size_t sizes);

    /// Squared errors of one row with each number, over the outputs' variance.
    void add(std::span<const double> losses);
    /// The number to use, as a place among the sizes. now: in use. most: no more than this place.
    [[nodiscard]] std::size_t choose(std::size_t now, std::size_t most) const;
    /// The relation has changed: what was seen before does not count.
    void forget();
    /// Mean loss with a number of names.
    [[nodiscard]] double loss(std::size_t place) const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);
    /// Continues a choice among other numbers. places: for each number, the place of the one that it continues.
    void continue_sizes(const SizeChoice& from, std::span<const std::size_t> places);

  private:
    std::size_t sizes_;
    double rows_ = 0.0;
    double level_ = 0.0;  // of recent losses, discounted
    double level_rows_ = 0.0;
    std::vector<double> loss_;
    std::vector<double> square_;  // sizes x sizes: of the differences
};

}  // namespace sluice::tune
