// The readings of a memory beside ridge regressions that Eigen solves one by one.
#include "memory.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "plan.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "support/streams.hpp"

namespace sluice::tune::memory_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t p = 12;
constexpr std::size_t q = 2;

Plan plan_for(const StreamOptions& options, std::size_t names) {
    AdaptiveOptions all{.model = options, .tuning = {}};
    all.model.names = names;
    return {p, q, all};
}

std::vector<std::size_t> some_path(std::size_t size, std::uint64_t seed) {
    std::vector<std::size_t> path(p);
    std::iota(path.begin(), path.end(), std::size_t{0});
    std::ranges::shuffle(path, std::mt19937_64(seed));
    path.resize(size);
    return path;
}

/// Ridge regression of one output on some inputs: deviations over their standard deviations, shrinkage r / n on the correlations.
struct Ridge {
    Ridge(const test::Table& table, std::size_t rows, double forgetting, bool center) {
        VectorXd w(static_cast<Index>(rows));
        for (std::size_t t = 0; t < rows; ++t) {
            w(static_cast<Index>(t)) = std::pow(forgetting, static_cast<double>(rows - 1 - t));
        }
        n = w.sum();
        const auto count = static_cast<Index>(rows);
        MatrixXd X(count, static_cast<Index>(p));
        MatrixXd Y(count, static_cast<Index>(q));
        for (Index t = 0; t < count; ++t) {
            for (std::size_t j = 0; j < p; ++j) {
                X(t, static_cast<Index>(j)) = table.x_row(static_cast<std::size_t>(t))[j];
            }
            for (std::size_t k = 0; k < q; ++k) {
                Y(t, static_cast<Index>(k)) = table.y_row(static_cast<std::size_t>(t))[k];
            }
        }
        x_mean = VectorXd::Zero(p);
        y_mean = VectorXd::Zero(q);
        if (center) {
            x_mean = X.transpose() * w / n;
            y_mean = Y.transpose() * w / n;
        }
        X.rowwise() -= x_mean.transpose();
        Y.rowwise() -= y_mean.transpose();
        C = X.transpose() * w.asDiagonal() * X / n;
        M = X.transpose() * w.asDiagonal() * Y / n;
    }
    /// Coefficients of deviations of the inputs.
    [[nodiscard]] VectorXd fit(std::span<const std::size_t> variables, std::size_t output, double shrinkage) const {
        const auto size = static_cast<Index>(variables.size());
        MatrixXd A(size, size);
        VectorXd m(size);
        VectorXd d(size);
        for (Index i = 0; i < size; ++i) {
            const auto j = static_cast<Index>(variables[static_cast<std::size_t>(i)]);
            d(i) = 1.0 / std::sqrt(C(j, j));
        }
        for (Index i = 0; i < size; ++i) {
            const auto j = static_cast<Index>(variables[static_cast<std::size_t>(i)]);
            m(i) = d(i) * M(j, static_cast<Index>(output));
            for (Index h = 0; h < size; ++h) {
                A(i, h) = d(i) * d(h) * C(j, static_cast<Index>(variables[static_cast<std::size_t>(h)]));
            }
            A(i, i) += shrinkage / n;
        }
        return d.asDiagonal() * A.ldlt().solve(m);
    }
    [[nodiscard]] double predict(std::span<const std::size_t> variables, std::size_t output, double shrinkage,
                                 std::span<const double> x, std::optional<double> clip) const {
        const VectorXd beta = fit(variables, output, shrinkage);
        double y = y_mean(static_cast<Index>(output));
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const auto j = static_cast<Index>(variables[i]);
            double deviation = x[variables[i]] - x_mean(j);
            if (clip) {
                const double bound = *clip * std::sqrt(C(j, j));
                deviation = std::clamp(deviation, -bound, bound);
            }
            y += beta(static_cast<Index>(i)) * deviation;
        }
        return y;
    }

    double n = 0.0;
    VectorXd x_mean;
    VectorXd y_mean;
    MatrixXd C;
    MatrixXd M;
};

// Of a memory with the forgetting factor that is given.
StreamOptions own_options(const StreamOptions& options, const Plan& plan) {
    StreamOptions own = plan.options_of(0, options);
    own.forgetting = options.forgetting;
    return own;
}

Memory taught(const test::Table& table, std::size_t rows, const StreamOptions& options, const Plan& plan) {
    Memory memory(p, q, own_options(options, plan), plan.readings);
    const std::vector<double> nothing(q, 0.0);
    for (std::size_t t = 0; t < rows; ++t) {
        (void)memory.learn(table.x_row(t), table.y_row(t), true, nothing, true, plan.readings);
    }
    return memory;
}

