// Engine `dense`, few inputs or more: whatever rows are still pending, every product and block is that of all rows.
#include "packed_gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dense_gram.hpp"
#include "kernels.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::core::packed_gram_test {
namespace {

using Inputs = std::vector<std::size_t>;

constexpr double kForgetting = 0.97;
constexpr std::size_t kRoom = 12;

// Rows, and the sums that a gram must hold: plain loops in long double.
class Sums {
  public:
    explicit Sums(std::size_t p) : p_(p), exact_(p * p, 0.0L), h_(p) {}

    void learn(std::initializer_list<Gram*> grams, Workers& workers) {
        weight_ /= kForgetting;
        std::ranges::generate(h_, [&] { return normal_.next(); });
        h_[1] = h_[0];  // duplicate columns
        h_[2] = 0.0;    // a constant one
        for (Gram* gram : grams) {
            std::ranges::copy(h_, gram->row());
            gram->add_row(weight_, workers);
        }
        add(h_, static_cast<long double>(weight_));
    }
    void add(std::span<const double> h, long double weight) {
        for (std::size_t i = 0; i < p_; ++i) {
            for (std::size_t j = 0; j < p_; ++j) {
                exact_[(i * p_) + j] += weight * static_cast<long double>(h[i]) * static_cast<long double>(h[j]);
            }
        }
    }
    void scale(double factor) {
        weight_ *= factor;
        for (long double& one : exact_) {
            one *= static_cast<long double>(factor);
        }
    }
    void scale_input(std::size_t j, double factor) {
        for (std::size_t i = 0; i < p_; ++i) {
            exact_[(i * p_) + j] *= static_cast<long double>(factor);
            exact_[(j * p_) + i] *= static_cast<long double>(factor);
        }
    }
    [[nodiscard]] double at(std::size_t i, std::size_t j) const { return static_cast<double>(exact_[(i * p_) + j]); }
    [[nodiscard]] double size() const { return at(0, 0) + at(p_ - 1, p_ - 1); }

    // Every way in which C is read, at these inputs.
    void expect_equal(const Gram& gram, const Inputs& inputs, Workers& workers) const {
        const double tolerance = 1e-13 * size();  // a few dozen roundings of sums of that size
        std::vector<double> block(inputs.size() * inputs.size());
        gram.block(inputs, block);
        for (std::size_t c = 0; c < inputs.size(); ++c) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                ASSERT_NEAR(block[(c * inputs.size()) + i], at(inputs[i], inputs[c]), tolerance);
                ASSERT_EQ(block[(c * inputs.size()) + i], block[(i * inputs.size()) + c]);
            }
        }
        std::vector<double> twos(inputs.size(), 2.0);
        std::vector<double> each(block.size());
        gram.multiply_each_at(inputs, twos, inputs, each.data(), inputs.size());
        for (std::size_t i = 0; i < block.size(); ++i) {
            ASSERT_EQ(each[i], 2.0 * block[i]);
        }
        for (const std::size_t targets : {1U, 3U}) {
            std::vector<double> factors(inputs.size() * targets);
            for (std::size_t s = 0; s < factors.size(); ++s) {
                factors[s] = std::cos(static_cast<double>(s));
            }
            Buffer<double> out(targets * column_stride(p_));
            gram.multiply(inputs, factors, targets, out.data(), column_stride(p_), workers);
            for (std::size_t m = 0; m < targets; ++m) {
                for (std::size_t i = 0; i < p_; ++i) {
                    ASSERT_NEAR(out[(m * column_stride(p_)) + i], product(i, inputs, factors, targets, m),
                                tolerance * static_cast<double>(inputs.size()));
                }
            }
            if (targets == 1) {
                expect_products_at(gram, inputs, factors);
            }
        }
    }

  private:
    [[nodiscard]] double product(std::size_t i, const Inputs& support, std::span<const double> factors,
                                 std::size_t targets, std::size_t m) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += at(i, support[s]) * factors[(s * targets) + m];
        }
        return sum;
    }
    void expect_products_at(const Gram& gram, const Inputs& inputs, std::span<const double> factors) const {
        const double tolerance = 1e-13 * size() * static_cast<double>(inputs.size());
        Inputs all(p_);
        for (std::size_t i = 0; i < p_; ++i) {
            all[i] = i;
        }
        for (const Inputs& places : {inputs, all}) {
            std::vector<double> out(places.size());
            gram.multiply_at(inputs, factors, places, out);
            for (std::size_t i = 0; i < places.size(); ++i) {
                ASSERT_NEAR(out[i], product(places[i], inputs, factors, 1, 0), tolerance);
            }
        }
        const std::vector<std::span<const std::size_t>> supports = {inputs, std::span(inputs).first(2)};
        const std::vector<std::span<const double>> coefficients = {factors, factors.first(2)};
        std::vector<double> A(4);
        gram.inner_products(supports, coefficients, inputs, A);
        double both = 0.0;
        for (std::size_t s = 0; s < 2; ++s) {
            both += factors[s] * product(inputs[s], inputs, factors, 1, 0);
        }
        ASSERT_NEAR(A[1], both, tolerance * static_cast<double>(inputs.size()));
        ASSERT_EQ(A[1], A[2]);
    }

    std::size_t p_;
    std::vector<long double> exact_;
    std::vector<double> h_;
    NormalSource normal_{11};
    double weight_ = 1.0;
};

