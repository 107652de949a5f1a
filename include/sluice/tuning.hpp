// tuning.hpp -- what an AdaptiveModel may choose by itself, and within which bounds. See docs/selftuning.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/options.hpp"

namespace sluice {

/// How the number of variables is chosen.
enum class KeepRule {
    error,   ///< the one-step error of neighbouring numbers
    akaike,  ///< Akaike's criterion of neighbouring numbers on the weighted moments (Anagnostopoulos et al.)
};

/// How the number of components is chosen.
enum class ComponentsRule {
    error,       ///< the discounted one-step error with 1, 2, .. components, eq. (23) (Vijayakumar et al.)
    energy,      ///< the share of the inputs' variance that is retained, between two bounds (Sun et al.)
    covariance,  ///< the share of the covariance of inputs and outputs that is explained, between two bounds (paper)
};

/// What cannot be tuned with the given options (shrinkage without a refit, for example) keeps its value.
struct Tuning {
    bool forgetting = true;  ///< memories of several lengths, and a fresh start where the relation breaks
    bool keep = true;        ///< variables of a component; with `names`, how that budget is split
    bool components = true;  ///< how many of the components predict
    bool shrinkage = true;   ///< of the refit
    bool intercept =
        true;            ///< a discounted mean of known errors is added to the prediction: it drifts with the outputs
    bool alarms = true;  ///< Outcome::drift where the error or the explained covariance changes suddenly

    KeepRule keep_rule = KeepRule::error;
    ComponentsRule components_rule = ComponentsRule::error;
    std::size_t keep_min = 1;                            ///< at least 1
    std::optional<std::size_t> keep_max = std::nullopt;  ///< at least keep_min. Left empty: 50, or p where that is less
    double share_low = 0.95;   ///< energy, covariance: below it a component is added. 0 to share_high
    double share_high = 0.98;  ///< a component is dropped if the share without it is above this. At most 1
    std::size_t dwell = 10;    ///< rows before a choice may change again. At least 1

    /// Tunes nothing: the options are used as they are, at no cost.
    [[nodiscard]] static Tuning off();
    [[nodiscard]] bool any() const noexcept;

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// Tuned settings start from those of `model`.
struct AdaptiveOptions {
    StreamOptions model = {};
    Tuning tuning = {};

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems(std::size_t inputs, std::size_t outputs) const;

    friend bool operator==(const AdaptiveOptions&, const AdaptiveOptions&) = default;
};

}  // namespace sluice
