// adaptive.cpp -- the public interface of the self-tuning model.
#include "sluice/adaptive.hpp"

#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "options_state.hpp"
#include "row_check.hpp"
#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "text.hpp"
#include "tuner.hpp"

namespace sluice {

namespace {

StreamOptions checked(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options) {
    auto problems = options.problems(inputs, outputs);
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options.model;
}

}  // namespace

/// One of the two: a model as it is, or one that tunes itself.
struct AdaptiveModel::Impl {
    AdaptiveOptions options;
    std::size_t p = 0;
    std::size_t q = 0;
    std::optional<StreamModel> plain = std::nullopt;
    std::optional<tune::Tuner> tuner = std::nullopt;

    [[nodiscard]] const StreamModel& current() const { return tuner ? tuner->lead().model() : *plain; }
};

AdaptiveModel::AdaptiveModel(std::size_t inputs, std::size_t outputs, AdaptiveOptions options)
    : impl_(std::make_unique<Impl>()) {
    const StreamOptions model = checked(inputs, outputs, options);
    impl_->options = std::move(options);
    impl_->p = inputs;
    impl_->q = outputs;
    if (impl_->options.tuning.any()) {
        impl_->tuner.emplace(inputs, outputs, impl_->options);
    } else {
        impl_->plain.emplace(inputs, outputs, model);
    }
}

AdaptiveModel::AdaptiveModel(StreamModel model) : impl_(std::make_unique<Impl>()) {
    impl_->options = {.model = model.options(), .tuning = Tuning::off()};
    impl_->p = model.inputs();
    impl_->q = model.outputs();
    impl_->plain = std::move(model);
}

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
    if (impl().plain) {
        impl().plain->predict(x, y);
        return;
    }
    core::check_row(x, impl().p, "x", "inputs");
    if (y.size() != impl().q) {
        throw DataError("y has room for " + core::text(y.size()) + " numbers: this model has " + core::text(impl().q) +
                        " outputs");
    }
    impl().tuner->predict(x, y);
}

StepReport AdaptiveModel::learn(std::span<const double> x, std::span<const double> y) {
    if (impl().plain) {
        return impl().plain->learn(x, y);
    }
    const bool in_range = core::check_row(x, impl().p, "x", "inputs");
    core::check_row(y, impl().q, "y", "outputs");
    return impl().tuner->learn(x, y, in_range);
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
    return impl().tuner ? impl().tuner->rows_met() : impl().plain->rows_met();
}
std::size_t AdaptiveModel::bytes() const noexcept {
    return impl().tuner ? impl().tuner->bytes() : impl().plain->bytes();
}
const StreamModel& AdaptiveModel::current() const noexcept {
    return impl().current();
}
std::span<const std::size_t> AdaptiveModel::selected() const noexcept {
    return impl().tuner ? impl().tuner->selected() : impl().plain->selected();
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
    for (const bool flag : {tuning.forgetting, tuning.variables, tuning.shrinkage, tuning.intercept, tuning.alarms}) {
        out.put(static_cast<unsigned char>(flag));
    }
    out.put(tuning.names);
}

Tuning get_tuning(core::StateReader& in) {
    Tuning tuning;
    for (bool* flag : {&tuning.forgetting, &tuning.variables, &tuning.shrinkage, &tuning.intercept, &tuning.alarms}) {
        *flag = in.get_flag();
    }
    in.get(tuning.names);
    in.require(tuning.names >= Names{} && tuning.names <= Names::all, "an option is none of its choices");
    return tuning;
}

}  // namespace

std::vector<std::byte> AdaptiveModel::save() const {
    if (impl().plain) {
        return impl().plain->save();
    }
    core::StateWriter out;
    out.put(std::uint64_t{core::kAdaptiveMark});
    out.put(static_cast<std::uint64_t>(impl().p));
    out.put(static_cast<std::uint64_t>(impl().q));
    core::save_options(impl().options.model, out);
    out.put(impl().options.model.hold_bonus);
    put_tuning(out, impl().options.tuning);
    impl().tuner->save(out);
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
    in.require(options.problems(inputs, outputs).empty() && options.tuning.any(), "its options break the rules");
    try {
        auto impl = std::make_unique<Impl>();
        impl->p = inputs;
        impl->q = outputs;
        impl->tuner.emplace(inputs, outputs, options);
        impl->options = std::move(options);
        impl->tuner->load(in);
        in.require(in.left() == 0, "it goes on after its end");
        return AdaptiveModel(std::move(impl));
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

}  // namespace sluice