Inputs some_inputs(std::size_t p) {
    return {0, 1, 2, p / 3, p / 2, (p / 2) + 1, p - 9, p - 1};
}

std::vector<double> product_of(const PackedGram& gram, const Inputs& support, std::size_t p) {
    Workers workers(1);
    std::vector<double> factors(support.size() * 2);
    for (std::size_t s = 0; s < factors.size(); ++s) {
        factors[s] = std::sin(static_cast<double>(s + 1));
    }
    Buffer<double> out(2 * column_stride(p));
    gram.multiply(support, factors, 2, out.data(), column_stride(p), workers);
    return {out.data(), out.data() + out.size()};
}

std::vector<std::byte> saved(const PackedGram& gram) {
    StateWriter out;
    gram.save(out);
    return std::move(out).unframed();
}

// The sums of the inputs that there were before others were added, and zeros for these.
void expect_known(const PackedGram& loaded, const Sums& sums, std::size_t before, std::size_t after) {
    const Inputs inputs = {0, 5, 77, before - 1, before, after - 1};
    std::vector<double> block(inputs.size() * inputs.size());
    loaded.block(inputs, block);
    for (std::size_t c = 0; c < inputs.size(); ++c) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const bool known = inputs[i] < before && inputs[c] < before;
            ASSERT_NEAR(block[(c * inputs.size()) + i], known ? sums.at(inputs[i], inputs[c]) : 0.0,
                        1e-13 * sums.size());
        }
    }
}

TEST(PackedGram, EveryReadIsOfAllRowsAtEveryTurn) {
    for (const std::size_t p : {20U, 128U, 129U, 323U, 600U}) {
        for (const std::size_t in_use : {0U, 12U}) {  // without room each column is read on its own
            SCOPED_TRACE(testing::Message() << p << " inputs, room for " << in_use);
            Workers workers(1);
            PackedGram gram(p, in_use);
            Sums sums(p);
            for (int row = 0; row < 50; ++row) {
                sums.learn({&gram}, workers);
                if (row < 3 || row % 7 == 0 || row > 45) {
                    sums.expect_equal(gram, some_inputs(p), workers);
                    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "row " << row;
                }
            }
        }
    }
}

