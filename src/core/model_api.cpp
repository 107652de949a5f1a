// model_api.cpp -- the public interface of the on-line model: checks, and answers in the caller's units.
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "buffer.hpp"
#include "engine.hpp"
#include "gram.hpp"
#include "model_impl.hpp"
#include "row_check.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice {

using core::check_row;
using core::finite;

StreamModel::StreamModel(std::size_t inputs, std::size_t outputs, StreamOptions options)
    : impl_(std::make_unique<Impl>(inputs, outputs, std::move(options))) {}
StreamModel::StreamModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StreamModel::~StreamModel() = default;
StreamModel::StreamModel(const StreamModel& other) : impl_(std::make_unique<Impl>(other.impl())) {}
StreamModel& StreamModel::operator=(const StreamModel& other) {
    if (this != &other) {
        impl_ = std::make_unique<Impl>(other.impl());
    }
    return *this;
}
StreamModel::StreamModel(StreamModel&&) noexcept = default;
StreamModel& StreamModel::operator=(StreamModel&&) noexcept = default;

StreamModel::Impl& StreamModel::impl() noexcept {
    assert(impl_ != nullptr && "a StreamModel that was moved from is used");
    return *impl_;
}
const StreamModel::Impl& StreamModel::impl() const noexcept {
    assert(impl_ != nullptr && "a StreamModel that was moved from is used");
    return *impl_;
}

std::vector<double> StreamModel::predict(std::span<const double> x) const {
    std::vector<double> y(outputs());
    predict(x, y);
    return y;
}

void StreamModel::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs(), "x", "inputs");
    if (y.size() != outputs()) {
        throw DataError("y has room for " + core::text(y.size()) + " numbers: this model has " + core::text(outputs()) +
                        " outputs");
    }
    impl().predict(x, y);
}

StepReport StreamModel::learn(std::span<const double> x, std::span<const double> y) {
    const bool in_range = check_row(x, inputs(), "x", "inputs");
    check_row(y, outputs(), "y", "outputs");
    return impl().learn(x, y, in_range);
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
    return impl().inputs();
}
std::size_t StreamModel::outputs() const noexcept {
    return impl().outputs();
}
std::size_t StreamModel::components() const noexcept {
    return impl().step().components().size();
}
const StreamOptions& StreamModel::options() const noexcept {
    return impl().options();
}
std::uint64_t StreamModel::rows_met() const noexcept {
    return impl().rows_met();
}
std::uint64_t StreamModel::rows_learned() const noexcept {
    return impl().moments().inputs.rows();
}
double StreamModel::weight() const noexcept {
    return impl().moments().inputs.weight();
}

Engine StreamModel::engine() const noexcept {
    return impl().moments().inputs.gram().engine();
}
std::size_t StreamModel::bytes() const noexcept {
    return impl().moments().inputs.bytes() + core::step_bytes(inputs(), outputs(), options());
}
void StreamModel::use_engine(Engine wanted) {
    wanted = wanted == Engine::automatic ? core::plan_engine(inputs(), outputs(), options()) : wanted;
    if (wanted == engine()) {
        return;
    }
    if (!core::engine_suits(wanted, inputs(), options())) {
        throw StateError("engine = " + std::string(name_of(wanted)) + " does not suit this model's options");
    }
    if (impl().moments().inputs.gram().history() == nullptr) {
        throw StateError(
            "engine = " + std::string(name_of(engine())) +
            " keeps no history of rows, from which another engine could start: make a new model with engine = " +
            std::string(name_of(wanted)));
    }
    impl().change_engine(wanted);
}

namespace {

const core::Component& component_of(const core::Step& step, std::size_t r) {
    if (r >= step.components().size()) {
        throw DataError("component " + core::text(r) + " was asked for: this model has 0 to " +
                        core::text(step.components().size() - 1));
    }
    return step.components()[r];
}

}  // namespace

