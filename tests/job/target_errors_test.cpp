#include "target_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "describe.hpp"
#include "small_stream.hpp"
#include "state.hpp"
#include "stream_job.hpp"
#include "summary.hpp"
#include "support/scratch.hpp"

namespace target_errors_test {
namespace {

using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using sluice::job::Tally;
using sluice::job::TargetErrors;
using namespace sluice::test;

std::string json_of(const std::vector<TargetErrors>& errors) {
    std::string out;
    sluice::io::JsonWriter json(out, sluice::io::JsonWriter::compact);
    append_target_errors(json, errors);
    return out;
}

TEST(TargetErrors, AreAlsoGivenWithoutTheLabelsThatWereSuspect) {
    Tally tally(1, 2, 0, 0);
    const std::vector<std::size_t> second = {1};
    const auto add = [&](std::vector<double> predicted, std::vector<double> observed, bool suspect) {
        sluice::StepReport report;
        if (suspect) {
            report.suspect_outputs = second;
        }
        tally.add({.predicted = predicted, .forecast = {}, .report = report}, observed);
    };
    add({1.0, 1.0}, {1.5, 1.5}, false);
    add({2.0, 2.0}, {2.0, 900.0}, true);
    add({3.0, 3.0}, {3.0, 3.0}, false);
    sluice::core::StateWriter out;
    tally.save(out);
    const auto bytes = std::move(out).unframed();
    Tally loaded(1, 2, 0, 0);
    auto in = sluice::core::StateReader::unframed(bytes);
    loaded.load(in);
    EXPECT_EQ(in.left(), 0U);
    for (const Tally& one : {tally, loaded}) {
        const auto errors = target_errors(one, {"a", "b"}, std::vector<std::optional<sluice::job::BestFixed>>(2));
        EXPECT_EQ(errors[0].believed_rows, 3U);
        EXPECT_EQ(errors[0].believed.rmse, errors[0].model.rmse);
        EXPECT_EQ(errors[1].scored, 3U);
        EXPECT_EQ(errors[1].believed_rows, 2U);
        EXPECT_DOUBLE_EQ(errors[1].believed.rmse, std::sqrt(0.25 / 2.0));
        EXPECT_GT(errors[1].model.rmse, 500.0);
        const std::string json = json_of(errors);
        EXPECT_EQ(json.find("without_suspect_labels"), json.rfind("without_suspect_labels"));
        EXPECT_NE(json.find(R"("scored":3,"without_suspect_labels":{"rows":2,"r2":)"), std::string::npos);
    }
}

TEST(TargetErrors, OfAStreamAreThoseOfTheRecordsItWrote) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(300, 8, 2, 0.1));
    for (const std::size_t horizon : {0U, 4U}) {
        StreamSettings settings = small_settings(scratch.path("in.csv"));
        settings.warmup = 20;
        settings.horizon = horizon;
        settings.out = scratch.path("out.csv");
        settings.out_format = sluice::job::RecordFormat::csv;
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        const auto errors = target_errors(job.tally(), job.roles().targets, job.learner());
        ASSERT_EQ(errors.size(), 2U);
        auto reader = sluice::io::open_rows(sluice::io::open_source(settings.out), {});
        const auto columns = reader->columns();
        const auto place = [&](const std::string& name) {
            return static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin());
        };
        reader->want({place("predicted_y1"), place("predicted_y2"), place("observed_y1"), place("observed_y2")}, {});
        std::vector<std::vector<double>> rows;
        for (sluice::io::Row row; reader->next(row);) {
            rows.push_back(row.numbers);
        }
        ASSERT_EQ(rows.size(), 300U);
        for (std::size_t j = 0; j < 2; ++j) {
            double model = 0.0;
            double mean = 0.0;
            double last = 0.0;
            std::size_t count = 0;
            for (std::size_t t = settings.warmup; t < rows.size(); ++t) {
                const double predicted = rows[t][j];
                const double y = rows[t][2 + j];
                double sum = 0.0;
                double values = 0.0;
                double newest = 0.0;
                for (std::size_t s = 0; s + std::max<std::size_t>(horizon, 1) <= t; ++s) {
                    if (!std::isnan(rows[s][2 + j])) {
                        newest = rows[s][2 + j];
                        sum += newest;
                        values += 1.0;
                    }
                }
                if (!std::isnan(y) && !std::isnan(predicted)) {
                    ++count;
                    model += (y - predicted) * (y - predicted);
                    mean += (y - (sum / values)) * (y - (sum / values));
                    last += (y - newest) * (y - newest);
                }
            }
            const auto rmse = [&](double sum) { return std::sqrt(sum / static_cast<double>(count)); };
            constexpr double kRounding = 1e-12;  // of 300 additions of numbers near 1
            const TargetErrors& one = errors[j];
            ASSERT_GT(count, 200U);
            EXPECT_EQ(one.scored, count);
            EXPECT_EQ(one.compared.rows, count);
            EXPECT_EQ(one.compared.since, 1U);
            EXPECT_NEAR(one.model.rmse, rmse(model), kRounding);
            EXPECT_NEAR(one.compared.model.rmse, rmse(model), kRounding);
            EXPECT_NEAR(one.compared.mean.rmse, rmse(mean), kRounding);
            EXPECT_NEAR(one.compared.last_value.rmse, rmse(last), kRounding);
            EXPECT_NEAR(one.compared.mean.error_over_variance / one.model.error_over_variance, mean / model, kRounding);
            EXPECT_FALSE(one.best_fixed.has_value()) << "nothing is tuned";
        }
    }
}

