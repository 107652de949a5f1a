// member.hpp -- one memory of an adaptive model: a StreamModel with its forgetting factor, and what else can be read off its
// moments at little cost.
//
//   reading       differs in                                 cost of a row
//   shrinkage     r of the refit on the same variables       |S|^3 / 6 each
//   components    the first 1, 2, .. components alone        nothing with refit
//   neighbour     variables per component: one rung down,    a step on the same moments
//                 one rung up; only beside the one that leads
//
// Each reading has a Track of its one-step errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model_impl.hpp"
#include "shapes.hpp"
#include "sluice/model.hpp"
#include "sluice/tuning.hpp"
#include "track.hpp"

namespace sluice::tune {

class Member {
  public:
    Member(std::size_t inputs, std::size_t outputs, StreamOptions options, const Shape& shape, const Tuning& tuning);

    /// All readings of a row, before it is learnt; then their errors; then the row.
    void predict(std::span<const double> x);
    /// Errors of this output are counted in units of 2^exponent.
    void use_unit(std::size_t output, int exponent);
    void score(std::span<const double> y, std::span<const double> scale);
    /// look: whether it finds its variables anew; neighbour: which of them does, if any.
    StepReport learn(std::span<const double> x, std::span<const double> y, bool tame,
                     std::span<const std::size_t> favoured, bool look = true, std::size_t neighbour = kAllNeighbours);
    static constexpr std::size_t kAllNeighbours = ~std::size_t{0};

    /// Of the reading in use, with the drift of its intercept.
    [[nodiscard]] double predicted(std::size_t output) const;
    /// What the track in use adds to the output, in the caller's units.
    [[nodiscard]] double drift(std::size_t output) const;
    [[nodiscard]] const Track& track() const { return by_shrinkage_[shrinkage_]; }
    [[nodiscard]] double loss(std::span<const double> scale) const { return track().loss(scale); }
    void multiply_errors(double factor);
    [[nodiscard]] const std::vector<Track>& by_components() const { return by_components_; }

    struct Change {
        double from = 0.0;
        double to = 0.0;
        double measured_from = 0.0;
        double measured_to = 0.0;
    };
    /// Each changes what predicts where another reading was better by the margin.
    std::optional<Change> choose_shrinkage(std::span<const double> scale, double margin);
    std::optional<Change> choose_components(std::span<const double> scale, double margin);
    /// A rung down (-1) or up (1) of the ladder is better; it takes the present one's place.
    std::optional<Change> choose_shape(std::span<const double> scale, double margin, const Ladder& ladder,
                                       std::size_t& rung);
    /// Steps for the rungs beside this one; none where `wanted` is false.
    void keep_neighbours(bool wanted, const Ladder& ladder, std::size_t rung);
    void take_shape(const Shape& shape);

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
        Track track;
        double akaike = 0.0;
    };
    [[nodiscard]] auto& impl() { return core::ModelAccess::impl(model_); }
    [[nodiscard]] const auto& impl() const { return core::ModelAccess::impl(model_); }
    [[nodiscard]] Neighbour neighbour(std::size_t rung, const Ladder& ladder) const;
    void prepare(core::Step& step) const;
    void start_tracks(const Track& from);
    void begin_comparisons();
    [[nodiscard]] std::size_t readings() const { return by_shrinkage_.size() + by_components_.size() + beside_.size(); }

    Tuning tuning_;
    StreamModel model_;
    std::vector<double> shrinkages_;  // empty: not tuned
    std::size_t shrinkage_ = 0;       // the one in use
    std::vector<Track> by_shrinkage_;
    std::vector<Track> by_components_;
    std::vector<Neighbour> beside_;
    std::vector<double> predictions_;  // readings x outputs
    std::vector<double> covariance_;   // explained by the first 1, 2, .. components
    std::vector<double> energy_;
    std::vector<double> units_;  // of each output's errors: 2^-exponent
};

}  // namespace sluice::tune
