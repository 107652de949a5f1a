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
#include "sluice/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "engine.hpp"
#include "gram.hpp"
#include "kernels.hpp"
#include "moments.hpp"
#include "options_state.hpp"
#include "regress.hpp"
#include "sluice/error.hpp"
#include "sparsify.hpp"
#include "state.hpp"
#include "step.hpp"
#include "text.hpp"
#include "working.hpp"

namespace sluice {

namespace {

// Of the first rows the screen knows too little; they decide nothing.
constexpr std::uint64_t kLeastRows = 100;

double finite(double value) {
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::clamp(value, -kMost, kMost);
}

// Whether all numbers are tame: none missing, none very large. Throws where one is infinite.
bool check_row(std::span<const double> row, std::size_t width, const char* name, const char* what) {
    if (row.size() != width) {
        throw DataError(std::string(name) + " has " + core::text(row.size()) + " numbers: this model has " +
                        core::text(width) + " " + what);
    }
    if (core::kernels::within(row.data(), nullptr, row.size(), core::Moments::kTame)) {
        return true;
    }
    for (std::size_t i = 0; i < width; ++i) {
        if (std::isinf(row[i])) {
            throw DataError(std::string(name) + "[" + core::text(i) + "] is " + core::text(row[i]) +
                            ": must be finite, or NaN where missing");
        }
    }
    return false;
}

// What came into an ascending list and what went out of it. Nearly all is in both: no branch on which is smaller.
void compare(std::span<const std::size_t> before, std::span<const std::size_t> after, std::vector<std::size_t>& entered,
             std::vector<std::size_t>& left) {
    entered.resize(after.size() + 1);  // one more than can enter: what is not counted is written all the same
    left.resize(before.size() + 1);
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < before.size() && j < after.size()) {
        const std::size_t a = before[i];
        const std::size_t b = after[j];
        const std::size_t least = std::min(a, b);
        left[out] = a;
        entered[in] = b;
        out += b != least ? 1U : 0U;
        in += a != least ? 1U : 0U;
        i += a == least ? 1U : 0U;
        j += b == least ? 1U : 0U;
    }
    entered.resize(in);
    left.resize(out);
    entered.insert(entered.end(), after.begin() + static_cast<std::ptrdiff_t>(j), after.end());
    left.insert(left.end(), before.begin() + static_cast<std::ptrdiff_t>(i), before.end());
}

StreamOptions checked(std::size_t inputs, std::size_t outputs, StreamOptions options) {
    auto problems = options.problems(inputs, outputs);
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

}  // namespace

struct StreamModel::Impl {
    Impl(std::size_t inputs, std::size_t outputs, StreamOptions given)
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

    void predict(std::span<const double> x, std::span<double> y) const;
    [[nodiscard]] StepReport learn(std::span<const double> x, std::span<const double> y, bool tame);
    void mind_the_screen();
    void change_engine(Engine engine);
    [[nodiscard]] const core::Component& component(std::size_t r) const;
    [[nodiscard]] double coefficient(std::size_t place, std::size_t output) const;
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

    std::size_t p;
    std::size_t q;
    StreamOptions options;
    std::uint64_t rows_met = 0;
    double loose = 0.0;  // how often of late the screen could not tell inputs apart
    core::Moments moments;
    core::Step step;