TEST(DenseGram, EveryReadIsOfAllRows) {
    for (const std::size_t p : {20U, 60U, 128U}) {
        SCOPED_TRACE(testing::Message() << p << " inputs");
        Workers workers(1);
        DenseGram gram(p);
        Sums sums(p);
        for (int row = 0; row < 20; ++row) {
            sums.learn({&gram}, workers);
            if (row == 7) {
                gram.scale(0x1p-33);
                sums.scale(0x1p-33);
                gram.scale_input(5, 0x1p-4);
                sums.scale_input(5, 0x1p-4);
            }
            sums.expect_equal(gram, some_inputs(p), workers);
            ASSERT_FALSE(testing::Test::HasFatalFailure()) << "row " << row;
        }
    }
}

// A model that gets more inputs may change from the one to the other.
TEST(PackedGram, AStateOfFewInputsLoads) {
    constexpr std::size_t kBefore = 100;
    constexpr std::size_t kAfter = 150;
    Workers workers(1);
    DenseGram gram(kBefore);
    Sums sums(kBefore);
    for (int row = 0; row < 25; ++row) {
        sums.learn({&gram}, workers);
    }
    StateWriter out;
    gram.save(out);
    const auto bytes = std::move(out).unframed();
    auto in = StateReader::unframed(bytes);
    in.set_added_inputs(kAfter - kBefore);
    PackedGram loaded(kAfter, kRoom);
    loaded.load(in);
    ASSERT_EQ(in.left(), 0U);
    expect_known(loaded, sums, kBefore, kAfter);
}

// As saved before groups were smaller: 16 inputs each, and rows that other groups than ours lack.
TEST(PackedGram, AStateWithOtherGroupsLoads) {
    constexpr std::size_t kInputs = 130;
    constexpr std::size_t kGroup = 16;
    constexpr std::size_t kGroups = 9;
    constexpr std::size_t kTurn = 4;
    NormalSource normal(21);
    std::vector<double> C(kInputs * kInputs);
    for (std::size_t j = 0; j < kInputs; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            C[(j * kInputs) + i] = C[(i * kInputs) + j] = normal.next();
        }
    }
    std::vector<double> rows(kGroups * kInputs);  // by age
    std::ranges::generate(rows, [&] { return normal.next(); });
    const auto lacks = [](std::size_t j) { return (kTurn + kGroups - 1 - (j / kGroup)) % kGroups; };
    StateWriter out;
    for (std::size_t j = 0; j < kInputs; ++j) {
        out.put_all(std::span<const double>(C).subspan(j * kInputs, j + 1));
    }
    out.put(static_cast<unsigned char>(true));
    out.put(std::uint64_t{8 + kGroups - 1});
    out.put(std::uint64_t{kGroup});
    out.put(std::uint64_t{kTurn});
    for (std::size_t age = 0; age + 1 < kGroups; ++age) {
        for (std::size_t j = 0; j < kInputs; ++j) {
            if (age < lacks(j)) {
                out.put(rows[(age * kInputs) + j]);
            }
        }
    }
    const auto bytes = std::move(out).unframed();
    auto in = StateReader::unframed(bytes);
    PackedGram loaded(kInputs, kRoom);
    loaded.load(in);
    ASSERT_EQ(in.left(), 0U);
    const Inputs inputs = some_inputs(kInputs);
    std::vector<double> block(inputs.size() * inputs.size());
    loaded.block(inputs, block);
    for (std::size_t c = 0; c < inputs.size(); ++c) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            double sum = C[(inputs[c] * kInputs) + inputs[i]];
            for (std::size_t age = 0; age < std::min(lacks(inputs[c]), lacks(inputs[i])); ++age) {
                sum += rows[(age * kInputs) + inputs[c]] * rows[(age * kInputs) + inputs[i]];
            }
            ASSERT_NEAR(block[(c * inputs.size()) + i], sum, 1e-12);
        }
    }
}

