// The targets' own lags, from the learner to the files: nothing that is not known yet is used, and a resumed run goes on
// to the same bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "describe.hpp"
#include "durable.hpp"
#include "fit_job.hpp"
#include "groups.hpp"
#include "learner.hpp"
#include "predict_job.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace target_lags_test {
namespace {

using namespace sluice::test;
using sluice::RowLayout;
using sluice::job::Learner;
using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using Table = std::vector<std::vector<double>>;

constexpr std::size_t kInputs = 3;
constexpr std::size_t kOutputs = 2;

struct Rows {
    Table x;
    Table y;
};

// Outputs that follow their own past and an input; some are missing.
Rows autoregressive(std::size_t rows, std::uint64_t seed, bool gaps = true) {
    sluice::NormalSource noise(seed);
    Rows out{.x = Table(rows, std::vector<double>(kInputs)), .y = Table(rows, std::vector<double>(kOutputs))};
    std::vector<double> state(kOutputs, 0.0);
    for (std::size_t t = 0; t < rows; ++t) {
        for (double& value : out.x[t]) {
            value = noise.next();
        }
        for (std::size_t j = 0; j < kOutputs; ++j) {
            state[j] = (0.8 * state[j]) + out.x[t][j] + noise.next(0.0, 0.1);
            out.y[t][j] = gaps && (t + (3 * j)) % 11 == 7 ? std::nan("") : state[j];
        }
    }
    return out;
}

const sluice::AdaptiveOptions kFixed{.model = {.components = 2, .keep = {2}}, .tuning = sluice::Tuning::off()};

// Written out from the rule: x of row t has y[t-k] without a horizon and y[t+1-k] with one.
std::vector<double> x_by_hand(const Rows& rows, std::size_t t, const RowLayout& layout) {
    std::vector<double> x;
    for (std::size_t i = 0; i < kInputs; ++i) {
        for (const std::size_t lag : layout.lags) {
            x.push_back(lag <= t ? rows.x[t - lag][i] : std::nan(""));
        }
    }
    const std::size_t after_newest = layout.horizon == 0 ? t : t + 1;
    for (std::size_t j = 0; j < kOutputs; ++j) {
        for (const std::size_t lag : layout.target_lags) {
            x.push_back(lag <= after_newest ? rows.y[after_newest - lag][j] : std::nan(""));
        }
    }
    return x;
}

TEST(TargetLags, TheLearnerPredictsFromTheTargetsThatWereKnownThen) {
    constexpr std::size_t kRows = 80;
    const Rows rows = autoregressive(kRows, 3);
    for (const std::size_t horizon : {0U, 1U, 3U}) {
        const RowLayout layout{.lags = {0, 2}, .horizon = horizon, .target_lags = {1, 2, 5}};
        Learner learner(kInputs, kOutputs, layout, kFixed);
        sluice::StreamModel plain(layout.width(kInputs, kOutputs), kOutputs, kFixed.model);
        Table forecasts(kRows + horizon + 1, std::vector<double>(kOutputs, std::nan("")));
        for (std::size_t t = 0; t < kRows; ++t) {
            if (horizon == 0) {
                forecasts[t] = plain.predict(x_by_hand(rows, t, layout));
            }
            if (t >= horizon) {
                plain.learn(x_by_hand(rows, t - horizon, layout), rows.y[t]);
            }
            if (horizon > 0) {
                forecasts[t + horizon] = plain.predict(x_by_hand(rows, t, layout));
            }
            const auto step = learner.step(rows.x[t], rows.y[t]);
            for (std::size_t j = 0; t >= (2 * horizon) + 1 && j < kOutputs; ++j) {  // each output has been observed
                EXPECT_EQ(step.predicted[j], forecasts[t][j]) << "row " << t << " horizon " << horizon;
            }
        }
    }
}

// All outputs from row `changed` on are others: what was predicted from the rows before must not change by a bit. The
// prediction after the newest output has changed must change, or the lags would not be used at all.
TEST(TargetLags, NoPredictionDependsOnAnOutputThatWasNotKnownWhenItWasMade) {
    constexpr std::size_t kRows = 60;
    for (const auto& tuning : {sluice::Tuning::off(), sluice::Tuning{}}) {
        for (const std::size_t horizon : {0U, 1U, 4U}) {
            for (const std::size_t changed : {20U, 41U}) {
                const Rows rows = autoregressive(kRows, 5);
                Rows others = rows;
                for (std::size_t t = changed; t < kRows; ++t) {
                    for (double& value : others.y[t]) {
                        value = 1000.0 - (3.0 * value);
                    }
                }
                const RowLayout layout{.lags = {0, 1}, .horizon = horizon, .target_lags = {1, 2, 3}};
                const sluice::AdaptiveOptions options{.model = kFixed.model, .tuning = tuning};
                Learner one(kInputs, kOutputs, layout, options);
                Learner other(kInputs, kOutputs, layout, options);
                bool differs_after = false;
                for (std::size_t t = 0; t < kRows; ++t) {
                    const auto a = one.step(rows.x[t], rows.y[t]);
                    const auto b = other.step(others.x[t], others.y[t]);
                    // The prediction for row t was made when the outputs up to row t - 1 were known, with a horizon
                    // those up to row t - horizon.
                    const std::size_t newest_known = horizon == 0 ? t : t + 1 - horizon;
                    const bool known_before = horizon > t || newest_known <= changed;
                    for (std::size_t j = 0; j < kOutputs; ++j) {
                        const bool same = a.predicted[j] == b.predicted[j] ||
                                          (std::isnan(a.predicted[j]) && std::isnan(b.predicted[j]));
                        if (known_before) {
                            EXPECT_TRUE(same) << "row " << t << " horizon " << horizon << " changed " << changed;
                        }
                        differs_after = differs_after || !same;
                    }
                    for (std::size_t j = 0; t < changed && j < a.forecast.size(); ++j) {
                        EXPECT_TRUE(a.forecast[j] == b.forecast[j] || std::isnan(a.forecast[j])) << t;
                    }
                }
                EXPECT_TRUE(differs_after);
            }
        }
    }
}

std::string csv(const Rows& rows) {
    std::string text = "when,x1,x2,x3,y1,y2\n";
    for (std::size_t t = 0; t < rows.x.size(); ++t) {
        text += "day " + std::to_string(t);
        for (const auto* cells : {&rows.x[t], &rows.y[t]}) {
            for (const double cell : *cells) {
                text += "," + (std::isnan(cell) ? std::string() : std::to_string(cell));
            }
        }
        text += "\n";
    }
    return text;
}

StreamSettings settings_for(const Scratch& scratch, const std::string& name) {
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.target_lags = {1, 2, 4};
    settings.out = scratch.path(name + ".ndjson");
    settings.checkpoint = scratch.path(name + ".sluice");
    settings.checkpoint_rows = 7;
    return settings;
}

void run(const StreamSettings& settings, std::optional<std::size_t> stop_after = std::nullopt) {
    struct Killed {};
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    std::size_t rows = 0;
    try {
        (void)job.run([&] {
            if (++rows == stop_after) {
                throw Killed();
            }
        });
    } catch (const Killed&) {
        return;
    }
}

TEST(TargetLags, AResumedStreamLeavesTheSameFilesAsOneNeverStopped) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), csv(autoregressive(50, 2)));
    for (const auto& tuning : {sluice::Tuning::off(), sluice::Tuning{}}) {
        for (const std::size_t horizon : {0U, 3U}) {
            StreamSettings whole = settings_for(scratch, "whole");
            whole.lags = {0, 2};
            whole.horizon = horizon;
            whole.options.tuning = tuning;
            std::filesystem::remove(whole.checkpoint);
            run(whole);
            for (std::size_t rows = 1; rows < 50; rows += 3) {
                StreamSettings part = whole;
                part.out = scratch.path("part.ndjson");
                part.checkpoint = scratch.path("part.sluice");
                std::filesystem::remove(part.checkpoint);
                run(part, rows);
                part.resume = true;
                if (rows >= part.checkpoint_rows) {
                    part.target_lags.reset();  // the model file knows them
                }
                run(part);
                ASSERT_EQ(content(part.out), content(whole.out)) << rows;
                ASSERT_EQ(content(part.checkpoint), content(whole.checkpoint)) << rows;
            }
        }
    }
}

