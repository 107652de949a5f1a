#include "memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine.hpp"
#include "factor_kernels.hpp"
#include "gram.hpp"
#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kFour = 4;
constexpr double kLeastRidge = 1e-9;  // of a unit diagonal: two columns that are the same can still be solved for
constexpr double kMostPrediction = 1e70;
constexpr std::size_t kMostNames = kSizes.back();

double weight_ratio(const core::Moments& moments, std::size_t k) {
    const double n_k = moments.outputs.weight(k);
    return n_k > 0.0 ? moments.inputs.weight() / n_k : 0.0;
}

// All of C: with few inputs it needs less room in a saved state than the history of the shortest memory, and up to this number the
// path, whose variables change, costs less. Measured at 1,000 inputs: 200 microseconds a row instead of 211, without bursts.
constexpr std::size_t kAllOfC = 1500;

bool keeps_all_of_C(const StreamModel& model) {
    StreamOptions options = model.options();
    if (options.engine != Engine::automatic || options.history == HistoryKind::none || model.inputs() > kAllOfC) {
        return false;
    }
    options.engine = Engine::dense;
    return core::engine_problem(model.inputs(), model.outputs(), options).empty();
}

}  // namespace

Memory::Memory(std::size_t inputs, std::size_t outputs, StreamOptions options, const ReadingPlan& plan)
    : model_(inputs, outputs, std::move(options)), regression_(inputs, model_.options()) {
    if (plan.path) {  // it asks for products with C at all inputs
        model_.use_engine(keeps_all_of_C(model_) ? Engine::dense
                                                 : core::plan_engine_with_products(inputs, outputs, model_.options()));
    }
    const std::size_t most = plan.path ? plan.sizes.back() : inputs;
    variables_.reserve(most);
    if (plan.path) {
        d_.reserve(most);
        block_.reserve(most * (most + outputs));
        L_.reserve(kernels::kFactorRow * (most + outputs));
        fit_.selected.reserve(most);
        fit_.beta.reserve(most * outputs);
    } else {
        betas_.resize(plan.shrinkages.size());
        const std::size_t largest = model_.options().gamma ? 0 : core::most_selected(inputs, model_.options());
        for (auto& beta : betas_) {
            beta.reserve(largest * outputs);
        }
        regression_.reserve(largest);
    }
}

void Memory::refit(std::span<const std::size_t> path, const ReadingPlan& plan, const Read& read) {
    const core::Moments& m = moments();
    const std::size_t q = model_.outputs();
    const std::size_t size = path.size();
    variables_.assign(path.begin(), path.end());
    d_.resize(size);
    block_.resize(size * (size + q));
    L_.resize(kernels::kFactorRow * (size + q));
    if (size == 0) {
        return;
    }
    const bool fits = m.inputs.gram().prepare(path, m.inputs.squares(), m.inputs.workers());
    (void)fits;
    if (read.block.empty()) {
        m.inputs.gram().block(path, std::span(block_).first(size * size));
        for (std::size_t i = 0; i < size; ++i) {
            d_[i] = units().input_unit(m, path[i]);
        }
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                block_[(i * size) + j] *= d_[i] * d_[j];
            }
        }
    } else {
        for (std::size_t i = 0; i < size; ++i) {
            const double* row = read.block.data() + (read.order[i] * size);
            const double d = read.units[read.order[i]];
            d_[i] = d;
            for (std::size_t j = 0; j <= i; ++j) {
                block_[(i * size) + j] = row[read.order[j]] * (d * d_[j]);
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (d_[i] == 0.0) {
            block_[(i * size) + i] = 1.0;
        }
    }
    for (std::size_t k = 0; k < q; ++k) {
        const double unit = units().output_units()[k] * weight_ratio(m, k);
        double* z = block_.data() + (size * (size + k));
        for (std::size_t i = 0; i < size; ++i) {
            z[i] = d_[i] * m.inputs.cross(path[i], k) * unit;
        }
    }
    std::array<double, kFour> ridges{};
    const double n = std::max(m.inputs.weight(), 1e-300);
    for (std::size_t r = 0; r < kFour; ++r) {
        ridges[r] = std::max(plan.shrinkages[std::min(r, plan.shrinkages.size() - 1)] / n, kLeastRidge);
    }
    kernels::factor_four(block_.data(), size, q, ridges.data(), L_.data());
}

const double* Memory::z_of(std::size_t output) const {
    return L_.data() + (kernels::kFactorRow * (variables_.size() + output));
}

void Memory::predict_by_path(std::span<const double> x, std::span<double> v) const {
    const core::Predictor predictor = impl().predictor();
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const std::size_t j = variables_[i];
        const double u = d_[i] * predictor.clipped_deviation(j, x[j]);
        std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(kFour * i), kFour, u);
    }
    kernels::forward_four(L_.data(), variables_.size(), v.data());
}

