#include "history.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "state.hpp"

namespace sluice::serve::history_test {
namespace {

History filled(std::size_t most, std::size_t rows) {
    History history(most);
    for (std::size_t i = 1; i <= rows; ++i) {
        const double value = static_cast<double>(i);
        const std::vector<std::size_t> selected = {i % 3};
        history.add({.row = i,
                     .time = "t",
                     .predicted = {&value, 1},
                     .observed = {&value, 1},
                     .low = {},
                     .high = {},
                     .selected = selected});
    }
    return history;
}

std::string json_of(const History& history) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    const std::vector<std::string> inputs = {"a", "b", "c"};
    const std::vector<std::string> targets = {"y"};
    json.begin_object();
    history.append(json, {.inputs = inputs, .targets = targets, .has_time = true, .has_interval = false});
    json.end_object();
    return out;
}

TEST(History, KeepsEveryRowWhileThereAreFew) {
    EXPECT_EQ(json_of(filled(10, 3)),
              R"({"stride":1,"rows":[1,2,3],"time":["t","t","t"],"predicted":{"y":[1,2,3]},"observed":{"y":[1,2,3]},)"
              R"("inputs":["a","b","c"],"selected":[[1],[2],[0]],"events":[]})");
}

TEST(History, KeepsAtMostSoManyRowsEvenlyAndTheLastOne) {
    for (const std::size_t rows : {11U, 100U, 1000U, 12345U}) {
        const History history = filled(10, rows);
        EXPECT_LE(history.rows(), 12U);
        EXPECT_GE(history.rows(), 5U) << rows;
        const std::string json = json_of(history);
        EXPECT_NE(json.find("\"rows\":[1,"), std::string::npos) << json;
        EXPECT_NE(json.find("," + std::to_string(rows) + "],\"time\""), std::string::npos) << json;
    }
}

TEST(History, IsSavedAndGoesOnTheSame) {
    History whole = filled(10, 77);
    core::StateWriter out;
    whole.save(out);
    const auto bytes = std::move(out).unframed();
    History loaded(10);
    core::StateReader in = core::StateReader::unframed(bytes);
    loaded.load(in, 3, 1);
    EXPECT_EQ(json_of(loaded), json_of(whole));
    const double value = 1.0;
    for (History* one : {&whole, &loaded}) {
        one->add({.row = 78,
                  .time = "t",
                  .predicted = {&value, 1},
                  .observed = {&value, 1},
                  .low = {},
                  .high = {},
                  .selected = {}});
    }
    EXPECT_EQ(json_of(loaded), json_of(whole));
    History other(10);
    core::StateReader again = core::StateReader::unframed(bytes);
    EXPECT_ANY_THROW(other.load(again, 2, 1));  // an input that is not there
}

}  // namespace
}  // namespace sluice::serve::history_test
