// transcription.hpp -- Algorithm 2 line by line, with all of C, so that its literal readings can be tried that the library
// does not offer.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sluice::experiments {

struct Reading {
    double forgetting = 0.98;    ///< lambda
    double ridge = 1e-5;         ///< alpha
    std::size_t keep = 20;       ///< theta
    bool center = true;          ///< false: as printed
    bool balance = true;         ///< C and m m' divided by their traces; false: as printed
    bool project_sparse = true;  ///< Gram-Schmidt; false: against the vectors before the threshold
    bool iterate_sparse =
        true;  ///< a = H u from the sparse u of the last row; false: from the one before the threshold
    bool weighted_loadings = true;  ///< eq. (10) on the moments; false: eq. (20), from the last row alone
};

/// Two components, one output.
class Transcription {
  public:
    Transcription(std::size_t inputs, const Reading& reading);

    double step(std::span<const double> x, double y);  ///< predicts, then learns
    [[nodiscard]] double predict(std::span<const double> x) const;
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const { return selected_.at(component); }

  private:
    static constexpr std::size_t kR = 2;
    using Vector = std::vector<double>;

    void update_moments(std::span<const double> x, double y);
    [[nodiscard]] Vector times_h(const Vector& u) const;
    [[nodiscard]] Vector times_c(const Vector& u) const;
    void find_component(std::size_t r, std::array<Vector, kR>& taken);
    void find_loadings(std::span<const double> x, double y);

    std::size_t p_;
    Reading reading_;
    double n_ = 0.0;  // sum of weights
    Vector mean_x_;
    double mean_y_ = 0.0;
    Vector C_;                      // p x p
    Vector m_;                      // p
    std::array<Vector, kR> U_;      // sparse
    std::array<Vector, kR> along_;  // v_r: where the next iteration begins
    std::array<double, kR> W_{};
    std::array<std::vector<std::size_t>, kR> selected_;
};

}  // namespace sluice::experiments