void Memory::predict(std::span<const double> x, std::span<const OutputUnit> out_units, double* base,
                     std::size_t output_stride, const ReadingPlan& plan) const {
    const core::Moments& m = moments();
    const std::size_t size = variables_.size();
    std::array<double, kFour * kMostNames> v;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    if (plan.path && size > 0) {
        predict_by_path(x, v);
    }
    const core::Predictor predictor = impl().predictor();
    for (std::size_t k = 0; k < model_.outputs(); ++k) {
        double* to = base + (k * output_stride);
        const OutputUnit& unit = out_units[k];
        const double e = units().output_units()[k];
        const int exponent = m.outputs.units().known(k) ? m.outputs.units().exponent(k) : 0;
        const double scale =
            core::power_of_two(std::clamp(exponent - unit.exponent, -core::kExponentLimit, core::kExponentLimit));
        const double mean = m.inputs.centered() ? m.outputs.mean(k) : 0.0;
        if (plan.path) {  // all shrinkages side by side
            std::array<double, kFour * kSizes.size()>
                values;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
            kernels::predict_four(
                v.data(), z_of(k), size, plan.sizes,
                {.mean = mean, .unit = e, .scale = scale, .most = kMostPrediction, .low = unit.low, .high = unit.high},
                values.data());
            for (std::size_t r = 0; r < plan.grid.shrinkages; ++r) {
                double* row = to + (r * plan.grid.stride());
                for (std::size_t rung = 0; rung < plan.sizes.size(); ++rung) {
                    row[rung] = values[(kFour * rung) + r];
                }
                std::fill(row + plan.sizes.size(), row + plan.grid.stride(), 0.0);
            }
            continue;
        }
        std::fill_n(to, plan.grid.memory_cells(), 0.0);
        auto bounded = [&](double value) {
            // In this order of arguments a number that is none becomes the bound.
            const double scaled = std::max(-kMostPrediction, std::min(kMostPrediction, value * scale));
            return unit.low < unit.high ? std::clamp(scaled, unit.low, unit.high) : scaled;
        };
        for (std::size_t r = 0; r < plan.grid.shrinkages; ++r) {
            double* row = to + (r * plan.grid.stride());
            const core::Coefficients& fit = impl().step().fit();
            const std::vector<double>& beta = plan.refits ? betas_[r] : fit.beta;
            double sum = 0.0;
            for (std::size_t i = 0; i < fit.selected.size() && e > 0.0 && beta.size() == fit.beta.size(); ++i) {
                const std::size_t j = fit.selected[i];
                sum += units().input_unit(m, j) * beta[(k * fit.selected.size()) + i] *
                       predictor.clipped_deviation(j, x[j]);
            }
            row[0] = bounded(mean);
            row[1] = bounded(mean + (e > 0.0 ? sum / e : 0.0));
        }
    }
}

Outcome Memory::learn(std::span<const double> x, std::span<const double> y, bool in_range,
                      std::span<const double> prediction, bool select, const ReadingPlan& plan) {
    const Outcome outcome = impl().update(x, y, in_range, prediction, {.update_selection = select && !plan.path});
    if (outcome != Outcome::outputs_missing && !plan.path && plan.refits && select) {
        if (units().anything_varies()) {
            regression_.refit_each(moments(), units(), impl().step().fit().selected, plan.shrinkages, betas_);
        } else {
            std::ranges::for_each(betas_, [](auto& beta) { beta.clear(); });
        }
    }
    return outcome;
}

// beta = L'^-1 z on the first `names` variables, row by row of L: the sums do not wait for each other.
void Memory::solve_back(std::size_t output, std::size_t shrinkage, std::size_t names, std::span<double> beta) const {
    const double* z = z_of(output);
    for (std::size_t i = 0; i < names; ++i) {
        beta[i] = z[(kFour * i) + shrinkage];
    }
    for (std::size_t j = names; j-- > 0;) {
        const double* row = L_.data() + (kernels::kFactorRow * j) + shrinkage;
        beta[j] *= row[kFour * j];
        for (std::size_t i = 0; i < j; ++i) {
            beta[i] -= row[kFour * i] * beta[j];
        }
    }
}

