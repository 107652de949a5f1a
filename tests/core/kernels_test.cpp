// Every set of vector instructions that this processor has must give the result of a plain loop.
#include "kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "buffer.hpp"
#include "sluice/simulate.hpp"
#include "support/every_target.hpp"

namespace sluice::core::kernels_test {
namespace {

Buffer<double> random_numbers(std::uint64_t seed, std::size_t n) {
    NormalSource normal(seed);
    Buffer<double> v(n);
    std::ranges::generate(v.all(), [&] { return normal.next(); });
    return v;
}

// Runs `check` under each target in turn.
class Kernels : public testing::Test {
  protected:
    template <typename Check>
    static void on_every_target(const Check& check) {
        EXPECT_GE(test::on_every_target([&](std::int64_t /*target*/) { check(); }), 2)
            << "only one set of instructions was tried";
    }
};

TEST_F(Kernels, WithinFindsMissingAndLargeNumbersAtEveryPlace) {
    on_every_target([] {
        for (const std::size_t n : {1U, 7U, 8U, 9U, 33U}) {
            std::vector<double> x(n, 1.0);
            EXPECT_TRUE(kernels::within(x.data(), nullptr, n, 2.0));
            for (std::size_t j = 0; j < n; ++j) {
                for (const double bad :
                     {3.0, -3.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
                    x[j] = bad;
                    EXPECT_FALSE(kernels::within(x.data(), nullptr, n, 2.0));
                }
                x[j] = 1.0;
            }
        }
    });
}

TEST_F(Kernels, TheCrossPassUpdatesSumsAndRecordsEveryInputThatReachesTheBound) {
    constexpr std::size_t n = 64;
    constexpr std::size_t q = 3;
    const auto h = random_numbers(1, n);
    const auto w = random_numbers(2, n);
    const auto square = random_numbers(3, n);
    Buffer<double> weight(n);
    Buffer<double> variance(n);
    for (std::size_t i = 0; i < n; ++i) {
        weight[i] = i % 9 == 0 ? 0.0 : w[i] * w[i];
        variance[i] = square[i] * square[i];
    }
    const std::vector<double> dy = {0.5, -1.0, 2.0};
    const std::vector<double> e = {1.0, 2.0, 0.5};
    for (std::size_t R = 0; R <= 6; ++R) {
        const auto g = random_numbers(4, (R * q) + 1);
        const std::vector<double> least(R, 2.0);
        const std::vector<double> bound(R, 1e-6);
        on_every_target([&] {
            auto M = random_numbers(5, n * q);
            const auto before = M;
            std::vector<std::vector<std::uint32_t>> hits(R, std::vector<std::uint32_t>(n));
            std::vector<std::uint32_t*> places;
            for (auto& list : hits) {
                places.push_back(list.data());
            }
            std::vector<std::size_t> counts(R, 0);
            const double sum = kernels::cross_pass({.M = M.data(),
                                                    .stride = n,
                                                    .outputs = q,
                                                    .h = h.data(),
                                                    .dy = dy.data(),
                                                    .e = e.data(),
                                                    .w = weight.data(),
                                                    .square = variance.data(),
                                                    .directions = R,
                                                    .g = g.data(),
                                                    .least_square = least.data(),
                                                    .bound_square = bound.data(),
                                                    .first = 0,
                                                    .hits = places.data(),
                                                    .counts = counts.data(),
                                                    .room = n},
                                                   n);
            double expected = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t k = 0; k < q; ++k) {
                    const double updated = before[(k * n) + i] + (h[i] * dy[k]);
                    ASSERT_NEAR(M[(k * n) + i], updated, 1e-14);
                    expected += weight[i] * e[k] * updated * e[k] * updated;
                }
            }
            EXPECT_NEAR(sum, expected, 1e-11);
            for (std::size_t r = 0; r < R; ++r) {
                const std::set<std::uint32_t> noted(hits[r].begin(),
                                                    hits[r].begin() + static_cast<std::ptrdiff_t>(counts[r]));
                EXPECT_TRUE(std::is_sorted(hits[r].begin(), hits[r].begin() + static_cast<std::ptrdiff_t>(counts[r])));
                for (std::size_t i = 0; i < n; ++i) {
                    double along = 0.0;
                    for (std::size_t k = 0; k < q; ++k) {
                        along += M[(k * n) + i] * g[(r * q) + k];
                    }
                    const double size = std::sqrt(weight[i]) * (std::abs(along) + (1e-3 * std::sqrt(variance[i])));
                    const bool reaches = size >= std::sqrt(2.0) && weight[i] > 0.0;
                    EXPECT_TRUE(!reaches || noted.contains(static_cast<std::uint32_t>(i))) << r << ", " << i;
                    EXPECT_TRUE(weight[i] > 0.0 || !noted.contains(static_cast<std::uint32_t>(i)));
                    EXPECT_TRUE(size > 1.3 || !noted.contains(static_cast<std::uint32_t>(i)));
                }
            }
        });
    }
}

TEST_F(Kernels, ProductsOfColumnsAndRows) {
    constexpr std::size_t n = 72;
    const auto data = random_numbers(6, 5 * n);
    const auto factors = random_numbers(7, 5 * 9);
    std::vector<const double*> columns;
    for (std::size_t c = 0; c < 5; ++c) {
        columns.push_back(data.data() + (c * n));
    }
    on_every_target([&] {
        for (std::size_t targets = 1; targets <= 9; ++targets) {
            Buffer<double> out(targets * n);
            kernels::columns_product(columns.data(), 5, factors.data(), targets, 0, n, out.data(), n);
            for (std::size_t m = 0; m < targets; ++m) {
                for (std::size_t i = 0; i < n; ++i) {
                    double sum = 0.0;
                    for (std::size_t c = 0; c < 5; ++c) {
                        sum += columns[c][i] * factors[(c * targets) + m];
                    }
                    ASSERT_NEAR(out[(m * n) + i], sum, 1e-14);
                }
            }
        }
        for (std::size_t count = 1; count <= kernels::kColumnsAtOnce; ++count) {
            Buffer<double> sums(kernels::kColumnsAtOnce * n);
            Buffer<double> in_two_calls(sums.size());
            std::vector<double*> to;
            std::vector<double*> to_again;
            for (std::size_t c = 0; c < count; ++c) {
                to.push_back(sums.data() + (c * n));
                to_again.push_back(in_two_calls.data() + (c * n));
            }
            kernels::add_rows(columns.data(), factors.data(), 5, 8, n, to.data(), count);
            kernels::add_rows(columns.data(), factors.data(), 2, 8, n, to_again.data(), count);
            kernels::add_rows(columns.data() + 2, factors.data() + (2 * kernels::kColumnsAtOnce), 3, 8, n,
                              to_again.data(), count);
            for (std::size_t c = 0; c < kernels::kColumnsAtOnce; ++c) {
                for (std::size_t i = 0; i < n; ++i) {
                    double sum = 0.0;
                    for (std::size_t b = 0; b < 5 && c < count && i >= 8; ++b) {
                        sum += columns[b][i] * factors[(b * kernels::kColumnsAtOnce) + c];
                    }
                    ASSERT_NEAR(sums[(c * n) + i], sum, 1e-14);
                    ASSERT_EQ(sums[(c * n) + i], in_two_calls[(c * n) + i]);
                }
            }
        }
    });
}

TEST_F(Kernels, ColumnsTakenTogetherHaveTheBitsOfEachAlone) {
    on_every_target([] {
        constexpr std::size_t n = 40;  // no multiple of two of the longest vectors
        constexpr std::size_t kRows = 8;
        std::vector<Buffer<double>> rows;
        std::vector<const double*> pointers;
        for (std::size_t b = 0; b < kRows; ++b) {
            rows.push_back(random_numbers(b, n));
            pointers.push_back(rows.back().data());
        }
        const auto factors = random_numbers(99, kRows * kernels::kColumnsAtOnce);
        std::vector<Buffer<double>> together;
        std::vector<double*> columns;
        for (std::size_t c = 0; c < kernels::kColumnsAtOnce; ++c) {
            together.push_back(random_numbers(50 + c, n));
            columns.push_back(together.back().data());
        }
        const auto before = together;
        kernels::add_rows(pointers.data(), factors.data(), kRows, 8, n, columns.data(), kernels::kColumnsAtOnce);
        for (std::size_t c = 0; c < kernels::kColumnsAtOnce; ++c) {
            auto alone = before[c];
            std::vector<double> own(kRows * kernels::kColumnsAtOnce);
            for (std::size_t b = 0; b < kRows; ++b) {
                own[b * kernels::kColumnsAtOnce] = factors[(b * kernels::kColumnsAtOnce) + c];
            }
            double* to = alone.data();
            kernels::add_rows(pointers.data(), own.data(), kRows, 8, n, &to, 1);
            EXPECT_TRUE(std::ranges::equal(together[c].all(), alone.all())) << c;
        }
    });
}

TEST_F(Kernels, SumsSizesAndOrder) {
    on_every_target([] {
        for (std::size_t n = 1; n < 70; n += 3) {
            auto a = random_numbers(n, n);
            const auto b = random_numbers(n + 1, n);
            double sum = 0.0;
            std::vector<float> single;
            double from_single = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                single.push_back(static_cast<float>(a[i]));
                sum += a[i] * b[i];
                from_single += static_cast<double>(single[i]) * b[i];
            }
            EXPECT_NEAR(kernels::dot(a.data(), b.data(), n), sum, 1e-13);
            EXPECT_NEAR(kernels::dot(single.data(), b.data(), n), from_single, 1e-13);
            for (double& value : a.all()) {
                value = std::abs(value);
            }
            a[n / 2] = a[0];  // a tie
            std::vector<double> sorted(a.all().begin(), a.all().end());
            std::ranges::sort(sorted, std::greater{});
            std::vector<double> padding(a.all().begin(), a.all().end());
            padding.resize(padded(n), -1.0);
            for (std::size_t k = 0; k < n; ++k) {
                for (const double guess : {0.0, 1e300, sorted[n / 3], sorted[k] * 1.01, sorted[k] * 0.99}) {
                    EXPECT_EQ(kernels::nth_largest(padding.data(), n, k, guess), sorted[k]);
                }
            }
            a[n - 1] = -9.0;
            EXPECT_EQ(kernels::largest(a.data(), n), 9.0);
        }
    });
}

