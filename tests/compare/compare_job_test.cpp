#include "compare_job.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "job/small_stream.hpp"
#include "result.hpp"
#include "sluice/error.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace {

using sluice::Score;
using sluice::compare::CompareJob;
using sluice::compare::CompareResult;
using sluice::compare::CompareSettings;
using sluice::compare::Contestant;
using sluice::compare::Entry;
using sluice::compare::Task;
using sluice::compare::Trial;
using namespace sluice::test;

CompareSettings settings_for(const std::string& input, const std::vector<std::string>& methods) {
    CompareSettings settings;
    settings.input = input;
    settings.roles.targets = {"y1", "y2"};
    settings.roles.time = "when";
    settings.entries = sluice::compare::entries_named(methods);
    settings.names = 4;
    return settings;
}

void finish(CompareJob& job) {
    EXPECT_EQ(job.run(), CompareJob::End::finished);
}

const Trial& trial_of(const CompareJob& job, const std::string& name) {
    for (const Trial& trial : job.trials()) {
        if (trial.entry().name == name) {
            return trial;
        }
    }
    throw std::out_of_range(name);
}

// The sums of the squared errors, to the bit: the same errors in the same order.
void expect_same_scores(const std::vector<Score>& got, const std::vector<Score>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t j = 0; j < got.size(); ++j) {
        EXPECT_EQ(got[j].count(), wanted[j].count());
        EXPECT_EQ(got[j].sums().error, wanted[j].sums().error);
        EXPECT_EQ(got[j].sums().spread, wanted[j].sums().spread);
    }
}

struct Shape {
    std::vector<std::size_t> lags = {0};
    std::vector<std::size_t> target_lags = {};
    std::size_t horizon = 0;
    std::uint64_t warmup = 0;
};

class SameAsStream : public testing::TestWithParam<Shape> {};

TEST_P(SameAsStream, ReportsTheErrorsThatAStreamJobOfTheSameModelReports) {
    const Shape& shape = GetParam();
    const Scratch scratch;
    const std::string input = scratch.path("in.csv");
    std::string text = small_stream(300);
    text.insert(text.find("day 100"), "day bad,1,2,oops\n");
    write_file(input, text);

    CompareSettings settings = settings_for(input, {"sluice", "sluice_paper"});
    settings.layout = {.lags = shape.lags, .horizon = shape.horizon, .target_lags = shape.target_lags};
    settings.warmup = shape.warmup;
    settings.skip_bad_rows = true;
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    EXPECT_EQ(job.rows(), 300U);
    EXPECT_EQ(job.skipped(), 1U);

    for (const bool paper : {false, true}) {
        sluice::job::StreamSettings stream = small_settings(input);
        stream.lags = shape.lags;
        stream.target_lags = shape.target_lags;
        stream.horizon = shape.horizon;
        stream.warmup = shape.warmup;
        stream.skip_bad_rows = true;
        stream.options =
            paper ? sluice::AdaptiveOptions{.model = sluice::StreamOptions::paper(), .tuning = sluice::Tuning::off()}
                  : sluice::AdaptiveOptions{};
        stream.options.model.names = 4;
        if (paper) {
            stream.options.model.keep = {4};
        }
        sluice::job::StreamJob alone(stream, sluice::io::real_disk(), nullptr, ignore_message);
        ASSERT_EQ(alone.run(), sluice::job::StreamJob::End::finished);
        const Trial& trial = trial_of(job, paper ? "sluice_paper" : "sluice");
        EXPECT_EQ(trial.failure(), "");
        expect_same_scores(trial.tally().scores(), alone.tally().scores());
        EXPECT_EQ(trial.tally().mean_turnover(), alone.tally().mean_turnover());
        EXPECT_EQ(trial.tally().learned(), alone.tally().learned());
        double names = 0.0;
        for (const auto& stay : alone.tally().stays()) {
            names += stay.share;
        }
        EXPECT_NEAR(trial.mean_names(), names, 1e-12 * names);  // sums of shares are rounded
    }
}

INSTANTIATE_TEST_SUITE_P(Compare, SameAsStream,
                         testing::Values(Shape{}, Shape{.lags = {0, 2}, .target_lags = {1, 3}, .warmup = 50},
                                         Shape{.lags = {0, 1}, .horizon = 5, .warmup = 20},
                                         Shape{.target_lags = {1}, .horizon = 1}));

TEST(CompareJob, GivesTheSameBitsOnAnyNumberOfThreads) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(200));
    std::vector<std::vector<Score>> first;
    for (const std::size_t threads : {1U, 2U, 5U}) {
        CompareSettings settings = settings_for(scratch.path("in.csv"), {"all"});
        settings.layout.lags = {0, 1};
        settings.threads = threads;
        CompareJob job(settings, nullptr, ignore_message);
        finish(job);
        ASSERT_GE(job.trials().size(), 5U);
        if (first.empty()) {
            for (const Trial& trial : job.trials()) {
                first.push_back(trial.tally().scores());
            }
            continue;
        }
        for (std::size_t i = 0; i < first.size(); ++i) {
            SCOPED_TRACE(job.trials()[i].entry().name);
            expect_same_scores(job.trials()[i].tally().scores(), first[i]);
        }
    }
}

