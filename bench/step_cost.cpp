// step_cost.cpp -- what one learnt row costs.
#include "step_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "plain_eigen.hpp"
#include "sluice/sluice.hpp"

namespace sluice::bench {

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

constexpr double kMostPlainBytes = 8e9;
constexpr double kTolerance = 1e-9;

// Rows without end, made outside the timed part. Noise comes from a table entered at a new place for each row, which
// costs less than fresh numbers.
class Stream {
  public:
    explicit Stream(const StepCase& what)
        : what_(what),
          factors_(std::max<std::size_t>(what.options.components_for(what.inputs), 3)),
          normal_(what.seed),
          noise_((std::size_t{1} << 20U) + what.inputs),
          x(what.inputs),
          y(what.outputs) {
        std::ranges::generate(noise_, [&] { return normal_.next(); });
        relevant_ = 0;
        for (std::size_t r = 0; r < what.options.components_for(what.inputs); ++r) {
            relevant_ += what.options.keep_for(r, what.inputs);
        }
        relevant_ = std::min(relevant_, what.inputs);
    }

    void next() {
        std::vector<double>& f = f_;
        f.resize(factors_);
        std::ranges::generate(f, [&] { return normal_.next(); });
        place_ = (place_ * 6364136223846793005U) + 1442695040888963407U;
        const double* noise = noise_.data() + (place_ >> 44U);
        const std::size_t loaded = what_.data == Data::adverse ? what_.inputs : relevant_;
        for (std::size_t j = 0; j < loaded; ++j) {
            x[j] = f[j % factors_] + noise[j];
        }
        std::copy(noise + loaded, noise + what_.inputs, x.begin() + static_cast<std::ptrdiff_t>(loaded));
        for (std::size_t k = 0; k < what_.outputs; ++k) {
            y[k] = normal_.next();
            for (std::size_t i = 0; i < factors_; ++i) {
                y[k] += (i == k % factors_ ? 10.0 : 5.0 / static_cast<double>(i + 1)) * f[i];
            }
        }
    }

  private:
    StepCase what_;
    std::size_t factors_;
    NormalSource normal_;
    std::vector<double> noise_;
    std::vector<double> f_;
    std::size_t relevant_ = 0;
    std::uint64_t place_ = 1;

  public:
    std::vector<double> x;
    std::vector<double> y;
};

// Bytes per microsecond of memory, over arrays larger than any cache near the core.
class Bandwidth {
  public:
    Bandwidth() : a_(kNumbers, 1.0), b_(kNumbers, 1.0) {}

    double read() {
        const auto start = Clock::now();
        double sums[8] = {};
        for (std::size_t i = 0; i < kNumbers; i += 8) {
            for (std::size_t lane = 0; lane < 8; ++lane) {
                sums[lane] += a_[i + lane];
            }
        }
        const double time = microseconds(Clock::now() - start);
        sink_ = std::accumulate(std::begin(sums), std::end(sums), sink_);
        return static_cast<double>(kNumbers * sizeof(double)) / time;
    }
    double update() {
        const auto start = Clock::now();
        for (double& v : b_) {
            v = (v * 0.99) + 0.01;
        }
        return static_cast<double>(2 * kNumbers * sizeof(double)) / microseconds(Clock::now() - start);
    }

  private:
    static constexpr std::size_t kNumbers = std::size_t{1} << 25U;  // 256 MB each
    std::vector<double> a_;
    std::vector<double> b_;
    volatile double sink_ = 0.0;
};

}  // namespace

