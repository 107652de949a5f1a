// tuning.hpp -- what an AdaptiveModel may choose by itself. See docs/selftuning.md.
#pragma once

#include <string>
#include <vector>

#include "sluice/options.hpp"

namespace sluice {

/// How many names predict, where the variables are found (Tuning::variables).
enum class Names {
    found,  ///< the fewest that are not clearly worse than more, up to StreamOptions::names
    most,   ///< as many as StreamOptions::names allows: sizes are mixed, none is dropped
    all,    ///< each memory has its own names and all of them predict: where only the forecast counts
};

/// What cannot be tuned with the given options (shrinkage without a refit, for example) keeps its value.
struct Tuning {
    bool forgetting = true;  ///< memories of several lengths, and a fresh start where the relation breaks
    /// Which inputs predict. Off where StreamOptions gives components, keep, gamma, a penalty, groups or deflation =
    /// project: the components of that structure then choose the variables.
    bool variables = true;
    bool shrinkage = true;  ///< of the refit
    bool intercept = true;  ///< means of known errors, at several speeds, are added to the prediction: it drifts
    bool alarms = true;     ///< Outcome::drift where the relation changes suddenly
    bool robust = true;     ///< a row that cannot be believed is held back until the next ones agree with it

    Names names = Names::found;

    /// Tunes nothing, and learns every row as it is: the options are used at no cost.
    [[nodiscard]] static Tuning off();
    /// Whether anything is tuned; robust learning tunes nothing.
    [[nodiscard]] bool any() const noexcept;

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

struct AdaptiveOptions {
    StreamOptions model = {};
    Tuning tuning = {};

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems(std::size_t inputs, std::size_t outputs) const;

    friend bool operator==(const AdaptiveOptions&, const AdaptiveOptions&) = default;
};

}  // namespace sluice