// Predicts the mean of what it learnt, by sums that a test can write down. Fails where it is asked to.
class PlainMean final : public Contestant {
  public:
    explicit PlainMean(std::size_t fails_at, double wrong = 0.0) : fails_at_(fails_at), wrong_(wrong) {}

    void predict(std::span<const double> /*x*/, std::span<double> y) const override {
        for (double& value : y) {
            value = count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0;
        }
    }
    void learn(std::span<const double> /*x*/, std::span<const double> y) override {
        if (++rows_ == fails_at_) {
            if (std::isnan(wrong_)) {
                sum_ = wrong_;
                return;
            }
            throw std::runtime_error("it cannot go on");
        }
        if (!std::isnan(y[0])) {
            sum_ += y[0];
            ++count_;
        }
    }
    std::span<const double> predict_and_learn(std::span<const double> x, std::span<const double> y) override {
        predicted_.resize(y.size());
        predict(x, predicted_);
        learn(x, y);
        return predicted_;
    }
    [[nodiscard]] std::vector<std::size_t> selected() const override {
        return rows_ % 2 == 0 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1};
    }
    [[nodiscard]] std::size_t bytes() const override { return 123; }

  private:
    std::size_t fails_at_;
    double wrong_;
    double sum_ = 0.0;
    std::size_t count_ = 0;
    std::size_t rows_ = 0;
    std::vector<double> predicted_;
};

Entry plain_mean(const std::string& name, std::size_t fails_at = 0, double wrong = 0.0) {
    return {.name = name, .title = "a mean", .paper = {}, .selects = true, .make = [=](const Task& /*task*/) {
                return std::make_unique<PlainMean>(fails_at, wrong);
            }};
}

TEST(CompareJob, CountsErrorsNamesAndTurnoverAsTheyAreDefined) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), "a,b,y\n1,2,2\n1,,4\n,2,\n1,2,6\n1,2,5\n");
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"sluice"});
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = {}};
    settings.entries = {plain_mean("mean")};
    settings.warmup = 2;
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    const auto result = sluice::compare::result_of(job);
    // Rows 4 and 5 are scored: 6 predicted as (2 + 4) / 2, 5 as (2 + 4 + 6) / 3.
    const double mse = ((3.0 * 3.0) + (1.0 * 1.0)) / 2.0;
    const double variance = 0.25;
    ASSERT_EQ(result.methods.size(), 1U);
    const auto& method = result.methods.front();
    EXPECT_EQ(method.targets[0].scored, 2U);
    EXPECT_DOUBLE_EQ(method.targets[0].error_over_variance, mse / variance);
    EXPECT_DOUBLE_EQ(method.mean_error, mse / variance);
    EXPECT_EQ(method.rows, 5U);
    EXPECT_EQ(method.bytes, 123U);
    EXPECT_DOUBLE_EQ(method.names, (1 + 2 + 2 + 1) / 4.0);  // of the four rows with an output
    EXPECT_DOUBLE_EQ(method.turnover, (1 + 1 + 1) / 4.0);   // row 3, which loses input 0, has no output
    EXPECT_DOUBLE_EQ(method.cumulated.back(), mse / variance);
}

TEST(CompareJob, AMethodThatFailsIsOutAndTheOthersGoOn) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(150));
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"sluice"});
    settings.entries = {plain_mean("throws", 100), plain_mean("mean"), plain_mean("nan", 20, std::nan("")),
                        Entry{.name = "never",
                              .title = "cannot be made",
                              .paper = {},
                              .selects = false,
                              .make = [](const Task& /*task*/) -> std::unique_ptr<Contestant> {
                                  throw std::invalid_argument("there are too many inputs");
                              }}};
    settings.threads = 2;
    settings.pictures = true;
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    EXPECT_EQ(trial_of(job, "throws").failure(), "at row 100: it cannot go on");
    EXPECT_EQ(trial_of(job, "throws").tally().rows(), 99U);
    EXPECT_EQ(trial_of(job, "nan").failure(), "at row 21: it predicted a value that is not a finite number");
    EXPECT_EQ(trial_of(job, "never").failure(), "before the first row: there are too many inputs");
    EXPECT_EQ(trial_of(job, "mean").failure(), "");
    EXPECT_EQ(trial_of(job, "mean").tally().rows(), 150U);
    const CompareResult result = sluice::compare::result_of(job);
    EXPECT_EQ(result.methods.front().name, "mean");
    EXPECT_TRUE(result.methods.front().best);
    for (std::size_t i = 1; i < result.methods.size(); ++i) {
        EXPECT_FALSE(result.methods[i].best) << result.methods[i].name;
    }
    EXPECT_NE(result_json(result).find("\"failure\": \"at row 100: it cannot go on\""), std::string::npos);
    EXPECT_FALSE(curves_csv(job).empty());
}

