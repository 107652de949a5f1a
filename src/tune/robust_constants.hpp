// robust_constants.hpp -- the numbers of robust learning: what is suspect, and for how long it is held back. docs/robust.md says what
// was measured to choose them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::tune {

constexpr std::uint8_t kFewestKnown = 20;  // values before the rules below hold

// The first values of a column. Distances are in widths of the range of the others.
constexpr std::uint8_t kFewestJudging = 6;  // values that judge another one
constexpr double kFirstReach = 5.0;         // a label may lie outside by this when later ones are known,
constexpr double kFarthest = 50.0;          // and by this before; an input by this when later ones are known

// Inputs.
constexpr std::uint16_t kRangeRows = 500;      // the range is that of the last one to two times as many rows
constexpr double kInputReach = 5.0;            // a value may lie outside by this share of the range's width
constexpr std::uint8_t kPatience = 6;          // rows in a row far away: after them, that is the input's new level
constexpr std::size_t kFewFail = 2;            // more inputs than this far away at once,
constexpr std::size_t kManyShare = 10;         // and one in as many, are a change of what they measure
constexpr std::uint8_t kStoppedRepeats = 2;    // values in a row that repeat the one before: a sensor that has stopped,
constexpr std::uint16_t kNeverRepeats = 1000;  // where none of this number of rows before did,
constexpr std::uint16_t kRepeatsUnknown = 900;  // of which as many are granted to an input that has just begun;
constexpr std::uint16_t kStoppedAgain = 500;    // after an input has stopped, it can be found again after as many rows
constexpr std::uint8_t kMostStopped = 50;       // after this number of rows it is a constant

// Errors.
constexpr std::uint64_t kErrorRows = 50;  // of the mean error; the first ones, in which the model begins, do not count
constexpr double kErrorDecay = 0.998;     // a row, of the largest error
constexpr double kErrorReach = 2.0;       // an error may be larger than the largest by this factor,
constexpr double kErrorTimes = 6.0;       // or than the mean by this one,
constexpr double kLabelShare = 0.5;       // or as large as this share of the label's distance from its level
constexpr std::uint64_t kLabelsUnlike = 100;  // labels without one that repeats the one before: they never do
constexpr double kLevelStep = 0.01;           // of the label's level, a row
// Where the forecast rests on the last rows, only a label outside of its range so far, by this share of the width, is suspect: a
// sudden move of the output must be followed at once.
constexpr double kLabelOutside = 0.25;
// The forecast rests on many rows: at least this forgetting factor on average, and at most this weight of intercepts that follow the
// last errors.
constexpr double kSteadyForgetting = 0.97;
constexpr double kSteadySpeeds = 0.1;

// Rows held back.
constexpr std::size_t kLately = 10;   // this number of rows
constexpr std::size_t kAgreeing = 3;  // with as many suspect errors of about the same size: a change
constexpr double kSameSize = 4.0;     // about the same: within this factor
constexpr double kGoesOn = 3.0;       // closer, and on the same side, in the next row: a sudden move of the output
constexpr std::size_t kMostHeld = 6;  // rows held back because a sensor has stopped or an input in use is suspect

}  // namespace sluice::tune