TEST(PackedGram, ChangesOfScaleAndOfUnitsReachTheRowsThatPend) {
    constexpr std::size_t kInputs = 200;
    Workers workers(1);
    PackedGram gram(kInputs, 12);
    Sums sums(kInputs);
    for (int row = 0; row < 40; ++row) {
        sums.learn({&gram}, workers);
        if (row == 17) {
            gram.scale(0x1p-33);  // an odd power: its root is rounded
            sums.scale(0x1p-33);
        }
        if (row == 21) {
            gram.scale_input(100, 0x1p-4);
            sums.scale_input(100, 0x1p-4);
        }
        sums.expect_equal(gram, some_inputs(kInputs), workers);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "row " << row;
    }
}

TEST(PackedGram, NoBitDependsOnWhichColumnsAreKeptCurrent) {
    constexpr std::size_t kInputs = 170;
    Workers workers(1);
    PackedGram always(kInputs, 16);
    PackedGram rarely(kInputs, 16);
    Sums sums(kInputs);
    for (int row = 0; row < 60; ++row) {
        sums.learn({&always, &rarely}, workers);
        (void)product_of(always, some_inputs(kInputs), kInputs);
        if (row % 13 == 12) {
            ASSERT_EQ(product_of(always, some_inputs(kInputs), kInputs),
                      product_of(rarely, some_inputs(kInputs), kInputs));
        }
    }
}

// The block of the inputs in use, with newcomers at every turn: its entries are those read from C, bit for bit.
TEST(PackedGram, NoBitDependsOnWhichInputsTheBlockHolds) {
    for (const std::size_t p : {130U, 323U}) {
        Workers workers(1);
        PackedGram with_block(p, 16, 16);
        PackedGram forgetful(p, 16, 16);  // its block is empty again and again
        PackedGram without(p, 16);
        Sums sums(p);
        NormalSource normal(5);
        const std::vector<double> squares(p, 1.0);
        std::vector<double> factors(8);
        std::ranges::generate(factors, [&] { return normal.next(); });
        for (int row = 0; row < 300; ++row) {
            sums.learn({&with_block, &forgetful, &without}, workers);
            if (row % 3 == 0) {
                const auto bytes = saved(forgetful);
                auto in = StateReader::unframed(bytes);
                forgetful.load(in);
            }
            if (row == 150) {
                for (PackedGram* gram : {&with_block, &forgetful, &without}) {
                    gram->scale(0x1p-33);
                    gram->scale_input(100, 0x1p-4);
                }
                sums.scale(0x1p-33);
                sums.scale_input(100, 0x1p-4);
            }
            Inputs inputs = some_inputs(p);  // most stay for a while
            inputs[3 + (static_cast<std::size_t>(row) % 3)] += static_cast<std::size_t>(row / 5) % 20;
            std::ranges::sort(inputs);
            inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
            ASSERT_TRUE(with_block.prepare(inputs, squares, workers));
            std::vector<double> block(inputs.size() * inputs.size());
            std::vector<double> expected(block.size());
            with_block.block(inputs, block);
            without.block(inputs, expected);
            ASSERT_EQ(block, expected) << "row " << row;
            const auto coefficient = std::span<const double>(factors).first(inputs.size());
            std::vector<double> product(inputs.size());
            std::vector<double> expected_product(inputs.size());
            with_block.multiply_at(inputs, coefficient, inputs, product);
            forgetful.multiply_at(inputs, coefficient, inputs, expected_product);
            ASSERT_EQ(product, expected_product) << "row " << row;
            if (row % 50 == 49) {
                sums.expect_equal(with_block, inputs, workers);
                ASSERT_FALSE(testing::Test::HasFatalFailure()) << "row " << row;
            }
        }
        Inputs too_many(17);
        std::iota(too_many.begin(), too_many.end(), std::size_t{0});
        EXPECT_FALSE(with_block.prepare(too_many, squares, workers));
    }
}

