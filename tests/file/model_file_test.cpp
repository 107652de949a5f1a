#include "sluice/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "sections.hpp"
#include "sluice/error.hpp"
#include "sluice/interval.hpp"
#include "sluice/moments.hpp"
#include "sluice/simulate.hpp"
#include "support/damaged_state.hpp"

namespace model_file_test {
namespace {

using namespace sluice;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kInputs = 6;

// Rows of a drifting stream, the same for every caller.
void learn_rows(AdaptiveModel& model, std::size_t from, std::size_t to) {
    FactorStream stream({.inputs = kInputs, .outputs = 2, .groups = 3, .drift = 0.05}, 7);
    std::vector<double> x(kInputs);
    std::vector<double> y(2);
    for (std::size_t row = 0; row < to; ++row) {
        stream.next(x, y);
        if (row >= from) {
            model.learn(x, y);
        }
    }
}

AdaptiveModel model_after(std::size_t rows, const AdaptiveOptions& options = {}) {
    AdaptiveModel model(kInputs, 2, options);
    learn_rows(model, 0, rows);
    return model;
}

// Six inputs: three columns, now and one row ago.
NamedModel named(AdaptiveModel model) {
    return {.model = std::move(model),
            .roles = {.inputs = {"a", "b", "c"}, .targets = {"y", "z"}, .ignored = {"note"}, .time = "day"},
            .layout = {.lags = {0, 1}, .horizon = 2}};
}

NamedFit small_fit() {
    FactorStream stream({.inputs = kInputs, .outputs = 1, .groups = 3}, 3);
    std::vector<double> x(40 * kInputs);
    std::vector<double> y(40);
    for (std::size_t row = 0; row < 40; ++row) {
        stream.next(std::span(x).subspan(row * kInputs, kInputs), std::span(y).subspan(row, 1));
    }
    const StreamOptions options{.components = 2, .keep = {2}, .forgetting = 1.0};
    return {
        .fitted = {.fit = fit(Method::sparse_bridge, {x, kInputs}, {y, 1}, options), .options = options, .rows = 40},
        .roles = {.inputs = {"a", "b", "c", "d", "e", "f"}, .targets = {"y"}}};
}

const std::filesystem::path kFolder = SLUICE_SOURCE_DIR "/tests/file/corpus";

Bytes content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string reason_for(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(NamedModel, KeepsItsNamesAndLearnsOnBitForBit) {
    for (const Tuning& tuning : {Tuning{}, Tuning::off()}) {
        AdaptiveModel whole = model_after(60, {.tuning = tuning});
        const NamedModel saved = named(whole);
        NamedModel loaded = unpack_model(pack_model(saved));
        EXPECT_EQ(loaded.roles, saved.roles);
        EXPECT_EQ(loaded.layout, saved.layout);
        EXPECT_EQ(loaded.input_names(), (std::vector<std::string>{"a", "a@-1", "b", "b@-1", "c", "c@-1"}));
        learn_rows(whole, 60, 100);
        learn_rows(loaded.model, 60, 100);
        EXPECT_EQ(loaded.model.save(), whole.save());
    }
}

TEST(NamedModel, NamesThatDoNotFitTheModelAreRefused) {
    const NamedModel good = named(model_after(5));
    const auto reason = [&](const std::function<void(NamedModel&)>& change) {
        NamedModel changed = good;
        change(changed);
        return reason_for([&] { (void)pack_model(changed); });
    };
    EXPECT_EQ(reason([](NamedModel& m) { m.roles.inputs.pop_back(); }),
              "roles.inputs names 2 columns at 2 lags, 4 inputs together; the model has 6");
    EXPECT_EQ(reason([](NamedModel& m) { m.roles.targets = {"y"}; }),
              "roles.targets has 1 names; the model has 2 outputs");
    EXPECT_EQ(reason([](NamedModel& m) { m.layout.lags = {1, 0}; }), "layout.lags must ascend, each lag once");
    EXPECT_EQ(reason([](NamedModel& m) { m.layout.lags.clear(); }),
              "layout.lags is empty: {0} is the present row alone");
    EXPECT_NE(reason([](NamedModel& m) { m.roles.inputs[1] = "a"; }).find("the name a is given twice"),
              std::string::npos);
    EXPECT_EQ(reason([](NamedModel& m) {
                  m.layout.target_lags = {1, 2};
              }),
              "roles.inputs names 3 columns at 2 lags and roles.targets 2 at 2, 10 inputs together; the model has 6");
    EXPECT_EQ(reason([](NamedModel& m) {
                  m.layout.target_lags = {0, 1};
              }),
              "layout.target_lags has 0, the value to predict: 1 is the newest known value");
    EXPECT_EQ(reason([](NamedModel& m) {
                  m.layout.target_lags = {2, 2};
              }),
              "layout.target_lags must ascend, each lag once");
    EXPECT_EQ(reason([](NamedModel& m) {
                  m.roles.inputs = {"a", "z@-1"};
                  m.layout = {.lags = {0}, .horizon = 0, .target_lags = {1, 2}};
              }),
              "the input z@-1 has the name of a lagged target: rename the input");
}

// Six inputs: two columns, and both targets one and five rows before.
TEST(NamedModel, KeepsItsTargetLags) {
    NamedModel saved = named(model_after(20));
    saved.roles.inputs = {"a", "b"};
    saved.layout = {.lags = {0}, .horizon = 0, .target_lags = {1, 5}};
    NamedModel loaded = unpack_model(pack_model(saved));
    EXPECT_EQ(loaded.layout, saved.layout);
    EXPECT_EQ(loaded.input_names(), (std::vector<std::string>{"a", "b", "y@-1", "y@-5", "z@-1", "z@-5"}));
    EXPECT_EQ(loaded.model.save(), saved.model.save());
    EXPECT_EQ(pack_model(loaded), pack_model(saved));
}

TEST(NamedFit, PredictsAfterLoadingAsBefore) {
    const NamedFit saved = small_fit();
    const NamedFit loaded = unpack_fit(pack_fit(saved));
    EXPECT_EQ(loaded.roles, saved.roles);
    EXPECT_EQ(loaded.fitted.rows, 40U);
    EXPECT_EQ(loaded.fitted.fit.method, Method::sparse_bridge);
    const std::vector<double> x = {1.0, -2.0, 0.5, 3.0, 0.0, -1.0};
    EXPECT_EQ(loaded.fitted.fit.predict(x), saved.fitted.fit.predict(x));
    EXPECT_EQ(loaded.fitted.fit.scores_of(x), saved.fitted.fit.scores_of(x));
    EXPECT_EQ(pack_fit(loaded), pack_fit(saved));
}

TEST(NamedFit, AFileOfAnEarlierVersionPredictsAndSaysThatItHasNoScores) {
    const NamedFit old = unpack_fit(content(kFolder / "fit-1-library"));
    const NamedFit now = unpack_fit(content(kFolder / "fit-1-scores"));
    const std::vector<double> x = {1.0, -2.0, 0.5, 3.0, 0.0, -1.0};
    EXPECT_EQ(old.fitted.fit.predict(x), now.fitted.fit.predict(x));
    EXPECT_EQ(now.fitted.fit.scores_of(x).size(), 2U);
    EXPECT_EQ(reason_for([&] { (void)old.fitted.fit.scores_of(x); }),
              "this fit is from a file of an earlier version, which does not say how rows become scores: fit again");
}

TEST(NamedFit, ScoreCoefficientsOfAnotherSizeAreRefused) {
    for (const auto& spoil : {+[](Fit& fit) { fit.score_coefficients = Matrix(3, 2); },
                              +[](Fit& fit) { fit.score_coefficients = Matrix(kInputs, 1); },
                              +[](Fit& fit) { fit.score_intercept.pop_back(); }}) {
        NamedFit spoilt = small_fit();
        spoil(spoilt.fitted.fit);
        EXPECT_EQ(reason_for([&] { (void)unpack_fit(pack_fit(spoilt)); }),
                  "model file refused: the size of its score coefficients is not its inputs by its components");
    }
    NamedFit spoilt = small_fit();
    spoilt.fitted.fit.input_loadings = Matrix(2, 2);
    EXPECT_EQ(reason_for([&] { (void)unpack_fit(pack_fit(spoilt)); }),
              "model file refused: the size of its input loadings is not its inputs by its components");
}

TEST(NamedFit, EveryFlippedBitAndEveryTruncationIsRefused) {
    const Bytes good = pack_fit(small_fit());
    Bytes bytes = good;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] ^= std::byte{1} << (i % 8);
        ASSERT_THROW((void)unpack_fit(bytes), StateError) << "byte " << i;
        bytes[i] ^= std::byte{1} << (i % 8);
        ASSERT_THROW((void)unpack_fit(std::span(good).first(i)), StateError) << i;
    }
}

// Every kind of saved bytes given to every function that loads one: the right one loads, the others say what it is.
TEST(SavedKinds, BytesOfOneKindLoadedAsAnotherSayWhichKindTheyAre) {
    const AdaptiveModel tuned = model_after(20);
    const AdaptiveModel plain = model_after(20, {.tuning = Tuning::off()});
    const std::string csv = "a,b,y\n1,2,3\n";
    const std::string foreign = "PK\003\004 a zip archive";
    const auto bytes_of = [](const std::string& text) {
        const auto bytes = std::as_bytes(std::span(text));
        return Bytes(bytes.begin(), bytes.end());
    };
    struct Case {
        SavedKind kind;
        Bytes bytes;
        std::string says;  ///< part of the message of every function that refuses it
    };
    const std::vector<Case> cases = {
        {SavedKind::empty, {}, "it is empty"},
        {SavedKind::text, bytes_of(csv), "it is text, such as CSV"},
        {SavedKind::unknown, bytes_of(foreign), "it was not written by Sluice"},
        {SavedKind::stream_state, plain.save(), "StreamModel::load() takes it"},
        {SavedKind::adaptive_state, tuned.save(), "AdaptiveModel::load() takes it"},
        {SavedKind::interval_state, IntervalTracker(2, {}).save(), "IntervalTracker::load() takes it"},
        {SavedKind::moments_state, BatchMoments(2, 1).save(), "BatchMoments::load() takes it"},
        {SavedKind::model_file, pack_model(named(tuned)), "unpack_model() takes it"},
        {SavedKind::fit_file, pack_fit(small_fit()), "unpack_fit() takes it"},
    };
    struct Loader {
        std::string name;
        std::function<void(const Bytes&)> load;
        std::vector<SavedKind> takes;
    };
    const std::vector<Loader> loaders = {
        {"StreamModel::load", [](const Bytes& b) { (void)StreamModel::load(b); }, {SavedKind::stream_state}},
        {"AdaptiveModel::load",
         [](const Bytes& b) { (void)AdaptiveModel::load(b); },
         {SavedKind::stream_state, SavedKind::adaptive_state}},
        {"IntervalTracker::load", [](const Bytes& b) { (void)IntervalTracker::load(b); }, {SavedKind::interval_state}},
        {"BatchMoments::load", [](const Bytes& b) { (void)BatchMoments::load(b); }, {SavedKind::moments_state}},
        {"unpack_model", [](const Bytes& b) { (void)unpack_model(b); }, {SavedKind::model_file}},
        {"unpack_fit", [](const Bytes& b) { (void)unpack_fit(b); }, {SavedKind::fit_file}},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(saved_kind(one.bytes), one.kind);
        for (const Loader& loader : loaders) {
            if (std::ranges::find(loader.takes, one.kind) != loader.takes.end()) {
                EXPECT_NO_THROW(loader.load(one.bytes)) << loader.name;
                continue;
            }
            try {
                loader.load(one.bytes);
                ADD_FAILURE() << loader.name << " loads what it should not: " << one.says;
            } catch (const WrongKindError& error) {
                EXPECT_EQ(error.found(), one.kind) << loader.name;
                EXPECT_NE(std::string(error.what()).find(one.says), std::string::npos) << error.what();
            }
        }
    }
}

TEST(NamedModel, EveryFlippedBitAndEveryTruncationIsRefused) {
    const Bytes good =
        pack_model(named(model_after(3, {.model = {.components = 1, .keep = {1}}, .tuning = Tuning::off()})));
    Bytes bytes = good;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            bytes[i] ^= std::byte{1} << bit;
            ASSERT_THROW((void)unpack_model(bytes), StateError) << "byte " << i << " bit " << bit;
            bytes[i] ^= std::byte{1} << bit;
        }
        ASSERT_THROW((void)unpack_model(std::span(good).first(i)), StateError) << i;
    }
}

