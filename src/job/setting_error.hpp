// setting_error.hpp -- settings that break rules: every broken rule, a line each.
#pragma once

#include <stdexcept>

namespace sluice::job {

class SettingError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

}  // namespace sluice::job