std::span<const double> StreamModel::weights(std::size_t component) const {
    return component_of(impl().step(), component).u;
}
std::span<const std::size_t> StreamModel::selected(std::size_t component) const {
    return component_of(impl().step(), component).support;
}
std::span<const std::size_t> StreamModel::selected() const {
    return impl().step().fit().selected;
}

Matrix StreamModel::loadings() const {
    Matrix W(components(), outputs());
    impl().step().loadings(impl().moments(), impl().units(), {W.data(), W.rows() * W.cols()});
    return W;
}

Matrix StreamModel::coefficients() const {
    Matrix beta(inputs(), outputs());
    const core::Coefficients& fit = impl().step().fit();
    const std::size_t size = fit.selected.size();
    for (std::size_t k = 0; k < outputs(); ++k) {
        for (std::size_t i = 0; i < size; ++i) {
            beta(fit.selected[i], k) = impl().predictor().coefficient(fit.selected[i], k, fit.beta[(k * size) + i]);
        }
    }
    return beta;
}

std::vector<double> StreamModel::intercept() const {
    std::vector<double> intercept(outputs());
    const core::Coefficients& fit = impl().step().fit();
    const std::size_t size = fit.selected.size();
    for (std::size_t k = 0; k < outputs(); ++k) {
        intercept[k] = impl().predictor().intercept(fit.selected, std::span(fit.beta).subspan(k * size, size), k);
    }
    return intercept;
}

std::vector<double> StreamModel::input_means() const {
    const core::InputMoments& moments = impl().moments().inputs;
    std::vector<double> means(inputs());
    for (std::size_t j = 0; j < means.size(); ++j) {
        means[j] = moments.units().in_callers_units(j, moments.mean(j));
    }
    return means;
}

std::vector<double> StreamModel::output_means() const {
    const core::OutputMoments& moments = impl().moments().outputs;
    std::vector<double> means(outputs());
    for (std::size_t k = 0; k < means.size(); ++k) {
        means[k] = moments.units().in_callers_units(k, moments.mean(k));
    }
    return means;
}

std::vector<double> StreamModel::input_deviations() const {
    const core::InputMoments& moments = impl().moments().inputs;
    std::vector<double> deviations(inputs());
    for (std::size_t j = 0; j < deviations.size(); ++j) {
        deviations[j] = moments.units().in_callers_units(j, std::sqrt(moments.variance(j)));
    }
    return deviations;
}

std::vector<double> StreamModel::output_deviations() const {
    const core::OutputMoments& moments = impl().moments().outputs;
    std::vector<double> deviations(outputs());
    for (std::size_t k = 0; k < deviations.size(); ++k) {
        deviations[k] = moments.units().in_callers_units(k, std::sqrt(moments.variance(k)));
    }
    return deviations;
}

Matrix StreamModel::input_moments() const {
    const core::InputMoments& moments = impl().moments().inputs;
    Matrix C(inputs(), inputs());
    core::Buffer<double> column(core::padded(inputs()));
    const core::OwnGram gram(moments.gram().clone());  // asking changes what an engine keeps at hand
    for (std::size_t j = 0; j < inputs(); ++j) {
        const double one = 1.0;
        if (gram->prepare({&j, 1}, moments.squares(), moments.workers())) {
            gram->multiply({&j, 1}, {&one, 1}, 1, column.data(), column.size(), moments.workers());
        }
        for (std::size_t i = 0; i < inputs(); ++i) {
            const double half = moments.units().in_callers_units(i, moments.scale() * column[i]);
            C(i, j) = finite(moments.units().in_callers_units(j, half));
        }
    }
    return C;
}

Matrix StreamModel::cross_moments() const {
    const core::Moments& moments = impl().moments();
    Matrix M(inputs(), outputs());
    for (std::size_t k = 0; k < outputs(); ++k) {
        for (std::size_t j = 0; j < inputs(); ++j) {
            const double stored = moments.inputs.scale() * moments.inputs.cross(j, k);
            const double half = moments.inputs.units().in_callers_units(j, stored);
            M(j, k) = finite(moments.outputs.units().in_callers_units(k, half));
        }
    }
    return M;
}

}  // namespace sluice