TEST_F(Kernels, TheCrossPassHasTheSameBitsWithAndWithoutDirections) {
    constexpr std::size_t n = 64;
    const auto h = random_numbers(1, n);
    auto w = random_numbers(2, n);
    std::ranges::transform(w.all(), w.data(), [](double v) { return std::abs(v); });
    const auto dy = random_numbers(3, 3);
    const auto e = random_numbers(4, 3);
    const std::vector<double> g(3, 1.0);
    const double never = 1e300;
    const double nothing = 0.0;
    on_every_target([&] {
        for (std::size_t q = 1; q <= 3; ++q) {
            for (const bool update : {true, false}) {
                std::vector<Buffer<double>> M(2, random_numbers(5, n * q));
                std::vector<double> sums;
                for (std::size_t R = 0; R < 2; ++R) {
                    std::vector<std::uint32_t> hits(n + kLanes);
                    std::uint32_t* places = hits.data();
                    std::size_t count = 0;
                    sums.push_back(kernels::cross_pass({.M = M[R].data(),
                                                        .stride = n,
                                                        .outputs = q,
                                                        .h = update ? h.data() : nullptr,
                                                        .dy = dy.data(),
                                                        .e = e.data(),
                                                        .w = w.data(),
                                                        .square = w.data(),
                                                        .directions = R,
                                                        .g = g.data(),
                                                        .least_square = &never,
                                                        .bound_square = &nothing,
                                                        .first = 0,
                                                        .hits = &places,
                                                        .counts = &count,
                                                        .room = n},
                                                       n));
                }
                EXPECT_EQ(sums[0], sums[1]) << q;
                EXPECT_TRUE(std::ranges::equal(M[0].all(), M[1].all())) << q;
            }
        }
    });
}

