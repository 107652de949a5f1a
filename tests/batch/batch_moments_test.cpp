// Moments of rows merge exactly, and the fits from them are those of the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "batch/example.hpp"
#include "sluice/error.hpp"
#include "sluice/moments.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice::test::batch_moments_test {
namespace {

using Eigen::MatrixXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct Way {
    std::string name;
    Method method;
    Deflation deflation = Deflation::project;
    double ridge = 1e-5;
    bool center = true;
    bool scale = true;
    Balance balance = Balance::trace;
};

StreamOptions options_of(const Way& way, std::size_t components) {
    StreamOptions options;
    options.components = components;
    options.keep = {3};
    options.forgetting = 1.0;
    options.deflation = way.deflation;
    options.ridge = way.ridge;
    options.center = way.center;
    options.scale_inputs = options.scale_outputs = way.scale;
    options.balance = way.balance;
    return options;
}

Rows part_of(const std::vector<double>& values, std::size_t width, std::size_t first, std::size_t count) {
    return {std::span(values).subspan(first * width, count * width), width};
}

BatchMoments moments_of(const Example& e, std::size_t first, std::size_t count) {
    BatchMoments moments(e.p, e.q);
    moments.add(part_of(e.x, e.p, first, count), part_of(e.y, e.q, first, count));
    return moments;
}

BatchMoments moments_of(const Example& e) {
    return moments_of(e, 0, e.n());
}

// Cut at random places, each part fed in random pieces, and merged in random order.
BatchMoments in_random_parts(const Example& e, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<BatchMoments> parts;
    for (std::size_t first = 0; first < e.n();) {
        const std::size_t count = std::min<std::size_t>(e.n() - first, random() % (e.n() / 2 + 1));
        parts.emplace_back(e.p, e.q);  // some are without rows
        for (std::size_t done = 0; done < count;) {
            const std::size_t piece = std::min<std::size_t>(count - done, 1 + (random() % 300));
            parts.back().add(part_of(e.x, e.p, first + done, piece), part_of(e.y, e.q, first + done, piece));
            done += piece;
        }
        first += count;
    }
    std::ranges::shuffle(parts, random);
    while (parts.size() > 1) {
        const std::size_t i = random() % (parts.size() - 1);
        parts[i].merge(random() % 2 == 0 ? parts.back() : BatchMoments::load(parts.back().save()));
        parts.pop_back();
    }
    return parts.front();
}

// Coefficients relative to the largest of their output, in units of the spread of the inputs.
void expect_same(const Fit& one, const Fit& other, double tolerance = 1e-9) {
    EXPECT_EQ(one.method, other.method);
    EXPECT_EQ(one.selected, other.selected);
    EXPECT_EQ(one.notes, other.notes);
    ASSERT_EQ(one.components(), other.components());
    const auto expect_near = [tolerance](const MatrixXd& a, const MatrixXd& b, const char* what) {
        ASSERT_EQ(a.rows(), b.rows()) << what;
        ASSERT_EQ(a.cols(), b.cols()) << what;
        for (Eigen::Index k = 0; k < a.cols(); ++k) {
            const double size = b.col(k).cwiseAbs().maxCoeff();
            EXPECT_LE((a.col(k) - b.col(k)).cwiseAbs().maxCoeff(), tolerance * size) << what << " " << k;
        }
    };
    const auto expect_all_near = [&](const std::vector<double>& a, const std::vector<double>& b, const char* what) {
        const auto size = static_cast<Eigen::Index>(a.size());
        ASSERT_EQ(a.size(), b.size()) << what;
        if (size > 0) {
            expect_near(Eigen::Map<const Eigen::VectorXd>(a.data(), size),
                        Eigen::Map<const Eigen::VectorXd>(b.data(), size), what);
        }
    };
    if (one.components() > 0) {
        expect_near(as_eigen(one.weights), as_eigen(other.weights), "weights of component");
        expect_near(as_eigen(one.loadings), as_eigen(other.loadings), "loadings of output");
        expect_near(as_eigen(one.input_loadings), as_eigen(other.input_loadings), "input loadings of component");
        expect_near(as_eigen(one.score_coefficients), as_eigen(other.score_coefficients), "score coefficients");
    }
    expect_near(as_eigen(one.coefficients), as_eigen(other.coefficients), "coefficients of output");
    expect_all_near(one.intercept, other.intercept, "intercept");
    expect_all_near(one.input_means, other.input_means, "means");
    expect_all_near(one.explained_inputs, other.explained_inputs, "explained inputs");
    expect_all_near(one.explained_outputs, other.explained_outputs, "explained outputs");
    expect_all_near(one.importance, other.importance, "importance");
}

class EveryMethodFromMoments : public testing::TestWithParam<Way> {
  protected:
    static Fit from_rows(const Example& e, std::size_t components) {
        return fit(GetParam().method, e.inputs(), e.outputs(), options_of(GetParam(), components));
    }
    static Fit from(const BatchMoments& moments, std::size_t components) {
        return fit_moments(GetParam().method, moments, options_of(GetParam(), components));
    }
    static void expect_equal_fits(const Example& e, std::size_t components, double tolerance = 1e-9) {
        const Fit rows = from_rows(e, components);
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            SCOPED_TRACE("parts of seed " + std::to_string(seed));
            expect_same(from(in_random_parts(e, seed), components), rows, tolerance);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(
    Moments, EveryMethodFromMoments,
    testing::Values(Way{"Pls2", Method::pls2}, Way{"Pls2Unscaled", Method::pls2, Deflation::project, 1e-5, true, false},
                    Way{"Bridge", Method::bridge}, Way{"BridgeOrigin", Method::bridge, Deflation::project, 1e-5, false},
                    Way{"BridgeRaw", Method::bridge, Deflation::project, 0.1, true, false, Balance::raw},
                    Way{"Pcr", Method::pcr}, Way{"SparseBridge", Method::sparse_bridge},
                    Way{"SparseBridgeRefit", Method::sparse_bridge, Deflation::refit}),
    [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST_P(EveryMethodFromMoments, AreThoseOfTheRowsHoweverTheseAreDivided) {
    expect_equal_fits(factor_example(900, 12, 2), 3);
    expect_equal_fits(factor_example(40, 5, 1, 7), 3);
}

TEST_P(EveryMethodFromMoments, KeepTheDigitsOfColumnsWithLargeMeans) {
    Example e = factor_example(900, 8, 2);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 2) += 1e6;
        e.input(i, 5) -= 1e6;
        e.output(i, 0) += 1e6;
    }
    expect_equal_fits(e, 3);
}

TEST_P(EveryMethodFromMoments, KeepTheDigitsWhereTheMeanOfEachPartIsAnother) {
    Example e = factor_example(1500, 6, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) += 1e3 * static_cast<double>(i / 300);
        e.input(i, 4) += i < 300 ? 0.0 : 1e5;
    }
    expect_equal_fits(e, 3);
}

TEST_P(EveryMethodFromMoments, CountMissingValuesAsTheFitOfRowsDoes) {
    Example e = factor_example(700, 7, 2);
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) = random() % 3 == 0 ? nan : e.input(i, 1) + 1e3;
        e.input(i, 2) = i < 300 ? nan : e.input(i, 2);  // whole blocks without a value
        e.input(i, 4) = i == 650 ? nan : e.input(i, 4);
        e.input(i, 6) = nan;
        if (random() % 10 == 0) {
            e.output(i, 0) = e.output(i, 1) = nan;
        }
    }
    expect_equal_fits(e, 3);
    EXPECT_EQ(in_random_parts(e, 1).rows(), moments_of(e).rows());
    EXPECT_LT(moments_of(e).rows(), 700U);
}

