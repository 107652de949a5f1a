// robustness.hpp -- what wrong values cost: the error in the 100 rows after a fault, over that of the same rows without it.
//
// A fault is put in every 200 rows, from row 200 on. Rows with a fault are not scored, and a wrong label is never what a prediction is
// compared with: only what the fault did to the model counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tasks.hpp"

namespace sluice::bench {

enum class Fault {
    label_times_10,
    label_times_1e4,
    label_sign,
    label_zeros,  ///< five rows of zeros
    input_spike,  ///< 1e4 deviations, in the most important input
    input_zeros,  ///< five rows
    input_stuck,  ///< five rows repeat the value before
    label_noise,  ///< one label in a hundred is noise of 20 deviations; all other rows are scored
};
inline constexpr std::array<std::string_view, 8> kFaultNames = {"label times 10", "label times 1e4", "label, sign",
                                                                "label, 5 zeros", "input, spike",    "input, 5 zeros",
                                                                "input, 5 stuck", "label noise, 1 %"};

enum class Learner { robust, plain, recursive };
inline constexpr std::array<std::string_view, 3> kLearnerNames = {"robust", "robust = no", "RLS 0.99"};

/// Mean and worst ratio over the streams on which the learner was measured.
struct Damage {
    double mean = 0.0;
    double worst = 0.0;
};
/// By learner and fault.
using DamageTable = std::array<std::array<Damage, kFaultNames.size()>, kLearnerNames.size()>;

struct TaskDamage {
    std::string name;
    std::array<double, kLearnerNames.size()> clean = {};  ///< error over variance without faults
    double clean_cost = 1.0;                              ///< see below
    std::array<std::array<double, kFaultNames.size()>, kLearnerNames.size()> ratio = {};
};

/// Of one stream.
[[nodiscard]] TaskDamage measure_damage(const TaskRows& rows, std::size_t warmup, std::uint64_t seed, bool recursive);
/// Error of robust learning without faults over that of robust = no: geometric mean over runs that start some rows later each.
[[nodiscard]] double clean_cost(const TaskRows& rows, std::size_t warmup, std::size_t starts);
/// Inputs of which two drive one output with R2 0.997: seeds 1, 2, ...
[[nodiscard]] TaskRows simple_stream(std::uint64_t seed, std::size_t rows);
[[nodiscard]] DamageTable damage_of(const std::vector<TaskDamage>& streams);
[[nodiscard]] std::string damage_text(const std::string& heading, const std::vector<TaskDamage>& streams, bool each);

}  // namespace sluice::bench
