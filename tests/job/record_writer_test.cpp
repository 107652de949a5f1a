#include "record_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json_text.hpp"
#include "sluice/simulate.hpp"

namespace record_writer_test {
namespace {

using sluice::AdaptiveModel;
using sluice::Decision;
using sluice::Setting;
using sluice::job::make_record_writer;
using sluice::job::RecordFormat;
using sluice::job::RecordNames;

const std::vector<std::string> kInputs = {"a", "b\"", "c,", "d"};

AdaptiveModel taught(const sluice::AdaptiveOptions& options) {
    AdaptiveModel model(4, 1, options);
    sluice::NormalSource noise(3);
    std::vector<double> x(4);
    for (int row = 0; row < 150; ++row) {
        for (double& value : x) {
            value = noise.next();
        }
        const double y = x[1] + (4.0 * x[2]) + noise.next(0.0, 0.05);
        (void)model.learn(x, {&y, 1});
    }
    return model;
}

// A row whose report is made up, of a model that has learnt.
std::string written(RecordFormat format, const AdaptiveModel& model, std::size_t components) {
    static const std::vector<std::size_t> selected = {1, 2};
    static const std::vector<Decision> decisions = {
        {.row = 8,
         .setting = Setting::entered,
         .input = 1,
         .from = 1,
         .to = 2,
         .measured_from = 0.5,
         .measured_to = 0.25},
        {.row = 8, .setting = Setting::fresh_start, .from = 90, .to = 20, .measured_from = 0.75, .measured_to = 0.5}};
    const double predicted = 1.5;
    const double observed = 1.25;
    const auto writer =
        make_record_writer(format, {.inputs = kInputs, .targets = {"y"}, .components = components, .tuned = true});
    sluice::StepReport report;
    report.forgetting = 0.975;
    report.shrinkage = 2.5;
    report.last_value_share = 0.125;
    report.selected = selected;
    report.decisions = decisions;
    std::string out;
    writer->begin(out);
    writer->write(out, {.row = 9,
                        .time = {},
                        .observed = {&observed, 1},
                        .step = {.predicted = {&predicted, 1}, .forecast = {}, .report = report},
                        .model = &model});
    return out;
}

TEST(RecordWriter, ANdjsonRecordHasTheNamesByImportanceAndTheDecisionsWithTheirEvidence) {
    const AdaptiveModel model = taught({});
    ASSERT_GE(model.importances().size(), 2U);
    EXPECT_EQ(model.importances()[0].input, 2U);
    EXPECT_EQ(model.importances()[1].input, 1U);
    const std::string record = written(RecordFormat::ndjson, model, 0);
    EXPECT_NE(record.find(R"("selected":[["c,","b\"")"), std::string::npos) << record;
    EXPECT_NE(record.find(R"("forgetting":0.975,"explained_covariance":0,"names":2,"shrinkage":2.5,)"
                          R"("last_value_share":0.125,"decisions":[{"row":9,"setting":"entered","input":"b\"",)"
                          R"("from":1,"to":2,"measured_from":0.5,"measured_to":0.25},{"row":9,"setting":"fresh_start",)"
                          R"("from":90,"to":20,"measured_from":0.75,"measured_to":0.5}],"outcome":"learned"})"),
              std::string::npos)
        << record;
}

TEST(RecordWriter, ACsvRecordHasOneCellOfNamesByImportanceAndOneOfDecisions) {
    const std::string record = written(RecordFormat::csv, taught({}), 0);
    EXPECT_TRUE(
        record.starts_with("row,predicted_y,observed_y,selected,entered,left,forgetting,explained_covariance,"
                           "names,shrinkage,last_value_share,decisions,outcome,events\n9,1.5,1.25,\"c,|b\"\""))
        << record;
    EXPECT_TRUE(
        record.ends_with(",0.975,0,2,2.5,0.125,\"entered b\"\": error 0.5 to 0.25|fresh_start 90 to 20 rows: "
                         "error 0.75 to 0.5\",learned,\n"))
        << record;
}

TEST(RecordWriter, AStructureThatWasGivenIsWrittenByComponents) {
    const AdaptiveModel model = taught({.model = {.components = 2, .keep = {1}}, .tuning = {}});
    EXPECT_NE(written(RecordFormat::ndjson, model, 2).find(R"("selected":[["c,"],["b\""]])"), std::string::npos);
    EXPECT_NE(written(RecordFormat::csv, model, 2).find("9,1.5,1.25,\"c,\",\"b\"\"\",,,0.975"), std::string::npos);
}

}  // namespace
}  // namespace record_writer_test