TEST(PackedGram, ASavedEngineGoesOnBitForBitFromEveryTurn) {
    constexpr std::size_t kInputs = 150;
    Workers workers(1);
    for (const std::size_t in_use : {0U, 12U}) {
        PackedGram gram(kInputs, in_use);
        Sums sums(kInputs);
        for (int row = 0; row < 30; ++row) {
            sums.learn({&gram}, workers);
            const auto bytes = saved(gram);
            PackedGram loaded(kInputs, in_use);
            auto in = StateReader::unframed(bytes);
            loaded.load(in);
            ASSERT_EQ(in.left(), 0U);
            PackedGram kept = gram;
            for (int next = 0; next < 3; ++next) {
                sums.learn({&kept, &loaded}, workers);
                ASSERT_EQ(product_of(kept, some_inputs(kInputs), kInputs),
                          product_of(loaded, some_inputs(kInputs), kInputs));
            }
            ASSERT_EQ(saved(kept), saved(loaded));
            gram = kept;
        }
        sums.expect_equal(gram, some_inputs(kInputs), workers);
    }
}

TEST(PackedGram, AStateWithFewerInputsLoadsWithItsPendingRows) {
    constexpr std::size_t kBefore = 150;
    constexpr std::size_t kAfter = 190;
    Workers workers(1);
    PackedGram gram(kBefore, kRoom);
    Sums sums(kBefore);
    for (int row = 0; row < 25; ++row) {
        sums.learn({&gram}, workers);
    }
    const auto bytes = saved(gram);
    auto in = StateReader::unframed(bytes);
    in.set_added_inputs(kAfter - kBefore);
    PackedGram loaded(kAfter, kRoom);
    loaded.load(in);
    expect_known(loaded, sums, kBefore, kAfter);
}

// As saved before rows pended: all of C as of the last flush, and up to seven rows with their weights.
TEST(PackedGram, AStateOfAnEarlierVersionLoads) {
    constexpr std::size_t kInputs = 140;
    Sums sums(kInputs);
    Workers workers(1);
    PackedGram known(kInputs, kRoom);
    for (int row = 0; row < 9; ++row) {
        sums.learn({&known}, workers);
    }
    StateWriter out;
    out.put(std::uint64_t{kInputs});  // a payload begins so
    for (std::size_t j = 0; j < kInputs; ++j) {
        for (std::size_t i = 0; i < kInputs; ++i) {
            out.put(sums.at(i, j));
        }
    }
    out.put(std::uint64_t{3});
    NormalSource normal(3);
    for (int row = 0; row < 3; ++row) {
        std::vector<double> h(kInputs);
        std::ranges::generate(h, [&] { return normal.next(); });
        out.put(2.5);
        out.put_all(h);
        sums.add(h, 2.5L);
    }
    const auto bytes = out.framed();
    StateReader in(bytes);
    (void)in.take_bytes(sizeof(std::uint64_t));
    PackedGram loaded(kInputs, kRoom);
    loaded.load(in);
    ASSERT_EQ(in.left(), 0U);
    for (int row = 0; row < 20; ++row) {
        sums.expect_equal(loaded, some_inputs(kInputs), workers);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
        sums.learn({&loaded}, workers);
    }
}

TEST(PackedGram, RowsThatCameLaterAreAppendedWithWhatPendsOnBothSides) {
    constexpr std::size_t kInputs = 133;
    Workers workers(1);
    PackedGram early(kInputs, kRoom);
    PackedGram late(kInputs, kRoom);
    Sums first(kInputs);
    Sums second(kInputs);
    for (int row = 0; row < 13; ++row) {
        first.learn({&early}, workers);
    }
    for (int row = 0; row < 22; ++row) {
        second.learn({&late}, workers);
    }
    std::vector<double> h(kInputs, 0.25);
    early.append(late, 0.5, h, 3.0);
    const Inputs inputs = some_inputs(kInputs);
    std::vector<double> block(inputs.size() * inputs.size());
    early.block(inputs, block);
    for (std::size_t c = 0; c < inputs.size(); ++c) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const double sum = (0.5 * first.at(inputs[i], inputs[c])) + second.at(inputs[i], inputs[c]) + (3.0 / 16);
            ASSERT_NEAR(block[(c * inputs.size()) + i], sum, 1e-13 * (first.size() + second.size()));
        }
    }
}