TEST_P(EveryMethodFromMoments, AreThoseOfTheRowsWithConstantAndDuplicateColumns) {
    Example e = factor_example(400, 8, 2);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 3) = 0.1;
        e.input(i, 6) = 0.0;
        e.output(i, 1) = 7.7;
    }
    expect_equal_fits(e, 2);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 7) = e.input(i, 0);
    }
    const Fit rows = from_rows(e, 2);
    const Fit found = from(in_random_parts(e, 3), 2);  // which of the two is chosen is a matter of rounding
    for (std::size_t i = 0; i < e.n(); i += 37) {
        EXPECT_NEAR(found.predict(e.inputs()[i])[0], rows.predict(e.inputs()[i])[0], 1e-9);
    }
}

TEST_P(EveryMethodFromMoments, AreThoseOfTheRowsWithMoreInputsThanRows) {
    expect_equal_fits(factor_example(30, 60, 2), 4);
}

TEST_P(EveryMethodFromMoments, OfAnySizeFrom1em150To1e150) {
    for (const double size : {0x1p-498, 0x1p498}) {
        Example e = factor_example(300, 6, 1);
        for (std::size_t i = 0; i < e.n(); ++i) {
            e.input(i, 2) *= GetParam().scale ? size : 1.0;
            e.output(i, 0) *= size;
        }
        expect_equal_fits(e, 2);
    }
}