TEST_F(Kernels, TheBridgeProductIsTheSumOfItsTwoParts) {
    constexpr std::size_t n = 40;
    const auto c = random_numbers(1, n);
    const auto unit = random_numbers(2, n);
    const auto ge = random_numbers(3, 3);
    on_every_target([&] {
        for (std::size_t q = 1; q <= 3; ++q) {
            const auto M = random_numbers(4, n * q);
            for (const bool with_c : {true, false}) {
                for (const bool with_unit : {true, false}) {
                    Buffer<double> a(n);
                    const double largest =
                        kernels::bridge_product(with_c ? c.data() : nullptr, 0.3, M.data(), n, q, ge.data(), 0.7,
                                                with_unit ? unit.data() : nullptr, n, a.data());
                    double most = 0.0;
                    for (std::size_t i = 0; i < n; ++i) {
                        double sum = with_c ? 0.3 * c[i] : 0.0;
                        for (std::size_t k = 0; k < q; ++k) {
                            sum += 0.7 * M[(k * n) + i] * ge[k];
                        }
                        ASSERT_NEAR(a[i], sum * (with_unit ? unit[i] : 1.0), 1e-13);
                        most = std::max(most, std::abs(a[i]));
                    }
                    EXPECT_EQ(largest, most);
                }
            }
        }
    });
}

