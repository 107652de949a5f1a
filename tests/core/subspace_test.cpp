#include "subspace.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "moment_helpers.hpp"
#include "support/streams.hpp"

namespace sluice::core::subspace_test {
namespace {

Component component_of(std::size_t p, std::initializer_list<std::pair<std::size_t, double>> entries) {
    Component component{.u = std::vector<double>(p, 0.0), .support = {}};
    double square = 0.0;
    for (const auto& [j, value] : entries) {
        component.u[j] = value;
        component.support.push_back(j);
        square += value * value;
    }
    for (double& value : component.u) {
        value /= std::sqrt(square);
    }
    return component;
}

StreamOptions with_forgetting(StreamOptions options) {
    options.forgetting = 0.97;
    return options;
}

struct Fixture {
    explicit Fixture(const StreamOptions& given)
        : options(with_forgetting(given)), moments(5, 2, options), units(2, options) {
        const auto table = test::factor_table(11, 80, 5, 2);
        const std::vector<unsigned char> observed(2, 1);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            add_row(moments, table.x_row(t), table.y_row(t), observed);
        }
        units.refresh(moments);
        for (std::size_t j = 0; j < 5; ++j) {
            const double one = 1.0;
            columns[j] = Buffer<double>(8);
            moments.inputs.gram().multiply({&j, 1}, {&one, 1}, 1, columns[j].data(), 8, moments.inputs.workers());
        }
    }

    // a = H u from its parts, as step.cpp does.
    [[nodiscard]] Eigen::VectorXd product(const Component& u) const {
        const Parts parts = parts_of(units, units.cross_square(), options);
        std::vector<double> g(2);
        std::vector<double> scaled;
        scaled_weights(moments, units, u, scaled);
        inner_product(moments, units, u.support, scaled, g);
        Eigen::VectorXd a(5);
        for (std::size_t i = 0; i < 5; ++i) {
            double sum = 0.0;
            for (std::size_t s = 0; s < scaled.size(); ++s) {
                sum += parts.inputs * units.input_unit(moments, i) * columns[u.support[s]][i] * scaled[s];
            }
            for (std::size_t k = 0; k < 2; ++k) {
                sum += parts.cross * units.input_unit(moments, i) * moments.inputs.cross(i, k) *
                       units.output_units()[k] * g[k];
            }
            a(static_cast<int>(i)) = sum;
        }
        return a;
    }

    // H in working units, formed in full as eq. (16) says.
    [[nodiscard]] Eigen::MatrixXd dense_H() const {
        Eigen::MatrixXd C(5, 5);
        Eigen::MatrixXd M(5, 2);
        for (std::size_t j = 0; j < 5; ++j) {
            for (std::size_t i = 0; i < 5; ++i) {
                C(static_cast<int>(i), static_cast<int>(j)) =
                    moments.inputs.scale() *
                    moments.inputs.units().in_callers_units(i, moments.inputs.units().in_callers_units(j, C_of(i, j)));
            }
            for (std::size_t k = 0; k < 2; ++k) {
                M(static_cast<int>(j), static_cast<int>(k)) =
                    moments.inputs.scale() *
                    moments.inputs.units().in_callers_units(
                        j, moments.outputs.units().in_callers_units(k, moments.inputs.cross(j, k)));
            }
        }
        const double n = moments.inputs.weight();
        if (options.scale_inputs) {
            const Eigen::VectorXd d = (C.diagonal() / n).cwiseSqrt().cwiseInverse();
            C = d.asDiagonal() * C * d.asDiagonal();
            M = d.asDiagonal() * M;
        }
        if (options.scale_outputs) {
            for (std::size_t k = 0; k < 2; ++k) {
                M.col(static_cast<int>(k)) /=
                    moments.outputs.units().in_callers_units(k, std::sqrt(moments.outputs.variance(k)));
            }
        }
        const Eigen::MatrixXd MM = M * M.transpose();
        return options.balance == Balance::raw
                   ? Eigen::MatrixXd((options.ridge * C) + ((1 - options.ridge) * MM))
                   : Eigen::MatrixXd((options.ridge / C.trace() * C) + ((1 - options.ridge) / MM.trace() * MM));
    }