TEST(Memory, EveryReadingIsTheRidgeRegressionOnTheFirstVariablesOfThePath) {
    const auto table = test::factor_table(3, 120, p, q);
    constexpr std::size_t kLearned = 80;
    for (const double forgetting : {1.0, 0.95}) {
        for (const bool center : {true, false}) {
            for (const auto clip : {std::optional<double>(), std::optional<double>(1.5)}) {
                StreamOptions options;
                options.forgetting = forgetting;
                options.center = center;
                options.clip = clip;
                const Plan plan = plan_for(options, 10);
                const ReadingPlan& readings = plan.readings;
                ASSERT_EQ(readings.sizes, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}));
                Memory memory = taught(table, kLearned, options, plan);
                const auto path = some_path(10, 5);
                memory.refit(path, readings);
                const Ridge ridge(table, kLearned, forgetting, center);
                const std::vector<OutputUnit> units(q);
                const std::size_t cells = readings.grid.memory_cells();
                std::vector<double> base(q * cells);
                for (std::size_t t = kLearned; t < table.rows(); ++t) {
                    memory.predict(table.x_row(t), units, base.data(), cells, readings);
                    for (std::size_t k = 0; k < q; ++k) {
                        for (std::size_t r = 0; r < readings.shrinkages.size(); ++r) {
                            for (std::size_t s = 0; s < readings.sizes.size(); ++s) {
                                const auto first = std::span(path).first(readings.sizes[s]);
                                const double expected =
                                    ridge.predict(first, k, readings.shrinkages[r], table.x_row(t), clip);
                                const double value = base[(k * cells) + (r * readings.grid.stride()) + s];
                                // The condition of the correlations is below 1e3.
                                ASSERT_NEAR(value, expected, 1e-10 * (1.0 + std::abs(expected)))
                                    << "row " << t << ", shrinkage " << readings.shrinkages[r] << ", names "
                                    << readings.sizes[s];
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(Memory, APathThatIsShorterThanASizeGivesTheReadingOfAllOfIt) {
    const auto table = test::factor_table(4, 60, p, q);
    const Plan plan = plan_for({}, 8);
    const ReadingPlan& readings = plan.readings;
    Memory memory = taught(table, 50, {}, plan);
    const std::vector<OutputUnit> units(q);
    const std::size_t cells = readings.grid.memory_cells();
    std::vector<double> base(q * cells);
    for (const std::size_t size : {0U, 3U}) {
        memory.refit(some_path(size, 6), readings);
        memory.predict(table.x_row(55), units, base.data(), cells, readings);
        for (std::size_t s = size; s < readings.sizes.size(); ++s) {
            ASSERT_EQ(base[s], base[size]);
        }
    }
}

TEST(Memory, PredictionsStayWithinTheirBoundsAndInTheirUnit) {
    const auto table = test::factor_table(5, 60, p, q);
    const Plan plan = plan_for({}, 4);
    Memory memory = taught(table, 50, {}, plan);
    memory.refit(some_path(4, 7), plan.readings);
    const std::size_t cells = plan.readings.grid.memory_cells();
    std::vector<double> base(q * cells);
    std::vector<double> bounded(q * cells);
    for (std::size_t t = 50; t < table.rows(); ++t) {
        memory.predict(table.x_row(t), std::vector<OutputUnit>(q), base.data(), cells, plan.readings);
        const std::vector<OutputUnit> units = {{.exponent = 0, .low = -1.0, .high = 1.5}, {.exponent = 3}};
        memory.predict(table.x_row(t), units, bounded.data(), cells, plan.readings);
        for (std::size_t i = 0; i < cells; ++i) {
            const bool used = i % plan.readings.grid.stride() < plan.readings.grid.sizes;
            ASSERT_EQ(bounded[i], used ? std::clamp(base[i], -1.0, 1.5) : 0.0);
            ASSERT_EQ(bounded[cells + i], base[cells + i] / 8.0);
        }
    }
}

TEST(Memory, CoefficientsAndInterceptReproduceEveryReadingWhereNothingIsClipped) {
    const auto table = test::factor_table(6, 90, p, q);
    for (const bool path_is_found : {true, false}) {
        StreamOptions options;
        options.clip = std::nullopt;
        AdaptiveOptions all{.model = options, .tuning = {}};
        if (path_is_found) {
            all.model.names = 6;
        } else {
            all.model.components = 2;
            all.model.keep = {3};
        }
        const Plan plan(p, q, all);
        const ReadingPlan& readings = plan.readings;
        Memory memory(p, q, plan.options_of(0, all.model), readings);
        const std::vector<double> nothing(q, 0.0);
        for (std::size_t t = 0; t < 70; ++t) {
            (void)memory.learn(table.x_row(t), table.y_row(t), true, nothing, true, readings);
        }
        if (path_is_found) {
            memory.refit(some_path(6, 8), readings);
        }
        const std::vector<std::size_t> variables =
            path_is_found ? std::vector<std::size_t>(memory.variables().begin(), memory.variables().end())
                          : memory.impl().step().fit().selected;
        const std::size_t cells = readings.grid.memory_cells();
        std::vector<double> base(q * cells);
        for (std::size_t t = 70; t < table.rows(); ++t) {
            memory.predict(table.x_row(t), std::vector<OutputUnit>(q), base.data(), cells, readings);
            for (std::size_t k = 0; k < q; ++k) {
                for (std::size_t r = 0; r < readings.shrinkages.size(); ++r) {
                    for (std::size_t s = 0; s < readings.sizes.size(); ++s) {
                        std::vector<double> coefficients(variables.size(), 99.0);
                        memory.coefficients(k, r, readings.sizes[s], readings, coefficients);
                        double y = memory.intercept(k, coefficients, readings);
                        for (std::size_t i = 0; i < variables.size(); ++i) {
                            y += coefficients[i] * table.x_row(t)[variables[i]];
                        }
                        const double value = base[(k * cells) + (r * readings.grid.stride()) + s];
                        ASSERT_NEAR(value, y, 1e-11 * (1.0 + std::abs(y)));
                    }
                }
            }
        }
    }
}

TEST(Memory, UsesAReadingAsTheFitOfItsOwnModel) {
    const auto table = test::factor_table(7, 90, p, q);
    const Plan plan = plan_for({}, 6);
    const ReadingPlan& readings = plan.readings;
    Memory memory = taught(table, 70, {}, plan);
    const auto path = some_path(6, 9);
    memory.refit(path, readings);
    const std::size_t cells = readings.grid.memory_cells();
    std::vector<double> base(q * cells);
    for (const std::size_t rung : {0U, 2U, 6U}) {
        for (std::size_t r = 0; r < readings.shrinkages.size(); ++r) {
            memory.use(readings.sizes[rung], r, readings);
            std::vector<std::size_t> first(path.begin(),
                                           path.begin() + static_cast<std::ptrdiff_t>(readings.sizes[rung]));
            std::ranges::sort(first);
            ASSERT_TRUE(std::ranges::equal(memory.model().selected(), first));
            ASSERT_EQ(memory.model().options().shrinkage, readings.shrinkages[r]);
            for (std::size_t t = 70; t < table.rows(); ++t) {
                memory.predict(table.x_row(t), std::vector<OutputUnit>(q), base.data(), cells, readings);
                const auto y = memory.model().predict(table.x_row(t));
                for (std::size_t k = 0; k < q; ++k) {
                    ASSERT_NEAR(base[(k * cells) + (r * readings.grid.stride()) + rung], y[k],
                                1e-11 * (1.0 + std::abs(y[k])));
                }
            }
        }
    }
}

// No row holds anything but one value of the fifth input, and two inputs are the same.
TEST(Memory, ConstantAndDuplicateInputsOnThePathGiveFiniteReadings) {
    auto table = test::factor_table(8, 60, p, q);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        table.x_row(t)[4] = 3.5;
        table.x_row(t)[7] = table.x_row(t)[2];
    }
    const Plan plan = plan_for({}, 5);
    Memory memory = taught(table, 40, {}, plan);
    memory.refit(std::vector<std::size_t>{4, 2, 7, 0, 1}, plan.readings);
    const std::size_t cells = plan.readings.grid.memory_cells();
    std::vector<double> base(q * cells);
    memory.predict(table.x_row(50), std::vector<OutputUnit>(q), base.data(), cells, plan.readings);
    for (const double value : base) {
        ASSERT_TRUE(std::isfinite(value));
    }
    for (std::size_t r = 0; r < plan.readings.shrinkages.size(); ++r) {  // a constant input explains nothing
        ASSERT_EQ(base[(r * plan.readings.grid.stride()) + 1], base[r * plan.readings.grid.stride()]);
    }
}

TEST(Memory, GoesOnBitForBitAfterItWasSavedAndRefusesAnotherModel) {
    const auto table = test::factor_table(9, 60, p, q);
    const Plan plan = plan_for({}, 5);
    Memory memory = taught(table, 40, {}, plan);
    const auto path = some_path(5, 10);
    memory.refit(path, plan.readings);
    memory.use(3, 2, plan.readings);
    core::StateWriter out;
    memory.save(out);
    const auto bytes = std::move(out).unframed();
    auto in = core::StateReader::unframed(bytes);
    Memory again(p, q, own_options({}, plan), plan.readings);
    again.load(in, path, plan.readings);
    ASSERT_EQ(in.left(), 0U);
    const std::size_t cells = plan.readings.grid.memory_cells();
    std::vector<double> base(q * cells);
    std::vector<double> of_again(q * cells);
    for (std::size_t t = 40; t < table.rows(); ++t) {
        memory.predict(table.x_row(t), std::vector<OutputUnit>(q), base.data(), cells, plan.readings);
        again.predict(table.x_row(t), std::vector<OutputUnit>(q), of_again.data(), cells, plan.readings);
        ASSERT_EQ(base, of_again);
        for (Memory* one : {&memory, &again}) {
            (void)one->learn(table.x_row(t), table.y_row(t), true, std::vector<double>(q, 0.0), true, plan.readings);
            one->refit(path, plan.readings);
        }
    }
    auto other_in = core::StateReader::unframed(bytes);
    Memory other(p, q, plan.options_of(1, {}), plan.readings);  // another forgetting factor
    EXPECT_THROW(other.load(other_in, path, plan.readings), StateError);
}

}  // namespace
}  // namespace sluice::tune::memory_test