TEST(PackedGram, TheBitsDoNotDependOnTheNumberOfThreads) {
    constexpr std::size_t kInputs = 1100;  // threads share the update from 1,024 on
    Workers alone(1);
    Workers three(3);
    PackedGram one(kInputs, kRoom);
    PackedGram other(kInputs, kRoom);
    NormalSource normal(5);
    for (int row = 0; row < 80; ++row) {
        for (std::size_t j = 0; j < kInputs; ++j) {
            one.row()[j] = other.row()[j] = normal.next();
        }
        one.add_row(1.5, alone);
        other.add_row(1.5, three);
    }
    EXPECT_EQ(saved(one), saved(other));
}

TEST(PackedMatrix, EachColumnIsTheSameForAnyNumberOfThreads) {
    constexpr std::size_t kInputs = 1100;  // the last group is short
    for (const std::size_t threads : {2U, 3U, 64U}) {
        Workers workers(threads);
        PackedMatrix<float> C(kInputs, 16, 4);
        Buffer<float> row(C.length());
        Buffer<float> plain(C.length());
        Buffer<float> shared(C.length());
        NormalSource normal(6);
        for (int t = 0; t < 100; ++t) {
            std::ranges::generate(row.all().first(kInputs), [&] { return static_cast<float>(normal.next()); });
            C.add_row(row.data(), workers);
        }
        for (const std::size_t j : {0U, 15U, 16U, 500U, 1087U, 1088U, 1099U}) {
            C.read_column(j, plain.data());
            C.read_column(j, shared.data(), workers);
            ASSERT_TRUE(std::ranges::equal(plain.all(), shared.all())) << threads << " threads, input " << j;
        }
    }
}

TEST(PanelKernels, TheBitsDependNeitherOnTheCallsNorOnTheSideOfTheDiagonal) {
    for (const std::size_t group : {8U, 16U, 24U, 40U}) {
        constexpr std::size_t kRows = 5;
        NormalSource normal(9);
        Buffer<double> at_i(kRows * group);
        Buffer<double> at_j(kRows * group);
        std::ranges::generate(at_i.all(), [&] { return normal.next(); });
        std::ranges::generate(at_j.all(), [&] { return normal.next(); });
        const auto rows = [&](const Buffer<double>& i, const Buffer<double>& j, std::size_t first, std::size_t older,
                              std::size_t newer) {
            const std::size_t from = first * group;
            const std::size_t between = (first + older) * group;
            return kernels::PanelRows<double>{.older = older,
                                              .older_i = i.data() + from,
                                              .older_j = j.data() + from,
                                              .newer = newer,
                                              .newer_i = i.data() + between,
                                              .newer_j = j.data() + between};
        };
        Buffer<double> once(group * group);
        kernels::add_to_block(rows(at_i, at_j, 0, 2, 3), group, once.data(), once.data());
        Buffer<double> one_by_one(group * group);
        for (std::size_t b = 0; b < kRows; ++b) {
            kernels::add_to_block(rows(at_i, at_j, b, b % 2, 1 - (b % 2)), group, one_by_one.data(), once.data());
        }
        Buffer<double> mirrored(group * group);
        kernels::add_to_block(rows(at_j, at_i, 0, 5, 0), group, mirrored.data(), once.data());
        for (std::size_t j = 0; j < group; ++j) {
            for (std::size_t i = 0; i < group; ++i) {
                const double sum = once[(j * group) + i];
                ASSERT_EQ(sum, one_by_one[(j * group) + i]);
                ASSERT_EQ(sum, mirrored[(i * group) + j]);
                double plain = 0.0;
                for (std::size_t b = 0; b < kRows; ++b) {
                    plain += at_i[(b * group) + i] * at_j[(b * group) + j];
                }
                ASSERT_NEAR(sum, plain, 1e-14 * 50);
            }
        }
    }
}

}  // namespace
}  // namespace sluice::core::packed_gram_test