TEST(NamedModel, ErrorsSayWhatDoesNotFit) {
    const NamedModel good = named(model_after(5));
    NamedModel other = good;
    other.roles.targets = {"y"};
    const Bytes bytes = pack_model(good);
    const file::SectionView sections(bytes);
    const AdaptiveModel narrow(2, 1);
    const Bytes mixed = file::join_sections(
        {{"names", Bytes(sections["names"].begin(), sections["names"].end())}, {"model", narrow.save()}});
    EXPECT_EQ(reason_for([&] { (void)unpack_model(mixed); }),
              "model file refused: it names 6 inputs, lags included, and its model has 2");
    const Bytes nameless = file::join_sections({{"model", narrow.save()}});
    EXPECT_EQ(reason_for([&] { (void)unpack_model(nameless); }), "model file refused: it has no section \"names\"");
}

// A file of every format that was ever written; tests/file/corpus/README.md says how they were made.
TEST(SavedKinds, AFileOfEveryFormatKeepsLoading) {
    for (const char* name : {"state-2-stream", "state-3-stream", "state-5-stream"}) {
        EXPECT_GT(StreamModel::load(content(kFolder / name)).rows_learned(), 0U) << name;
        EXPECT_GT(AdaptiveModel::load(content(kFolder / name)).rows_met(), 0U) << name;
    }
    EXPECT_EQ(unpack_fit(content(kFolder / "fit-1-library")).roles.targets, std::vector<std::string>{"y"});
    for (const auto& [name, rows] :
         {std::pair("state-3-robust", 30U), std::pair("state-4-robust", 10U), std::pair("state-5-robust", 30U)}) {
        AdaptiveModel loaded = AdaptiveModel::load(content(kFolder / name));
        EXPECT_EQ(loaded.rows_met(), rows) << name;
        AdaptiveModel never_saved = model_after(60);
        learn_rows(loaded, rows, 60);
        const std::vector<double> x(kInputs, 0.5);
        for (std::size_t k = 0; k < 2; ++k) {  // other vector instructions round differently
            EXPECT_NEAR(loaded.predict(x)[k], never_saved.predict(x)[k], 1e-6) << name;
        }
    }
    // Those of the present formats are written again with the same numbers; another zstd may compress them otherwise.
    const auto expect_same_numbers = [](const Bytes& a, const Bytes& b) {
        const core::Streams one = test::streams_of(a);
        const core::Streams other = test::streams_of(b);
        EXPECT_EQ(one.bytes, other.bytes);
        EXPECT_EQ(one.doubles, other.doubles);
        EXPECT_EQ(one.widths, other.widths);
        EXPECT_EQ(one.bits, other.bits);
    };
    expect_same_numbers(AdaptiveModel::load(content(kFolder / "state-5-robust")).save(),
                        content(kFolder / "state-5-robust"));
    expect_same_numbers(StreamModel::load(content(kFolder / "state-5-stream")).save(),
                        content(kFolder / "state-5-stream"));
    // Those of earlier formats become one of the present format, which is the same model.
    for (const char* name : {"state-3-robust", "state-4-robust"}) {
        const AdaptiveModel loaded = AdaptiveModel::load(content(kFolder / name));
        const AdaptiveModel again = AdaptiveModel::load(loaded.save());
        EXPECT_EQ(again.predict(std::vector<double>(kInputs, 0.5)), loaded.predict(std::vector<double>(kInputs, 0.5)));
        expect_same_numbers(again.save(), loaded.save());
    }
    for (const char* name : {"fit-1-library", "fit-1-scores"}) {
        EXPECT_EQ(pack_fit(unpack_fit(content(kFolder / name))), content(kFolder / name)) << name;
    }
}

// They follow one setting at a time. What they have learnt is not what a mixture needs.
TEST(SavedKinds, ASelfTuningModelOfTheEarlierKindIsRefusedWithWhatToDo) {
    const std::string sentence =
        "saved state refused: it is a self-tuning model of an earlier kind, which cannot continue: start again from "
        "the "
        "data";
    EXPECT_EQ(reason_for([&] { (void)AdaptiveModel::load(content(kFolder / "state-3-adaptive")); }), sentence);
    EXPECT_EQ(reason_for([&] { (void)unpack_model(content(kFolder / "model-1-library")); }), sentence);
}

}  // namespace
}  // namespace model_file_test
