// spirit.hpp -- hidden variables of many streams, and how many there are: SPIRIT of Papadimitriou, Sun and Faloutsos (2005).
//
//     x_1 = z
//     for i = 1 .. k:
//         y_i = w_i'x_i,   d_i <- lambda d_i + y_i^2
//         w_i <- w_i + y_i (x_i - y_i w_i) / d_i                                  PAST with deflation
//         x_{i+1} = x_i - y_i w_i
//     w_1 .. w_k are made orthonormal again
//     E <- lambda E + |z|^2,   E_i <- lambda E_i + (w_i'z)^2
//     sum_{i<=k} E_i < f E:   k <- k + 1
//     sum_{i<k}  E_i > F E:   k <- k - 1
//
//   code         letter   size   meaning
//   z            x_t      p      the row: standard inputs, by a mean that forgets at the same rate
//   w            w_i      p      participation weights of hidden variable i
//   d            d_i      1      energy along w_i, which is the step size of PAST
//   E, Ei        E, E_i   1      energy of the row, and of hidden variable i
//   low, high    f, F     1      energy that is to be kept: 0.95 to 0.98 in the paper
//   forgetting   lambda   1      weight of a row, against that of the next one
//
// Departs from the paper: inputs are centred and scaled, since streams of different units have no common energy; k is
// bounded by `most`, above which a regression on the hidden variables would have no rows to rely on; a new w starts in the
// direction of what the present ones leave of the row and not along an axis, which shortens its way. After a change of k
// the energies need some rows to show it, so the next change waits `wait` rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice::baselines {

struct SpiritOptions {
    double forgetting = 0.98;  ///< lambda, 0.5 to 1.
    double low = 0.95;         ///< f, above 0 and at most `high`.
    double high = 0.98;        ///< F, below 1.
    std::size_t most = 20;  ///< hidden variables at most. 1 or more; where there are fewer inputs, as many as inputs.
    std::size_t wait = 10;  ///< rows between changes of their number.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class Spirit {
  public:
    /// Throws OptionError, with every broken rule.
    explicit Spirit(std::size_t inputs, SpiritOptions options = {});

    [[nodiscard]] double gain() const;  ///< 1 / sum of lambda^age, the row to come included
    void add(std::span<const double> z, std::span<const double> carry);

    [[nodiscard]] std::size_t most_directions() const noexcept { return most_; }
    [[nodiscard]] std::size_t hidden() const noexcept { return k_; }  ///< k
    [[nodiscard]] std::span<const double> direction(std::size_t i) const {
        return std::span(w_).subspan(i * inputs_, inputs_);
    }
    [[nodiscard]] double kept_energy() const;  ///< share of the energy that the hidden variables hold
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (w_.size() + d_.size() + energy_of_.size() + (2 * inputs_)) * sizeof(double);
    }

  private:
    void update_directions(std::span<const double> carry);
    void orthonormalize();
    void update_energies(std::span<const double> z);
    void change_number(std::span<const double> z);

    std::size_t inputs_;
    SpiritOptions options_;
    std::size_t most_;
    std::size_t k_ = 0;
    std::uint64_t unchanged_ = 0;  // rows since k changed
    double weight_ = 0.0;          // sum of lambda^age
    double energy_ = 0.0;          // E
    std::vector<double> energy_of_;
    std::vector<double> w_;  // p x most; zeros from k on
    std::vector<double> d_;
    std::vector<double> rest_;  // x_i
};

}  // namespace sluice::baselines