    [[nodiscard]] double C_of(std::size_t i, std::size_t j) const { return columns[j][i]; }

    StreamOptions options;
    Moments moments;
    WorkingUnits units;
    std::array<Buffer<double>, 5> columns;
};

TEST(Subspace, TheImplicitProductHasTheDirectionOfTheDenseOne) {
    const Component u = component_of(5, {{1, 0.6}, {4, -0.8}});
    for (const Balance balance : {Balance::trace, Balance::raw}) {
        for (const double ridge : {0.0, 1e-5, 0.3, 1.0}) {
            for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
                StreamOptions options;
                options.balance = balance;
                options.ridge = ridge;
                options.center = (flags & 1) != 0;
                options.scale_inputs = (flags & 2) != 0;
                options.scale_outputs = (flags & 4) != 0;
                const Fixture fixture(options);
                const Eigen::VectorXd dense =
                    (fixture.dense_H() * Eigen::Map<const Eigen::VectorXd>(u.u.data(), 5)).normalized();
                const Eigen::VectorXd ours = fixture.product(u).normalized();
                EXPECT_LT((dense - ours).norm(), 1e-13) << "ridge " << ridge << ", options " << flags;
            }
        }
    }
}

TEST(Subspace, ProjectionLeavesNothingAlongAnyOfTheSparseVectors) {
    SparseSpan span(6, 4);
    const std::vector<Component> sparse = {component_of(6, {{0, 1.0}, {1, 1.0}}),
                                           component_of(6, {{1, 2.0}, {2, -1.0}}),
                                           component_of(6, {{0, 1.0}, {2, 3.0}, {5, 1.0}})};
    for (const Component& component : sparse) {
        span.add(component);
    }
    std::vector<double> a = {3.0, -1.0, 4.0, 1.0, -5.0, 9.0};
    span.project_out(a);
    for (const Component& component : sparse) {  // these are not orthogonal to each other
        double along = 0.0;
        for (std::size_t j = 0; j < 6; ++j) {
            along += component.u[j] * a[j];
        }
        EXPECT_NEAR(along, 0.0, 1e-14);
    }
    EXPECT_EQ(a[3], 1.0);  // outside the supports nothing is touched
    EXPECT_EQ(a[4], -5.0);
}

TEST(Subspace, AVectorWithinTheSpanAddsNothingToIt) {
    SparseSpan span(4, 3);
    span.add(component_of(4, {{0, 1.0}, {1, 1.0}}));
    span.add(component_of(4, {{0, 1.0}, {1, 1.0}}));
    span.add(component_of(4, {{2, 1.0}}));
    std::vector<double> a = {1.0, 0.0, 1.0, 1.0};
    span.project_out(a);
    EXPECT_NEAR(a[0], 0.5, 1e-15);
    EXPECT_NEAR(a[1], -0.5, 1e-15);
    EXPECT_NEAR(a[2], 0.0, 1e-15);
    EXPECT_EQ(a[3], 1.0);
}

// Lists that are nearly full are united word by word, sparse ones by merging.
TEST(Subspace, UnionsOfAscendingListsAreThoseOfSets) {
    std::mt19937_64 bits(1);
    for (const std::size_t most : {3U, 63U, 64U, 65U, 200U, 5000U}) {
        for (std::size_t n = 0; n < 60; ++n) {
            std::array<std::set<std::size_t>, 2> sets;
            for (auto& set : sets) {
                for (std::size_t i = 0; i < n; ++i) {
                    set.insert(bits() % most);
                }
            }
            std::vector<std::size_t> into(sets[0].begin(), sets[0].end());
            const std::vector<std::size_t> other(sets[1].begin(), sets[1].end());
            std::vector<std::size_t> scratch;
            unite(into, other, scratch);
            sets[0].merge(sets[1]);
            EXPECT_TRUE(std::ranges::equal(into, sets[0])) << most << ", " << n;
        }
    }
}

}  // namespace
}  // namespace sluice::core::subspace_test