TEST_F(Kernels, TheMatrixProductIsThatOfItsColumnsAndTheRow) {
    for (const std::size_t n : {8U, 56U, 64U, 128U}) {
        const auto C = random_numbers(n, n * n);
        const auto row = random_numbers(n + 1, n);
        const std::vector<std::size_t> chosen = {1, 2, 5, 7};
        const auto factors = random_numbers(2, chosen.size());
        std::vector<const double*> columns;
        for (const std::size_t j : chosen) {
            columns.push_back(C.data() + (j * n));
        }
        on_every_target([&] {
            Buffer<double> out(n);
            Buffer<double> with_row(n);
            Buffer<double> same(n);
            kernels::matrix_product(C.data(), n, chosen.data(), chosen.size(), factors.data(), nullptr, 0.0, n,
                                    out.data());
            kernels::matrix_product(C.data(), n, chosen.data(), chosen.size(), factors.data(), row.data(), 0.7, n,
                                    with_row.data());
            kernels::columns_product(columns.data(), columns.size(), factors.data(), 1, 0, n, same.data(), n);
            EXPECT_TRUE(std::ranges::equal(out.all(), same.all()));
            for (std::size_t i = 0; i < n; ++i) {
                EXPECT_NEAR(with_row[i], out[i] + (0.7 * row[i]), 1e-14);
            }
        });
    }
}

TEST_F(Kernels, TwoOuterProductsAreAddedAndStaySymmetric) {
    constexpr std::size_t n = 24;
    for (const std::size_t inputs : {17U, 24U}) {
        auto v = random_numbers(1, n);
        auto w = random_numbers(2, n);
        on_every_target([&] {
            Buffer<double> C(inputs * n);
            kernels::add_outer(v.data(), w.data(), inputs, n, n, C.data());
            kernels::add_outer(w.data(), v.data(), inputs, n, n, C.data());
            for (std::size_t j = 0; j < inputs; ++j) {
                for (std::size_t i = 0; i < inputs; ++i) {
                    ASSERT_NEAR(C[(j * n) + i], 2.0 * ((v[i] * v[j]) + (w[i] * w[j])), 1e-13);
                    ASSERT_EQ(C[(j * n) + i], C[(i * n) + j]);
                }
            }
        });
    }
}

