// run_remarks.hpp -- what a finished run could not do, in sentences: no rows, no value of a target, a target that does not
// vary, a horizon or a warm-up beyond the last row.
#pragma once

#include <string>
#include <vector>

#include "learner.hpp"
#include "sluice/model_file.hpp"
#include "tally.hpp"

namespace sluice::job {

struct RunRemarks {
    std::string nothing_learnt = {};        ///< why the run has learnt nothing; empty where it has learnt
    std::vector<std::string> remarks = {};  ///< on a run that has learnt
};

/// `input` is the file's name.
[[nodiscard]] RunRemarks remarks_on(const std::string& input, const Roles& roles, const Learner& learner,
                                    const Tally& tally);

}  // namespace sluice::job
