#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "batch/example.hpp"
#include "sparsify.hpp"

namespace sluice::test::sparse_bridge_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Shares {
    double first = 0.0;
    double second = 0.0;
};

// Share of the variables that are right, paper's static simulation, mean over 100 seeds.
Shares static_simulation(const FitControl& control) {
    StreamOptions options = StreamOptions::paper();
    options.forgetting = 1.0;
    Shares shares;
    constexpr int runs = 100;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        PaperStream stream(PaperStream::Kind::constant, seed);
        Example e{.p = PaperStream::inputs, .q = 1, .x = {}, .y = {}};
        for (int i = 0; i < 100; ++i) {
            const PaperStream::Row row = stream.next();
            e.x.insert(e.x.end(), row.x.begin(), row.x.end());
            e.y.push_back(row.y);
        }
        const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options, control);
        shares.first += PaperStream::share_right(model.selected.at(0), 0) / runs;
        shares.second += PaperStream::share_right(model.selected.at(1), 1) / runs;
    }
    return shares;
}

TEST(SparseBridge, FindsBothGroupsOfThePapersStaticSimulation) {
    const Shares shares = static_simulation({});  // measured: 0.9965 and 0.9950
    EXPECT_GE(shares.first, 0.97);
    EXPECT_GE(shares.second, 0.97);
}

TEST(SparseBridge, AsPrintedEveryComponentEndsAtTheFirst) {
    FitControl control;
    control.as_printed = true;
    const Shares shares = static_simulation(control);  // measured: 0.9965 and 0.0035
    EXPECT_GE(shares.first, 0.97);
    EXPECT_LE(shares.second, 0.02);
}

StreamOptions sparse_options(std::size_t components, std::size_t keep) {
    StreamOptions options = plain_options(components, 0.01);
    options.keep = {keep};
    return options;
}

TEST(SparseBridge, KeepsExactlyWhatWasAskedFor) {
    const Example e = factor_example(60, 20, 2);
    StreamOptions options = sparse_options(3, 1);
    for (const Deflation deflation : {Deflation::project, Deflation::refit}) {
        options.deflation = deflation;
        options.keep = {7, 1, deflation == Deflation::refit ? 12U : 15U};  // refit: the 12 that are left of 20
        const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
        ASSERT_EQ(model.components(), 3U);
        for (std::size_t r = 0; r < 3; ++r) {
            EXPECT_EQ(model.selected[r].size(), options.keep[r]);
            EXPECT_TRUE(std::ranges::is_sorted(model.selected[r]));
            EXPECT_NEAR(as_eigen(model.weights).col(static_cast<Index>(r)).norm(), 1.0, 1e-14);
        }
    }
}

TEST(SparseBridge, KeepingAllVariablesGivesBridgePls) {
    const Example e = factor_example(60, 15, 2);
    const Fit sparse = fit(Method::sparse_bridge, e.inputs(), e.outputs(), sparse_options(3, 15));
    const Fit dense = fit(Method::bridge, e.inputs(), e.outputs(), sparse_options(3, 15));
    ASSERT_EQ(sparse.components(), 3U);
    EXPECT_LT(distance_up_to_signs(as_eigen(sparse.weights), as_eigen(dense.weights)), 1e-8);
}

TEST(SparseBridge, EachComponentIsAFixedPointOrthogonalToTheSparseOnesBefore) {
    const Example e = factor_example(60, 20, 3);
    const StreamOptions options = sparse_options(4, 6);
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
    ASSERT_EQ(model.components(), 4U);
    ASSERT_TRUE(model.notes.empty());
    const MatrixXd X = centred(e.X());
    const MatrixXd M = X.transpose() * centred(e.Y());
    const MatrixXd H = 0.01 / X.squaredNorm() * X.transpose() * X + 0.99 / M.squaredNorm() * M * M.transpose();
    const MatrixXd U = as_eigen(model.weights);
    core::Sparsifier sparsifier(20, options);
    for (Index r = 0; r < 4; ++r) {
        const MatrixXd before = U.leftCols(r);
        MatrixXd P = MatrixXd::Identity(20, 20);
        if (r > 0) {
            P -= before * (before.transpose() * before).ldlt().solve(before.transpose());
        }
        VectorXd z = P * H * (P * H * U.col(r)).normalized();
        EXPECT_LT((before.transpose() * z).norm(), 1e-13);
        VectorXd again(20);
        std::vector<std::size_t> support;
        sparsifier.choose(static_cast<std::size_t>(r), {z.data(), 20}, {}, {again.data(), 20}, support);
        EXPECT_EQ(support, model.selected[static_cast<std::size_t>(r)]);
        EXPECT_LT((again - U.col(r)).norm(), 1e-9);
    }
}

