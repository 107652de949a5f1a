// every_target.hpp -- runs a check with each set of vector instructions that this processor has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "kernels.hpp"

namespace sluice::test {

/// Returns with how many sets check(target) was called.
template <typename Check>
int on_every_target(const Check& check) {
    int tried = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        SCOPED_TRACE(core::kernels::target_name());
        check(target);
        ++tried;
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return tried;
}

}  // namespace sluice::test
