// plain_stream.hpp -- Algorithm 2 written out slowly: the on-line model's oracle.
//
// Written from the paper (section 3.2) and ALGORITHM.md, and from nothing in src/: all rows are kept, everything is
// computed again from them at each row, every matrix is formed, in long double. No missing values.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "sluice/options.hpp"

namespace sluice::test {

/// How much the last row's answer hangs on rounding. All 1: not at all.
struct Margin {
    /// By how much relative rounding of the row's data has grown in the directions U, at most.
    double magnified = 1.0;
    /// Likewise from U to the coefficients: the condition of the last linear system.
    double condition = 1.0;
    /// Smallest distance between what was kept and what was dropped, relative to the largest. A clean tie, which the
    /// rule of the lowest index decides, does not count.
    double gap = 1.0;
    /// Variables that projection has taken away altogether, so that their weight is 0 but for rounding, would have been
    /// chosen: fewer than `keep` are left. Here they count as 0.
    bool specks = false;
};

class PlainStream {
  public:
    using Number = long double;
    using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

    PlainStream(std::size_t inputs, std::size_t outputs, StreamOptions options);

    void learn(std::span<const double> x, std::span<const double> y);
    [[nodiscard]] Vector predict(std::span<const double> x) const;

    [[nodiscard]] const Matrix& weights() const { return U_; }  ///< U, p x R; a column of zeros: no direction yet
    [[nodiscard]] std::vector<std::size_t> selected(std::size_t component) const;
    [[nodiscard]] const std::vector<std::size_t>& selected() const { return S_; }
    [[nodiscard]] Matrix coefficients() const;  ///< p x q, in the caller's units
    [[nodiscard]] Vector intercept() const;
    [[nodiscard]] const Vector& input_deviations() const { return sd_x_; }
    [[nodiscard]] const Vector& output_deviations() const { return sd_y_; }
    [[nodiscard]] const Vector& input_means() const { return mean_x_; }  ///< zeros where not centred
    [[nodiscard]] const Vector& output_means() const { return mean_y_; }

    [[nodiscard]] const Margin& margin() const { return margin_; }
    /// Whether the sign of u^(r) hangs on rounding: two of its largest entries are equal but for their signs.
    [[nodiscard]] bool sign_is_open(std::size_t component) const;

    /// Continues from these U and W, for rows after one that rounding has decided.
    void go_on_from(const Matrix& U, const Matrix& W) {
        U_ = U;
        W_ = W;
    }

  private:
    void form_moments();
    void find_component(Eigen::Index r);
    [[nodiscard]] Matrix bridge() const;
    [[nodiscard]] Vector start_afresh(const Matrix& H);
    [[nodiscard]] Vector project_out(const Vector& a, Eigen::Index r) const;
    void hold(Eigen::Index r);
    [[nodiscard]] Vector threshold(std::size_t r, Vector z);
    [[nodiscard]] Vector threshold_groups(std::size_t keep, std::size_t room, const Vector& z);
    Number leave_largest(Vector& sizes, std::size_t count);
    [[nodiscard]] Number step(Number z, Number gamma) const;
    void refit();
    void load_weighted();
    void load_instant();
    [[nodiscard]] bool is_taken(Eigen::Index j) const;
    void note_gap(Number kept, Number dropped, Number most);

    StreamOptions options_;
    Eigen::Index p_;
    Eigen::Index q_;
    std::vector<Vector> x_;  // all rows so far
    std::vector<Vector> y_;

    Number n_ = 0;  // sum of weights
    Vector mean_x_, mean_y_, sd_x_, sd_y_;
    std::vector<bool> varies_x_, varies_y_;
    Matrix X_, Y_;         // all rows in working units
    Matrix C_, M_;         // C~, M~
    Matrix left_;          // what deflation left of M~
    Number farthest_ = 1;  // most deviations that a mean lies from zero: the digits that centring costs
    Number lost_ = 1;      // magnification of rounding in left_
    Number noise_ = 1;     // likewise in the direction about to be thresholded

    Matrix U_, W_, beta_;  // beta in working units
    std::vector<std::size_t> S_;
    Margin margin_;
};

}  // namespace sluice::test
