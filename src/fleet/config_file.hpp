// config_file.hpp -- the config of a fleet as a file: YAML, of which JSON is a part.
#pragma once

#include <string>
#include <string_view>

#include "config.hpp"

namespace sluice::fleet {

/// Throws job::SettingError, whose first line names the file; OptionError; io::DiskError.
[[nodiscard]] Config read_config_file(const std::string& path);
/// The same of its text. `name` is that of the file.
[[nodiscard]] Config parse_config(std::string_view text, const std::string& name);

}  // namespace sluice::fleet
