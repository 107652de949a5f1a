// constants.hpp -- every number that the self-tuning model was given, with what was measured to choose it.
//
// Measured on the eleven tasks (geometric mean of error over variance, names found, at most 20), and on the streams of
// `sluice reproduce selection` (F1 of the first stream, share of the rows of noise without a name). "Half" and "double" are the change of
// the mean over eight starts of each task, for a discount or share d of 1 - d; a standard error is about 1 %. Other figures are those of a
// prototype, four starts. docs/selftuning.md has the same table; a test compares the two. None was chosen on a single task.
#pragma once

#include <array>
#include <cstddef>

namespace sluice::tune {

// --- what is mixed -------------------------------------------------------------------------------------------------------

// Forgetting factors of the memories. Without 0.998 the longest streams lose 1 %. Half: -0.1 %, double: -3.6 %. Single
// ones: 0.8 instead of 0.9 -3.8 % (standard error 1.7), but 0.35 names enter per row instead of 0.25; the others at most 1.5 %.
constexpr std::array<double, 4> kMemories = {1.0, 0.998, 0.98, 0.9};
// With more inputs, C of a memory that never forgets is p x p numbers a row; 0.995 keeps a history instead.
constexpr std::array<double, 3> kMemoriesOfMany = {0.995, 0.98, 0.9};
constexpr std::size_t kFewInputs = 400;
// r of the refit. Half: -0.8 %, double: -0.7 %. With 0.1 and 10 alone: 0.0596 instead of 0.0568, and F1 0.92 instead of 0.955.
constexpr std::array<double, 4> kShrinkages = {0.1, 1.0, 10.0, 30.0};
// Speeds of the drifting intercept: 1 stays, 0 repeats the last error. Half and double: 0 %. Six speeds are level with four.
constexpr std::array<double, 4> kSpeeds = {1.0, 0.9, 0.5, 0.0};
// The number of names is judged by the readings whose intercept drifts slowly or not: the first of the speeds.
constexpr std::size_t kSlowSpeeds = 2;
// Discounts d of the errors, E <- d E + loss: the recursion of the paper's eq. (23). Half: -1.1 %, double: -0.6 %. A fourth, 0.999, is
// level (0.0543 and 0.0544 with 20 names) and costs a third more.
constexpr std::array<double, 3> kDiscounts = {0.9, 0.97, 0.995};
// Numbers of names that are tried, as far as the limit goes.
constexpr std::array<std::size_t, 17> kSizes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 25, 32, 40, 50};

// --- twelve numbers -------------------------------------------------------------------------------------------------------

// 1. Squared errors count as c s log(1 + e^2 / (c s)), s the least mean of squares: heavy tails do not decide.
//    Half: -2.3 %, double: 0 %. With 20 names: c = 5: 0.0560, 10: 0.0543, no bound: 0.0615.
constexpr double kTail = 10.0;
// 2. Discount of the evidence on the number of names, and of BOA. 0.98: -0.3 %, but noise is selected in 7 % of the rows instead of
//    4 %. 0.995: -0.1 %, but F1 0.961 instead of 0.980.
constexpr double kEvidence = 0.99;
// 3. The number of names is the least whose error is at most this share above the least error, and at most one standard error;
//    it falls only where half of both is kept. Half: -3.0 % with 0.9 names more, noise selected in 6 % of the rows instead of 4 %; double:
//    0 % with 0.6 names fewer.
constexpr double kTolerance = 0.07;
// 4. and 5. A variable replaces one of the path, or one in use, where it explains more by this share. Half: +0.3 and -0.7 %, with 0.26
//    and 0.31 names entering per row instead of 0.25; double: -0.3 and +1.6 %, with 0.25 and 0.21.
constexpr double kHold = 0.25;
constexpr double kHoldInUse = 1.0;
// 6. Predictions stay within the range of the output so far, wider by this share on each side. Half and double: -0.7 and -0.6 %.
//    1.0 with 20 names: 0.0607 instead of 0.0598.
constexpr double kRange = 0.1;
// 7. and 8. A jump of the errors: twice the gain in log-likelihood, and the ratio of mean squares. Half: -1.0 and 0 %, double: -0.4
//    and -0.2 %. At 10, one false suspicion in a static run of 400 rows; at 20, one in seven such runs.
constexpr double kClearChange = 20.0;
constexpr double kLeastRatio = 3.0;
// 9. and 10. A memory that started at the jump joins the mixture after this number of rows, with less than this share of the
//    error of the longest one. Half: -0.2 % (F1 0.952 instead of 0.980) and 0 %, double: +0.2 and +0.9 %.
constexpr std::size_t kProofRows = 10;
constexpr double kProof = 0.5;
// 11. Weights of the memories in the choice of variables are smoothed by this. 0.4: -0.1 %, 0.85: -0.9 %.
constexpr double kSmoothing = 0.7;
// 12. Where memories that know only what was after a break have this share of the weight, the evidence on the number of names starts
//    again. 0.8: +0.4 %, 0.95: -0.3 %. Never: F1 0.93 instead of 0.969.
constexpr double kTakesOver = 0.9;

}  // namespace sluice::tune
