// recursive_least_squares.hpp -- least squares with forgetting on all inputs given, row by row.
//
//     b = argmin sum_t lambda^(T - t) (y_t - x_t b)^2 + (about) delta |b|^2
//
// Kept as the triangular root of the information matrix, R'R = sum lambda^age x x' + delta I, and not as its inverse P:
// the usual recursion for P takes differences, loses its symmetry and sign after some 1e5 rows, and grows without limit
// (wind-up) where an input stays constant while lambda < 1. R is changed by plane rotations only, which cannot make numbers
// grow; it also has half the digits to lose that a sum of squares would have.
//
// With lambda < 1 the regularisation delta would be forgotten as well. Each row gives a share of it back to one input, in
// turn, so that each always keeps about delta: the coefficient of an input that stays at zero decays to zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "row_intake.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct RecursiveOptions {
    double forgetting = 0.99;      ///< lambda, in (0, 1]. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    double regularisation = 1e-6;  ///< delta, in squared units of the inputs. 1e-100 to 1e100.
    bool intercept = true;         ///< one more input that is always 1

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class RecursiveLeastSquares {
  public:
    /// Throws OptionError, with every broken rule.
    RecursiveLeastSquares(std::size_t inputs, std::size_t outputs, RecursiveOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    [[nodiscard]] std::vector<double> predict(std::span<const double> x) const;
    void predict(std::span<const double> x, std::span<double> y) const;

    /// x (R'R)^-1 x', intercept included: the variance of the prediction over that of the noise. Changes nothing.
    [[nodiscard]] double leverage(std::span<const double> x) const;

    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::uint64_t rows_learned() const noexcept { return rows_; }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (root_.size() + row_.size() + b_.size() + inputs_) * sizeof(double);
    }
    [[nodiscard]] Matrix coefficients() const;            ///< inputs x outputs
    [[nodiscard]] std::vector<double> intercept() const;  ///< zeros where there is none

  private:
    void rotate_in(std::size_t from);
    void solve();

    std::size_t inputs_;
    std::size_t outputs_;
    RecursiveOptions options_;
    std::size_t size_;       // inputs, and the intercept
    std::size_t width_;      // size and outputs: R and Z = R b side by side
    double returned_ = 0.0;  // root of what one input gets back of its regularisation
    std::uint64_t rows_ = 0;
    LastSeen last_;
    std::vector<double> root_;  // [R Z], row by row
    std::vector<double> row_;   // [x 1 y], rotated away
    std::vector<double> b_;     // size x outputs, output by output
};

}  // namespace sluice::baselines
