// model_impl.hpp -- what a StreamModel consists of, for the rooms of the library that build on one (src/tune).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "moments.hpp"
#include "sluice/model.hpp"
#include "state.hpp"
#include "step.hpp"

namespace sluice {

struct StreamModel::Impl {
    Impl(std::size_t inputs, std::size_t outputs, StreamOptions given);

    void predict(std::span<const double> x, std::span<double> y) const {
        predict(step, step.coefficients().selected, step.coefficients().beta, x, y);
    }
    /// By coefficients in the working units of a step on these moments.
    void predict(const core::Step& by, std::span<const std::size_t> selected, std::span<const double> betas,
                 std::span<const double> x, std::span<double> y) const;
    /// look: whether variables and coefficients are found anew; else they stay as they are, on moments that go on.
    [[nodiscard]] StepReport learn(std::span<const double> x, std::span<const double> y, bool tame, bool look = true);
    void mind_the_screen();
    void change_engine(Engine engine);
    [[nodiscard]] const core::Component& component(std::size_t r) const;
    [[nodiscard]] double coefficient(std::size_t place, std::size_t output) const;
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

    std::size_t p;
    std::size_t q;
    StreamOptions options;
    std::uint64_t rows_met = 0;
    double loose = 0.0;  // how often of late the screen could not tell inputs apart
    core::Moments moments;
    core::Step step;
    std::optional<std::span<const std::size_t>> favoured = std::nullopt;  // by hold_bonus; else what it selected last

    // What a report points to.
    std::vector<double> filled;           // the row's outputs, with the model's own prediction where one is missing
    std::vector<unsigned char> observed;  // whether each output was there
    std::vector<double> predicted;
    std::vector<std::size_t> before;
    std::vector<std::size_t> entered;
    std::vector<std::size_t> left;
};

/// The way in for src/tune.
struct core::ModelAccess {
    [[nodiscard]] static StreamModel::Impl& impl(StreamModel& model) { return *model.impl_; }
    [[nodiscard]] static const StreamModel::Impl& impl(const StreamModel& model) { return *model.impl_; }
};

}  // namespace sluice
