#include "robustness.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <span>

#include "budget.hpp"
#include "format_to.hpp"
#include "recursive_least_squares.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::bench {

namespace {

constexpr std::size_t kApart = 200;   // rows from one fault to the next
constexpr std::size_t kScored = 100;  // rows after it
constexpr std::size_t kRun = 5;
constexpr std::size_t kStartsApart = 5;

// A learner as the harness sees it.
struct Contestant {
    std::function<void(std::span<const double>, std::span<double>)> predict;
    std::function<void(std::span<const double>, std::span<const double>)> learn;
};

Contestant contestant(Learner learner, const TaskRows& rows, std::shared_ptr<AdaptiveModel>& model) {
    if (learner == Learner::recursive) {
        auto rls = std::make_shared<baselines::RecursiveLeastSquares>(rows.inputs, rows.outputs);
        return {.predict = [rls](auto x, auto y) { rls->predict(x, y); },
                .learn = [rls](auto x, auto y) { rls->learn(x, y); }};
    }
    AdaptiveOptions options = with_budget({.names = 20, .found = true}, rows.inputs);
    options.tuning.robust = learner == Learner::robust;
    model = std::make_shared<AdaptiveModel>(rows.inputs, rows.outputs, options);
    return {.predict = [model](auto x, auto y) { model->predict(x, y); },
            .learn = [model](auto x, auto y) { (void)model->learn(x, y); }};
}

struct Spread {
    double mean = 0.0;
    double deviation = 0.0;
};
std::vector<Spread> spreads(const std::vector<double>& values, std::size_t width) {
    std::vector<Spread> out(width);
    for (std::size_t j = 0; j < width; ++j) {
        double count = 0.0;
        double square = 0.0;
        for (std::size_t t = 0; t * width < values.size(); ++t) {
            const double value = values[(t * width) + j];
            if (!std::isnan(value)) {
                count += 1.0;
                const double step = value - out[j].mean;
                out[j].mean += step / count;
                square += step * (value - out[j].mean);
            }
        }
        out[j].deviation = count > 1.0 ? std::sqrt(square / count) : 1.0;
    }
    return out;
}

// The rows with faults, and which of them are scored.
struct Faulty {
    TaskRows rows;
    std::vector<unsigned char> scored;
};

Faulty with_faults(const TaskRows& clean, Fault fault, std::size_t warmup, const std::vector<std::size_t>& important,
                   const std::vector<Spread>& of_x, const std::vector<Spread>& of_y, std::uint64_t seed) {
    Faulty out{.rows = clean, .scored = std::vector<unsigned char>(clean.count(), 0)};
    NormalSource normal(seed);
    const std::size_t first = std::max(warmup, kApart);
    if (fault == Fault::label_noise) {
        for (std::size_t t = first; t < clean.count(); ++t) {
            const bool wrong = std::abs(normal.next()) > 2.5758;  // one in a hundred
            const std::size_t k = t % clean.outputs;
            if (wrong) {
                out.rows.y[(t * clean.outputs) + k] = of_y[k].mean + (20.0 * of_y[k].deviation * normal.next());
            }
            out.scored[t] = wrong ? 0 : 1;
        }
        return out;
    }
    std::size_t number = 0;
    for (std::size_t at = first; at + kRun < clean.count(); at += kApart, ++number) {
        const std::size_t k = number % clean.outputs;
        const std::size_t i = important[at];
        const bool run = fault == Fault::label_zeros || fault == Fault::input_zeros || fault == Fault::input_stuck;
        const std::size_t end = at + (run ? kRun : 1);
        for (std::size_t t = at; t < end; ++t) {
            double& y = out.rows.y[(t * clean.outputs) + k];
            double& x = out.rows.x[(t * clean.inputs) + i];
            switch (fault) {
                case Fault::label_times_10:
                    y *= 10.0;
                    break;
                case Fault::label_times_1e4:
                    y *= 1e4;
                    break;
                case Fault::label_sign:
                    y = -y;
                    break;
                case Fault::label_zeros:
                    y = 0.0;
                    break;
                case Fault::input_spike:
                    x = of_x[i].mean + (1e4 * of_x[i].deviation);
                    break;
                case Fault::input_zeros:
                    x = 0.0;
                    break;
                case Fault::input_stuck:
                    x = clean.x[((at - 1) * clean.inputs) + i];
                    break;
                case Fault::label_noise:
                    break;
            }
        }
        for (std::size_t t = end; t < std::min(end + kScored, clean.count()); ++t) {
            out.scored[t] = 1;
        }
    }
    return out;
}

// Squared errors of each row, over the variances of the outputs, against the labels of `clean`.
std::vector<double> row_errors(Learner learner, const TaskRows& rows, const TaskRows& clean,
                               const std::vector<Spread>& of_y, std::vector<std::size_t>* important) {
    std::shared_ptr<AdaptiveModel> model;
    const Contestant one = contestant(learner, rows, model);
    std::vector<double> errors(rows.count(), 0.0);
    std::vector<double> predicted(rows.outputs);
    std::size_t leading = 0;
    for (std::size_t t = 0; t < rows.count(); ++t) {
        if (important != nullptr) {
            if (const auto importances = model->importances(); !importances.empty()) {
                leading = importances.front().input;
            }
            (*important)[t] = leading;
        }
        const auto x = std::span(rows.x).subspan(t * rows.inputs, rows.inputs);
        const auto y = std::span(rows.y).subspan(t * rows.outputs, rows.outputs);
        one.predict(x, predicted);
        for (std::size_t k = 0; k < rows.outputs; ++k) {
            const double label = clean.y[(t * rows.outputs) + k];
            const double e = (label - predicted[k]) / of_y[k].deviation;
            errors[t] += std::isnan(label) ? 0.0 : e * e / static_cast<double>(rows.outputs);
        }
        one.learn(x, y);
    }
    return errors;
}

double mean_where(const std::vector<double>& errors, const std::vector<unsigned char>& scored) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t t = 0; t < errors.size(); ++t) {
        sum += scored[t] != 0 ? errors[t] : 0.0;
        count += scored[t] != 0 ? 1.0 : 0.0;
    }
    return count > 0.0 ? sum / count : 0.0;
}

}  // namespace

