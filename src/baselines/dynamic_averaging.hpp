// dynamic_averaging.hpp -- dynamic model averaging (Raftery, Karny and Ettler, "Online prediction under model uncertainty
// via dynamic model averaging", 2010), over forgetting factors.
//
// Model k is a regression on all inputs whose coefficients drift: a Kalman filter in which the covariance of the drift is
// replaced by forgetting, R_t = Sigma_{t-1} / lambda_k.
//
//     y_t | k   ~  N(x_t theta_k, V_k (1 + h)),   h = x_t P_k x_t' / lambda_k,   Sigma_k = V_k P_k
//     pi_{t|t-1,k}  =  (pi_{t-1|t-1,k}^alpha + floor) / sum over models
//     pi_{t|t,k}    =  pi_{t|t-1,k} N(y_t; ...) / sum over models
//     prediction    =  sum_k pi_{t|t-1,k} x_t theta_k
//
//   code                  letter    meaning
//   forgetting            lambda_k  of each model's coefficients
//   model_forgetting      alpha     of the models' probabilities
//   variance_forgetting   kappa     of V
//   regularisation        delta     the prior of each coefficient is N(0, V / delta) in units of the start-up rows; the
//                                   intercept is free
//   start_up                        rows from which centres and units of all columns come, and with them the prior
//                         theta, P  coefficients, and their covariance over V: recursive_least_squares.hpp
//                         V         variance of the noise, by model and output: the average of e^2 / (1 + h)
//                         pi        probabilities of the models, by output; kept as logarithms
//
// Departs from the paper: (1) Models differ by lambda alone, and all use all inputs: 2^p subsets are out of reach. (2) V is
// an exponentially weighted average. (3) The prior is not forgotten with the rows, as recursive_least_squares.hpp describes:
// with more inputs than rows in memory the paper's filter would be undetermined. (4) Outputs share P, which does not depend
// on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "recursive_least_squares.hpp"
#include "row_intake.hpp"
#include "sluice/matrix.hpp"
#include "start_up_units.hpp"

namespace sluice::baselines {

struct DynamicAveragingOptions {
    std::vector<double> forgetting = {0.95, 0.98, 0.99, 0.995, 0.999};  ///< lambda_k, each above 0 and at most 1.
    double model_forgetting = 0.99;                                     ///< alpha, above 0 and at most 1.
    double variance_forgetting = 0.98;                                  ///< kappa, 0 to below 1.
    double regularisation = 1.0;                                        ///< delta, 1e-12 to 1e12.
    std::size_t start_up = 30;                                          ///< 2 or more.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class DynamicAveraging {
  public:
    /// Throws OptionError, with every broken rule.
    DynamicAveraging(std::size_t inputs, std::size_t outputs, DynamicAveragingOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. During start-up: the mean of each output so far.
    void predict(std::span<const double> x, std::span<double> y) const;
    /// A missing output changes neither its probabilities nor its V; each model counts it as what it predicted itself. A row
    /// without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const;  ///< inputs x outputs, averaged over the models
    /// Probabilities of the models for the next row of this output: they sum to 1.
    [[nodiscard]] std::vector<double> probabilities(std::size_t output) const;
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void learn_standardised(std::span<const double> x, std::span<const double> y);
    void forget_models(std::size_t output);

    std::size_t inputs_;
    std::size_t outputs_;
    DynamicAveragingOptions options_;
    LastSeen last_;
    StartUpUnits x_units_, y_units_;
    std::uint64_t rows_ = 0;
    std::vector<double> waiting_;  // rows of the start-up: x, then y
    std::vector<RecursiveLeastSquares> models_;
    std::vector<double> V_;         // by output and model
    std::vector<double> log_pi_;    // of the next row, by output and model
    std::vector<double> h_;         // by model
    std::vector<double> expected_;  // by model and output
    std::vector<double> x_row_, y_row_;
};

}  // namespace sluice::baselines
