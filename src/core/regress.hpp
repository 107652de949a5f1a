// regress.hpp -- from selected variables to predictions of the outputs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sluice/options.hpp"
#include "subspace.hpp"
#include "working_units.hpp"

namespace sluice::core {

/// Coefficients in working units for the selected variables: row i belongs to variable selected[i].
struct Coefficients {
    std::vector<std::size_t> selected;  // ascending
    std::vector<double> beta;           // selected.size() x q, by columns

    void clear() {
        selected.clear();
        beta.clear();
    }
};

/// Owns the scratch space, so that a row allocates nothing once the largest selection was met.
class Regression {
  public:
    Regression(std::size_t inputs, const StreamOptions& options);
    ~Regression();
    Regression(const Regression& other);
    Regression& operator=(const Regression& other);
    Regression(Regression&& other) noexcept;
    Regression& operator=(Regression&& other) noexcept;

    /// Memory for a refit on this number of variables.
    void reserve(std::size_t variables);

    /// W = (U'CU)^+ U'M, eq. (10), components x q by columns; selected: the union of the supports.
    void weighted_loadings(const Moments& moments, const WorkingUnits& units, std::span<const Component> components,
                           std::span<const std::size_t> selected, std::span<double> W);

    /// beta = U W on the union of the supports.
    static void combine(std::span<const Component> components, std::span<const double> W, std::size_t outputs,
                        Coefficients& out);

    /// beta_S = (C_SS + (r/n) I)^-1 M_S on out.selected.
    void refit(const Moments& moments, const WorkingUnits& units, Coefficients& out);

    /// The same with several shrinkages, on one set of variables.
    void refit_each(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> selected,
                    std::span<const double> shrinkages, std::span<std::vector<double>> betas);

    /// sum of |M~'u_r|^2 over the components of the last call of weighted_loadings().
    [[nodiscard]] double covariance_square() const { return covariance_square_; }

    void use_shrinkage(double shrinkage) { shrinkage_ = shrinkage; }
    [[nodiscard]] double shrinkage() const { return shrinkage_; }

    /// The ridge for an output of weight n_k, as a share of the mean diagonal of C_SS.
    [[nodiscard]] double ridge(double n_k) const;

    /// b = D beta_S, so that M~ - C~_S beta_S = D (M E - C b); |S| x q by rows.
    static void explaining_weights(const Moments& moments, const WorkingUnits& units, const Coefficients& fit,
                                   std::vector<double>& b);
    /// explained <- C b at all inputs; p x q, columns as far apart as M's.
    void explain(const Moments& moments, const WorkingUnits& units, const Coefficients& fit,
                 std::span<double> explained);

  private:
    void take_inner_products(const Moments& moments, const WorkingUnits& units, std::span<const Component> components,
                             std::span<const std::size_t> selected);
    [[nodiscard]] double inner_cross(const Moments& moments, std::size_t r, const Component& component,
                                     std::size_t k) const;
    double take_block(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> selected);
    void solve(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> selected, double unit,
               std::span<double> betas);

    struct Scratch;
    double shrinkage_;
    double covariance_square_ = 0.0;
    std::unique_ptr<Scratch> scratch_;
};

/// W = s'y / s's, eq. (20), from one row: s its scores, y its outputs in working units. Unchanged where s is zero.
void instant_loadings(std::span<const double> s, std::span<const double> y, std::span<double> W);

}  // namespace sluice::core
