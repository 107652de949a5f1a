// usage.hpp -- what was asked for cannot be done, and how to ask for it.
#pragma once

#include <stdexcept>

namespace sluice::job {

class UsageError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

}  // namespace sluice::job