    // What a report points to.
    std::vector<double> filled;           // the row's outputs, with the model's own prediction where one is missing
    std::vector<unsigned char> observed;  // whether each output was there
    std::vector<double> predicted;
    std::vector<std::size_t> before;
    std::vector<std::size_t> entered;
    std::vector<std::size_t> left;
};

void StreamModel::Impl::predict(std::span<const double> x, std::span<double> y) const {
    const core::Coefficients& fit = step.coefficients();
    const std::size_t size = fit.selected.size();
    const auto e = step.working().output_units();
    std::ranges::fill(y, 0.0);
    constexpr std::size_t kAtATime = 64;
    std::array<double, kAtATime> d;          // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    std::array<double, kAtATime> deviation;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t first = 0; first < size; first += kAtATime) {
        const std::size_t count = std::min(kAtATime, size - first);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t j = fit.selected[first + i];
            d[i] = step.working().input_unit(moments, j);
            deviation[i] = step.clipped_deviation(moments, j, x[j]);
        }
        for (std::size_t k = 0; k < q; ++k) {
            const double* beta = fit.beta.data() + (k * size) + first;
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

StepReport StreamModel::Impl::learn(std::span<const double> x, std::span<const double> y, bool tame) {
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
        report.outcome = step.run(moments, x, filled);
        mind_the_screen();
    }
    report.held_components = step.held_components();
    report.constant_inputs = p - step.working().varying_inputs();
    report.engine = moments.gram().engine();
    report.unscreened = step.unscreened();
    report.selected = step.coefficients().selected;
    compare(before, report.selected, entered, left);
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

StreamModel::StreamModel(std::size_t inputs, std::size_t outputs, StreamOptions options)
    : impl_(std::make_unique<Impl>(inputs, outputs, std::move(options))) {}
StreamModel::StreamModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StreamModel::~StreamModel() = default;
StreamModel::StreamModel(const StreamModel& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
StreamModel& StreamModel::operator=(const StreamModel& other) {
    if (this != &other) {
        impl_ = std::make_unique<Impl>(*other.impl_);
    }
    return *this;
}
StreamModel::StreamModel(StreamModel&&) noexcept = default;
StreamModel& StreamModel::operator=(StreamModel&&) noexcept = default;

std::vector<double> StreamModel::predict(std::span<const double> x) const {
    std::vector<double> y(impl_->q);
    predict(x, y);
    return y;
}

void StreamModel::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, impl_->p, "x", "inputs");
    if (y.size() != impl_->q) {
        throw DataError("y has room for " + core::text(y.size()) + " numbers: this model has " + core::text(impl_->q) +
                        " outputs");
    }
    impl_->predict(x, y);
}

StepReport StreamModel::learn(std::span<const double> x, std::span<const double> y) {
    const bool tame = check_row(x, impl_->p, "x", "inputs");
    check_row(y, impl_->q, "y", "outputs");
    return impl_->learn(x, y, tame);
}

StepReport StreamModel::learn_many(const Rows& x, const Rows& y) {
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

std::size_t StreamModel::inputs() const noexcept {
    return impl_->p;
}
std::size_t StreamModel::outputs() const noexcept {
    return impl_->q;
}
std::size_t StreamModel::components() const noexcept {
    return impl_->step.components().size();
}
const StreamOptions& StreamModel::options() const noexcept {
    return impl_->options;
}
std::uint64_t StreamModel::rows_met() const noexcept {
    return impl_->rows_met;
}
std::uint64_t StreamModel::rows_learned() const noexcept {
    return impl_->moments.rows();
}
double StreamModel::weight() const noexcept {
    return impl_->moments.weight();
}

Engine StreamModel::engine() const noexcept {
    return impl_->moments.gram().engine();
}
std::size_t StreamModel::bytes() const noexcept {
    return impl_->moments.bytes() + core::step_bytes(impl_->p, impl_->q, impl_->options);
}
void StreamModel::use_engine(Engine engine) {
    engine = engine == Engine::automatic ? core::plan_engine(impl_->p, impl_->q, impl_->options) : engine;
    if (engine == impl_->moments.gram().engine()) {
        return;
    }
    if (!core::engine_suits(engine, impl_->p, impl_->options)) {
        throw StateError("engine = " + std::string(name_of(engine)) + " does not suit this model's options");
    }
    if (impl_->moments.gram().history() == nullptr) {
        throw StateError("engine = " + std::string(name_of(impl_->moments.gram().engine())) +
                         " keeps no history of rows: a model with another engine must learn anew");
    }
    impl_->change_engine(engine);
}

std::span<const double> StreamModel::weights(std::size_t component) const {
    return impl_->component(component).u;
}
std::span<const std::size_t> StreamModel::selected(std::size_t component) const {
    return impl_->component(component).support;
}
std::span<const std::size_t> StreamModel::selected() const {
    return impl_->step.coefficients().selected;
}

Matrix StreamModel::loadings() const {
    Matrix W(components(), impl_->q);
    impl_->step.loadings(impl_->moments, {W.data(), W.rows() * W.cols()});
    return W;
}

Matrix StreamModel::coefficients() const {
    Matrix beta(impl_->p, impl_->q);
    const auto selected = impl_->step.coefficients().selected;
    for (std::size_t k = 0; k < impl_->q; ++k) {
        for (std::size_t i = 0; i < selected.size(); ++i) {
            beta(selected[i], k) = impl_->coefficient(i, k);
        }
    }
    return beta;
}

std::vector<double> StreamModel::intercept() const {
    std::vector<double> intercept(impl_->q, 0.0);
    if (!impl_->options.center) {
        return intercept;
    }
    const core::Coefficients& fit = impl_->step.coefficients();
    const std::size_t size = fit.selected.size();
    const auto e = impl_->step.working().output_units();
    for (std::size_t k = 0; k < impl_->q; ++k) {
        double along = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t j = fit.selected[i];
            along += impl_->step.working().input_unit(impl_->moments, j) * fit.beta[(k * size) + i] *
                     impl_->moments.input_mean(j);
        }
        const double value = impl_->moments.output_mean(k) - (e[k] > 0.0 ? along / e[k] : 0.0);
        intercept[k] = finite(impl_->moments.output_in_callers_units(k, value));
    }
    return intercept;
}

std::vector<double> StreamModel::input_means() const {
    std::vector<double> means(impl_->p);
    for (std::size_t j = 0; j < impl_->p; ++j) {
        means[j] = impl_->moments.input_in_callers_units(j, impl_->moments.input_mean(j));
    }
    return means;
}

std::vector<double> StreamModel::output_means() const {
    std::vector<double> means(impl_->q);
    for (std::size_t k = 0; k < impl_->q; ++k) {
        means[k] = impl_->moments.output_in_callers_units(k, impl_->moments.output_mean(k));
    }
    return means;
}

std::vector<double> StreamModel::input_deviations() const {
    std::vector<double> deviations(impl_->p);
    for (std::size_t j = 0; j < impl_->p; ++j) {
        deviations[j] = impl_->moments.input_in_callers_units(j, std::sqrt(impl_->moments.input_variance(j)));
    }
    return deviations;
}

std::vector<double> StreamModel::output_deviations() const {
    std::vector<double> deviations(impl_->q);
    for (std::size_t k = 0; k < impl_->q; ++k) {
        deviations[k] = impl_->moments.output_in_callers_units(k, std::sqrt(impl_->moments.output_variance(k)));
    }
    return deviations;
}

Matrix StreamModel::input_moments() const {
    Matrix C(impl_->p, impl_->p);
    core::Buffer<double> column(core::padded(impl_->p));
    const core::OwnGram gram(impl_->moments.gram().clone());  // asking changes what an engine keeps at hand
    for (std::size_t j = 0; j < impl_->p; ++j) {
        const double one = 1.0;
        if (gram->prepare({&j, 1}, impl_->moments.input_squares(), impl_->moments.workers())) {
            gram->multiply({&j, 1}, {&one, 1}, 1, column.data(), column.size(), impl_->moments.workers());
        }
        for (std::size_t i = 0; i < impl_->p; ++i) {
            const double half = impl_->moments.input_in_callers_units(i, impl_->moments.scale() * column[i]);
            C(i, j) = finite(impl_->moments.input_in_callers_units(j, half));
        }
    }
    return C;
}

Matrix StreamModel::cross_moments() const {
    Matrix M(impl_->p, impl_->q);
    for (std::size_t k = 0; k < impl_->q; ++k) {
        for (std::size_t j = 0; j < impl_->p; ++j) {
            const double half =
                impl_->moments.input_in_callers_units(j, impl_->moments.scale() * impl_->moments.cross(j, k));
            M(j, k) = finite(impl_->moments.output_in_callers_units(k, half));
        }
    }
    return M;
}

void StreamModel::Impl::save(core::StateWriter& out) const {
    out.put(rows_met);
    out.put(moments.gram().engine());
    out.put(loose);
    moments.save(out);
    step.save(out);
}

void StreamModel::Impl::load(core::StateReader& in) {
    in.get(rows_met);
    Engine engine{};
    in.get(engine);
    in.require(engine >= Engine::dense && engine <= Engine::columns, "its engine is unknown");
    if (engine != moments.gram().engine()) {
        in.require(core::engine_suits(engine, p, options), "its engine does not suit its options");
        moments.change_engine(core::OwnGram(core::make_gram(engine, p, q, options)));
    }
    in.get(loose);
    moments.load(in);
    step.load(in, moments);
    in.require(in.left() == 0, "it goes on after its end");
}

std::vector<std::byte> StreamModel::save() const {
    core::StateWriter out;
    out.put(static_cast<std::uint64_t>(impl_->p));
    out.put(static_cast<std::uint64_t>(impl_->q));
    core::save_options(impl_->options, out);
    impl_->save(out);
    return out.framed();
}

StreamModel StreamModel::load(std::span<const std::byte> bytes) {
    core::StateReader in(bytes);
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    in.get(inputs);
    in.get(outputs);
    // The cross-moments alone need p q numbers: sizes that the bytes cannot hold are refused before any allocation.
    const std::uint64_t most = in.left() / sizeof(double);
    in.require(inputs >= 1 && outputs >= 1 && inputs <= most && outputs <= most && outputs <= most / inputs,
               "its sizes do not fit its length");
    StreamOptions options = core::load_options(in);
    in.require(options.problems(inputs, outputs).empty(), "its options break the rules");
    // Each component has vectors as long as the inputs: a few bytes must not claim thousands of them.
    constexpr std::uint64_t kMostPerNumber = 64;
    in.require(options.components_for(inputs) <= kMostPerNumber * (most / inputs), "its sizes do not fit its length");
    try {
        auto impl = std::make_unique<Impl>(inputs, outputs, std::move(options));
        impl->load(in);
        return StreamModel(std::move(impl));
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

void StreamModel::merge(const StreamModel& later) {
    const Impl& next = *later.impl_;
    if (next.p != impl_->p || next.q != impl_->q || !(next.options == impl_->options)) {
        throw DataError("the later model differs in inputs, outputs or options: only models made alike can be merged");
    }
    Impl joined = next;  // directions go on from the later rows, unless it has none
    joined.rows_met = impl_->rows_met + next.rows_met;
    joined.moments = impl_->moments;
    joined.moments.append(next.moments);
    if (next.moments.rows() == 0) {
        joined.step = impl_->step;
    }
    joined.step.run_anew(joined.moments);
    *impl_ = std::move(joined);
}

}  // namespace sluice
