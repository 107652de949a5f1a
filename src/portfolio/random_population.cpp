#include "random_population.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "strategies.hpp"

namespace sluice::portfolio {

namespace {

// Calls one(number) for 0 .. count - 1 on some threads; the first exception is thrown again here.
template <typename One>
void run_on_threads(std::size_t count, std::size_t threads, const One& one) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr trouble;
    std::mutex guard;
    const auto work = [&] {
        try {
            for (std::size_t number = next++; number < count; number = next++) {
                one(number);
            }
        } catch (...) {
            const std::scoped_lock lock(guard);
            trouble = std::current_exception();
            next = count;
        }
    };
    {
        std::vector<std::jthread> team;
        for (std::size_t i = 1; i < std::min(threads, count); ++i) {
            team.emplace_back(work);
        }
        work();
    }
    if (trouble) {
        std::rethrow_exception(trouble);
    }
}

// Adds `weight` times every figure of `one`.
void accumulate(Performance& sum, const Performance& one, double weight) {
    for (std::size_t k = 0; k < one.indices.size(); ++k) {
        for (const auto& field : kFigures) {
            sum.indices[k].net.*field.value += weight * one.indices[k].net.*field.value;
            sum.indices[k].gross.*field.value += weight * one.indices[k].gross.*field.value;
        }
        for (const auto& field : kTrading) {
            sum.indices[k].trading.*field.value += weight * one.indices[k].trading.*field.value;
        }
    }
    sum.names_changed_per_period += weight * one.names_changed_per_period;
    sum.names_held += weight * one.names_held;
    sum.most_names = std::max(sum.most_names, one.most_names);
    sum.costs += weight * one.costs;
}

}  // namespace

std::vector<std::size_t> random_names(std::size_t stocks, std::size_t names, std::size_t seed, std::size_t number) {
    std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                        static_cast<std::uint32_t>(number)};
    std::mt19937_64 bits(mixed);
    std::vector<std::size_t> all(stocks);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t i = 0; i < names; ++i) {
        std::swap(all[i], all[i + (bits() % (stocks - i))]);
    }
    all.resize(names);
    std::ranges::sort(all);
    return all;
}

Population random_population(const Market& market, const TrackOptions& options) {
    Population out{.portfolios = options.random_portfolios};
    std::vector<Performance> all(out.portfolios);
    const std::size_t stocks = market.stocks.size();
    const std::size_t indices = market.indices.size();
    run_on_threads(out.portfolios, options.threads, [&](std::size_t number) {
        const StrategyPointer strategy = rls_strategy(random_names(stocks, options.names, options.seed, number), stocks,
                                                      indices, options.model.forgetting);
        all[number] = measure(walk_forward(market, *strategy, options), market, options);
    });
    out.spread.resize(indices);
    out.best.resize(indices);
    for (const std::string& name : market.indices) {
        out.mean.indices.push_back({.name = name});
    }
    const double each = 1.0 / static_cast<double>(std::max<std::size_t>(1, out.portfolios));
    for (const Performance& one : all) {
        accumulate(out.mean, one, each);
    }
    for (std::size_t k = 0; k < indices && !all.empty(); ++k) {
        const auto error = [k](const Performance& one) { return one.indices[k].net.error_over_variance; };
        out.best[k] = std::ranges::min(all, {}, error).indices[k].net;
        for (const auto& field : kFigures) {
            double square = 0.0;
            for (const Performance& one : all) {
                const double d = one.indices[k].net.*field.value - out.mean.indices[k].net.*field.value;
                square += d * d;
            }
            out.spread[k].*field.value = std::sqrt(square * each);
        }
    }
    return out;
}

}  // namespace sluice::portfolio
