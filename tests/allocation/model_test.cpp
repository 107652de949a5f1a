// No allocation per row after warm-up. This binary counts every call of operator new.
#include "sluice/model.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/interval.hpp"
#include "sluice/simulate.hpp"
#include "support/streams.hpp"

namespace {

std::atomic<std::size_t> allocations{0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void* counted(std::size_t size) {
    ++allocations;
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    const auto step = static_cast<std::size_t>(alignment);
    void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace sluice {
namespace {

std::size_t allocations_after_warm_up(std::size_t p, std::size_t q, const StreamOptions& options) {
    const auto table = test::factor_table(81, 600, p, q);
    StreamModel model(p, q, options);
    std::vector<double> predicted(q);
    std::size_t before = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        before = t == 200 ? allocations.load() : before;
        model.predict(table.x_row(t), predicted);
        model.learn(table.x_row(t), table.y_row(t));
    }
    return allocations.load() - before;
}

// Of the rows after the first 200, those that allocate. Only the start of a trial does (src/tune/fresh_start.cpp): a memory is made.
std::size_t allocating_rows_of_adaptive(std::size_t p, std::size_t q, const AdaptiveOptions& options) {
    const auto table = test::factor_table(82, 600, p, q);
    AdaptiveModel model(p, q, options);
    std::vector<double> predicted(q);
    std::size_t rows = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const std::size_t before = allocations.load();
        model.predict(table.x_row(t), predicted);
        (void)model.learn(table.x_row(t), table.y_row(t));
        rows += t >= 200 && allocations.load() > before ? 1U : 0U;
    }
    return rows;
}

// A stream that breaks twice. Making a memory is far more than fifty allocations; it then grows in its first rows, as a model does.
struct Breaks {
    std::size_t trials = 0;
    std::size_t other_rows = 0;  // that allocate, more than 40 rows after a trial began
};
Breaks allocations_with_breaks(std::size_t p, std::size_t q, const AdaptiveOptions& options) {
    constexpr std::size_t kMemory = 50;
    constexpr std::size_t kGrows = 40;
    auto table = test::factor_table(83, 700, p, q);
    for (std::size_t t = 300; t < table.rows(); ++t) {
        for (double& y : table.y_row(t)) {
            y = 20.0 - y + (t < 500 ? table.x_row(t)[p / 2] : 0.0);
        }
    }
    AdaptiveModel model(p, q, options);
    std::vector<double> predicted(q);
    Breaks breaks;
    std::size_t trial = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const std::size_t before = allocations.load();
        model.predict(table.x_row(t), predicted);
        (void)model.learn(table.x_row(t), table.y_row(t));
        const std::size_t count = allocations.load() - before;
        if (t >= 200 && count >= kMemory) {
            trial = t;
            ++breaks.trials;
        } else if (t >= 200 && count > 0 && (trial == 0 || t > trial + kGrows)) {
            ++breaks.other_rows;
        }
    }
    return breaks;
}

TEST(Allocation, TheCounterCounts) {
    const std::size_t before = allocations.load();
    const auto one = std::make_unique<double>(1.0);
    EXPECT_EQ(allocations.load() - before, 1U);
    EXPECT_EQ(*one, 1.0);
}

TEST(Allocation, NoRowAllocatesAfterWarmUp) {
    auto paper = StreamOptions::paper();
    EXPECT_EQ(allocations_after_warm_up(60, 1, paper), 0U);
    paper.loadings = Loadings::instant;
    paper.components = 3;
    EXPECT_EQ(allocations_after_warm_up(60, 2, paper), 0U);
    EXPECT_EQ(allocations_after_warm_up(60, 3, StreamOptions{}), 0U);
    EXPECT_EQ(allocations_after_warm_up(120, 2, {.components = 4, .keep = {30}}), 0U);
    EXPECT_EQ(allocations_after_warm_up(40, 2, {.components = 3, .gamma = 0.2, .names = 12}), 0U);
    EXPECT_EQ(allocations_after_warm_up(40, 1, {.components = 2, .keep = {5}, .penalty = Penalty::adaptive_lasso}), 0U);
    auto wide = StreamOptions::paper();
    wide.forgetting = 0.9;  // a history that is full before the counting begins
    wide.components = 3;
    EXPECT_EQ(allocations_after_warm_up(500, 2, wide), 0U);
    wide.engine = Engine::columns;
    EXPECT_EQ(allocations_after_warm_up(500, 2, wide), 0U);
    StreamOptions refit{.components = 3, .keep = {2}, .forgetting = 0.9};
    for (const Engine engine : {Engine::columns, Engine::screened}) {
        refit.engine = engine;
        EXPECT_EQ(allocations_after_warm_up(500, 2, refit), 0U);
    }
    StreamOptions grouped{.components = 2, .keep = {8}, .penalty = Penalty::group_lasso};
    for (std::size_t j = 0; j < 40; ++j) {
        grouped.groups.push_back(j / 4);
    }
    EXPECT_EQ(allocations_after_warm_up(40, 1, grouped), 0U);
}

TEST(Allocation, NoRowAllocatesAfterWarmUpWhereInputsWereAdded) {
    auto paper = StreamOptions::paper();
    paper.forgetting = 0.9;
    auto columns = paper;
    columns.engine = Engine::columns;
    auto screened = paper;
    screened.engine = Engine::screened;
    StreamOptions screened_refit;
    screened_refit.engine = Engine::screened;
    for (const StreamOptions& options : {StreamOptions{}, paper, columns, screened, screened_refit}) {
        const auto table = test::factor_table(85, 600, 60, 2);
        StreamModel model(40, 2, options);
        AdaptiveModel adaptive(40, 2, {.model = options, .tuning = {}});
        std::size_t allocating = 0;
        std::size_t adaptive_allocating = 0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            if (t == 100) {
                model.add_inputs(20);
                adaptive.add_inputs(20);
            }
            const auto x = table.x_row(t).first(model.inputs());
            std::size_t before = allocations.load();
            (void)model.learn(x, table.y_row(t));
            allocating += t >= 300 ? allocations.load() - before : 0U;
            before = allocations.load();
            (void)adaptive.learn(x, table.y_row(t));
            adaptive_allocating += t >= 300 && allocations.load() > before ? 1U : 0U;
        }
        EXPECT_EQ(allocating, 0U);
        EXPECT_LE(adaptive_allocating, 1U);  // a trial
    }
}

TEST(Allocation, OnlyATrialAllocatesAfterWarmUpInAModelThatTunesItself) {
    // At most one trial in these 400 rows.
    EXPECT_LE(allocating_rows_of_adaptive(60, 1, {}), 1U);
    EXPECT_LE(allocating_rows_of_adaptive(30, 3, {}), 1U);
    auto paper = StreamOptions::paper();
    paper.hold_bonus = 0.5;
    EXPECT_LE(allocating_rows_of_adaptive(60, 2, {.model = paper, .tuning = {}}), 1U);
    EXPECT_LE(allocating_rows_of_adaptive(40, 2, {.model = {.components = 4, .keep = {2}}, .tuning = {}}), 1U);
    StreamOptions names;
    names.names = 10;
    EXPECT_LE(allocating_rows_of_adaptive(100, 2, {.model = names, .tuning = {}}), 1U);
    Tuning tuning;
    tuning.names = Names::most;
    EXPECT_LE(allocating_rows_of_adaptive(100, 2, {.model = names, .tuning = tuning}), 1U);
    tuning.names = Names::all;
    EXPECT_LE(allocating_rows_of_adaptive(100, 2, {.model = {}, .tuning = tuning}), 1U);
}

// The streams of `sluice bench tuning`, whose mean was 0.026 allocations a row: 128 where the trial of row 589 begins, and none in any
// other row.
TEST(Allocation, InFiveThousandRowsOnlyTheStartOfATrialAllocates) {
    constexpr std::size_t kMemory = 50;  // making a memory is far more than fifty allocations
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        FactorStream stream({.inputs = 60, .outputs = 1}, seed);
        AdaptiveModel model(60, 1, {.model = {.names = 20}});
        std::vector<double> x(60);
        std::vector<double> y(1);
        std::size_t trials = 0;
        for (std::size_t t = 0; t < 5'500; ++t) {
            stream.next(x, y);
            const std::size_t before = allocations.load();
            (void)model.learn(x, y);
            const std::size_t count = allocations.load() - before;
            if (t >= 500 && count > 0) {
                EXPECT_GE(count, kMemory) << "seed " << seed << ", row " << t;
                ++trials;
            }
        }
        EXPECT_LE(trials, 2U);  // nothing breaks: what begins a trial is noise
    }
}