Tally four_rows() {
    Tally tally(1, 1, 0, 0);
    const double unknown = std::nan("");
    for (const auto& [predicted, y] : {std::pair{unknown, 1.0}, {2.0, 3.0}, {3.0, 3.0}, {3.0, 1.0}}) {
        tally.add({.predicted = {&predicted, 1}, .forecast = {}, .report = std::nullopt}, {&y, 1});
    }
    return tally;
}

// 3, 3, 1 were scored: the variance is 8/9. Last values 1, 3, 3; means 1, 2, 7/3.
TEST(TargetErrors, AreWrittenAsJsonWithTheBestFixedSetting) {
    const auto errors =
        target_errors(four_rows(), {"y"}, {sluice::job::BestFixed{.setting = "forgetting 0.98", .rmse = 1.0}});
    const TargetErrors& one = errors[0];
    EXPECT_DOUBLE_EQ(one.model.rmse, std::sqrt(5.0 / 3.0));
    EXPECT_DOUBLE_EQ(one.compared.last_value.rmse, std::sqrt(8.0 / 3.0));
    EXPECT_DOUBLE_EQ(one.compared.last_value.r2(), -2.0);
    EXPECT_DOUBLE_EQ(one.compared.mean.rmse, std::sqrt((4.0 + 1.0 + (16.0 / 9.0)) / 3.0));
    ASSERT_TRUE(one.best_fixed.has_value());
    EXPECT_DOUBLE_EQ(one.best_fixed->figures.error_over_variance, 9.0 / 8.0);
    using sluice::io::json;
    const auto figures = [](const sluice::job::ErrorFigures& of) {
        return R"("r2":)" + json(of.r2()) + R"(,"error_over_variance":)" + json(of.error_over_variance) +
               R"(,"rmse":)" + json(of.rmse);
    };
    EXPECT_EQ(json_of(errors),
              R"({"y":{)" + figures(one.model) + R"(,"scored":3,"compared":{"rows":3,"since_row":1,"model":{)" +
                  figures(one.model) + R"(},"mean":{)" + figures(one.compared.mean) + R"(},"last_value":{)" +
                  figures(one.compared.last_value) + R"(}},"best_fixed":{"setting":"forgetting 0.98",)" +
                  figures(one.best_fixed->figures) + "}}}");
}

