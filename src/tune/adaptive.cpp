// adaptive.cpp -- the public interface of the self-tuning model.
#include "sluice/adaptive.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "adaptive_impl.hpp"
#include "changes.hpp"
#include "model_impl.hpp"
#include "row_check.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice {

namespace {

AdaptiveOptions checked(std::size_t inputs, std::size_t outputs, AdaptiveOptions options) {
    auto problems = options.problems(inputs, outputs);
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

}  // namespace

AdaptiveModel::Impl::Impl(std::size_t inputs, std::size_t outputs, AdaptiveOptions chosen, std::size_t made_with)
    : options(std::move(chosen)), p(inputs), q(outputs), first_inputs(made_with) {
    if (options.tuning.any()) {
        tuner.emplace(inputs, outputs, options, first_inputs);
    } else {
        plain.emplace(inputs, outputs, options.model);
    }
    if (options.tuning.robust) {
        guard.emplace(inputs, outputs);
        first_rows.emplace(inputs, outputs);
        predicted.resize(outputs);
        for (auto* list : {&before, &entered, &left}) {
            list->reserve(inputs);
        }
    }
}

AdaptiveModel::Impl::Impl(StreamModel model)
    : options{.model = model.options(), .tuning = Tuning::off()},
      p(model.inputs()),
      q(model.outputs()),
      first_inputs(model.inputs()),
      plain(std::move(model)) {}

void AdaptiveModel::Impl::predict(std::span<const double> x, std::span<double> y) const {
    thread_local std::vector<double> room;
    const std::span<const double> row = guard ? guard->believed(x, room) : x;
    if (tuner) {
        tuner->predict(row, y);
    } else {
        plain->predict(row, y);
    }
}

StepReport AdaptiveModel::Impl::learn(std::span<const double> x, std::span<const double> y, bool foreseen) {
    if (plain) {
        return plain->learn(x, y);
    }
    return tuner->learn(x, y, core::check_row(x, p, "x", "inputs"), foreseen);
}

void AdaptiveModel::Impl::describe(StepReport& report) {
    if (tuner) {
        tuner->describe(report);
    } else {
        core::ModelAccess::impl(*plain).describe(report);
        report.selected = plain->selected();
        report.forgetting = plain->options().forgetting;
    }
}

void AdaptiveModel::Impl::learn_first_rows_again() {
    Impl again(p, q, options, first_inputs);
    for (std::size_t i = 0; i < first_rows->size(); ++i) {
        (void)again.learn_guarded(first_rows->x(i), first_rows->y(i));
    }
    plain = std::move(again.plain);
    tuner = std::move(again.tuner);
    guard = std::move(again.guard);
    first_rows = std::move(again.first_rows);
}

// The way of a row: what cannot be believed of its inputs counts as missing; it is predicted and judged; it is learnt now, or held
// back, or learnt together with the rows held back before it.
StepReport AdaptiveModel::Impl::learn_guarded(std::span<const double> x, std::span<const double> y) {
    using Verdict = tune::Guard::Verdict;
    const std::uint64_t row = rows_met();
    before.assign(selected().begin(), selected().end());
    if (tuner) {
        tuner->start_report();
    }
    const std::span<const double> believed = guard->meet(x);
    if (tuner) {
        std::ranges::copy(tuner->foresee(believed), predicted.begin());
    } else {
        plain->predict(believed, predicted);
    }
    const Verdict verdict = guard->judge(y, predicted, before, steady());
    const tune::Quarantine& held = guard->held();
    StepReport report;
    if (verdict == Verdict::held) {
        describe(report);
    } else {
        bool drift = false;
        Alarm alarm;
        const auto learn_one = [&](std::span<const double> of_x, std::span<const double> of_y, bool foreseen) {
            report = learn(of_x, of_y, foreseen);
            if (report.outcome == Outcome::drift) {
                drift = true;
                alarm = report.alarm;
            }
        };
        const bool alone = held.empty();
        if (verdict != Verdict::unlabelled) {
            for (std::size_t i = 0; i < held.size(); ++i) {
                learn_one(held.x(i), guard->to_learn(i), false);
            }
            guard->release();
        }
        if (verdict != Verdict::changed) {
            learn_one(believed, y, alone || verdict == Verdict::unlabelled);
        }
        if (drift) {
            report.outcome = Outcome::drift;
            report.alarm = alarm;
        }
    }
    if (first_rows->add(x, y)) {
        learn_first_rows_again();
        describe(report);
    }
    core::compare(before, selected(), entered, left);
    report.row = row;
    report.predicted = predicted;
    report.error_before = core::error_of(y, predicted);
    report.missing_inputs = core::missing_in(x);
    report.missing_outputs = core::missing_in(y);
    report.entered = entered;
    report.left = left;
    report.suspect_inputs = guard->suspect_inputs();
    report.suspect_outputs = guard->suspect_outputs();
    if (report.outcome != Outcome::drift && verdict != Verdict::unlabelled &&
        (verdict == Verdict::held || !(report.suspect_inputs.empty() && report.suspect_outputs.empty()))) {
        report.outcome = Outcome::suspect;
    }
    return report;
}

AdaptiveModel::AdaptiveModel(std::size_t inputs, std::size_t outputs, AdaptiveOptions options)
    : impl_(std::make_unique<Impl>(inputs, outputs, checked(inputs, outputs, std::move(options)), inputs)) {}

AdaptiveModel::AdaptiveModel(StreamModel model) : impl_(std::make_unique<Impl>(std::move(model))) {}

AdaptiveModel::AdaptiveModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AdaptiveModel::~AdaptiveModel() = default;
AdaptiveModel::AdaptiveModel(const AdaptiveModel& other) : impl_(std::make_unique<Impl>(other.impl())) {}
AdaptiveModel& AdaptiveModel::operator=(const AdaptiveModel& other) {
    if (this != &other) {
        impl_ = std::make_unique<Impl>(other.impl());
    }
    return *this;
}
AdaptiveModel::AdaptiveModel(AdaptiveModel&&) noexcept = default;
AdaptiveModel& AdaptiveModel::operator=(AdaptiveModel&&) noexcept = default;

AdaptiveModel::Impl& AdaptiveModel::impl() noexcept {
    assert(impl_ != nullptr && "an AdaptiveModel that was moved from is used");
    return *impl_;
}
const AdaptiveModel::Impl& AdaptiveModel::impl() const noexcept {
    assert(impl_ != nullptr && "an AdaptiveModel that was moved from is used");
    return *impl_;
}

std::vector<double> AdaptiveModel::predict(std::span<const double> x) const {
    std::vector<double> y(impl().q);
    predict(x, y);
    return y;
}

void AdaptiveModel::predict(std::span<const double> x, std::span<double> y) const {
    core::check_row(x, impl().p, "x", "inputs");
    if (y.size() != impl().q) {
        throw DataError("y has room for " + core::text(y.size()) + " numbers: this model has " + core::text(impl().q) +
                        " outputs");
    }
    impl().predict(x, y);
}

StepReport AdaptiveModel::learn(std::span<const double> x, std::span<const double> y) {
    core::check_row(x, impl().p, "x", "inputs");
    core::check_row(y, impl().q, "y", "outputs");
    if (impl().guard) {
        return impl().learn_guarded(x, y);
    }
    if (impl().tuner) {
        impl().tuner->start_report();
    }
    return impl().learn(x, y, false);
}

StepReport AdaptiveModel::learn_many(const Rows& x, const Rows& y) {
    if (x.count() != y.count()) {
        throw DataError("x has " + core::text(x.count()) + " rows and y has " + core::text(y.count()) +
                        ": must be as many");
    }
    StepReport report;
    for (std::size_t row = 0; row < x.count(); ++row) {
        report = learn(x[row], y[row]);
    }
    return report;
}

std::size_t AdaptiveModel::inputs() const noexcept {
    return impl().p;
}
std::size_t AdaptiveModel::outputs() const noexcept {
    return impl().q;
}
const AdaptiveOptions& AdaptiveModel::options() const noexcept {
    return impl().options;
}
std::uint64_t AdaptiveModel::rows_met() const noexcept {
    return impl().rows_met();
}
std::size_t AdaptiveModel::bytes() const noexcept {
    return (impl().tuner ? impl().tuner->bytes() : impl().plain->bytes()) +
           (impl().guard ? impl().guard->bytes() + impl().first_rows->bytes() : 0);
}
const StreamModel& AdaptiveModel::current() const noexcept {
    return impl().current();
}
std::span<const std::size_t> AdaptiveModel::selected() const noexcept {
    return impl().selected();
}
std::span<const Importance> AdaptiveModel::importances() const noexcept {
    return impl().tuner ? impl().tuner->importances() : std::span<const Importance>();
}
Matrix AdaptiveModel::coefficients() const {
    return impl().tuner ? impl().tuner->coefficients() : impl().plain->coefficients();
}
std::vector<double> AdaptiveModel::intercept() const {
    return impl().tuner ? impl().tuner->intercept() : impl().plain->intercept();
}
std::vector<double> AdaptiveModel::drift() const {
    return impl().tuner ? impl().tuner->drift() : std::vector<double>(impl().q, 0.0);
}
std::vector<double> AdaptiveModel::stability() const {
    return impl().tuner ? impl().tuner->stability() : std::vector<double>(impl().p, 0.0);
}
AdaptiveModel::Shares AdaptiveModel::shares() const {
    return impl().tuner ? impl().tuner->shares() : Shares();
}
std::vector<AdaptiveModel::Reading> AdaptiveModel::readings(std::size_t output) const {
    return impl().tuner ? impl().tuner->readings(output) : std::vector<Reading>();
}
std::span<const Decision> AdaptiveModel::decisions() const noexcept {
    return impl().tuner ? impl().tuner->decisions() : std::span<const Decision>();
}

}  // namespace sluice
