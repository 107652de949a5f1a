// moments.hpp -- what the stream has shown so far: eq. (15), inputs and outputs together.
#pragma once

#include <cstddef>

#include "input_moments.hpp"
#include "output_moments.hpp"
#include "row.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

struct Moments {
    Moments(std::size_t p, std::size_t q, const StreamOptions& options) : inputs(p, q, options), outputs(q, options) {}

    InputMoments inputs;
    OutputMoments outputs;

    /// Returns what the stored numbers of the inputs were multiplied by.
    double forget() {
        outputs.forget();
        return inputs.forget();
    }
    /// Before a row is added: gives new columns their units, and others a larger one where a value needs it.
    void adopt_units(const Row& row);

    /// Merges the moments of the rows that came right after ours: those of one pass over all rows.
    void append(const Moments& later);

    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    void use_larger_units(Moments& other);
    void rescale_output(std::size_t k, int exponent);
    [[nodiscard]] double near_square(std::size_t j) const;
};

}  // namespace sluice::core