TEST(TargetLags, AResumeWithOthersThanTheCheckpointIsRefused) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), csv(autoregressive(20, 2)));
    StreamSettings settings = settings_for(scratch, "a");
    const auto reason = [&](const std::vector<std::size_t>& asked) -> std::string {
        settings.resume = true;
        settings.target_lags = asked;
        try {
            StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        } catch (const sluice::job::UsageError& error) {
            return error.what();
        }
        return "no error";
    };
    run(settings);
    EXPECT_EQ(reason({1, 2, 4}), "no error");
    EXPECT_EQ(reason({1, 2}), "target_lags: 1,2 contradicts the checkpoint, which has 1,2,4");
    std::filesystem::remove(settings.checkpoint);
    settings.target_lags.reset();
    run(settings);
    EXPECT_EQ(reason({1, 2}), "target_lags: 1,2 contradicts the checkpoint, which has none");
}

TEST(TargetLags, AreDescribedAndPackedAgainToTheSameBytes) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), csv(autoregressive(30, 2)));
    StreamSettings settings = settings_for(scratch, "a");
    settings.lags = {0, 1};
    settings.horizon = 2;
    run(settings);
    const auto bytes = sluice::io::read_whole(settings.checkpoint);
    const auto file = sluice::job::unpack(bytes);
    EXPECT_EQ(file.layout, (RowLayout{.lags = {0, 1}, .horizon = 2, .target_lags = {1, 2, 4}}));
    EXPECT_EQ(pack_checkpoint(file.roles, *file.learner, *file.tally, file.events, file.columns, *file.resume_point),
              bytes);
    const std::string described = sluice::job::description_json(file);
    EXPECT_NE(described.find(R"("x3", "x3@-1", "y1@-1", "y1@-2", "y1@-4", "y2@-1", "y2@-2", "y2@-4"])"),
              std::string::npos)
        << described;
    EXPECT_NE(described.find(R"("horizon": 2, "target_lags": [1, 2, 4])"), std::string::npos) << described;
    const auto named = sluice::unpack_model(bytes);
    EXPECT_EQ(named.layout, file.layout);
    EXPECT_EQ(named.input_names(), file.input_names());
}

