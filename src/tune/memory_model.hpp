// memory_model.hpp -- one memory of an adaptive model: a StreamModel with its forgetting factor, and what else can be read off
// its moments at little cost.
//
//   reading       differs in                                 cost of a row
//   shrinkage     r of the refit on the same variables       |S|^3 / 6 each
//   components    the first 1, 2, .. components alone        nothing with refit
//   neighbour     variables per component: one rung down,    a step on the same moments
//                 one rung up; only beside the one that leads
//
// Each reading has an ErrorTrack of its one-step errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "component_shapes.hpp"
#include "error_track.hpp"
#include "model_impl.hpp"
#include "readings.hpp"
#include "sluice/model.hpp"
#include "sluice/tuning.hpp"

namespace sluice::tune {

class MemoryModel {
  public:
    MemoryModel(std::size_t inputs, std::size_t outputs, StreamOptions options, const ComponentShape& shape,
                const Tuning& tuning);

    /// Predictions of a row by all readings, before it is learnt; then their errors; then the row.
    void predict(std::span<const double> x);
    /// Errors of this output are counted in units of 2^exponent.
    void use_unit(std::size_t output, int exponent);
    void score(std::span<const double> y, std::span<const double> scale);
    /// held: the variables that a hold bonus keeps. update_selection: whether variables are chosen again; neighbour: which of
    /// the neighbours does so, if any. predict() of the same row must have come before.
    Outcome learn(std::span<const double> x, std::span<const double> y, bool in_range,
                  std::span<const std::size_t> held, bool update_selection = true,
                  std::size_t neighbour = kAllNeighbours);
    /// What learn() did.
    void describe(StepReport& report);
    static constexpr std::size_t kAllNeighbours = ~std::size_t{0};

    /// Of the reading in use, with the drift of its intercept.
    [[nodiscard]] double predicted(std::size_t output) const;
    /// What the track in use adds to the output, in the caller's units.
    [[nodiscard]] double drift(std::size_t output) const;
    [[nodiscard]] const ErrorTrack& track() const { return by_shrinkage_[shrinkage_]; }
    [[nodiscard]] double loss(std::span<const double> scale) const { return track().loss(scale); }
    void multiply_errors(double factor);
    [[nodiscard]] const std::vector<ErrorTrack>& by_components() const { return by_components_; }

    struct Change {
        double from = 0.0;
        double to = 0.0;
        double measured_from = 0.0;
        double measured_to = 0.0;
    };
    /// Each changes what predicts where another reading was better by the margin.
    std::optional<Change> choose_shrinkage(std::span<const double> scale, double margin);
    std::optional<Change> choose_components(std::span<const double> scale, double margin);
    /// The rung below or above of the ladder takes the present one's place where it was better.
    std::optional<Change> choose_shape(std::span<const double> scale, double margin, const Ladder& ladder,
                                       std::size_t& rung);
    /// Steps for the rungs beside this one; none where `wanted` is false.
    void keep_neighbours(bool wanted, const Ladder& ladder, std::size_t rung);
    void take_shape(const ComponentShape& shape);

    [[nodiscard]] const StreamModel& model() const { return model_; }
    [[nodiscard]] std::size_t components() const { return model_.components(); }
    [[nodiscard]] double shrinkage() const;
    [[nodiscard]] double forgetting() const { return model_.options().forgetting; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in, const Ladder& ladder, std::size_t rung);

  private:
    struct Neighbour {
        std::size_t rung;
        core::Step step;
        Readings readings;
        ErrorTrack track;
        double akaike = 0.0;
    };
    [[nodiscard]] auto& impl() { return core::ModelAccess::impl(model_); }
    [[nodiscard]] const auto& impl() const { return core::ModelAccess::impl(model_); }
    [[nodiscard]] Neighbour neighbour(std::size_t rung, const Ladder& ladder) const;
    [[nodiscard]] Readings readings_of(const StreamOptions& options) const;
    void run(Neighbour& neighbour);
    void start_tracks(const ErrorTrack& from);
    void reset_comparisons();
    [[nodiscard]] std::size_t readings() const { return by_shrinkage_.size() + by_components_.size() + beside_.size(); }

    Tuning tuning_;
    StreamModel model_;
    std::vector<double> shrinkages_;  // empty: not tuned
    Readings readings_;
    std::size_t shrinkage_ = 0;  // the one in use
    std::vector<ErrorTrack> by_shrinkage_;
    std::vector<ErrorTrack> by_components_;
    std::vector<Neighbour> beside_;
    std::vector<double> predictions_;  // readings x outputs
    std::vector<double> covariance_;   // explained by the first 1, 2, .. components
    std::vector<double> energy_;
    std::vector<double> units_;  // of each output's errors: 2^-exponent
};

}  // namespace sluice::tune