TEST(SparseBridge, RefitPredictsWithTheShrunkLeastSquaresOfAllVariablesKept) {
    const Example e = factor_example(60, 20, 2);
    StreamOptions options = sparse_options(3, 4);
    options.deflation = Deflation::refit;
    options.shrinkage = 2.0;
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
    std::vector<Index> S;
    for (const auto& selected : model.selected) {
        S.insert(S.end(), selected.begin(), selected.end());
    }
    std::ranges::sort(S);
    S.erase(std::ranges::unique(S).begin(), S.end());
    const MatrixXd X_S = centred(e.X())(Eigen::all, S);
    MatrixXd A = X_S.transpose() * X_S;
    A.diagonal().array() += 2.0 / 60.0 * A.trace() / static_cast<double>(S.size());
    const MatrixXd beta_S = A.ldlt().solve(X_S.transpose() * centred(e.Y()));
    MatrixXd expected = MatrixXd::Zero(20, 2);
    expected(S, Eigen::all) = beta_S;
    EXPECT_LT((as_eigen(model.coefficients) - expected).norm(), 1e-11 * expected.norm());
}

TEST(SparseBridge, RefitChoosesFromWhatTheKeptVariablesDoNotExplain) {
    // Two inputs make the output and a third is a copy of the stronger one. One variable at a time: the copy explains
    // nothing more, so the second component takes the other input.
    Example e = factor_example(80, 6, 1);
    NormalSource normal(5);
    for (std::size_t i = 0; i < e.n(); ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            e.input(i, j) = normal.next();
        }
        e.input(i, 4) = e.input(i, 1);
        e.output(i, 0) = (3.0 * e.input(i, 1)) + e.input(i, 5);
    }
    StreamOptions options = sparse_options(2, 1);
    options.deflation = Deflation::refit;
    options.shrinkage = 0.0;
    options.ridge = 1e-5;
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
    ASSERT_EQ(model.components(), 2U);
    EXPECT_EQ(model.selected[0], std::vector<std::size_t>{1});
    EXPECT_EQ(model.selected[1], std::vector<std::size_t>{5});
    EXPECT_NEAR(model.coefficients(1, 0), 3.0, 1e-6);
    EXPECT_NEAR(model.coefficients(5, 0), 1.0, 1e-6);
}

TEST(SparseBridge, RefitWithMoreVariablesThanRowsIsTheSameRidge) {
    const Example e = factor_example(10, 25, 1);
    StreamOptions options = sparse_options(1, 25);
    options.deflation = Deflation::refit;
    options.shrinkage = 1.0;
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
    const MatrixXd X = centred(e.X());
    MatrixXd A = X.transpose() * X;
    A.diagonal().array() += 0.1 * A.trace() / 25.0;
    const MatrixXd expected = A.ldlt().solve(X.transpose() * centred(e.Y()));
    EXPECT_LT((as_eigen(model.coefficients) - expected).norm(), 1e-10 * expected.norm());
}

TEST(SparseBridge, NamesLimitsTheVariablesOfAllComponentsTogether) {
    const Example e = factor_example(60, 20, 2);
    for (const Deflation deflation : {Deflation::project, Deflation::refit}) {
        StreamOptions options = sparse_options(4, 5);
        options.deflation = deflation;
        options.names = 7;
        const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
        std::vector<std::size_t> all;
        for (const auto& selected : model.selected) {
            all.insert(all.end(), selected.begin(), selected.end());
        }
        std::ranges::sort(all);
        all.erase(std::ranges::unique(all).begin(), all.end());
        EXPECT_LE(all.size(), 7U);
        EXPECT_GE(all.size(), 5U);
    }
}

TEST(SparseBridge, SaysWhenTheIterationWasCutShort) {
    const Example e = factor_example(60, 20, 2);
    FitControl control;
    control.max_iterations = 1;
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), sparse_options(1, 6), control);
    EXPECT_EQ(model.components(), 1U);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_EQ(model.notes[0].find("component 1 still moved by "), 0U) << model.notes[0];
}

TEST(SparseBridge, EndsWithANoteWhenNoDirectionIsLeft) {
    Example e = factor_example(30, 3, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {  // rank one
        e.input(i, 1) = 2.0 * e.input(i, 0);
        e.input(i, 2) = -e.input(i, 0);
    }
    const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), sparse_options(3, 3));
    EXPECT_EQ(model.components(), 1U);
    EXPECT_EQ(model.notes.size(), 1U);
}

}  // namespace
}  // namespace sluice::test::sparse_bridge_test
