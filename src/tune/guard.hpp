// guard.hpp -- robust learning: the influence of one row is bounded.
//
// An input that cannot be believed counts as missing (input_watch.hpp). A row with a label too far from its prediction
// (error_watch.hpp) is predicted and held back. Then
//     three such rows of ten, with errors of about the same size: the relation has changed, they are learnt as they are;
//     the next row is not suspect, but its error is of that size: the same;
//     the next row has a much smaller error: the label was wrong, and is learnt at the usual distance from its prediction.
// A label that repeats itself exactly where labels never do or that stays at zero, and an input in use that is suspect, are no evidence
// of a change: up to six rows wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "error_watch.hpp"
#include "input_watch.hpp"
#include "quarantine.hpp"

namespace sluice::tune {

class Guard {
  public:
    Guard(std::size_t inputs, std::size_t outputs);

    /// The row with the inputs that cannot be believed as missing; `room` holds it where it differs from x.
    [[nodiscard]] std::span<const double> believed(std::span<const double> x, std::vector<double>& room) const;
    /// The same for a row that will be judged: it becomes one of the recent ones. x must live until then.
    [[nodiscard]] std::span<const double> meet(std::span<const double> x);

    enum class Verdict {
        believed,    ///< learn what is held back, then this row
        held,        ///< learn nothing
        changed,     ///< learn what is held back: this row is the last of it
        unlabelled,  ///< learn this row; it says nothing about those held back
    };
    /// Of the row of meet() with its prediction. selected: the inputs in use, ascending. steady: see ErrorWatch.
    [[nodiscard]] Verdict judge(std::span<const double> y, std::span<const double> predicted,
                                std::span<const std::size_t> selected, bool steady);
    [[nodiscard]] const Quarantine& held() const { return held_; }
    /// The labels of a row held back as they are to be learnt: observed, or bounded.
    [[nodiscard]] std::span<const double> to_learn(std::size_t row) const;
    void release() noexcept { held_.clear(); }

    /// Of the last row, ascending.
    [[nodiscard]] std::span<const std::size_t> suspect_inputs() const { return inputs_.suspects(); }
    [[nodiscard]] std::span<const std::size_t> suspect_outputs() const { return suspect_outputs_; }

    [[nodiscard]] std::size_t bytes() const { return inputs_.bytes() + held_.bytes(); }
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void believe(std::span<const double> y);
    [[nodiscard]] bool goes_on(std::span<const double> y, std::span<const double> predicted) const;

    InputWatch inputs_;
    ErrorWatch errors_;
    Quarantine held_;
    std::uint64_t rows_ = 0;
    struct Suspect {
        std::uint64_t row = 0;
        double error_size = 0.0;
    };
    std::array<Suspect, kLately> lately_ = {};  // suspect rows, a ring by row number

    // Of the row in hand.
    double error_size_ = 0.0;  // the largest error of its labels, see ErrorWatch::in_largest()
    std::vector<double> room_;
    std::span<const double> x_;
    std::vector<double> errors_now_;  // of the labels that are present
    std::vector<double> bounded_;     // labels
    std::vector<std::size_t> suspect_outputs_;
};

}  // namespace sluice::tune