void Memory::use(std::size_t names, std::size_t shrinkage, const ReadingPlan& plan) {
    if (!plan.path) {
        if (plan.refits && betas_[shrinkage].size() == impl().step().fit().beta.size()) {
            impl().use_shrinkage(plan.shrinkages[shrinkage], betas_[shrinkage]);
        }
        return;
    }
    const std::size_t size = std::min(names, variables_.size());
    const std::size_t q = model_.outputs();
    std::array<std::size_t, kMostNames> order{};
    for (std::size_t i = 0; i < size; ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(size),
              [&](std::size_t a, std::size_t b) { return variables_[a] < variables_[b]; });
    fit_.selected.resize(size);
    fit_.beta.resize(size * q);
    std::array<double, kMostNames> beta{};
    for (std::size_t i = 0; i < size; ++i) {
        fit_.selected[i] = variables_[order[i]];
    }
    for (std::size_t k = 0; k < q; ++k) {
        solve_back(k, shrinkage, size, beta);
        for (std::size_t i = 0; i < size; ++i) {
            fit_.beta[(k * size) + i] = beta[order[i]];
        }
    }
    impl().use_fit(fit_, plan.shrinkages[shrinkage]);
}

void Memory::coefficients(std::size_t output, std::size_t shrinkage, std::size_t names, const ReadingPlan& plan,
                          std::span<double> out) const {
    const core::Predictor predictor = impl().predictor();
    std::ranges::fill(out, 0.0);
    if (!plan.path) {
        const core::Coefficients& fit = impl().step().fit();
        const std::vector<double>& beta = plan.refits ? betas_[shrinkage] : fit.beta;
        for (std::size_t i = 0; i < fit.selected.size() && names > 0 && beta.size() == fit.beta.size(); ++i) {
            out[i] = predictor.coefficient(fit.selected[i], output, beta[(output * fit.selected.size()) + i]);
        }
        return;
    }
    const std::size_t size = std::min(names, variables_.size());
    std::array<double, kMostNames> beta{};
    solve_back(output, shrinkage, size, beta);
    for (std::size_t i = 0; i < size; ++i) {
        out[i] = predictor.coefficient(variables_[i], output, beta[i]);
    }
}

double Memory::intercept(std::size_t output, std::span<const double> coefficients, const ReadingPlan& plan) const {
    const core::Moments& m = moments();
    if (!m.inputs.centered()) {
        return 0.0;
    }
    double value = core::finite(m.outputs.units().in_callers_units(output, m.outputs.mean(output)));
    const auto variables = plan.path ? this->variables() : std::span(impl().step().fit().selected);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::size_t j = variables[i];
        const double mean = core::finite(m.inputs.units().in_callers_units(j, m.inputs.mean(j)));
        value = core::finite(value - core::finite(coefficients[i] * mean));
    }
    return value;
}

void Memory::save(core::StateWriter& out) const {
    out.put(model_.options().forgetting);
    out.put(model_.options().shrinkage);  // the other options follow from those of the whole model
    impl().save(out);
    for (const auto& beta : betas_) {
        out.put(static_cast<std::uint64_t>(beta.size()));
        out.put_all(beta);
    }
}

// Before version 5 of the saved state, each memory had a frame of its own.
void Memory::load_framed(core::StateReader& in) {
    std::uint64_t size = 0;
    in.get(size);
    const StreamOptions wanted = model_.options();
    const std::size_t inputs = model_.inputs();
    const std::size_t outputs = model_.outputs();
    StreamModel loaded = core::ModelAccess::load(in.take_bytes(size), in.added_inputs(), wanted.keep);
    StreamOptions without = loaded.options();
    without.shrinkage = wanted.shrinkage;
    in.require(loaded.inputs() == inputs && loaded.outputs() == outputs && without == wanted,
               "a memory does not have the options of the model");
    model_ = std::move(loaded);
}

void Memory::load(core::StateReader& in, std::span<const std::size_t> path, const ReadingPlan& plan) {
    if (in.current()) {
        StreamOptions options = model_.options();
        in.get(options.forgetting);
        in.require(options.forgetting == model_.options().forgetting,
                   "a memory does not have the options of the model");
        in.get(options.shrinkage);
        in.require(options.problems(model_.inputs(), model_.outputs()).empty(),
                   "the shrinkage of a memory is out of range");
        impl().load(in);
        const std::vector<double> beta = impl().step().fit().beta;
        impl().use_shrinkage(options.shrinkage, beta);
    } else {
        load_framed(in);
    }
    for (auto& beta : betas_) {
        std::uint64_t count = 0;
        in.get(count);
        in.require(count == 0 || count == impl().step().fit().beta.size(),
                   "a fit has the wrong number of coefficients");
        beta.resize(count);
        in.get_all(beta);
    }
    if (plan.path) {
        refit(path, plan);
    }
}

}  // namespace sluice::tune