StepCost measure_step(const StepCase& what, const std::function<std::size_t()>& allocations) {
    StepCost cost;
    Stream stream(what);
    StreamModel model(what.inputs, what.outputs, what.options);
    std::optional<PlainEigen> plain;
    if (what.peer_seconds > 0.0 && PlainEigen::runs_here() &&
        static_cast<double>(PlainEigen::bytes_for(what.inputs)) <= kMostPlainBytes) {
        plain.emplace(what.inputs, what.outputs, what.options);
    }

    // The same first rows, and the same predictions, as long as the peer's time allows.
    std::vector<double> ours(what.outputs);
    std::vector<double> theirs(what.outputs);
    double size = 0.0;
    double used = 0.0;
    double one_row = 0.0;
    constexpr std::size_t kCompared = 300;
    for (std::size_t t = 0; plain && t < kCompared && used + one_row < what.peer_seconds * 0.5e6; ++t) {
        stream.next();
        model.predict(stream.x, ours);
        plain->predict(stream.x, theirs);
        for (std::size_t k = 0; k < what.outputs; ++k) {
            size = std::max(size, std::abs(stream.y[k]));
            if (t > 2) {
                cost.max_difference = std::max(cost.max_difference, std::abs(ours[k] - theirs[k]) / size);
            }
        }
        cost.compared_rows = t + 1;
        model.learn(stream.x, stream.y);
        const auto start = Clock::now();
        plain->learn(stream.x, stream.y);
        one_row = microseconds(Clock::now() - start);
        used += one_row;
    }
    if (!(cost.max_difference <= kTolerance) && what.options.history == HistoryKind::double_precision) {
        throw std::runtime_error("ours and the plain transcription differ by " + std::to_string(cost.max_difference) +
                                 " of the outputs' size: nothing is timed");
    }

    // Until every part of ours has met what it will meet: a full history, and the largest selections.
    const double memory = what.options.forgetting < 1.0 ? 37.0 / -std::log(what.options.forgetting) : 1000.0;
    const auto warm_up = static_cast<std::size_t>(memory * 1.1) + 200;
    for (std::size_t t = 0; t < warm_up; ++t) {
        stream.next();
        model.learn(stream.x, stream.y);
    }

    Bandwidth bandwidth;
    std::vector<double> all;
    std::vector<double> all_plain;
    std::vector<double> ratios;
    std::vector<double> median_ratios;
    std::vector<double> reads;
    std::vector<double> updates;
    const std::size_t timed_rows = what.rows > 0 ? what.rows : usual_rows(what.inputs);
    all.reserve(timed_rows);
    std::size_t entered = 0;
    std::size_t unscreened = 0;
    std::size_t allocated = 0;
    const std::size_t rows = std::max<std::size_t>(timed_rows / what.repeats, 1);
    for (std::size_t round = 0; round < what.repeats; ++round) {
        reads.push_back(bandwidth.read());
        updates.push_back(bandwidth.update());
        stream.next();
        model.learn(stream.x, stream.y);  // what the interlude has pushed out of the caches comes back
        std::vector<double> times;
        times.reserve(rows);
        for (std::size_t t = 0; t < rows; ++t) {
            stream.next();
            const std::size_t before = allocations();
            StepReport report;
            times.push_back(time_of([&] { report = model.learn(stream.x, stream.y); }, what.options.threads));
            allocated += allocations() - before;
            entered += report.entered.size();
            unscreened += report.unscreened > 0 ? 1 : 0;
        }
        all.insert(all.end(), times.begin(), times.end());
        if (plain) {
            std::vector<double> plain_times;
            const double budget = what.peer_seconds * 0.5e6 / static_cast<double>(what.repeats);
            double spent = 0.0;
            do {
                stream.next();
                plain_times.push_back(time_of([&] { plain->learn(stream.x, stream.y); }));
                spent += plain_times.back();
            } while (spent + plain_times.back() < budget && plain_times.size() < rows);
            all_plain.insert(all_plain.end(), plain_times.begin(), plain_times.end());
            const Times theirs_now = summary(plain_times);
            const Times ours_now = summary(times);
            ratios.push_back(theirs_now.mean / ours_now.mean);
            median_ratios.push_back(theirs_now.median / ours_now.median);
        }
    }
    const auto timed = static_cast<double>(all.size());
    cost.engine = name_of(model.engine());
    cost.ours = summary(all);
    if (plain) {
        cost.plain = summary(all_plain);
        cost.ratio = median(ratios);
        cost.ratio_of_medians = median(median_ratios);
    }
    const auto p = static_cast<double>(what.inputs);
    const double read = median(reads);
    const double update = median(updates);
    cost.read_gb_s = read * 1e-3;
    cost.update_gb_s = update * 1e-3;
    cost.floor_us = (8.0 * p / read) + (16.0 * p * static_cast<double>(what.outputs) / update);
    cost.bytes = model.bytes();
    cost.C_bytes = PlainEigen::bytes_for(what.inputs);
    cost.M_bytes = what.inputs * what.outputs * sizeof(double);
    if (model.engine() != Engine::dense && what.options.history != HistoryKind::none) {
        const std::size_t number =
            what.options.history == HistoryKind::single_precision ? sizeof(float) : sizeof(double);
        cost.history_bytes = static_cast<std::size_t>(memory) * what.inputs * number;
    }
    cost.allocations_per_row = static_cast<double>(allocated) / timed;
    cost.entered_per_row = static_cast<double>(entered) / timed;
    cost.unscreened_share = static_cast<double>(unscreened) / timed;
    return cost;
}

