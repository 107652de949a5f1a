// What else is read off the same moments equals what a model made that way finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model_impl.hpp"
#include "support/streams.hpp"

namespace sluice {
namespace {

constexpr std::size_t p = 12;
constexpr std::size_t q = 2;
constexpr std::size_t kComponents = 4;

StreamOptions made_with(Deflation deflation, std::size_t components, double shrinkage = 5.0) {
    StreamOptions options{.components = components, .keep = {2}};
    options.deflation = deflation;
    options.shrinkage = shrinkage;
    return options;
}

auto& impl(StreamModel& model) {
    return core::ModelAccess::impl(model);
}

std::vector<double> read(StreamModel& model, const core::Coefficients& fit, std::span<const double> x) {
    std::vector<double> y(q);
    impl(model).predict(impl(model).step, fit.selected, fit.beta, x, y);
    return y;
}

void expect_near(std::span<const double> a, std::span<const double> b, std::size_t row) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {  // the same sums in another order
        ASSERT_NEAR(a[k], b[k], 1e-9 * (1.0 + std::abs(b[k]))) << "row " << row;
    }
}

TEST(Alternatives, TheFirstComponentsAloneAreAModelWithSoMany) {
    const auto table = test::factor_table(1, 150, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamModel whole(p, q, made_with(deflation, kComponents));
        impl(whole).step.keep_alternatives({}, true);
        std::vector<StreamModel> single;
        for (std::size_t r = 1; r <= kComponents; ++r) {
            single.emplace_back(p, q, made_with(deflation, r));
        }
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto& fits = impl(whole).step.alternatives().by_components;
            ASSERT_EQ(fits.size(), kComponents);
            for (std::size_t r = 0; r < kComponents; ++r) {
                ASSERT_TRUE(std::ranges::equal(fits[r].selected, single[r].selected())) << "row " << t;
                expect_near(read(whole, fits[r], table.x_row(t)), single[r].predict(table.x_row(t)), t);
                single[r].learn(table.x_row(t), table.y_row(t));
            }
            whole.learn(table.x_row(t), table.y_row(t));
        }
        EXPECT_TRUE(std::ranges::equal(whole.selected(), single.back().selected()));
    }
}

TEST(Alternatives, OtherShrinkagesAreThoseOfAModelOnTheSameVariables) {
    const auto table = test::factor_table(2, 100, p, q);
    const std::vector<double> shrinkages = {0.1, 1.0, 5.0, 30.0};
    // All variables are kept, so that every model selects the same.
    auto all = [](double shrinkage) {
        StreamOptions options{.components = 1, .keep = {p}};
        options.shrinkage = shrinkage;
        return options;
    };
    StreamModel whole(p, q, all(5.0));
    impl(whole).step.keep_alternatives(shrinkages, false);
    std::vector<StreamModel> single;
    for (const double shrinkage : shrinkages) {
        single.emplace_back(p, q, all(shrinkage));
    }
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto& betas = impl(whole).step.alternatives().by_shrinkage;
        for (std::size_t i = 0; i < shrinkages.size(); ++i) {
            const core::Coefficients fit{.selected = impl(whole).step.coefficients().selected, .beta = betas[i]};
            expect_near(read(whole, fit, table.x_row(t)), single[i].predict(table.x_row(t)), t);
            single[i].learn(table.x_row(t), table.y_row(t));
        }
        whole.learn(table.x_row(t), table.y_row(t));
    }
}

TEST(Alternatives, TheShrinkageInUseIsAmongThemToTheBit) {
    const auto table = test::factor_table(3, 60, p, q);
    StreamModel model(p, q, made_with(Deflation::refit, kComponents));
    impl(model).step.keep_alternatives({1.0, 5.0}, true);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        const auto& step = impl(model).step;
        ASSERT_EQ(step.alternatives().by_shrinkage[1], step.coefficients().beta) << "row " << t;
        ASSERT_EQ(step.alternatives().by_components.back().beta, step.coefficients().beta) << "row " << t;
    }
}

TEST(Alternatives, KeepingThemChangesNothingElse) {
    const auto table = test::factor_table(4, 100, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamModel plain(p, q, made_with(deflation, kComponents));
        StreamModel beside(p, q, made_with(deflation, kComponents));
        impl(beside).step.keep_alternatives(
            deflation == Deflation::refit ? std::vector<double>{1.0, 10.0} : std::vector<double>{}, true);
        plain.learn_many(table.all_x(), table.all_y());
        beside.learn_many(table.all_x(), table.all_y());
        EXPECT_EQ(plain.save(), beside.save());
    }
}

