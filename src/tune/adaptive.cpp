// adaptive.cpp -- the public interface of the self-tuning model.
#include "sluice/adaptive.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "changes.hpp"
#include "guard.hpp"
#include "model_impl.hpp"
#include "options_state.hpp"
#include "row_check.hpp"
#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "text.hpp"
#include "tuner.hpp"

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

/// One of the two: a model as it is, or one that tunes itself; with or without a guard before it.
struct AdaptiveModel::Impl {
    AdaptiveOptions options;
    std::size_t p = 0;
    std::size_t q = 0;
    std::optional<StreamModel> plain = std::nullopt;
    std::optional<tune::Tuner> tuner = std::nullopt;
    std::optional<tune::Guard> guard = std::nullopt;

    // What a report of a guarded model points to.
    std::vector<double> predicted = {};
    std::vector<std::size_t> before = {};
    std::vector<std::size_t> entered = {};
    std::vector<std::size_t> left = {};

    Impl(std::size_t inputs, std::size_t outputs, AdaptiveOptions chosen);
    explicit Impl(StreamModel model);

    [[nodiscard]] const StreamModel& current() const { return tuner ? tuner->lead().model() : *plain; }
    [[nodiscard]] std::span<const std::size_t> selected() const {
        return tuner ? tuner->selected() : plain->selected();
    }
    [[nodiscard]] std::uint64_t rows_met() const {
        return (tuner ? tuner->rows_met() : plain->rows_met()) + (guard ? guard->held().size() : 0);
    }
    void predict(std::span<const double> x, std::span<double> y) const;
    StepReport learn(std::span<const double> x, std::span<const double> y, bool foreseen);
    StepReport learn_guarded(std::span<const double> x, std::span<const double> y);
    void describe(StepReport& report);
    /// Whether a forecast rests on many rows, so that a row may wait.
    [[nodiscard]] bool steady() const {
        return tuner ? tuner->steady() : options.model.forgetting >= tune::kSteadyForgetting;
    }
};

AdaptiveModel::Impl::Impl(std::size_t inputs, std::size_t outputs, AdaptiveOptions chosen)
    : options(std::move(chosen)), p(inputs), q(outputs) {
    if (options.tuning.any()) {
        tuner.emplace(inputs, outputs, options);
    } else {
        plain.emplace(inputs, outputs, options.model);
    }
    if (options.tuning.robust) {
        guard.emplace(inputs, outputs);
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
        for (std::size_t i = 0; i < held.size(); ++i) {
            learn_one(held.x(i), guard->to_learn(i, verdict), false);
        }
        guard->release();
        if (verdict == Verdict::believed) {
            learn_one(believed, y, alone);
        }
        if (drift) {
            report.outcome = Outcome::drift;
            report.alarm = alarm;
        }
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
    if (report.outcome != Outcome::drift &&
        (verdict == Verdict::held || !(report.suspect_inputs.empty() && report.suspect_outputs.empty()))) {
        report.outcome = Outcome::suspect;
    }
    return report;
}

AdaptiveModel::AdaptiveModel(std::size_t inputs, std::size_t outputs, AdaptiveOptions options)
    : impl_(std::make_unique<Impl>(inputs, outputs, checked(inputs, outputs, std::move(options)))) {}

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
    return (impl().tuner ? impl().tuner->bytes() : impl().plain->bytes()) + (impl().guard ? impl().guard->bytes() : 0);
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

namespace {

void put_tuning(core::StateWriter& out, const Tuning& tuning) {
    for (const bool flag :
         {tuning.forgetting, tuning.variables, tuning.shrinkage, tuning.intercept, tuning.alarms, tuning.robust}) {
        out.put(static_cast<unsigned char>(flag));
    }
    out.put(tuning.names);
}

Tuning get_tuning(core::StateReader& in) {
    Tuning tuning;
    for (bool* flag : {&tuning.forgetting, &tuning.variables, &tuning.shrinkage, &tuning.intercept, &tuning.alarms,
                       &tuning.robust}) {
        *flag = in.get_flag();
    }
    in.get(tuning.names);
    in.require(tuning.names >= Names{} && tuning.names <= Names::all, "an option is none of its choices");
    return tuning;
}

}  // namespace

std::vector<std::byte> AdaptiveModel::save() const {
    if (impl().plain && !impl().guard) {
        return impl().plain->save();
    }
    core::StateWriter out;
    out.put(std::uint64_t{core::kAdaptiveMark});
    out.put(static_cast<std::uint64_t>(impl().p));
    out.put(static_cast<std::uint64_t>(impl().q));
    core::save_options(impl().options.model, out);
    out.put(impl().options.model.hold_bonus);
    put_tuning(out, impl().options.tuning);
    if (impl().guard) {
        impl().guard->save(out);
    }
    if (impl().tuner) {
        impl().tuner->save(out);
    } else {
        const std::vector<std::byte> plain = impl().plain->save();
        out.put_bytes(plain);
    }
    return out.framed();
}

AdaptiveModel AdaptiveModel::load(std::span<const std::byte> bytes) {
    core::StateReader in(bytes);
    std::uint64_t mark = 0;
    in.get(mark);
    in.require(mark != core::kFollowedMark,
               "it is a self-tuning model of an earlier kind, which cannot continue: start again from the data");
    if (mark != core::kAdaptiveMark) {
        return AdaptiveModel(StreamModel::load(bytes));
    }
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    in.get(inputs);
    in.get(outputs);
    // Sizes that the bytes cannot hold are refused before any allocation.
    const std::uint64_t most = in.left() / sizeof(double);
    in.require(inputs >= 1 && outputs >= 1 && inputs <= most && outputs <= most && outputs <= most / inputs,
               "its sizes do not fit its length");
    AdaptiveOptions options{.model = core::load_options(in), .tuning = {}};
    in.get(options.model.hold_bonus);
    options.tuning = get_tuning(in);
    in.require(options.problems(inputs, outputs).empty() && (options.tuning.any() || options.tuning.robust),
               "its options break the rules");
    try {
        auto impl = std::make_unique<Impl>(inputs, outputs, options);
        if (impl->guard) {
            impl->guard->load(in);
        }
        if (impl->tuner) {
            impl->tuner->load(in);
        } else {
            impl->plain = StreamModel::load(in.take_bytes(in.left()));
            in.require(impl->plain->inputs() == inputs && impl->plain->outputs() == outputs &&
                           impl->plain->options() == options.model,
                       "its model is another one than its options say");
        }
        in.require(in.left() == 0, "it goes on after its end");
        return AdaptiveModel(std::move(impl));
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

}  // namespace sluice
