// model.cpp -- the on-line model: one row through the rooms (the paper's Algorithm 2).
//
//     moments     C, M <- lambda C + x'x, lambda M + x'y                       eq. (15)       moments.cpp
//     for r = 1 .. R:
//       subspace  a = H u^(r);  q = a - P a                                    eq. (16)-(18)  subspace.cpp
//       sparsify  u^(r) <- threshold(q / |q|), unit length                     eq. (19)       sparsify.cpp
//     regress     W = (U'CU)^+ U'M,  beta = U W                                eq. (10), (20) regress.cpp
//
// With `deflation = refit` the projection gives way to M <- M - C_S beta_S, where beta_S is the least-squares fit on the
// variables S kept so far, and the last beta_S predicts.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "changes.hpp"
#include "engine.hpp"
#include "gram.hpp"
#include "model_impl.hpp"
#include "row_check.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice {

using core::finite;

namespace {

// Of the first rows the screen knows too little; they decide nothing.
constexpr std::uint64_t kLeastRows = 100;

StreamOptions checked(std::size_t inputs, std::size_t outputs, StreamOptions options) {
    auto problems = options.problems(inputs, outputs);
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

}  // namespace

StreamModel::Impl::Impl(std::size_t inputs, std::size_t outputs, StreamOptions given)
    : p(inputs),
      q(outputs),
      options(checked(inputs, outputs, std::move(given))),
      moments(p, q, options),
      step(p, q, options),
      filled(q, 0.0),
      observed(q, 0),
      predicted(q, 0.0) {
    for (auto* list : {&before, &entered, &left}) {
        list->reserve(p + 1);
    }
}

void StreamModel::Impl::predict(const core::Step& by, std::span<const std::size_t> selected,
                                std::span<const double> betas, std::span<const double> x, std::span<double> y) const {
    const std::size_t size = selected.size();
    const auto e = by.working().output_units();
    std::ranges::fill(y, 0.0);
    constexpr std::size_t kAtATime = 64;
    std::array<double, kAtATime> d;          // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    std::array<double, kAtATime> deviation;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t first = 0; first < size; first += kAtATime) {
        const std::size_t count = std::min(kAtATime, size - first);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t j = selected[first + i];
            d[i] = by.working().input_unit(moments, j);
            deviation[i] = by.clipped_deviation(moments, j, x[j]);
        }
        for (std::size_t k = 0; k < q; ++k) {
            const double* beta = betas.data() + (k * size) + first;
            double sum = y[k];
            for (std::size_t i = 0; i < count; ++i) {
                sum += d[i] * beta[i] * deviation[i];
            }
            y[k] = sum;
        }
    }
    for (std::size_t k = 0; k < q; ++k) {
        double value = e[k] > 0.0 ? y[k] / e[k] : 0.0;
        value += options.center ? moments.output_mean(k) : 0.0;
        y[k] = finite(moments.output_in_callers_units(k, value));
    }
}

StepReport StreamModel::Impl::learn(std::span<const double> x, std::span<const double> y, bool tame, bool look) {
    StepReport report{.row = rows_met, .forgetting = options.forgetting};
    predict(x, predicted);
    ++rows_met;
    report.predicted = predicted;
    if (!tame) {
        report.missing_inputs =
            static_cast<std::size_t>(std::ranges::count_if(x, [](double v) { return std::isnan(v); }));
    }
    for (std::size_t k = 0; k < q; ++k) {
        observed[k] = std::isnan(y[k]) ? 0 : 1;
        if (observed[k] != 0) {
            filled[k] = y[k];
            report.error_before = std::hypot(report.error_before, y[k] - predicted[k]);
        } else {
            filled[k] = moments.output_weight(k) > 0.0 ? predicted[k] : y[k];
            ++report.missing_outputs;
        }
    }
    report.error_before = finite(report.error_before);
    before.assign(step.coefficients().selected.begin(), step.coefficients().selected.end());
    if (report.missing_outputs == q) {
        report.outcome = Outcome::outputs_missing;
    } else {
        if (report.missing_outputs > 0) {
            step.before_absences(moments);
        }
        moments.forget();
        for (std::size_t k = 0; k < q && report.missing_outputs > 0; ++k) {
            if (observed[k] == 0) {
                step.before_absence(moments, k);
            }
        }
        step.take_in(moments, x, filled, observed, tame);
        for (std::size_t k = 0; k < q && report.missing_outputs > 0; ++k) {
            if (observed[k] == 0) {
                step.after_absence(moments, k);
            }
        }
        if (report.missing_outputs > 0) {
            step.look_again(moments);
        }
        if (options.hold_bonus > 0.0) {
            step.favour(favoured ? *favoured : std::span<const std::size_t>(before));
        }
        if (look) {
            report.outcome = step.run(moments, x, filled);
            mind_the_screen();
        }
    }
    report.held_components = step.held_components();
    report.explained_covariance = step.explained_covariance(moments);
    report.constant_inputs = p - step.working().varying_inputs();
    report.engine = moments.gram().engine();
    report.unscreened = step.unscreened();
    report.selected = step.coefficients().selected;
    core::compare(before, report.selected, entered, left);
    report.entered = entered;
    report.left = left;
    return report;
}

// Where the screen keeps failing, whole columns are cheaper than going through the history again and again. Left to
// itself (engine = automatic) the model changes over; it does not change back.
void StreamModel::Impl::mind_the_screen() {
    constexpr double kMemory = 0.95;
    constexpr double kTooOften = 4.0;  // of at most 20: in about one row out of five
    loose = (kMemory * loose) + (step.unscreened() > 0 ? 1.0 : 0.0);
    if (loose > kTooOften && options.engine == Engine::automatic && moments.gram().engine() == Engine::screened &&
        moments.rows() >= kLeastRows && core::engine_suits(Engine::columns, p, options) &&
        core::engine_bytes(Engine::columns, p, q, options) <= options.memory_limit) {
        change_engine(Engine::columns);
    }
}

void StreamModel::Impl::change_engine(Engine engine) {
    moments.change_engine(core::OwnGram(core::convert_gram(moments.gram(), engine, p, q, options, moments.workers())));
    loose = 0.0;
}

const core::Component& StreamModel::Impl::component(std::size_t r) const {
    if (r >= step.components().size()) {
        throw DataError("component " + core::text(r) + " was asked for: this model has 0 to " +
                        core::text(step.components().size() - 1));
    }
    return step.components()[r];
}

// beta of a selected variable in the caller's units.
double StreamModel::Impl::coefficient(std::size_t place, std::size_t output) const {
    const core::Coefficients& fit = step.coefficients();
    const std::size_t j = fit.selected[place];
    const double e = step.working().output_units()[output];
    if (e == 0.0) {
        return 0.0;
    }
    const double beta = step.working().input_unit(moments, j) * fit.beta[(output * fit.selected.size()) + place] / e;
    return finite(std::ldexp(beta, moments.output_exponent(output) - moments.input_exponent(j)));
}

}  // namespace sluice