TEST(Alternatives, AChoiceOfComponentsHoldsFromThatMomentOn) {
    const auto table = test::factor_table(5, 150, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamModel model(p, q, made_with(deflation, kComponents));
        StreamModel two(p, q, made_with(deflation, 2));
        impl(model).step.keep_alternatives({}, true);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.learn(table.x_row(t), table.y_row(t));
            two.learn(table.x_row(t), table.y_row(t));
            if (t == 70) {
                impl(model).step.use_components(impl(model).moments, 2);
            }
            if (t == 110) {
                impl(model).step.use_components(impl(model).moments, kComponents);
            }
            if (t < 70 || t >= 110) {
                ASSERT_EQ(model.components(), kComponents);
                continue;
            }
            ASSERT_EQ(model.components(), 2U);
            ASSERT_TRUE(std::ranges::equal(model.selected(), two.selected())) << "row " << t;
            expect_near(model.predict(table.x_row(t)), two.predict(table.x_row(t)), t);
            const Matrix W = model.loadings();
            const Matrix expected = two.loadings();
            ASSERT_EQ(W.rows(), 2U);
            for (std::size_t k = 0; k < q; ++k) {
                expect_near(W.column(k), expected.column(k), t);
            }
        }
        StreamModel never(p, q, made_with(deflation, kComponents));  // the others were found all the same
        never.learn_many(table.all_x(), table.all_y());
        EXPECT_TRUE(std::ranges::equal(model.selected(), never.selected()));
        expect_near(model.predict(table.x_row(0)), never.predict(table.x_row(0)), table.rows());
    }
}

TEST(Alternatives, AChoiceOfShrinkageHoldsFromThatMomentOn) {
    const auto table = test::factor_table(6, 120, p, q);
    StreamModel model(p, q, made_with(Deflation::refit, 1));
    StreamModel other(p, q, made_with(Deflation::refit, 1, 30.0));  // one component: the choice does not depend on it
    impl(model).step.keep_alternatives({1.0, 5.0, 30.0}, false);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        other.learn(table.x_row(t), table.y_row(t));
        if (t == 60) {
            EXPECT_GT(std::abs(model.predict(table.x_row(t))[0] - other.predict(table.x_row(t))[0]), 1e-6);
            impl(model).step.use_shrinkage(2);
        }
        if (t >= 60) {
            expect_near(model.predict(table.x_row(t)), other.predict(table.x_row(t)), t);
        }
    }
}

// Found by predictions that differed from those reported: the components' fit was that of the shrinkage before.
TEST(Alternatives, BothChoicesAfterOneRowHold) {
    const auto table = test::factor_table(8, 60, p, q);
    StreamModel model(p, q, made_with(Deflation::refit, kComponents));
    impl(model).step.keep_alternatives({1.0, 5.0, 30.0}, true);
    model.learn_many(table.all_x(), table.all_y());
    impl(model).step.use_shrinkage(2);
    impl(model).step.use_components(impl(model).moments, 2);
    const auto& step = impl(model).step;
    EXPECT_EQ(step.coefficients().beta, step.alternatives().by_shrinkage[2]);
}

// tr and |M~|^2 along the components, from the moments in the caller's units of a model that does not scale.
TEST(Alternatives, SharesExplainedAreThoseOfTheMoments) {
    const auto table = test::factor_table(7, 80, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamOptions options = made_with(deflation, kComponents);
        options.scale_inputs = false;
        options.scale_outputs = false;
        StreamModel model(p, q, options);
        const auto report = model.learn_many(table.all_x(), table.all_y());
        std::vector<double> covariance(kComponents);
        std::vector<double> energy(kComponents);
        impl(model).step.explained_by_components(impl(model).moments, covariance, energy);
        EXPECT_NEAR(covariance.back(), report.explained_covariance, 1e-12);
        const Matrix C = model.input_moments();
        const Matrix M = model.cross_moments();
        double trace = 0.0;
        double square = 0.0;
        for (std::size_t i = 0; i < p; ++i) {
            trace += C(i, i);
            for (std::size_t k = 0; k < q; ++k) {
                square += M(i, k) * M(i, k);
            }
        }
        double along = 0.0;
        double retained = 0.0;
        for (std::size_t r = 0; r < kComponents; ++r) {
            const auto u = model.weights(r);
            for (std::size_t k = 0; k < q; ++k) {
                double inner = 0.0;
                for (std::size_t j = 0; j < p; ++j) {
                    inner += u[j] * M(j, k);
                }
                along += inner * inner;
            }
            for (std::size_t i = 0; i < p; ++i) {
                for (std::size_t j = 0; j < p; ++j) {
                    retained += u[i] * C(i, j) * u[j];
                }
            }
            EXPECT_NEAR(covariance[r], std::min(along / square, 1.0), 1e-9);
            EXPECT_NEAR(energy[r], std::min(retained / trace, 1.0), 1e-9);
        }
    }
}

}  // namespace
}  // namespace sluice
