// model.cpp -- one row through the on-line model (the paper's Algorithm 2). update() is the whole way.
#include <algorithm>
#include <cmath>
#include <utility>

#include "changes.hpp"
#include "engine.hpp"
#include "gram.hpp"
#include "model_impl.hpp"
#include "row_check.hpp"
#include "sluice/error.hpp"

namespace sluice {

using core::finite;

namespace {

StreamOptions checked(std::size_t inputs, std::size_t outputs, StreamOptions options) {
    auto problems = options.problems(inputs, outputs);
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

}  // namespace

StreamModel::Impl::Impl(std::size_t inputs, std::size_t outputs, StreamOptions options)
    : options_(checked(inputs, outputs, std::move(options))),
      moments_(inputs, outputs, options_),
      units_(outputs, options_),
      step_(inputs, outputs, options_),
      absent_(inputs, outputs, options_),
      inner_(outputs, 0.0),
      predicted_(outputs, 0.0) {
    for (auto* list : {&before_, &entered_, &left_}) {
        list->reserve(inputs + 1);
    }
    scaled_.reserve(inputs);
}

Outcome StreamModel::Impl::update(std::span<const double> x, std::span<const double> y, bool in_range,
                                  std::span<const double> prediction, const Request& request) {
    ++rows_met_;
    missing_inputs_ =
        in_range ? 0 : static_cast<std::size_t>(std::ranges::count_if(x, [](double v) { return std::isnan(v); }));
    absent_.fill(y, prediction, moments_, units_, step_.regression(), step_.fit());
    if (absent_.count() == y.size()) {
        return outcome_ = Outcome::outputs_missing;
    }
    const core::Row row{.x = x, .y = absent_.filled(), .observed = absent_.observed(), .in_range = in_range};

    const double renormalised =
        moments_.forget();  // C, M <- lambda C, lambda M                                eq. (15)
    moments_.adopt_units(row);
    moments_.outputs.add(row.y, row.observed);
    units_.set_outputs_of_next_row(moments_);
    core::CandidateFilter* filter = step_.aim(moments_, units_, row);
    const core::PassSums
        sums =  // C, M <- C + x'x, M + x'y: the one pass over all inputs                       eq. (15)
        moments_.inputs.add(row, moments_.outputs.deviations(), units_.for_pass(), filter);
    units_.set_inputs(moments_, sums);
    if (absent_.settle(moments_, step_.regression(), step_.fit(), renormalised)) {
        units_.refresh(moments_);
    }
    // From here on the moments are only read.
    outcome_ = Outcome::learned;
    step_.forget_covariance();
    if (request.update_selection) {
        if (options_.hold_bonus > 0.0) {
            step_.set_held(request.held.value_or(step_.fit().selected));
        }
        outcome_ =
            step_.run(moments_, units_, &row);  // u, W, beta                                     eq. (16) to (20)
        switch_engine_if_screen_fails();
    }
    return outcome_;
}

StepReport StreamModel::Impl::learn(std::span<const double> x, std::span<const double> y, bool in_range) {
    StepReport report{.row = rows_met_, .forgetting = options_.forgetting};
    predict(x, predicted_);
    before_.assign(step_.fit().selected.begin(), step_.fit().selected.end());
    update(x, y, in_range, predicted_, {});
    describe(report);
    report.predicted = predicted_;
    report.error_before = core::error_of(y, predicted_);
    report.selected = step_.fit().selected;
    core::compare(before_, report.selected, entered_, left_);
    report.entered = entered_;
    report.left = left_;
    return report;
}

void StreamModel::Impl::describe(StepReport& report) {
    report.outcome = outcome_;
    report.missing_inputs = missing_inputs_;
    report.missing_outputs = absent_.count();
    report.held_components = step_.held_components();
    report.explained_covariance = explained_covariance();
    report.constant_inputs = inputs() - units_.varying_inputs();
    report.engine = moments_.inputs.gram().engine();
    report.unscreened = step_.unscreened();
}

// Share of |M~|^2, the covariance of inputs and outputs, that lies along the components: sum of |M~'u_r|^2.
double StreamModel::Impl::explained_covariance() {
    if (units_.cross_square() <= 0.0) {
        return 0.0;
    }
    if (const auto known = step_.covariance_square()) {
        return std::min(*known / units_.cross_square(), 1.0);
    }
    double sum = 0.0;
    for (const core::Component& component : step_.components()) {
        core::scaled_weights(moments_, units_, component, scaled_);
        core::inner_product(moments_, units_, component.support, scaled_, inner_);
        for (const double g : inner_) {
            sum += g * g;
        }
    }
    return std::min(sum / units_.cross_square(), 1.0);
}

// Where the screen keeps failing, an engine with products at all inputs is cheaper than going through the history again and
// again. With engine = automatic the model switches to it; it does not switch back.
void StreamModel::Impl::switch_engine_if_screen_fails() {
    constexpr double kDiscount = 0.95;
    constexpr double kTooOften = 4.0;          // of at most 20: in about one row out of five
    constexpr std::uint64_t kLeastRows = 100;  // the screen knows too little in the first rows; they decide nothing
    screen_failure_rate_ = (kDiscount * screen_failure_rate_) + (step_.unscreened() > 0 ? 1.0 : 0.0);
    if (screen_failure_rate_ > kTooOften && options_.engine == Engine::automatic &&
        moments_.inputs.gram().engine() == Engine::screened && moments_.inputs.rows() >= kLeastRows) {
        const Engine other = options_.deflation == Deflation::project
                                 ? Engine::columns
                                 : core::plan_engine_with_products(inputs(), outputs(), options_);
        if (other != Engine::automatic && core::engine_suits(other, inputs(), options_) &&
            core::engine_bytes(other, inputs(), outputs(), options_) <= options_.memory_limit) {
            change_engine(other);
        }
    }
}

void StreamModel::Impl::change_engine(Engine engine) {
    core::InputMoments& kept = moments_.inputs;
    kept.change_engine(
        core::OwnGram(core::convert_gram(kept.gram(), engine, inputs(), outputs(), options_, kept.workers())));
    screen_failure_rate_ = 0.0;
}

void StreamModel::Impl::use_shrinkage(double shrinkage, std::span<const double> beta) {
    options_.shrinkage = shrinkage;
    step_.use_shrinkage(shrinkage, beta);
}

void StreamModel::Impl::use_fit(const core::Coefficients& fit, double shrinkage) {
    options_.shrinkage = shrinkage;
    step_.use_fit(fit, shrinkage);
}

}  // namespace sluice