TEST(CompareJob, AMethodThatTakesTooLongIsOut) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(150));
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"sluice"});
    settings.most_seconds = 1e-7;
    settings.entries.push_back(plain_mean("mean"));
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    EXPECT_NE(trial_of(job, "sluice").failure().find("it took more than 1e-07 seconds"), std::string::npos);
}

TEST(CompareJob, MarksTheLowestErrorAndTheLowestOfThoseThatSelect) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(250));
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"sluice", "rls"});
    Entry dense = plain_mean("dense mean");
    dense.selects = false;
    settings.entries.push_back(plain_mean("mean"));
    settings.entries.push_back(dense);
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    const CompareResult result = sluice::compare::result_of(job);
    ASSERT_EQ(result.methods.size(), 4U);
    double before = 0.0;
    const sluice::compare::MethodResult* selecting = nullptr;
    for (const auto& method : result.methods) {
        EXPECT_GE(method.mean_error, before);
        before = method.mean_error;
        EXPECT_EQ(method.best, &method == &result.methods.front());
        if (method.selects && selecting == nullptr) {
            selecting = &method;
            EXPECT_TRUE(method.best_selecting);
        } else {
            EXPECT_FALSE(method.best_selecting);
        }
        EXPECT_GE(method.worst_error, method.mean_error);
    }
    EXPECT_EQ(selecting->name, "sluice");
}

TEST(CompareJob, StopsAtABadRowUnlessItMayBeSkipped) {
    const Scratch scratch;
    std::string text = small_stream(20);
    text.insert(text.find("day 10"), "day bad,1,2,oops\n");
    write_file(scratch.path("in.csv"), text);
    CompareJob job(settings_for(scratch.path("in.csv"), {"rls"}), nullptr, ignore_message);
    EXPECT_THROW((void)job.run(), sluice::io::RowError);
    EXPECT_EQ(job.trials().front().tally().rows(), 10U);
}

TEST(CompareJob, RefusesAFileWithoutRowsAndSettingsWithoutMeaning) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), "when,a,y1,y2\n");
    CompareJob job(settings_for(scratch.path("in.csv"), {"rls"}), nullptr, ignore_message);
    EXPECT_THROW((void)job.run(), sluice::DataError);
    for (const auto& change : std::vector<std::function<void(CompareSettings&)>>{
             [](CompareSettings& s) { s.names = 0; }, [](CompareSettings& s) { s.season = 0; },
             [](CompareSettings& s) { s.threads = 0; }, [](CompareSettings& s) { s.most_seconds = std::nan(""); },
             [](CompareSettings& s) { s.entries.clear(); }, [](CompareSettings& s) { s.roles.targets = {"nobody"}; }}) {
        CompareSettings settings = settings_for(scratch.path("in.csv"), {"rls"});
        change(settings);
        EXPECT_THROW(CompareJob(settings, nullptr, ignore_message), sluice::job::UsageError);
    }
}

TEST(CompareJob, EveryMethodMeetsOneRowAndOneInput) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), "a,y\n1,2\n");
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"all"});
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = {}};
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    for (const Trial& trial : job.trials()) {
        EXPECT_EQ(trial.failure(), "") << trial.entry().name;
        EXPECT_EQ(trial.tally().rows(), 1U) << trial.entry().name;
    }
    const CompareResult result = sluice::compare::result_of(job);
    EXPECT_TRUE(std::isnan(result.methods.front().mean_error));
    EXPECT_FALSE(result.methods.front().best);
}

TEST(Contestants, AreFoundByNameAndUnknownOnesAreNamed) {
    const auto two = sluice::compare::entries_named({"window_lars", "sluice"});
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].name, "window_lars");
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{}, {"sluise"}, {"sluice", "sluice"}, {"all", "sluice"}}) {
        EXPECT_THROW((void)sluice::compare::entries_named(wrong), sluice::job::UsageError);
    }
    try {
        (void)sluice::compare::entries_named({"sluise"});
    } catch (const sluice::job::UsageError& error) {
        EXPECT_NE(std::string(error.what()).find(". Did you mean sluice? The methods are all, sluice, "),
                  std::string::npos)
            << error.what();
    }
}

TEST(Contestants, ThatSelectUseAtMostTheNamesGiven) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(200));
    CompareSettings settings = settings_for(scratch.path("in.csv"), {"all"});
    settings.names = 3;
    settings.pictures = true;
    CompareJob job(settings, nullptr, ignore_message);
    finish(job);
    for (const Trial& trial : job.trials()) {
        if (trial.entry().selects) {
            EXPECT_LE(trial.mean_names(), 3.0) << trial.entry().name;
            ASSERT_NE(trial.selection(), nullptr);
            EXPECT_EQ(sluice::job::SelectionCounter(*trial.selection()).finish().rows, 200U);
        } else {
            EXPECT_EQ(trial.selection(), nullptr);
        }
    }
}

}  // namespace
