// exit_code.hpp -- how the tool ends, the same for every command.
#pragma once

namespace sluice::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;    ///< while running: a file that cannot be opened or written, memory
constexpr int kUsage = 2;     ///< what was asked for makes no sense
constexpr int kBadData = 3;   ///< a row or a table that cannot be used
constexpr int kBadModel = 4;  ///< a model file that is damaged, or not ours
constexpr int kInterrupted = 130;

}  // namespace sluice::cli
