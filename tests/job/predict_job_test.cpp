#include "predict_job.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "durable.hpp"
#include "fit_job.hpp"
#include "row_reader.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

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