TEST(TargetErrors, ThatDoNotExistAreNull) {
    const std::string none = R"("r2":null,"error_over_variance":null,"rmse":null)";
    EXPECT_EQ(json_of(target_errors(Tally(1, 1, 0, 0), {"y"}, {std::nullopt})),
              R"({"y":{)" + none + R"(,"scored":0,"compared":{"rows":0,"since_row":1,"model":{)" + none +
                  R"(},"mean":{)" + none + R"(},"last_value":{)" + none + R"(}},"best_fixed":null}})");
    Tally constant(1, 1, 0, 0);
    for (int row = 0; row < 3; ++row) {
        const double y = 5.0;
        constant.add({.predicted = {&y, 1}, .forecast = {}, .report = std::nullopt}, {&y, 1});
    }
    const std::string exact = R"("r2":null,"error_over_variance":null,"rmse":0)";
    EXPECT_EQ(json_of(target_errors(constant, {"y"}, {sluice::job::BestFixed{.setting = "s", .rmse = 0.0}})),
              R"({"y":{)" + exact + R"(,"scored":3,"compared":{"rows":2,"since_row":1,"model":{)" + exact +
                  R"(},"mean":{)" + exact + R"(},"last_value":{)" + exact + R"(}},"best_fixed":{"setting":"s",)" +
                  exact + "}}}");
}

TEST(TargetErrors, ARunThatWasStoppedAndResumedEndsWithTheSameSummary) {
    const Scratch scratch;
    const std::string rows = small_stream(90);
    write_file(scratch.path("whole.csv"), rows);
    std::size_t end = 0;
    for (int line = 0; line < 41; ++line) {
        end = rows.find('\n', end) + 1;
    }
    write_file(scratch.path("first.csv"), rows.substr(0, end));
    for (const std::size_t horizon : {0U, 3U}) {
        const auto summary = [&](const std::string& input, const std::string& checkpoint, bool resume) {
            StreamSettings settings = small_settings(scratch.path(input));
            settings.options.tuning = sluice::Tuning{};
            settings.horizon = horizon;
            settings.warmup = 7;
            settings.checkpoint = scratch.path(checkpoint);
            settings.resume = resume;
            StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
            (void)job.run();
            return summary_json(job.tally(), job.events(), job.learner(), job.roles(), job.input_names(), 0.0);
        };
        const std::string whole = summary("whole.csv", "whole.sluice", false);
        const std::string first = summary("first.csv", "part.sluice", false);
        EXPECT_EQ(summary("whole.csv", "part.sluice", true), whole);
        EXPECT_NE(first, whole);
        EXPECT_NE(whole.find("\"compared\": {\"rows\": 8"), std::string::npos) << whole;
        const std::string described = description_json(sluice::job::read_model_file(scratch.path("part.sluice")));
        const std::string targets = whole.substr(whole.find("\"targets\": ") + 11);
        EXPECT_NE(described.find(targets.substr(0, targets.find(", \"selected\""))), std::string::npos) << described;
    }
}

// The checkpoint was written after 80 rows, before there was a comparison.
TEST(TargetErrors, AnOldCheckpointIsComparedFromItsNextRowOn) {
    const Scratch scratch;
    std::filesystem::copy(SLUICE_SOURCE_DIR "/tests/job/corpus/v1-screened-horizon.sluice", scratch.path("a.sluice"));
    write_file(scratch.path("in.csv"), small_stream(30, 12, 2, 0.0));
    StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.ignore = {"when"};
    settings.checkpoint = scratch.path("a.sluice");
    settings.resume = true;
    settings.from_here = true;
    const auto before = sluice::job::read_model_file(settings.checkpoint);
    const std::size_t scored = before.tally->scores()[0].count();
    EXPECT_GT(scored, 0U);
    EXPECT_EQ(before.tally->comparison().rows(), 0U);
    for (const unsigned run : {1U, 2U}) {
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        const auto errors = target_errors(job.tally(), job.roles().targets, job.learner());
        EXPECT_EQ(errors[0].scored, scored + (30U * run));
        EXPECT_EQ(errors[0].compared.since, 81U);
        EXPECT_EQ(errors[0].compared.rows, (30U * run) - 2U) << "the horizon is 2";
        EXPECT_GT(errors[0].compared.last_value.rmse, 0.0);
        EXPECT_NE(errors[0].compared.model.rmse, errors[0].model.rmse);
    }
}

}  // namespace
}  // namespace target_errors_test
