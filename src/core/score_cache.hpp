// score_cache.hpp -- products with C from the history alone, by way of the scores of each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "history.hpp"
#include "resident.hpp"

namespace sluice::core {

/// Keeps the scores of the weights that the components had in the last row: these are asked for again in the next one.
/// A vector v is given by its coefficients at its support. Every call takes the same history and the same places.
class ScoreCache {
  public:
    /// length: of a series of the history, at most. places: inputs that may have a place (resident.hpp).
    ScoreCache(std::size_t length, std::size_t places) : other_(length), products_(places) {}

    /// A row was added to the history.
    void row_added() { ++version_; }
    /// The weights of all rows were scaled.
    void weights_scaled() {
        ++version_;
        ++weights_version_;
    }
    /// The place has got another input.
    void place_changed(std::size_t place) { products_[place].version = 0; }
    /// Forgets everything.
    void clear();

    struct Request {
        std::span<const std::size_t> support;
        std::span<const double> coefficient;
        std::span<const std::size_t> inputs;
        double least_weight = 0.0;  ///< rows that weigh less than this share of the newest may be left out
    };
    /// out_i = (C v)_i for the inputs of the request.
    void multiply(const History& history, const Resident& resident, const Request& request, std::span<double> out,
                  Workers& workers);
    /// A = V'C V, R x R. The scores of v_1 .. v_R are kept for the next row.
    void inner_products(const History& history, std::span<const std::span<const std::size_t>> supports,
                        std::span<const std::span<const double>> coefficients, std::span<double> A, Workers& workers);

    void save(const History& history, StateWriter& out) const;
    void load(const History& history, std::size_t inputs, StateReader& in);

  private:
    struct Kept {  // the scores of one component's weights
        explicit Kept(std::size_t length) : scores(length), weighted(length) {}
        [[nodiscard]] History::Scores all() { return {.plain = scores.all(), .weighted = weighted.all()}; }

        std::vector<std::size_t> support;
        std::vector<double> coefficient;
        Buffer<double> scores;
        Buffer<double> weighted;            // the scores times the weights of the rows
        std::uint64_t archived = 0;         // History::archived() that both are up to date with
        std::uint64_t version = 0;          // of the rows, likewise
        std::uint64_t weights_version = 0;  // of the weights of all rows but the newest
        std::uint64_t tested_version = 0;   // of the rows, when older_rows_are_light() was last asked
        double tested_weight = 0.0;         // with this least weight
        bool older_are_light = false;       // what it said
    };
    struct Products {  // (C v)_i of the input at one place is known for v = the kept weights first .. last - 1
        std::uint64_t version = 0;
        std::size_t first = 0;
        std::size_t last = 0;
        std::size_t rows = 0;  // of the ring that they are from
    };

    [[nodiscard]] std::size_t find(std::span<const std::size_t> support, std::span<const double> coefficient) const;
    [[nodiscard]] static bool older_rows_are_light(const History& history, double least_weight, const Kept& of);
    [[nodiscard]] bool update(const History& history, Kept& kept) const;
    void keep(const History& history, std::size_t r, std::span<const std::size_t> support,
              std::span<const double> coefficient);

    Kept other_;  // scratch: scores of weights that are not kept
    std::vector<Kept> kept_;
    std::vector<Products> products_;  // by place
    std::vector<double> values_;      // the products: by place, one for each of the kept weights
    std::uint64_t version_ = 1;       // changes with the rows, their weights and what is kept
    std::uint64_t weights_version_ = 1;
    std::vector<const double*> series_;         // scratch
    std::vector<const double*> targets_;        // scratch
    std::vector<std::size_t> missing_;          // scratch: inputs whose products are not known yet
    std::vector<double> computed_;              // scratch: their products
    std::vector<History::ScoresOf> scores_of_;  // scratch
};

}  // namespace sluice::core