TEST(TargetLags, AModelCanHaveThemAsItsOnlyInputs) {
    const Scratch scratch;
    sluice::NormalSource noise(7);
    std::string text = "y\n";
    double y = 0.0;
    for (int t = 0; t < 300; ++t) {
        y = (0.9 * y) + noise.next();
        text += std::to_string(y) + "\n";
    }
    write_file(scratch.path("in.csv"), text);
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = ""};
    settings.checkpoint = scratch.path("a.sluice");
    settings.options.model = {.components = 1, .keep = {1}, .forgetting = 0.99};
    EXPECT_THROW(StreamJob(settings, sluice::io::real_disk(), nullptr, ignore_message), sluice::job::UsageError);
    settings.target_lags = {1, 2};
    settings.lags = {0, 1};
    EXPECT_THROW(StreamJob(settings, sluice::io::real_disk(), nullptr, ignore_message), sluice::job::UsageError);
    settings.lags.reset();
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    EXPECT_EQ(job.input_names(), (std::vector<std::string>{"y@-1", "y@-2"}));
    EXPECT_GT(job.tally().scores()[0].r2(), 0.7);  // 0.81 of the variance is known
    const auto file = sluice::job::read_model_file(settings.checkpoint);
    EXPECT_EQ(pack_checkpoint(file.roles, *file.learner, *file.tally, file.events, file.columns, *file.resume_point),
              sluice::io::read_whole(settings.checkpoint));
}

