// demo.hpp -- `sluice demo`: the paper's switching stream, watched in the terminal.
#pragma once

#include <cstdint>

namespace sluice::cli {

struct DemoArguments {
    std::uint64_t seed = 2;
    bool colour = false;
};

int run_demo(const DemoArguments& arguments);

}  // namespace sluice::cli
