// merge_moments.cpp -- the moments of two consecutive stretches of rows become those of one pass over all of them.
//
//     C = lambda^n2 C1 + C2 + g (mean1 - mean2)'(mean1 - mean2),   g = n1 n2 / (n1 + n2),   n1 decayed
//
// and likewise M. n2 in lambda^n2 is the number of the later rows; elsewhere n1 and n2 are weights. An input or output that
// was missing in some rows has weights of its own.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "moments.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

namespace {

double joint_weight(double n1, double n2) {
    return n1 + n2 > 0.0 ? n1 * n2 / (n1 + n2) : 0.0;
}

// The mean of both stretches; apart: the later mean beyond the earlier, 0 where one of them is empty.
double joint_mean(double earlier, double n1, double later, double n2, double apart) {
    if (n2 == 0.0) {
        return earlier;
    }
    return n1 == 0.0 ? later : earlier + (apart * n2 / (n1 + n2));
}

}  // namespace

// Both moments take the larger unit of each column.
void Moments::use_larger_units(Moments& other) {
    auto larger = [](const ColumnUnits& a, const ColumnUnits& b, std::size_t column) {
        return std::max(a.exponent(column), b.exponent(column));
    };
    for (std::size_t j = 0; j < inputs.size(); ++j) {
        const int exponent = larger(inputs.units_, other.inputs.units_, j);
        if (exponent != ColumnUnits::kUnknown) {
            inputs.rescale_input(j, exponent);
            other.inputs.rescale_input(j, exponent);
        }
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const int exponent = larger(outputs.units_, other.outputs.units_, k);
        if (exponent != ColumnUnits::kUnknown) {
            rescale_output(k, exponent);
            other.rescale_output(k, exponent);
        }
    }
}

void Moments::append(const Moments& later_rows) {
    assert(later_rows.inputs.size() == inputs.size() && later_rows.outputs.size() == outputs.size());
    if (later_rows.inputs.rows_ == 0) {
        return;
    }
    Moments later = later_rows;
    use_larger_units(later);

    // From here on everything in the later stretch's scale.
    const std::size_t p = inputs.size();
    const std::size_t q = outputs.size();
    const bool center = inputs.center_;
    const double forgetting = inputs.forgetting_;
    const double decay = std::pow(forgetting, static_cast<double>(later.inputs.rows_));
    std::vector<double> h(p, 0.0);  // sqrt(g) times the means' difference
    for (std::size_t j = 0; j < p; ++j) {
        const double n1 = decay * inputs.weight(j);
        const double n2 = later.inputs.weight(j);
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.inputs.mean_[j] - inputs.mean_[j] : 0.0;
        h[j] = center ? std::sqrt(joint_weight(n1, n2)) * apart : 0.0;
        inputs.mean_[j] = joint_mean(inputs.mean_[j], n1, later.inputs.mean_[j], n2, apart);
    }
    std::vector<double> output_step(q, 0.0);
    for (std::size_t k = 0; k < q; ++k) {
        const double n1 = decay * outputs.weight_[k];
        const double n2 = later.outputs.weight_[k];
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.outputs.mean_[k] - outputs.mean_[k] : 0.0;
        output_step[k] = center ? std::sqrt(joint_weight(n1, n2)) * apart * later.inputs.row_weight() : 0.0;
        outputs.mean_[k] = joint_mean(outputs.mean_[k], n1, later.outputs.mean_[k], n2, apart);
        outputs.weight_[k] = n1 + n2;
        // The variance decays only with observed values.
        const double clock = std::pow(forgetting, static_cast<double>(later.outputs.observed_rows_[k]));
        const double o1 = clock * outputs.observed_weight_[k];
        const double o2 = later.outputs.observed_weight_[k];
        const double between = center ? joint_weight(o1, o2) * apart * apart : 0.0;
        outputs.squares_[k] = (clock * outputs.squares_[k]) + later.outputs.squares_[k] + between;
        outputs.observed_weight_[k] = o1 + o2;
        outputs.observed_rows_[k] += later.outputs.observed_rows_[k];
    }
    const double factor = decay * inputs.scale_ / later.inputs.scale_;
    auto join = [&](double& ours, double theirs) {
        multiply(ours, factor);
        ours += theirs;
    };
    for (std::size_t j = 0; j < p; ++j) {
        join(inputs.square_[j], later.inputs.square_[j]);
        join(inputs.gap_[j], later.inputs.gap_[j]);
        inputs.square_[j] += h[j] * h[j] * later.inputs.row_weight();
        for (std::size_t k = 0; k < q; ++k) {
            double& cross = inputs.M_[(k * inputs.stride_) + j];
            join(cross, later.inputs.M_[(k * inputs.stride_) + j]);
            cross += h[j] * output_step[k];
        }
    }
    inputs.gram_->append(*later.inputs.gram_, factor, h, later.inputs.row_weight());
    inputs.scale_ = later.inputs.scale_;
    inputs.weight_ = (decay * inputs.weight_) + later.inputs.weight_;
    inputs.rows_ += later.inputs.rows_;
    inputs.note_pieces();
}

}  // namespace sluice::core
