// working.cpp -- the moments in working units.
//
//     C~ = D C D,    M~ = D M E
//
//   code   with scaling                          without
//   D_j    1 / sqrt(C_jj)                        2^(exponent_j - largest exponent of any input)
//   E_k    1 / sqrt(n variance_k)                2^(exponent_k - largest exponent of any output)
//
// C and M stand here for the stored numbers, true moment / scale. With scaling C~ has a unit diagonal and M~ holds
// correlations; without, C~ and M~ are the paper's C and M up to a common power of two. Either way nothing overflows,
// and multiplying all inputs or all outputs by a power of two changes no bit of C~ and M~. Columns that do not vary have
// D_j = 0 or E_k = 0.
#include "working.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::core {

Working::Working(std::size_t outputs, const StreamOptions& options)
    : scale_inputs_(options.scale_inputs),
      scale_outputs_(options.scale_outputs),
      ridge_(options.ridge),
      e_(outputs, 0.0) {}

bool Working::anything_varies() const {
    return survey_.varying > 0 && (survey_.cross_square > 0.0 || ridge_ > 0.0) &&
           std::ranges::any_of(e_, [](double e) { return e > 0.0; });
}

void Working::refresh_outputs(const Moments& moments) {
    constexpr int kLowest = -100000;
    top_output_ = kLowest;
    for (std::size_t k = 0; k < e_.size(); ++k) {
        e_[k] = moments.output_varies(k) ? 1.0 : 0.0;
        top_output_ = e_[k] > 0.0 ? std::max(top_output_, moments.output_exponent(k)) : top_output_;
    }
    // A row may be half taken in: its weight counts here.
    const double n = moments.weight() + (moments.between_halves() ? 1.0 : 0.0);
    for (std::size_t k = 0; k < e_.size(); ++k) {
        if (e_[k] != 0.0) {
            e_[k] = scale_outputs_ ? std::sqrt(moments.scale() / (n * moments.output_variance(k)))
                                   : std::ldexp(1.0, moments.output_exponent(k) - top_output_);
        }
    }
}

Survey& Working::survey() {
    survey_.scale_inputs = scale_inputs_;
    survey_.e = e_;  // set anew each time: a copy of this has units of its own
    return survey_;
}

void Working::refresh_inputs(const Moments& moments) {
    all_ones_ = !scale_inputs_ && !moments.has_units() && survey_.varying == moments.inputs();
    // H is in the proportion ridge C~ : (1 - ridge) gain M~ M~', where gain is what one squared unit of E stands for.
    raw_gain_ = scale_outputs_ ? moments.weight() : std::ldexp(moments.scale(), 2 * top_output_);
    // One unit of D stands for sqrt(n / scale) standard deviations, or 2^top of the caller's units; E likewise.
    const double standard = std::sqrt(moments.weight() / moments.scale());
    loading_unit_ = std::ldexp((scale_outputs_ ? standard : 1.0) / (scale_inputs_ ? standard : 1.0),
                               (scale_outputs_ ? 0 : top_output_) - (scale_inputs_ ? 0 : survey_.top_exponent));
}

void Working::refresh(const Moments& moments) {
    refresh_outputs(moments);
    moments.look(survey(), nullptr);
    refresh_inputs(moments);
}

}  // namespace sluice::core
