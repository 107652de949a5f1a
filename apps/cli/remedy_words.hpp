// remedy_words.hpp -- what can be done about an error, in the words of the command line: which flag to give.
#pragma once

#include <string>

#include "remedy.hpp"
#include "usage.hpp"

namespace sluice::cli {

/// ". Correct the row, or skip such rows with --on-bad-row skip"; empty without remedies. `column` and `value`
/// are those that are reported, if any.
[[nodiscard]] std::string remedy_sentence(const io::Remedies& remedies, const std::string& column = {},
                                          const std::string& value = {});

/// The error with its settings as flags: "--group-file: groups.csv needs two columns, input and group".
[[nodiscard]] std::string usage_sentence(const job::UsageError& error);

}  // namespace sluice::cli
