#include "predict_job.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "durable.hpp"
#include "fit_job.hpp"
#include "late_stream.hpp"
#include "row_reader.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace predict_job_test {
namespace {

using namespace sluice::test;
using sluice::job::ModelFile;
using sluice::job::PredictSettings;

constexpr std::size_t kHorizon = 3;

// The numbers of one column of a CSV file; NaN where a cell is empty.
std::vector<double> column(const std::string& path, const std::string& name) {
    auto reader = sluice::io::open_rows(sluice::io::open_source(path), {});
    const auto at = std::ranges::find(reader->columns(), name);
    EXPECT_NE(at, reader->columns().end()) << name;
    reader->want({static_cast<std::size_t>(at - reader->columns().begin())}, {});
    std::vector<double> out;
    for (sluice::io::Row row; reader->next(row);) {
        out.push_back(row.numbers[0]);
    }
    return out;
}

// Predictions with the model, written out by hand: the prediction for row t is made from the lagged inputs of row t - 3.
void expect_predictions_of_a_horizon(const std::string& model, const std::string& input, const Scratch& scratch) {
    const ModelFile file = sluice::job::read_model_file(model);
    ASSERT_EQ(file.layout, (sluice::RowLayout{.lags = {0, 1}, .horizon = kHorizon}));
    std::vector<std::vector<double>> x;
    auto reader = sluice::io::open_rows(sluice::io::open_source(input), {});
    reader->want({1, 2, 3, 4}, {});
    sluice::io::Row row;
    while (reader->next(row)) {
        x.push_back(row.numbers);
    }
    PredictSettings settings;
    settings.model = model;
    settings.input = input;
    settings.out = scratch.path("out.csv");
    settings.out_format = sluice::job::RecordFormat::csv;
    settings.new_rows = true;
    const auto result = sluice::job::run_predict(settings, sluice::io::real_disk());
    EXPECT_EQ(result.rows, x.size());
    EXPECT_EQ(result.scores.at(0).count(), x.size() - kHorizon);
    const std::vector<double> predicted = column(settings.out, "predicted_y1");
    const std::vector<double> observed = column(settings.out, "observed_y1");
    EXPECT_EQ(observed, column(input, "y1"));
    ASSERT_EQ(predicted.size(), x.size());
    for (std::size_t t = 0; t < x.size(); ++t) {
        if (t < kHorizon) {
            EXPECT_TRUE(std::isnan(predicted[t])) << t;
            continue;
        }
        std::vector<double> stacked;
        for (std::size_t i = 0; i < 4; ++i) {
            stacked.push_back(x[t - kHorizon][i]);
            stacked.push_back(t > kHorizon ? x[t - kHorizon - 1][i] : std::nan(""));
        }
        const double expected =
            file.fitted ? file.fitted->fit.predict(stacked)[0] : file.learner->model().predict(stacked)[0];
        EXPECT_EQ(predicted[t], expected) << t;
    }
}

TEST(Predict, WithAHorizonARowIsPredictedFromTheInputsThatManyRowsBefore) {
    const Scratch scratch;
    write_file(scratch.path("past.csv"), small_stream(60, 4, 1, 0.0, 1));
    write_file(scratch.path("new.csv"), small_stream(20, 4, 1, 0.0, 2));
    auto settings = small_settings(scratch.path("past.csv"));
    settings.roles.targets = {"y1"};
    settings.lags = {0, 1};
    settings.horizon = kHorizon;
    settings.options.tuning = {};
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    expect_predictions_of_a_horizon(settings.checkpoint, scratch.path("new.csv"), scratch);
}

TEST(Predict, WithAHorizonAFitIsAppliedInTheSameWay) {
    const Scratch scratch;
    write_file(scratch.path("past.csv"), small_stream(60, 4, 1, 0.0, 1));
    write_file(scratch.path("new.csv"), small_stream(20, 4, 1, 0.0, 2));
    sluice::job::FitSettings settings;
    settings.input = scratch.path("past.csv");
    settings.roles = {.targets = {"y1"}, .inputs = {}, .ignore = {}, .time = "when"};
    settings.lags = {0, 1};
    settings.horizon = kHorizon;
    settings.options.components = 2;
    settings.options.keep = {3};
    settings.options.forgetting = 1.0;
    const auto result = sluice::job::run_fit(settings);
    EXPECT_EQ(result.file.fitted->rows, 57U);
    sluice::io::replace_durably(
        sluice::io::real_disk(), scratch.path("fit.sluice"),
        sluice::pack_fit({.fitted = *result.file.fitted, .roles = result.file.roles, .layout = result.file.layout}));
    expect_predictions_of_a_horizon(scratch.path("fit.sluice"), scratch.path("new.csv"), scratch);
}

// The rows after the checkpoint: the first is predicted as the stream itself would predict it, and so are the first
// `horizon` ones. The others by hand.
TEST(Predict, TheRowsThatFollowAStreamHaveItsLastRowsAsTheirLags) {
    const Scratch scratch;
    const std::string text = small_stream(80, 4, 1, 0.0, 1);
    std::size_t at = 0;
    for (int line = 0; line < 61; ++line) {
        at = text.find('\n', at) + 1;
    }
    write_file(scratch.path("past.csv"), text.substr(0, at));
    write_file(scratch.path("new.csv"), text.substr(0, text.find('\n') + 1) + text.substr(at));
    for (const std::size_t horizon : {std::size_t{0}, kHorizon}) {
        auto stream = small_settings(scratch.path("past.csv"));
        stream.roles.targets = {"y1"};
        stream.lags = {0, 1, 5};
        stream.horizon = horizon;
        stream.checkpoint = scratch.path("a.sluice");
        std::filesystem::remove(stream.checkpoint);
        (void)sluice::job::StreamJob(stream, sluice::io::real_disk(), nullptr, ignore_message).run();
        PredictSettings settings;
        settings.model = stream.checkpoint;
        settings.input = scratch.path("new.csv");
        settings.out = scratch.path("out.csv");
        settings.out_format = sluice::job::RecordFormat::csv;
        EXPECT_EQ(sluice::job::run_predict(settings, sluice::io::real_disk()).without_lags, 0U);
        const std::vector<double> predicted = column(settings.out, "predicted_y1");
        EXPECT_EQ(column(settings.out, "missing_lags"), std::vector<double>(20, 0.0));

        const ModelFile file = sluice::job::read_model_file(stream.checkpoint);
        write_file(scratch.path("whole.csv"), text);
        std::vector<std::vector<double>> x;
        for (const char* name : {"x1", "x2", "x3", "x4"}) {
            x.push_back(column(scratch.path("whole.csv"), name));
        }
        for (std::size_t t = horizon; t < predicted.size(); ++t) {
            std::vector<double> stacked;
            for (const auto& values : x) {
                for (const std::size_t lag : {0U, 1U, 5U}) {
                    stacked.push_back(values[60 + t - horizon - lag]);
                }
            }
            EXPECT_EQ(predicted[t], file.learner->model().predict(stacked)[0]) << t;
        }
        stream.input = scratch.path("whole.csv");
        stream.out = scratch.path("log.csv");
        stream.out_format = sluice::job::RecordFormat::csv;
        stream.resume = true;
        (void)sluice::job::StreamJob(stream, sluice::io::real_disk(), nullptr, ignore_message).run();
        const std::vector<double> as_streamed = column(stream.out, "predicted_y1");
        for (std::size_t t = 0; t < std::max<std::size_t>(horizon, 1); ++t) {
            EXPECT_EQ(predicted[t], as_streamed[t]) << t;
        }
    }
}

TEST(Predict, RowsWithoutTheirLagsAreMarked) {
    const Scratch scratch;
    write_file(scratch.path("past.csv"), small_stream(60, 4, 1, 0.0, 1));
    write_file(scratch.path("new.csv"), small_stream(7, 4, 1, 0.0, 2));
    auto stream = small_settings(scratch.path("past.csv"));
    stream.roles.targets = {"y1"};
    stream.lags = {0, 3};
    stream.checkpoint = scratch.path("a.sluice");
    (void)sluice::job::StreamJob(stream, sluice::io::real_disk(), nullptr, ignore_message).run();
    PredictSettings settings;
    settings.model = stream.checkpoint;
    settings.input = scratch.path("new.csv");
    settings.out = scratch.path("out.csv");
    settings.out_format = sluice::job::RecordFormat::csv;
    settings.new_rows = true;
    EXPECT_EQ(sluice::job::run_predict(settings, sluice::io::real_disk()).without_lags, 3U);
    EXPECT_EQ(column(settings.out, "missing_lags"), (std::vector<double>{3, 2, 1, 0, 0, 0, 0}));
    settings.out = scratch.path("out.ndjson");
    settings.out_format = sluice::job::RecordFormat::ndjson;
    (void)sluice::job::run_predict(settings, sluice::io::real_disk());
    EXPECT_NE(content(settings.out).find("\"missing_lags\":3}\n{\"row\":2"), std::string::npos);
}

// The targets of a row are the label of another one: they are not what was predicted for the row.
TEST(Predict, LabelsOfOtherRowsAreNotCompared) {
    const Scratch scratch;
    const auto rows = late_rows(40);
    write_file(scratch.path("in.csv"), csv_with_labels(rows, sampled_labels(40, 2, 3)));
    auto stream = late_settings(scratch.path("in.csv"));
    stream.label_time = "of";
    stream.checkpoint = scratch.path("a.sluice");
    (void)sluice::job::StreamJob(stream, sluice::io::real_disk(), nullptr, ignore_message).run();
    PredictSettings settings;
    settings.model = stream.checkpoint;
    settings.input = stream.input;
    settings.out = scratch.path("out.ndjson");
    const auto result = sluice::job::run_predict(settings, sluice::io::real_disk());
    EXPECT_EQ(result.rows, 40U);
    EXPECT_TRUE(result.scores.empty());
    EXPECT_EQ(content(settings.out).find("observed"), std::string::npos);
}

// In-sample: rows whose output follows their first input three rows later, plus 7, are fitted with that intercept.
TEST(Predict, TheInterceptOfAFitWithAHorizonIsThatOfTheShiftedRows) {
    const Scratch scratch;
    std::string text = "x1,x2,y\n";
    std::vector<double> x1;
    for (int t = 0; t < 40; ++t) {
        x1.push_back(std::sin(1.7 * t));
        const double y = t >= 3 ? 7.0 + (2.0 * x1[static_cast<std::size_t>(t - 3)]) : 0.0;
        text += std::to_string(x1.back()) + "," + std::to_string(std::cos(2.9 * t)) + "," + std::to_string(y) + "\n";
    }
    write_file(scratch.path("in.csv"), text);
    sluice::job::FitSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = ""};
    settings.horizon = kHorizon;
    settings.options.components = 1;
    settings.options.keep = {1};
    settings.options.forgetting = 1.0;
    settings.options.shrinkage = 0.0;
    const auto result = sluice::job::run_fit(settings);
    EXPECT_NEAR(result.file.fitted->fit.intercept[0], 7.0, 1e-5);  // the file has six digits
    EXPECT_NEAR(result.file.fitted->fit.coefficients(0, 0), 2.0, 1e-5);
}

}  // namespace
}  // namespace predict_job_test
