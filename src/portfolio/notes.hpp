// notes.hpp -- what was odd, gathered by kind: how often, and the first few by name.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::portfolio {

class Tally {
  public:
    explicit Tally(std::string what) : what_(std::move(what)) {}
    void add(const std::string& example) {
        constexpr std::size_t kShown = 3;
        if (count_++ < kShown) {
            examples_ += count_ == 1 ? example : ", " + example;
        }
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// "prices of zero: 5 (a 2024-01-31, b 2024-02-07, c 2024-02-07, and 2 more)". Nothing where nothing was counted.
    void say(std::vector<std::string>& notes) const;

  private:
    std::string what_;
    std::string examples_;
    std::size_t count_ = 0;
};

}  // namespace sluice::portfolio
