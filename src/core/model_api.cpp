// model_api.cpp -- the public face of the on-line model: checks, and answers in the caller's units.
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

}  // namespace sluice