TEST(TargetLags, AnInputWithTheNameOfALaggedTargetIsRefused) {
    const RowLayout layout{.lags = {0}, .horizon = 0, .target_lags = {1, 2}};
    const auto reason = [&](const std::vector<std::string>& ignore) -> std::string {
        try {
            (void)sluice::job::assign_roles({"u", "y@-2", "y"},
                                            {.targets = {"y"}, .inputs = {}, .ignore = ignore, .time = ""}, layout);
        } catch (const sluice::job::UsageError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(reason({}), "target_lags: the input y@-2 has the name of a lagged target and needs another name");
    EXPECT_EQ(reason({"y@-2"}), "no error");
}

TEST(TargetLags, OfATargetAreAGroupOfTheGroupLasso) {
    const sluice::Roles roles{.inputs = {"a", "b"}, .targets = {"y", "z"}};
    const RowLayout layout{.lags = {0, 1}, .horizon = 0, .target_lags = {1, 2, 3}};
    EXPECT_EQ(sluice::job::groups_for(roles, layout, ""), (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 2, 3, 3, 3}));
    const Scratch scratch;
    write_file(scratch.path("g.csv"), "a,plant\nb,plant\ny,past\n");
    try {
        (void)sluice::job::groups_for(roles, layout, scratch.path("g.csv"));
        FAIL();
    } catch (const sluice::job::UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("target z has no group"), std::string::npos) << error.what();
    }
    write_file(scratch.path("g.csv"), "a,plant\nb,plant\ny,past\nz,past\n");
    EXPECT_EQ(sluice::job::groups_for(roles, layout, scratch.path("g.csv")),
              (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

// Predictions of a file by hand: the model's x from the columns of the file.
void expect_predictions_by_hand(const std::string& model, const Rows& rows, const Scratch& scratch) {
    const auto file = sluice::job::read_model_file(model);
    write_file(scratch.path("new.csv"), csv(rows));
    sluice::job::PredictSettings settings;
    settings.model = model;
    settings.input = scratch.path("new.csv");
    settings.out = scratch.path("predicted.csv");
    settings.out_format = sluice::job::RecordFormat::csv;
    settings.new_rows = true;
    EXPECT_EQ(sluice::job::run_predict(settings, sluice::io::real_disk()).rows, rows.x.size());
    auto reader = sluice::io::open_rows(sluice::io::open_source(settings.out), {});
    ASSERT_EQ(reader->columns()[2], "predicted_y1");
    reader->want({2, 3}, {});
    // The file has six digits: its numbers are read back, as the job reads them.
    Rows read = rows;
    for (Table* table : {&read.x, &read.y}) {
        for (auto& row : *table) {
            for (double& value : row) {
                value = std::isnan(value) ? value : std::stod(std::to_string(value));
            }
        }
    }
    std::size_t t = 0;
    for (sluice::io::Row row; reader->next(row); ++t) {
        if (t < file.layout.horizon) {
            EXPECT_TRUE(std::isnan(row.numbers[0])) << t;
            continue;
        }
        const std::vector<double> x = x_by_hand(read, t - file.layout.horizon, file.layout);
        EXPECT_EQ(row.numbers, file.fitted ? file.fitted->fit.predict(x) : file.learner->model().predict(x)) << t;
    }
    EXPECT_EQ(t, rows.x.size());
}

TEST(TargetLags, AFileIsPredictedFromItsOwnTargets) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), csv(autoregressive(60, 2)));
    write_file(scratch.path("whole.csv"), csv(autoregressive(60, 2, false)));  // a fit needs every output of a row
    for (const std::size_t horizon : {0U, 2U}) {
        StreamSettings settings = settings_for(scratch, "a");
        std::filesystem::remove(settings.checkpoint);
        settings.lags = {0, 1};
        settings.horizon = horizon;
        run(settings);
        expect_predictions_by_hand(settings.checkpoint, autoregressive(25, 9), scratch);

        sluice::job::FitSettings fit;
        fit.input = scratch.path("whole.csv");
        fit.roles = {.targets = {"y1", "y2"}, .inputs = {}, .ignore = {}, .time = "when"};
        fit.lags = {0, 1};
        fit.target_lags = {1, 2, 4};
        fit.horizon = horizon;
        fit.options = {.components = 2, .keep = {3}, .forgetting = 1.0};
        const auto result = sluice::job::run_fit(fit);
        EXPECT_EQ(result.file.fitted->rows, 60 - horizon);
        sluice::io::replace_durably(
            sluice::io::real_disk(), scratch.path("fit.sluice"),
            sluice::pack_fit(
                {.fitted = *result.file.fitted, .roles = result.file.roles, .layout = result.file.layout}));
        expect_predictions_by_hand(scratch.path("fit.sluice"), autoregressive(25, 9), scratch);
    }
}

