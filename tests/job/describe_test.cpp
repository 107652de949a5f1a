#include "describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "json_text.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace describe_test {
namespace {

using sluice::AdaptiveModel;
using sluice::job::Description;
using sluice::job::ImportantVariable;
using sluice::job::ModelFile;
using sluice::job::StreamSettings;
using namespace sluice::test;

// y1 follows x3 and x7, y2 follows x3; nothing else matters.
std::string driven_stream(std::size_t rows) {
    sluice::NormalSource noise(5);
    std::string text = "when,x1,x2,x3,x4,x5,x6,x7,x8,y1,y2\n";
    for (std::size_t t = 0; t < rows; ++t) {
        std::vector<double> x(8);
        text += "day " + std::to_string(t);
        for (double& value : x) {
            value = noise.next();
            text += "," + std::to_string(value);
        }
        text += "," + std::to_string((3.0 * x[2]) - x[6] + noise.next(0.0, 0.1));
        text += "," + std::to_string(x[2] + noise.next(0.0, 0.1)) + "\n";
    }
    return text;
}

ModelFile learned(const Scratch& scratch, const sluice::AdaptiveOptions& options) {
    write_file(scratch.path("in.csv"), driven_stream(200));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.options = options;
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    return sluice::job::read_model_file(settings.checkpoint);
}

TEST(Describe, VariablesThatWereFoundComeInTheOrderOfTheirImportance) {
    const Scratch scratch;
    const ModelFile file = learned(scratch, {});
    const AdaptiveModel& model = file.learner->model();
    const Description description = describe(file);
    EXPECT_TRUE(description.components.empty());
    ASSERT_EQ(description.selected.size(), model.selected().size());
    ASSERT_GE(description.selected.size(), 2U);
    EXPECT_EQ(description.selected[0].name, "x3");
    EXPECT_EQ(description.selected[1].name, "x7");
    const sluice::Matrix coefficients = model.coefficients();
    EXPECT_EQ(description.selected[0].coefficients, (std::vector<double>{coefficients(2, 0), coefficients(2, 1)}));
    EXPECT_NEAR(description.selected[0].coefficients[0], 3.0, 0.1);
    EXPECT_GT(description.selected[0].stability, 0.8);
    EXPECT_GT(description.selected[0].gain, 0.0);
    EXPECT_TRUE(
        std::ranges::is_sorted(description.selected, std::ranges::greater{}, &ImportantVariable::contribution) ||
        std::ranges::is_sorted(description.selected, std::ranges::greater{}, &ImportantVariable::gain));
    EXPECT_EQ(description.intercept, model.intercept());
}

TEST(Describe, ARowAtWhichAVariableEnteredIsThatOfTheDecision) {
    const Scratch scratch;
    const ModelFile file = learned(scratch, {});
    for (const ImportantVariable& variable : describe(file).selected) {
        std::optional<std::uint64_t> expected;
        for (const sluice::Decision& decision : file.learner->model().decisions()) {
            if (decision.setting == sluice::Setting::entered && file.input_names()[decision.input] == variable.name) {
                expected = decision.row + 1;
            }
        }
        EXPECT_EQ(variable.since, expected) << variable.name;
    }
}

TEST(Describe, AStructureThatWasGivenIsShownByComponentsWithTheMixturesCoefficients) {
    const Scratch scratch;
    const ModelFile file = learned(scratch, {.model = {.components = 2, .keep = {1}}, .tuning = {}});
    const Description description = describe(file);
    ASSERT_EQ(description.components.size(), 2U);
    const sluice::Matrix coefficients = file.learner->model().coefficients();
    std::set<std::string> names;
    for (const auto& component : description.components) {
        ASSERT_EQ(component.size(), 1U);
        names.insert(component[0].name);
        const std::size_t input = static_cast<std::size_t>(component[0].name[1] - '1');
        EXPECT_EQ(component[0].coefficients, (std::vector<double>{coefficients(input, 0), coefficients(input, 1)}));
    }
    EXPECT_EQ(names, (std::set<std::string>{"x3", "x7"}));
}

// The weights of one kind, as the JSON has them.
std::string list_of(const std::vector<AdaptiveModel::Share>& shares) {
    std::string out;
    for (const AdaptiveModel::Share& share : shares) {
        out += out.empty() ? "" : ", ";
        out +=
            R"({"value": )" + sluice::io::json(share.value) + R"(, "weight": )" + sluice::io::json(share.weight) + "}";
    }
    return "[" + out + "]";
}

TEST(Describe, AsJsonAMixtureHasTheWeightsOfItsPartsAndDecisionsWithNames) {
    const Scratch scratch;
    const ModelFile file = learned(scratch, {});
    const std::string json = description_json(file);
    EXPECT_EQ(json.find(R"("components": [)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("selected": [{"name": "x3", "contribution": )"), std::string::npos) << json;
    const AdaptiveModel::Shares shares = file.learner->model().shares();
    EXPECT_NE(json.find(R"("shares": {"memories": )" + list_of(shares.memories) + R"(, "shrinkages": )" +
                        list_of(shares.shrinkages) + R"(, "sizes": )" + list_of(shares.sizes) + R"(, "speeds": )" +
                        list_of(shares.speeds) + R"(, "discounts": )" + list_of(shares.discounts) + "}"),
              std::string::npos)
        << json;
    for (const auto& list : {shares.memories, shares.shrinkages, shares.sizes, shares.speeds, shares.discounts}) {
        double sum = 0.0;
        for (const AdaptiveModel::Share& share : list) {
            EXPECT_GE(share.weight, 0.0);
            sum += share.weight;
        }
        EXPECT_NEAR(sum, 1.0, 1e-9);
    }
    EXPECT_NE(json.find(R"("setting":"entered","input":"x3","from":)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("setting":"entered","input":"x7","from":)"), std::string::npos) << json;
}

TEST(Describe, AsJsonAPlainModelHasComponentsAndNoMixture) {
    const Scratch scratch;
    const std::string json = description_json(learned(scratch, {.model = {}, .tuning = sluice::Tuning::off()}));
    EXPECT_NE(json.find(R"("components": [[{"name": "x)"), std::string::npos) << json;
    EXPECT_EQ(json.find(R"("selected": )"), std::string::npos);
    EXPECT_EQ(json.find(R"("shares": )"), std::string::npos);
}

}  // namespace
}  // namespace describe_test