std::size_t usual_rows(std::size_t inputs) {
    return inputs <= 100      ? 100'000
           : inputs <= 500    ? 50'000
           : inputs <= 2'000  ? 20'000
           : inputs <= 10'000 ? 4'000
           : inputs <= 50'000 ? 2'000
                              : 300;
}

std::vector<std::string> NamedCase::missed(const StepCost& cost) const {
    std::vector<std::string> all;
    if (least_ratio > 0.0 && cost.plain && cost.ratio < least_ratio) {
        all.push_back(fmt::format("{:.3g} times the plain transcription", least_ratio));
    }
    if (most_tail > 0.0 && cost.ours.tail() > most_tail) {
        all.push_back(fmt::format("99th percentile at most {:.3g} medians", most_tail));
    }
    if (most_floors > 0.0 && cost.ours.mean > most_floors * cost.floor_us) {
        all.push_back(fmt::format("at most {:.3g} times the floor", most_floors));
    }
    return all;
}

std::vector<NamedCase> suite() {
    std::vector<NamedCase> cases;
    for (const Data data : {Data::separated, Data::adverse}) {
        const bool separated = data == Data::separated;
        auto project = [&](std::size_t p, std::size_t q, std::size_t R, std::size_t keep, double ratio, double tail,
                           double floors) {
            StepCase what{.inputs = p, .outputs = q, .data = data, .options = StreamOptions::paper()};
            what.options.components = R;
            what.options.keep = {keep};
            what.options.history = p >= 1'000'000 ? HistoryKind::single_precision : HistoryKind::double_precision;
            cases.push_back({what, ratio, tail, floors});
        };
        auto refit = [&](std::size_t p, double ratio, double tail) {
            StepCase what{.inputs = p, .outputs = 5, .data = data, .options = {}};
            what.options.forgetting = 0.98;
            what.options.clip.reset();
            cases.push_back({what, ratio, tail, 0.0});
        };
        project(60, 1, 2, 20, 4.0, 3.0, 0.0);
        project(323, 2, 1, 10, 15.0, 3.0, 0.0);
        project(1000, 5, 3, 20, separated ? 40.0 : 30.0, 3.0, 0.0);
        refit(1000, separated ? 30.0 : 25.0, 3.0);
        project(5000, 5, 3, 50, separated ? 500.0 : 400.0, 5.0, 0.0);
        refit(5000, separated ? 200.0 : 120.0, 10.0);
        project(20'000, 5, 3, 50, 3000.0, 5.0, 0.0);
        project(200'000, 5, 3, 50, 0.0, 0.0, 2.5);
        project(1'000'000, 5, 3, 50, 0.0, 0.0, 2.5);
    }
    return cases;
}

}  // namespace sluice::bench