TEST(TargetLags, AFileWithoutTheTargetsCannotBePredictedAndTheErrorSaysWhatToDo) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), csv(autoregressive(30, 2)));
    const StreamSettings settings = settings_for(scratch, "a");
    run(settings);
    write_file(scratch.path("new.csv"), "x1,x2,x3,y1\n1,2,3,4\n");
    sluice::job::PredictSettings predict;
    predict.model = settings.checkpoint;
    predict.input = scratch.path("new.csv");
    predict.out = scratch.path("out");
    try {
        (void)sluice::job::run_predict(predict, sluice::io::real_disk());
        FAIL();
    } catch (const sluice::job::ColumnError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "the model predicts from earlier values of its targets, and the input has no column y2");
        EXPECT_EQ(error.remedies(),
                  (sluice::io::Remedies{sluice::io::Remedy::add_target_columns, sluice::io::Remedy::no_target_lags}));
    }
    write_file(scratch.path("new.csv"), "x1,x2,x3,y1,y2\n1,2,3,4,\n1,2,3,,\n");  // the last outputs are not known
    EXPECT_EQ(sluice::job::run_predict(predict, sluice::io::real_disk()).rows, 2U);
}

// y[t] = 0.8 y[t-1] + x1[t], without noise: the fit finds both numbers, and with a horizon of two rows 0.8^2 of the
// newest known value.
TEST(TargetLags, AFitFindsTheRecursionOfItsTarget) {
    const Scratch scratch;
    sluice::NormalSource noise(4);
    std::string text = "x1,x2,y\n";
    double y = 0.0;
    for (int t = 0; t < 400; ++t) {
        const double x1 = noise.next();
        y = (0.8 * y) + x1;
        text += std::to_string(x1) + "," + std::to_string(noise.next()) + "," + std::to_string(y) + "\n";
    }
    write_file(scratch.path("in.csv"), text);
    sluice::job::FitSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = ""};
    settings.target_lags = {1};
    settings.options = {.components = 3, .keep = {3}, .forgetting = 1.0, .shrinkage = 0.0};
    const auto now = sluice::job::run_fit(settings);
    ASSERT_EQ(now.file.input_names(), (std::vector<std::string>{"x1", "x2", "y@-1"}));
    EXPECT_NEAR(now.file.fitted->fit.coefficients(0, 0), 1.0, 1e-2);  // the first row's lag counts as the mean
    EXPECT_NEAR(now.file.fitted->fit.coefficients(2, 0), 0.8, 1e-2);
    settings.horizon = 2;
    const auto ahead = sluice::job::run_fit(settings);
    EXPECT_NEAR(ahead.file.fitted->fit.coefficients(2, 0), 0.64, 0.1);  // two unknown inputs are noise: 1 / sqrt(400)
}

}  // namespace
}  // namespace target_lags_test
