// error.hpp -- the caller's mistakes. What occurs in streams (gaps, constant columns) is an Outcome, not an error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {

/// Options that break one or more rules; what() lists all of them, one per line.
class OptionError : public std::invalid_argument {
  public:
    explicit OptionError(std::vector<std::string> problems);
    [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

  private:
    std::vector<std::string> problems_;
};

/// A row or table that cannot be used: wrong width, an infinity (named by column), nothing to fit.
class DataError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// Saved state that is damaged, cut short, or was not written by Sluice.
class StateError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace sluice
