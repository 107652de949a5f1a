// moments.cpp -- units of inputs and outputs together, and the moments as bytes.
#include "moments.hpp"

#include <cmath>
#include <vector>

#include "state.hpp"

namespace sluice::core {

void Moments::adopt_units(const Row& row) {
    inputs.adopt_units(row.x, row.in_range);
    for (std::size_t k = 0; k < row.y.size(); ++k) {
        if (std::isnan(row.y[k])) {
            continue;
        }
        if (const auto exponent = outputs.units().needed(k, row.y[k])) {
            rescale_output(k, *exponent);
        }
    }
}

void Moments::rescale_output(std::size_t k, int exponent) {
    const double factor = outputs.rescale(k, exponent);
    if (factor != 1.0) {
        inputs.scale_output(k, factor);
    }
}

void Moments::save(StateWriter& out) const {
    const std::size_t p = inputs.size();
    const std::size_t q = outputs.size();
    out.put(inputs.rows_);
    out.put(inputs.weight_);
    out.put(inputs.scale_);
    for (std::size_t k = 0; k < q; ++k) {
        out.put_all(inputs.M_.all().subspan(k * inputs.stride_, p));
    }
    out.put_all(inputs.units_.exponents());
    out.put_all(inputs.mean_.all().first(p));
    out.put_all(outputs.units_.exponents());
    out.put_all(outputs.mean_);
    for (const double gap : inputs.gap_.all().first(p)) {
        out.put_near(gap, 0.0);  // most are
    }
    out.put_all(outputs.weight_);
    out.put_all(outputs.squares_);
    out.put_all(outputs.observed_weight_);
    out.put_all(outputs.observed_rows_);
    inputs.gram_->save(out);
    for (std::size_t j = 0; j < p; ++j) {
        out.put_near(inputs.square_[j], near_square(j));
    }
}

// What C knows about a sum of squares without being asked to compute it: where all of C is kept, the two differ by rounding.
double Moments::near_square(std::size_t j) const {
    double known = 0.0;
    if (inputs.gram().engine() == Engine::dense) {
        inputs.gram().block({&j, 1}, {&known, 1});
    }
    return known;
}

void Moments::load(StateReader& in) {
    const std::size_t p = inputs.size();
    const std::size_t q = outputs.size();
    const std::size_t stored = in.stored_inputs(p);
    auto get_units = [&](ColumnUnits& units, std::size_t columns) {
        std::vector<int> exponents = units.exponents();
        in.get_all(std::span(exponents).first(columns));
        in.require(units.assign(exponents), "the unit of a column is out of range");
    };
    in.get(inputs.rows_);
    in.get(inputs.weight_);
    in.get(inputs.scale_);
    if (!in.current()) {
        in.get_all(inputs.square_.all().first(stored));
    }
    for (std::size_t k = 0; k < q; ++k) {
        in.get_all(inputs.M_.all().subspan(k * inputs.stride_, stored));
    }
    get_units(inputs.units_, stored);
    in.get_all(inputs.mean_.all().first(stored));
    get_units(outputs.units_, q);
    in.get_all(outputs.mean_);
    for (double& gap : inputs.gap_.all().first(stored)) {
        gap = in.get_near(0.0);
    }
    in.get_all(outputs.weight_);
    in.get_all(outputs.squares_);
    in.get_all(outputs.observed_weight_);
    in.get_all(outputs.observed_rows_);
    in.require(inputs.scale_ >= kLeastScale && inputs.scale_ <= 2.0, "the scale of the moments is out of range");
    in.require(inputs.weight_ >= 0.0, "the weight of the moments is negative");
    for (std::size_t j = stored; j < p; ++j) {  // an added input was missing in every row
        inputs.gap_[j] = inputs.weight_ / inputs.scale_;
    }
    inputs.gram_->load(in);
    if (in.current()) {
        for (std::size_t j = 0; j < stored; ++j) {
            inputs.square_[j] = in.get_near(near_square(j));
        }
    }
    inputs.note_pieces();
}

}  // namespace sluice::core
