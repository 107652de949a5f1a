#include "best_fixed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "row_reader.hpp"
#include "score_state.hpp"
#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace best_fixed_test {
namespace {

using sluice::AdaptiveModel;
using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;

struct Rows {
    std::vector<std::vector<double>> x;
    std::vector<std::vector<double>> y;
};

Rows read_rows(const std::string& path, std::size_t inputs, std::size_t outputs) {
    auto reader = sluice::io::open_rows(sluice::io::open_source(path), {});
    std::vector<std::size_t> places;
    for (std::size_t i = 1; i <= inputs + outputs; ++i) {
        places.push_back(i);
    }
    reader->want(places, {});
    Rows rows;
    for (sluice::io::Row row; reader->next(row);) {
        const auto middle = row.numbers.begin() + static_cast<std::ptrdiff_t>(inputs);
        rows.x.emplace_back(row.numbers.begin(), middle);
        rows.y.emplace_back(middle, row.numbers.end());
    }
    return rows;
}

StreamSettings tuned_settings(const std::string& input) {
    StreamSettings settings = small_settings(input);
    settings.options = {};
    return settings;
}

TEST(BestFixed, IsTheReadingWithTheLeastErrorOverTheRowsThatWereScored) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(120, 8, 2, 0.1));
    const Rows rows = read_rows(scratch.path("in.csv"), 8, 2);
    ASSERT_EQ(rows.x.size(), 120U);
    for (const std::size_t warmup : {0U, 20U}) {
        StreamSettings settings = tuned_settings(scratch.path("in.csv"));
        settings.warmup = warmup;
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        const auto best = best_fixed(job.tally(), job.learner().model());
        ASSERT_EQ(best.size(), 2U);
        for (std::size_t j = 0; j < 2; ++j) {
            // The model without the job: an output is scored from its second value on.
            AdaptiveModel model(8, 2);
            std::vector<AdaptiveModel::Reading> before;
            bool observed = false;
            std::size_t scored = 0;
            for (std::size_t t = 0; t < rows.x.size(); ++t) {
                const bool known = !std::isnan(rows.y[t][j]);
                if (known && observed && t >= warmup && scored++ == 0) {
                    before = model.readings(j);
                }
                observed = observed || known;
                (void)model.learn(rows.x[t], rows.y[t]);
            }
            const auto after = model.readings(j);
            ASSERT_EQ(before.size(), after.size());
            ASSERT_FALSE(after.empty());
            double least = HUGE_VAL;
            for (std::size_t i = 0; i < after.size(); ++i) {
                least = std::min(least, std::ldexp(after[i].squares, 2 * after[i].exponent) -
                                            std::ldexp(before[i].squares, 2 * before[i].exponent));
            }
            ASSERT_TRUE(best[j].has_value());
            EXPECT_EQ(job.tally().scores()[j].count(), scored);
            constexpr double kRounding = 1e-9;  // of a difference of sums
            EXPECT_NEAR(best[j]->rmse, std::sqrt(least / static_cast<double>(scored)), kRounding);
            EXPECT_TRUE(best[j]->setting.starts_with("forgetting ")) << best[j]->setting;
        }
    }
}

TEST(BestFixed, IsNotKnownWhereNothingIsTunedOrScoredOrWithAHorizon) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(40));
    const auto best = [](const StreamSettings& settings) {
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        return best_fixed(job.tally(), job.learner().model());
    };
    StreamSettings settings = tuned_settings(scratch.path("in.csv"));
    EXPECT_TRUE(best(settings)[0].has_value());
    settings.warmup = 50;
    EXPECT_FALSE(best(settings)[0].has_value());
    settings.warmup = 0;
    settings.horizon = 2;
    EXPECT_FALSE(best(settings)[0].has_value());
    EXPECT_FALSE(best(small_settings(scratch.path("in.csv")))[1].has_value());
}

TEST(ReadingStart, ThatIsLongerThanItsFileOrNegativeIsRefused) {
    sluice::job::ReadingStart start(1);
    const auto load = [&](std::uint64_t readings, double sum, std::int64_t exponent) {
        sluice::core::StateWriter out;
        out.put(readings);
        out.put(sum);
        out.put(exponent);
        const auto bytes = std::move(out).unframed();
        auto in = sluice::core::StateReader::unframed(bytes);
        start.load(in);
    };
    load(1, 2.0, 3);
    ASSERT_EQ(start.of(0).size(), 1U);
    EXPECT_EQ(start.of(0)[0].sum, 2.0);
    EXPECT_EQ(start.of(0)[0].exponent, 3);
    EXPECT_THROW(load(2, 2.0, 3), sluice::StateError);
    EXPECT_THROW(load(1, -2.0, 3), sluice::StateError);
    EXPECT_THROW(load(1, 2.0, 1'000'000), sluice::StateError);
}

}  // namespace
}  // namespace best_fixed_test
