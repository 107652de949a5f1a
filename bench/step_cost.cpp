// step_cost.cpp -- what one learnt row costs.
#include "step_cost.hpp"

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

Times summary(std::vector<double> times) {
    std::ranges::sort(times);
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
    };
    return {.median = at(0.5),
            .mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()),
            .p99 = at(0.99),
            .most = times.back()};
}

double median(std::vector<double> values) {
    return summary(std::move(values)).median;
}

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
    std::vector<double> reads;
    std::vector<double> updates;
    all.reserve(what.rows);
    std::size_t entered = 0;
    std::size_t unscreened = 0;
    std::size_t allocated = 0;
    const std::size_t rows = std::max<std::size_t>(what.rows / what.repeats, 1);
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
            const auto start = Clock::now();
            const StepReport report = model.learn(stream.x, stream.y);
            times.push_back(microseconds(Clock::now() - start));
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
                const auto start = Clock::now();
                plain->learn(stream.x, stream.y);
                plain_times.push_back(microseconds(Clock::now() - start));
                spent += plain_times.back();
            } while (spent + plain_times.back() < budget && plain_times.size() < rows);
            all_plain.insert(all_plain.end(), plain_times.begin(), plain_times.end());
            ratios.push_back(median(plain_times) / median(times));
        }
    }
    const auto timed = static_cast<double>(all.size());
    cost.engine = name_of(model.engine());
    cost.ours = summary(all);
    if (plain) {
        cost.plain = summary(all_plain);
        cost.ratio = median(ratios);
    }
    const auto p = static_cast<double>(what.inputs);
    const double read = median(reads);
    const double update = median(updates);
    cost.read_gb_s = read * 1e-3;
    cost.update_gb_s = update * 1e-3;
    cost.floor_us = (8.0 * p / read) + (16.0 * p * static_cast<double>(what.outputs) / update);
    cost.bytes = model.bytes();
    cost.allocations_per_row = static_cast<double>(allocated) / timed;
    cost.entered_per_row = static_cast<double>(entered) / timed;
    cost.unscreened_share = static_cast<double>(unscreened) / timed;
    return cost;
}

std::vector<NamedCase> suite() {
    std::vector<NamedCase> cases;
    for (const Data data : {Data::separated, Data::adverse}) {
        auto project = [&](std::size_t p, std::size_t q, std::size_t R, std::size_t keep, double ratio, double floors) {
            StepCase what{.inputs = p, .outputs = q, .data = data, .options = StreamOptions::paper()};
            what.options.components = R;
            what.options.keep = {keep};
            what.rows = p > 100'000 ? 100 : (p < 2000 ? 4000 : 400);
            what.options.history = p >= 1'000'000 ? HistoryKind::single_precision : HistoryKind::double_precision;
            cases.push_back({what, ratio, floors});
        };
        auto refit = [&](std::size_t p, double ratio) {
            StepCase what{.inputs = p, .outputs = 5, .data = data, .options = {}};
            what.options.forgetting = 0.98;
            what.options.clip.reset();
            what.rows = 1000;
            cases.push_back({what, ratio, 0.0});
        };
        project(60, 1, 2, 20, 3.0, 0.0);
        project(323, 2, 1, 10, 30.0, 0.0);
        project(1000, 5, 3, 20, 60.0, 0.0);
        project(5000, 5, 3, 50, 500.0, 0.0);
        project(20'000, 5, 3, 50, 3000.0, 0.0);
        project(200'000, 5, 3, 50, 0.0, 2.5);
        project(1'000'000, 5, 3, 50, 0.0, 2.5);
        refit(1000, 30.0);
        refit(5000, 150.0);
    }
    return cases;
}

}  // namespace sluice::bench
