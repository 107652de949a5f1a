// ccipca.hpp -- candid covariance-free incremental principal components, of Weng, Zhang and Hwang (2003).
//
//     u_1 = z
//     for i = 1 .. min(k, n):
//         v_i = u_i                                                                   where i = n
//         v_i <- (n - 1 - l) / n v_i + (1 + l) / n u_i (u_i'v_i) / |v_i|              where i < n
//         u_{i+1} = u_i - (u_i'v_i / |v_i|) v_i / |v_i|
//
//   code         letter   size   meaning
//   z            u        p      the row: standard inputs, by a mean that forgets at the same rate
//   amnesic      l        1      how much more a new row counts than an old one: 0 counts all alike, 2 to 4 are usual
//   rows         n        1      rows so far
//   v            v_i      p      direction i; its length tends to the eigenvalue i
//   w            v_i/|v_i| p     the same, of unit length
//
// While n - 1 <= l a row would count more than all there is; l is then n / 2 - 1, so that a row counts half. The paper
// subtracts the mean and does not scale; scaling makes units irrelevant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice::baselines {

struct CcipcaOptions {
    std::size_t components = 10;  ///< k, 1 or more; where there are fewer inputs, as many as inputs.
    double amnesic = 2.0;         ///< l, 0 to 100.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class Ccipca {
  public:
    /// Throws OptionError, with every broken rule.
    explicit Ccipca(std::size_t inputs, CcipcaOptions options = {});

    [[nodiscard]] double gain() const;  ///< (1 + l) / n of the row to come
    void add(std::span<const double> z, std::span<const double> carry);

    [[nodiscard]] std::size_t most_directions() const noexcept { return components_; }
    [[nodiscard]] std::span<const double> direction(std::size_t i) const {
        return std::span(w_).subspan(i * inputs_, inputs_);
    }
    [[nodiscard]] double eigenvalue(std::size_t i) const;  ///< |v_i|
    [[nodiscard]] std::size_t bytes() const noexcept { return (v_.size() + w_.size() + inputs_) * sizeof(double); }

  private:
    std::size_t inputs_;
    std::size_t components_;
    double amnesic_;
    std::uint64_t rows_ = 0;
    std::vector<double> v_;  // p x k
    std::vector<double> w_;  // p x k
    std::vector<double> u_;
};

}  // namespace sluice::baselines