TEST_P(EveryMethodFromMoments, AColumnThatGrowsBy1e300KeepsWhatCounts) {
    Example e = factor_example(600, 5, 1);
    for (std::size_t i = 0; i < 300; ++i) {
        e.input(i, 1) *= 1e-150;
    }
    for (std::size_t i = 300; i < 600; ++i) {
        e.input(i, 1) *= 1e150;
    }
    if (GetParam().scale) {
        expect_equal_fits(e, 2);
    }
}

TEST_P(EveryMethodFromMoments, OneRowPredictsItself) {
    const Example e = factor_example(1, 4, 2);
    if (GetParam().center) {
        const Fit model = from(moments_of(e), 2);
        EXPECT_EQ(model.components(), 0U);
        ASSERT_EQ(model.notes.size(), 1U);
        EXPECT_EQ(model.notes[0], "no input varies: there are no components");
        EXPECT_EQ(model.intercept, e.y);
        EXPECT_EQ(model.predict(std::vector<double>{9.0, nan, 1.0, 2.0}), e.y);
    } else {
        expect_same(from(moments_of(e), 1), from_rows(e, 1));
    }
}

TEST_P(EveryMethodFromMoments, HaveNoScoresAndSayHowRowsBecomeThem) {
    const Example e = factor_example(60, 5, 1);
    const Fit model = from(moments_of(e), 2);
    EXPECT_EQ(model.scores.rows(), 0U);
    const Fit rows = from_rows(e, 2);
    for (std::size_t r = 0; r < rows.components(); ++r) {
        EXPECT_NEAR(model.scores_of(e.inputs()[17])[r], rows.scores(17, r), 1e-9);
    }
}

// A direction whose variance is 1e-14 of the others' would be rounding in X'X; the triangular factor has it.
TEST(BatchMoments, HaveTheDigitsOfTheRowsWhereColumnsAreNearlyTheSame) {
    Example e = factor_example(500, 3, 1);
    NormalSource normal(9);
    for (std::size_t i = 0; i < e.n(); ++i) {
        const double apart = normal.next();
        e.input(i, 1) = e.input(i, 0) + 1e-7 * apart;
        e.output(i, 0) = e.input(i, 0) + apart;
    }
    StreamOptions options = plain_options(3, 1.0);
    const Fit rows = fit(Method::pcr, e.inputs(), e.outputs(), options);
    const Fit found = fit_moments(Method::pcr, in_random_parts(e, 2), options);
    EXPECT_NEAR(rows.coefficients(1, 0), 1e7, 1.0);
    for (std::size_t j = 0; j < 3; ++j) {  // the columns have only nine digits of what sets them apart
        EXPECT_NEAR(found.coefficients(j, 0), rows.coefficients(j, 0), 1e-8 * 1e7);
    }
}

TEST(BatchMoments, TheSameRowsInAnyPiecesGiveTheSameBits) {
    Example e = factor_example(1000, 9, 2);
    e.input(3, 2) = nan;
    e.input(900, 5) = nan;
    const std::vector<std::byte> expected = moments_of(e).save();
    BatchMoments pieces(e.p, e.q);
    std::mt19937_64 random(3);
    for (std::size_t first = 0; first < e.n();) {
        const std::size_t count = std::min<std::size_t>(e.n() - first, 1 + (random() % 400));
        pieces.add(part_of(e.x, e.p, first, count), part_of(e.y, e.q, first, count));
        (void)pieces.save();  // asking changes nothing
        first += count;
    }
    EXPECT_EQ(pieces.save(), expected);
    EXPECT_EQ(BatchMoments::load(expected).save(), expected);
}

