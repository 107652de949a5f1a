// clipped_inputs.hpp -- a method that predicts from inputs which are moved to a bound where they are far out.
//
//     m_j  <- m_j + (x_j - m_j) / n,   n <- lambda n + 1,   v_j: weighted variance about m_j (West 1979)
//     x_j  ->  m_j + clamp(x_j - m_j, -c sqrt(v_j), c sqrt(v_j))            when predicting; rows are learnt as they are
//
//   code          letter   meaning
//   clip          c        bound, in weighted standard deviations
//   forgetting    lambda   of means and variances
//
// No method of the table proposes this. It is here so that the comparison is about the methods: StreamOptions::clip does
// the same for Sluice's models, and without it a few faulty readings decide the whole error of a linear method. On the
// stream of gas sensors with ethanol, ridge with forgetting 0.99, solved every fifth row, has an error over variance of 0.66
// with it and of 13476 without.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "method.hpp"

namespace sluice::baselines {

struct ClipOptions {
    double clip = 5.0;         ///< c, above 0
    double forgetting = 0.99;  ///< lambda, above 0 and at most 1
};

class ClippedInputs final : public Method {
  public:
    ClippedInputs(std::unique_ptr<Method> method, std::size_t inputs, ClipOptions options = {});

    void predict(std::span<const double> x, std::span<double> y) const override;
    void learn(std::span<const double> x, std::span<const double> y) override;
    [[nodiscard]] std::vector<std::size_t> selected() const override { return method_->selected(); }
    [[nodiscard]] std::size_t bytes() const override;
    [[nodiscard]] std::unique_ptr<Method> clone() const override { return std::make_unique<ClippedInputs>(*this); }

    ClippedInputs(const ClippedInputs& other);
    ~ClippedInputs() override = default;
    ClippedInputs& operator=(const ClippedInputs&) = delete;
    ClippedInputs(ClippedInputs&&) = delete;
    ClippedInputs& operator=(ClippedInputs&&) = delete;

  private:
    std::unique_ptr<Method> method_;
    ClipOptions options_;
    std::vector<double> mean_;
    std::vector<double> squares_;  // weighted sum about the mean
    std::vector<double> weight_;   // of the rows in which the input was there
};

}  // namespace sluice::baselines