TEST_F(Kernels, SurvivorsAreTheEntriesAboveTheNextLargest) {
    on_every_target([] {
        for (std::size_t n = 2; n < 140; n += 3) {
            auto a = random_numbers(n, n);
            a[n / 2] = -a[0];  // a tie
            std::vector<double> sorted(a.all().begin(), a.all().end());
            std::ranges::sort(sorted, [](double x, double y) { return std::abs(x) > std::abs(y); });
            for (std::size_t keep = 1; keep < n; keep += 1 + (n / 10)) {
                std::vector<std::size_t> places(n);
                std::vector<double> entries(padded(n));
                const double next = std::abs(sorted[keep]);
                for (const double guess : {0.0, next * 0.9, next * 1.1}) {
                    const auto found =
                        kernels::survivors(a.data(), n, keep, 1e-12, guess, places.data(), entries.data());
                    ASSERT_EQ(found.next, next);
                    std::size_t count = 0;
                    for (std::size_t i = 0; i < n; ++i) {
                        if (std::abs(a[i]) > next * (1.0 + 1e-12)) {
                            ASSERT_EQ(places[count], i);
                            ASSERT_EQ(entries[count], a[i]);
                            ++count;
                        }
                    }
                    EXPECT_EQ(found.count, count);
                }
            }
        }
    });
}

TEST_F(Kernels, TheSoftThresholdShrinksScalesAndFixesTheSign) {
    on_every_target([] {
        for (std::size_t n = 1; n < 40; n += 3) {
            auto v = random_numbers(n, padded(n));
            std::ranges::fill(v.all().subspan(n), 0.0);
            v[n - 1] = 0.2;  // nothing would be left of it
            v[0] = -5.0;
            v[n / 2] = n / 2 > 0 ? 5.0 : -5.0;  // of equals the first is positive
            std::vector<double> expected;
            double square = 0.0;
            for (const double own : v.all().first(n)) {
                const double left = std::max(std::abs(own) - 0.25, 0.0);
                expected.push_back(left > 0.0 ? std::copysign(left, own)
                                              : own * std::numeric_limits<double>::epsilon());
                square += expected.back() * expected.back();
            }
            auto unscaled = v;
            ASSERT_TRUE(kernels::soft_threshold(v.data(), padded(n), 0.25, 1e-12, 1e-100, 1e100));
            ASSERT_FALSE(kernels::soft_threshold(unscaled.data(), padded(n), 0.25, 1e-12, 1e90, 1e100));
            for (std::size_t i = 0; i < n; ++i) {
                EXPECT_NEAR(v[i], -expected[i] / std::sqrt(square), 1e-15);
                EXPECT_EQ(unscaled[i], expected[i]);
            }
            EXPECT_GT(v[0], 0.0);
        }
    });
}

TEST_F(Kernels, ZeroBelowLeavesWhatReachesTheBound) {
    on_every_target([] {
        auto a = random_numbers(1, 24);
        a[3] = 0.5;
        a[4] = -0.5;
        const auto before = a;
        kernels::zero_below(a.data(), 0.5, 24);
        for (std::size_t i = 0; i < 24; ++i) {
            EXPECT_EQ(a[i], std::abs(before[i]) < 0.5 ? 0.0 : before[i]);
        }
    });
}

TEST_F(Kernels, EightRowsBecomeEightNumbersOfEachInput) {
    constexpr std::size_t p = 21;
    const auto data = random_numbers(8, 8 * p);
    std::vector<const double*> rows;
    for (std::size_t b = 0; b < 8; ++b) {
        rows.push_back(data.data() + (b * p));
    }
    on_every_target([&] {
        Buffer<double> ring(p * 16);
        Buffer<float> single(p * 16);
        kernels::transpose_rows(rows.data(), p, 16, ring.data() + 8);
        kernels::transpose_rows(rows.data(), p, 16, single.data() + 8);
        for (std::size_t j = 0; j < p; ++j) {
            for (std::size_t b = 0; b < 8; ++b) {
                ASSERT_EQ(ring[(j * 16) + 8 + b], rows[b][j]);
                ASSERT_EQ(single[(j * 16) + 8 + b], static_cast<float>(rows[b][j]));
                ASSERT_EQ(ring[(j * 16) + b], 0.0);
            }
        }
    });
}

}  // namespace
}  // namespace sluice::core::kernels_test
