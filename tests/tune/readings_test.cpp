// What else is read off the same moments equals what a model made that way finds.
#include "readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

// A model with the readings beside it, kept up to date as src/tune does.
struct WithReadings {
    WithReadings(const StreamOptions& options, std::vector<double> shrinkages, bool by_components)
        : model(p, q, options), readings(p, q, options, std::move(shrinkages), by_components) {}

    void learn(std::span<const double> x, std::span<const double> y) {
        impl(model).update(x, y, false, model.predict(x), {.stages = readings.stages()});
        update();
    }
    void learn(const test::Table& table) {
        for (std::size_t t = 0; t < table.rows(); ++t) {
            learn(table.x_row(t), table.y_row(t));
        }
    }
    void update() { readings.update(impl(model).moments(), impl(model).units(), step()); }
    void use_components(std::size_t count) {
        impl(model).use_components(count, readings.by_components()[count - 1]);
        update();
    }
    [[nodiscard]] const core::Step& step() { return impl(model).step(); }
    [[nodiscard]] std::vector<double> predict(const core::Coefficients& fit, std::span<const double> x) {
        std::vector<double> y(q);
        impl(model).predictor().predict(fit.selected, fit.beta, x, y);
        return y;
    }

    StreamModel model;
    tune::Readings readings;
};

void expect_near(std::span<const double> a, std::span<const double> b, std::size_t row) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {  // the same sums in another order
        ASSERT_NEAR(a[k], b[k], 1e-9 * (1.0 + std::abs(b[k]))) << "row " << row;
    }
}

TEST(Readings, TheFirstComponentsAloneAreAModelWithThatNumber) {
    const auto table = test::factor_table(1, 150, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        WithReadings whole(made_with(deflation, kComponents), {}, true);
        std::vector<StreamModel> single;
        for (std::size_t r = 1; r <= kComponents; ++r) {
            single.emplace_back(p, q, made_with(deflation, r));
        }
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto& fits = whole.readings.by_components();
            ASSERT_EQ(fits.size(), kComponents);
            for (std::size_t r = 0; r < kComponents; ++r) {
                ASSERT_TRUE(std::ranges::equal(fits[r].selected, single[r].selected())) << "row " << t;
                expect_near(whole.predict(fits[r], table.x_row(t)), single[r].predict(table.x_row(t)), t);
                single[r].learn(table.x_row(t), table.y_row(t));
            }
            whole.learn(table.x_row(t), table.y_row(t));
        }
        EXPECT_TRUE(std::ranges::equal(whole.model.selected(), single.back().selected()));
    }
}

TEST(Readings, OtherShrinkagesAreThoseOfAModelOnTheSameVariables) {
    const auto table = test::factor_table(2, 100, p, q);
    const std::vector<double> shrinkages = {0.1, 1.0, 5.0, 30.0};
    // All variables are kept, so that every model selects the same.
    auto all = [](double shrinkage) {
        StreamOptions options{.components = 1, .keep = {p}};
        options.shrinkage = shrinkage;
        return options;
    };
    WithReadings whole(all(5.0), shrinkages, false);
    std::vector<StreamModel> single;
    for (const double shrinkage : shrinkages) {
        single.emplace_back(p, q, all(shrinkage));
    }
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto& betas = whole.readings.by_shrinkage();
        for (std::size_t i = 0; i < shrinkages.size(); ++i) {
            const core::Coefficients fit{.selected = whole.step().fit().selected, .beta = betas[i]};
            expect_near(whole.predict(fit, table.x_row(t)), single[i].predict(table.x_row(t)), t);
            single[i].learn(table.x_row(t), table.y_row(t));
        }
        whole.learn(table.x_row(t), table.y_row(t));
    }
}

TEST(Readings, TheShrinkageInUseIsAmongThemToTheBit) {
    const auto table = test::factor_table(3, 60, p, q);
    WithReadings model(made_with(Deflation::refit, kComponents), {1.0, 5.0}, true);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        ASSERT_EQ(model.readings.by_shrinkage()[1], model.step().fit().beta) << "row " << t;
        ASSERT_EQ(model.readings.by_components().back().beta, model.step().fit().beta) << "row " << t;
    }
}

TEST(Readings, KeepingThemChangesNothingElse) {
    const auto table = test::factor_table(4, 100, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamModel plain(p, q, made_with(deflation, kComponents));
        WithReadings beside(made_with(deflation, kComponents),
                            deflation == Deflation::refit ? std::vector<double>{1.0, 10.0} : std::vector<double>{},
                            true);
        plain.learn_many(table.all_x(), table.all_y());
        beside.learn(table);
        EXPECT_EQ(plain.save(), beside.model.save());
    }
}

TEST(Readings, AChoiceOfComponentsHoldsFromThatMomentOn) {
    const auto table = test::factor_table(5, 150, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        WithReadings with(made_with(deflation, kComponents), {}, true);
        StreamModel& model = with.model;
        StreamModel two(p, q, made_with(deflation, 2));
        for (std::size_t t = 0; t < table.rows(); ++t) {
            with.learn(table.x_row(t), table.y_row(t));
            two.learn(table.x_row(t), table.y_row(t));
            if (t == 70) {
                with.use_components(2);
            }
            if (t == 110) {
                with.use_components(kComponents);
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

TEST(Readings, AChoiceOfShrinkageHoldsFromThatMomentOn) {
    const auto table = test::factor_table(6, 120, p, q);
    WithReadings with(made_with(Deflation::refit, 1), {1.0, 5.0, 30.0}, false);
    StreamModel& model = with.model;
    StreamModel other(p, q, made_with(Deflation::refit, 1, 30.0));  // one component: the choice does not depend on it
    for (std::size_t t = 0; t < table.rows(); ++t) {
        with.learn(table.x_row(t), table.y_row(t));
        other.learn(table.x_row(t), table.y_row(t));
        if (t == 60) {
            EXPECT_GT(std::abs(model.predict(table.x_row(t))[0] - other.predict(table.x_row(t))[0]), 1e-6);
            impl(model).use_shrinkage(30.0, with.readings.by_shrinkage()[2]);
        }
        if (t >= 60) {
            expect_near(model.predict(table.x_row(t)), other.predict(table.x_row(t)), t);
        }
    }
}

// tr and |M~|^2 along the components, from the moments in the caller's units of a model that does not scale.
TEST(Readings, SharesExplainedAreThoseOfTheMoments) {
    const auto table = test::factor_table(7, 80, p, q);
    for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
        StreamOptions options = made_with(deflation, kComponents);
        options.scale_inputs = false;
        options.scale_outputs = false;
        StreamModel model(p, q, options);
        const auto report = model.learn_many(table.all_x(), table.all_y());
        std::vector<double> covariance(kComponents);
        std::vector<double> energy(kComponents);
        tune::Readings(p, q, options, {}, true)
            .explained_by_components(impl(model).moments(), impl(model).units(), impl(model).step(), covariance,
                                     energy);
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
