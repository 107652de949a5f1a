// options.hpp -- everything that a user can choose. The same names are used as command-line flags, Python keywords and
// checkpoint fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// How the two parts of H = ridge C + (1 - ridge) M M' are balanced, eq. (6) and (16).
enum class Balance {
    trace,  ///< each part divided by its trace: units and the length of the memory do not matter
    raw,    ///< as printed in the paper
};

/// Where the loadings W come from.
enum class Loadings {
    weighted,  ///< W = (U'CU)^+ U'M on the weighted moments, eq. (10)
    instant,   ///< W = s'y / s's on the last row alone, eq. (20): as in the paper; poor one step ahead
};

/// What is removed before the next component is chosen.
enum class Deflation {
    project,  ///< the directions already found (the paper's Gram-Schmidt, eq. (18), against sparse vectors)
    refit,    ///< what a least-squares fit on all variables kept so far explains; the next component chooses among the
              ///< others, and the last fit predicts
};

/// p(u) of eq. (12). Each is defined, with its proximal step, in src/core/penalty.cpp.
enum class Penalty { lasso, hard, elastic_net, scad, mcp, adaptive_lasso, group_lasso };

/// How C, the second moments among the inputs, is stored. All engines give the same results, to rounding; the cost
/// differs. See docs/performance.md.
enum class Engine {
    automatic,  ///< the cheapest that fits the memory
    dense,      ///< all of C: p x p numbers
    /// a small block of C around the selected inputs, and a history of rows; with deflation = refit, all of C in single
    /// precision beside them, which shows where to look
    screened,
    columns,  ///< the columns of C in use, and a history of rows
};

/// The rows that engines other than dense store, as far back as their weight is above rounding.
enum class HistoryKind {
    double_precision,  ///< exact
    single_precision,  ///< half the memory; results to about 1e-7
    none,  ///< no rows: an input's moments with others start when it is first near selection. For selection only:
           ///< predictions are wrong until the moments of inputs that enter have caught up. See docs/performance.md.
};

/// Set once, when a model is made. The defaults suit any number of inputs and outputs.
struct StreamOptions {
    /// R, latent components. 1 to p. Left empty: 5, or fewer where fewer components already hold every input.
    std::optional<std::size_t> components = std::nullopt;

    /// theta, variables kept by each component: one number for all, or one per component. 1 to p each.
    /// Left empty: 4, or p where that is less. Exactly this number is kept wherever that many inputs vary.
    std::vector<std::size_t> keep = {};

    /// A fixed soft threshold on the unit-length direction, instead of `keep`. From 0 to below 1.
    std::optional<double> gamma = std::nullopt;

    /// The most variables in all components together. At least 1. Left empty: no limit.
    std::optional<std::size_t> names = std::nullopt;

    /// lambda, in (0, 1]. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    double forgetting = 0.95;

    /// alpha, 0 to 1: 0 is PLS, 1 is principal components.
    double ridge = 1e-5;

    bool center = true;         ///< subtract the weighted means; false: a model through the origin
    bool scale_inputs = true;   ///< inputs to unit weighted variance
    bool scale_outputs = true;  ///< outputs to unit weighted variance

    Balance balance = Balance::trace;
    Loadings loadings = Loadings::weighted;
    Deflation deflation = Deflation::refit;

    /// r of the refit: shrinks as if r more rows of average variance had shown no relation. 0 or more.
    double shrinkage = 5.0;

    /// When predicting, inputs further than this number of weighted standard deviations from their mean are moved to
    /// that bound. Above 0. Left empty: never.
    std::optional<double> clip = 5.0;

    /// Hysteresis: a selected variable leaves only for one whose entry in the direction is larger by this share. Lowers
    /// turnover. 0 to 1e6; 0.25 is a mild bonus, 1 a strong one.
    double hold_bonus = 0.0;

    Penalty penalty = Penalty::lasso;
    double elastic_mix = 0.5;              ///< elastic net: share of the absolute value in the penalty, in (0, 1]
    double scad_knee = 3.7;                ///< SCAD: a, above 2
    double mcp_knee = 3.0;                 ///< MCP: b, above 1
    double adaptive_power = 1.0;           ///< adaptive lasso: weights |z|^-power, above 0
    std::vector<std::size_t> groups = {};  ///< group lasso: the group of each input, p numbers

    Engine engine = Engine::automatic;
    HistoryKind history = HistoryKind::double_precision;
    /// Bytes that the model may use. An engine that needs more is not chosen. The default does not depend on the
    /// machine, so that the same options choose the same engine everywhere.
    std::size_t memory_limit = std::size_t{16} << 30U;
    /// Threads for streams of many inputs, 1 to 64. The results do not depend on it.
    std::size_t threads = 1;

    /// The paper as docs/equations.md reads it: two components of 20 variables, forgetting 0.98, projection,
    /// no scaling, no clipping.
    [[nodiscard]] static StreamOptions paper();

    /// One sentence per broken rule; empty when these options suit that many inputs and outputs.
    [[nodiscard]] std::vector<std::string> problems(std::size_t inputs, std::size_t outputs) const;

    [[nodiscard]] std::size_t components_for(std::size_t inputs) const;  ///< R, with the default filled in
    [[nodiscard]] std::size_t keep_for(std::size_t component, std::size_t inputs) const;  ///< theta of one component

    friend bool operator==(const StreamOptions&, const StreamOptions&) = default;
};

}  // namespace sluice