TEST(Allocation, WhereTheRelationBreaksAMemoryThatStartsThereAllocatesAndHardlyAnyOtherRow) {
    Tuning all;
    all.names = Names::all;
    for (const AdaptiveOptions& options :
         {AdaptiveOptions{}, {.model = {}, .tuning = all}, {.model = {.components = 4, .keep = {2}}, .tuning = {}}}) {
        const Breaks breaks = allocations_with_breaks(60, 2, options);
        EXPECT_LE(breaks.other_rows,
                  5U);  // each of the memories, where it leads for the first time, takes room for products
        EXPECT_GE(breaks.trials, 1U);
        EXPECT_LE(breaks.trials, 5U);
    }
}

// Wrong labels, spikes, a sensor that stops. The first rows held back take room for six: that is warm-up.
TEST(Allocation, RowsHeldBackAllocateNothingAfterTheFirstOnes) {
    Tuning guarded = Tuning::off();
    guarded.robust = true;
    for (const AdaptiveOptions& options : {AdaptiveOptions{},
                                           {.model = {.components = 4, .keep = {2}}, .tuning = {}},
                                           {.model = {.forgetting = 0.99}, .tuning = guarded}}) {
        auto table = test::factor_table(84, 700, 40, 2);
        for (std::size_t t = 100; t < table.rows(); ++t) {
            if (t % 25 == 0) {
                table.y_row(t)[t % 2] += 1e4;
            } else if (t % 25 == 10) {
                table.x_row(t)[10 + (t % 20)] = -1e4;  // not used: else the error may start a trial
            } else if (t % 50 > 40) {
                table.x_row(t)[5] = 0.5;
            }
        }
        AdaptiveModel model(table.p, table.q, options);
        std::vector<double> predicted(table.q);
        std::size_t held = 0;
        std::size_t with_inputs = 0;
        std::size_t allocating = 0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const std::size_t before = allocations.load();
            model.predict(table.x_row(t), predicted);
            const StepReport report = model.learn(table.x_row(t), table.y_row(t));
            allocating += t >= 200 && allocations.load() > before ? 1U : 0U;
            held += t >= 200 && !report.suspect_outputs.empty() ? 1U : 0U;
            with_inputs += t >= 200 && !report.suspect_inputs.empty() ? 1U : 0U;
        }
        EXPECT_EQ(allocating, 0U);
        EXPECT_GE(held, 20U);
        EXPECT_GE(with_inputs, 20U);
    }
}

TEST(Allocation, AnIntervalTrackerAllocatesOnlyWhenItIsMade) {
    const auto table = test::factor_table(84, 400, 1, 3);
    IntervalTracker tracker(3, {.coverage = 0.9});
    const std::size_t before = allocations.load();
    for (std::size_t t = 0; t < table.rows(); ++t) {
        for (std::size_t j = 0; j < 3; ++j) {
            const auto given = tracker.interval(j, 0.0);
            tracker.add(j, {.predicted = 0.0, .observed = table.y_row(t)[j], .given = given});
        }
    }
    EXPECT_EQ(allocations.load() - before, 0U);
}

}  // namespace
}  // namespace sluice
