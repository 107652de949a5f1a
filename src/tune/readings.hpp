// readings.hpp -- what else can be read off the moments of one model: other shrinkages, fewer components, and how much of the
// data the components explain. Computed from moments and a fit that are only read.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "regress.hpp"
#include "step.hpp"
#include "working_units.hpp"

namespace sluice::tune {

/// The readings beside one step's own fit.
class Readings {
  public:
    /// shrinkages: with refit, those wanted. by_components: whether the fits by the first 1, 2, .. components are wanted.
    Readings(std::size_t inputs, std::size_t outputs, const StreamOptions& options, std::vector<double> shrinkages,
             bool by_components);

    /// Where Step::run leaves the fits by the first components; empty where they are not wanted.
    [[nodiscard]] std::span<core::Coefficients> stages() { return by_components_; }
    /// After each run of the step, and after each change of its fit.
    void update(const core::Moments& moments, const core::WorkingUnits& units, const core::Step& step);

    /// beta of the step's selected variables with each of the shrinkages.
    [[nodiscard]] const std::vector<std::vector<double>>& by_shrinkage() const { return by_shrinkage_; }
    [[nodiscard]] const std::vector<core::Coefficients>& by_components() const { return by_components_; }

    /// Of the first 1, 2, .. components: the share of |M~|^2, the covariance of inputs and outputs, that lies along them, and
    /// the share of tr(C~) that their scores retain.
    void explained_by_components(const core::Moments& moments, const core::WorkingUnits& units, const core::Step& step,
                                 std::span<double> covariance, std::span<double> energy);
    /// Akaike's criterion on the weighted moments: n log(rss / n) summed over the outputs, and 2 for each coefficient.
    [[nodiscard]] double akaike(const core::Moments& moments, const core::WorkingUnits& units, const core::Step& step);

    /// With the number of components and the shrinkage that the step uses.
    void save(const core::Step& step, core::StateWriter& out) const;
    struct InUse {
        std::size_t components;
        double shrinkage;
    };
    [[nodiscard]] InUse load(const core::Step& step, core::StateReader& in);

  private:
    std::size_t p_;
    std::size_t q_;
    std::vector<double> shrinkages_;
    std::vector<core::Coefficients> by_components_;
    std::vector<std::vector<double>> by_shrinkage_;
    core::Regression regression_;
    std::vector<double> scaled_;    // D u
    std::vector<double> products_;  // C u
    std::vector<double> inner_;     // g
};

}  // namespace sluice::tune