TaskRows simple_stream(std::uint64_t seed, std::size_t rows) {
    SelectionStream stream({.inputs = 30, .drivers = 2, .signal_to_noise = 332.0, .change_at = 0}, seed);
    TaskRows out{.inputs = 30, .outputs = 1};
    out.x.resize(rows * out.inputs);
    for (std::size_t t = 0; t < rows; ++t) {
        out.y.push_back(stream.next(std::span(out.x).subspan(t * out.inputs, out.inputs)));
    }
    return out;
}

TaskDamage measure_damage(const TaskRows& rows, std::size_t warmup, std::uint64_t seed, bool recursive) {
    const auto of_x = spreads(rows.x, rows.inputs);
    const auto of_y = spreads(rows.y, rows.outputs);
    std::vector<std::size_t> important(rows.count(), 0);
    TaskDamage out;
    std::vector<unsigned char> all(rows.count(), 1);
    std::fill_n(all.begin(), std::min(warmup, all.size()), static_cast<unsigned char>(0));
    for (const Learner learner : {Learner::plain, Learner::robust, Learner::recursive}) {
        const auto l = static_cast<std::size_t>(learner);
        if (learner == Learner::recursive && !recursive) {
            continue;
        }
        const auto clean = row_errors(learner, rows, rows, of_y, learner == Learner::plain ? &important : nullptr);
        out.clean[l] = mean_where(clean, all);
        for (std::size_t f = 0; f < kFaultNames.size(); ++f) {
            const Faulty faulty = with_faults(rows, static_cast<Fault>(f), warmup, important, of_x, of_y, seed);
            const auto errors = row_errors(learner, faulty.rows, rows, of_y, nullptr);
            const double before = mean_where(clean, faulty.scored);
            out.ratio[l][f] = before > 0.0 ? mean_where(errors, faulty.scored) / before : 1.0;
        }
    }
    return out;
}

double clean_cost(const TaskRows& rows, std::size_t warmup, std::size_t starts) {
    double robust = 0.0;
    double plain = 0.0;
    for (std::size_t start = 0; start < starts; ++start) {
        TaskRows later = rows;
        const auto skipped = static_cast<std::ptrdiff_t>(start * kStartsApart);
        later.x.erase(later.x.begin(), later.x.begin() + (skipped * static_cast<std::ptrdiff_t>(rows.inputs)));
        later.y.erase(later.y.begin(), later.y.begin() + (skipped * static_cast<std::ptrdiff_t>(rows.outputs)));
        const auto of_y = spreads(later.y, rows.outputs);
        std::vector<unsigned char> scored(later.count(), 1);
        std::fill_n(scored.begin(), std::min(warmup, scored.size()), static_cast<unsigned char>(0));
        robust += std::log(mean_where(row_errors(Learner::robust, later, later, of_y, nullptr), scored));
        plain += std::log(mean_where(row_errors(Learner::plain, later, later, of_y, nullptr), scored));
    }
    return std::exp((robust - plain) / static_cast<double>(starts));
}

DamageTable damage_of(const std::vector<TaskDamage>& streams) {
    DamageTable table{};
    for (std::size_t l = 0; l < kLearnerNames.size(); ++l) {
        for (std::size_t f = 0; f < kFaultNames.size(); ++f) {
            double count = 0.0;
            for (const TaskDamage& one : streams) {
                if (one.clean[l] > 0.0) {  // RLS is not measured where inputs are many
                    count += 1.0;
                    table[l][f].mean += (one.ratio[l][f] - table[l][f].mean) / count;
                    table[l][f].worst = std::max(table[l][f].worst, one.ratio[l][f]);
                }
            }
        }
    }
    return table;
}

std::string damage_text(const std::string& heading, const std::vector<TaskDamage>& streams, bool each) {
    std::string text = heading + "\n";
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{:18}", "");
    for (const auto name : kLearnerNames) {
        fmt::format_to(out, "{:>24}", name);
    }
    text += "\n";
    const DamageTable table = damage_of(streams);
    for (std::size_t f = 0; f < kFaultNames.size(); ++f) {
        fmt::format_to(out, "{:18}", kFaultNames[f]);
        for (std::size_t l = 0; l < kLearnerNames.size(); ++l) {
            fmt::format_to(out, "{:>11.4g} ({:>10.4g})", table[l][f].mean, table[l][f].worst);
        }
        text += "\n";
    }
    if (each) {
        double product = 0.0;
        for (const TaskDamage& one : streams) {
            fmt::format_to(out, "{:18}{:8.4f} clean, {:.4f} of robust = no, {:.4f} over the starts;", one.name,
                           one.clean[0], one.clean[0] / one.clean[1], one.clean_cost);
            for (std::size_t f = 0; f < kFaultNames.size(); ++f) {
                fmt::format_to(out, " {:7.3g}", one.ratio[0][f]);
            }
            text += "\n";
            product += std::log(one.clean_cost) / static_cast<double>(streams.size());
        }
        fmt::format_to(out,
                       "without faults robust learning has {:.4f} times the error of robust = no, geometric mean\n",
                       std::exp(product));
    }
    return text;
}

}  // namespace sluice::bench
