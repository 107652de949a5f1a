// error_table.hpp -- each target's error in the terminal, beside that of the last value, of the mean and of the best fixed
// setting.
#pragma once

#include <cstddef>
#include <cstdio>
#include <vector>

#include "target_errors.hpp"

namespace sluice::cli {

/// When the predictions were made.
struct MadeWhen {
    std::size_t horizon = 0;
    bool late_labels = false;  ///< labels come after their rows
};

/// Ends with a sentence for each forecast that is better than the model.
void print_error_table(std::FILE* to, const std::vector<job::TargetErrors>& errors, const MadeWhen& made);

}  // namespace sluice::cli