TEST(BatchMoments, MemoryDoesNotGrowWithRows) {
    const Example e = factor_example(1000, 9, 2);
    BatchMoments moments = moments_of(e);
    const std::size_t bytes = moments.bytes();
    const std::size_t saved = moments.save().size();
    for (int i = 0; i < 20; ++i) {
        moments.add(e.inputs(), e.outputs());
    }
    EXPECT_EQ(moments.bytes(), bytes);
    EXPECT_EQ(moments.save().size(), saved);
    EXPECT_EQ(moments.rows(), 21'000U);
}

TEST(BatchMoments, MeansAreThoseOfTheValuesThatAreThere) {
    BatchMoments moments(3, 1);
    const std::vector<double> x = {1e6, nan, nan, 1e6 + 1.0, 4.0, nan};
    const std::vector<double> y = {1.0, 2.0};
    moments.add({x, 3}, {y, 1});
    EXPECT_EQ(moments.input_means(), (std::vector<double>{1e6 + 0.5, 4.0, 0.0}));
}

TEST(BatchMoments, AreSmallerThanTheirMemoryLimitOrRefusedWithTheRemedy) {
    try {
        const BatchMoments moments(100'000, 1);
        FAIL() << "no error";
    } catch (const OptionError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "memory_limit = 16G: the moments of 100000 inputs and 1 outputs need 74.89G; give a larger "
                  "memory_limit or fewer inputs, or fit rows, as fit() does: it needs no matrix of inputs x inputs");
    }
    EXPECT_THROW(BatchMoments(std::numeric_limits<std::size_t>::max() / 4, 3), OptionError);
    Example e = factor_example(20, 50, 1);
    BatchMoments tight(50, 1, BatchMoments(50, 1).bytes());
    tight.add(e.inputs(), e.outputs());
    const std::vector<std::byte> before = tight.save();
    e.input(4, 7) = nan;
    try {
        tight.add(e.inputs(), e.outputs());
        FAIL() << "no error";
    } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find("of which 1 have missing values"), std::string::npos) << error.what();
    }
    EXPECT_EQ(tight.save(), before);
}

TEST(BatchMoments, WrongRowsAreRefusedAndChangeNothing) {
    const Example good = factor_example(20, 3, 2);
    BatchMoments moments = moments_of(good);
    const std::vector<std::byte> before = moments.save();
    Example e = good;
    e.input(16, 2) = inf;
    EXPECT_THROW(moments.add(e.inputs(), e.outputs()), DataError);
    e = good;
    e.output(4, 1) = nan;
    EXPECT_THROW(moments.add(e.inputs(), e.outputs()), DataError);
    EXPECT_THROW(moments.add(good.inputs(), part_of(good.y, 2, 0, 19)), DataError);
    EXPECT_THROW(moments.add(good.outputs(), good.outputs()), DataError);
    EXPECT_THROW(moments.merge(BatchMoments(3, 1)), DataError);
    EXPECT_THROW(BatchMoments(0, 1), OptionError);
    EXPECT_THROW(BatchMoments(1, 0), OptionError);
    EXPECT_EQ(moments.save(), before);
}

TEST(BatchMoments, WithoutRowsOrWithForgettingThereIsNoFit) {
    StreamOptions options = plain_options(1);
    try {
        (void)fit_moments(Method::bridge, BatchMoments(3, 1), options);
        FAIL() << "no error";
    } catch (const DataError& error) {
        EXPECT_EQ(std::string(error.what()), "no rows: there is nothing to fit; add rows that have their outputs");
    }
    options.forgetting = 0.98;
    options.components = 4;
    try {
        (void)fit_moments(Method::bridge, BatchMoments(3, 1), options);
        FAIL() << "no error";
    } catch (const OptionError& error) {
        ASSERT_EQ(error.problems().size(), 2U) << error.what();
        EXPECT_EQ(error.problems()[0], "forgetting = 0.98: must be 1 for a fit from moments, whose rows have no order");
    }
}

TEST(BatchMoments, EveryFlippedBitAndEveryTruncationIsRefused) {
    Example e = factor_example(5, 2, 1);
    e.input(2, 1) = nan;
    const std::vector<std::byte> good = moments_of(e).save();
    EXPECT_EQ(saved_kind(good), SavedKind::moments_state);
    std::vector<std::byte> bytes = good;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            bytes[i] ^= std::byte{1} << bit;
            ASSERT_THROW((void)BatchMoments::load(bytes), StateError) << "byte " << i << " bit " << bit;
            bytes[i] ^= std::byte{1} << bit;
        }
        ASSERT_THROW((void)BatchMoments::load(std::span(good).first(i)), StateError) << i;
    }
    EXPECT_THROW((void)BatchMoments::load(good, 1000), OptionError);
}

}  // namespace
}  // namespace sluice::test::batch_moments_test
