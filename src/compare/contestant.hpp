// contestant.hpp -- what is compared: a method of src/baselines, or Sluice itself.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "methods.hpp"
#include "sluice/adaptive.hpp"

namespace sluice::compare {

/// As job::Horizon calls a model. Numbers that are missing are NaN.
class Contestant {
  public:
    Contestant() = default;
    virtual ~Contestant() = default;
    Contestant(const Contestant&) = delete;
    Contestant& operator=(const Contestant&) = delete;
    Contestant(Contestant&&) = delete;
    Contestant& operator=(Contestant&&) = delete;

    virtual void predict(std::span<const double> x, std::span<double> y) const = 0;
    virtual void learn(std::span<const double> x, std::span<const double> y) = 0;
    /// What predict() would have said before learn(). Valid until the next call.
    [[nodiscard]] virtual std::span<const double> predict_and_learn(std::span<const double> x,
                                                                    std::span<const double> y) = 0;
    /// Inputs that predict now, ascending.
    [[nodiscard]] virtual std::vector<std::size_t> selected() const = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// What the stream is, and what all contestants are given.
struct Task {
    baselines::MethodRequest request;
    std::size_t horizon = 0;
};

struct Entry {
    std::string name;
    std::string title;
    std::string paper;     ///< who proposed it; empty where nobody did
    bool selects = false;  ///< uses at most MethodRequest::names inputs
    std::function<std::unique_ptr<Contestant>(const Task& task)> make;
};

/// Sluice left alone, Sluice with the paper's settings, then every method of baselines::methods().
[[nodiscard]] std::vector<Entry> all_entries();

/// Those with these names, in their order, or all of them for {"all"}. Throws job::UsageError for a name that there is not,
/// or that is given twice.
[[nodiscard]] std::vector<Entry> entries_named(const std::vector<std::string>& names);

/// A self-tuning model, or one that tunes nothing.
[[nodiscard]] std::unique_ptr<Contestant> sluice_contestant(AdaptiveModel model);
[[nodiscard]] std::unique_ptr<Contestant> baseline_contestant(std::unique_ptr<baselines::Method> method,
                                                              std::size_t outputs);

}  // namespace sluice::compare
