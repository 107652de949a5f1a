#include "model_file.hpp"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <random>
#include <set>
#include <span>
#include <string>

#include "describe.hpp"
#include "durable.hpp"
#include "fit_job.hpp"
#include "json_text.hpp"
#include "late_stream.hpp"
#include "predict_job.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace model_file_test {
namespace {

using Bytes = std::vector<std::byte>;
using namespace sluice::test;

Bytes small_model(sluice::Engine engine = sluice::Engine::dense, std::size_t horizon = 0,
                  const std::vector<std::size_t>& target_lags = {}) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(12, 4, 1));
    auto settings = small_settings(scratch.path("in.csv"));
    settings.roles.targets = {"y1"};
    settings.options.model.engine = engine;
    settings.options.model.forgetting = 0.5;  // a short history
    settings.horizon = horizon;
    settings.lags = {0, 1};
    settings.target_lags = target_lags;
    settings.options.model.keep = {1};
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    return sluice::io::read_whole(settings.checkpoint);
}

// Labels wait for rows, and rows for labels.
Bytes model_with_late_labels(bool in_own_file) {
    const Scratch scratch;
    const auto rows = late_rows(12);
    const auto labels = sampled_labels(12, 3, 1);
    write_file(scratch.path("in.csv"),
               in_own_file ? csv_without_labels(rows) : csv_with_labels(rows, sampled_labels(12, 3, 1)));
    write_file(scratch.path("labels.csv"), csv_of_labels(rows, labels) + "112,1\n111,3\n113,2\n");
    auto settings = late_settings(scratch.path("in.csv"));
    (in_own_file ? settings.labels : settings.label_time) = in_own_file ? scratch.path("labels.csv") : "of";
    settings.label_window = 6;
    settings.options = {.model = {.components = 1, .keep = {1}, .forgetting = 0.5}, .tuning = sluice::Tuning::off()};
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    return sluice::io::read_whole(settings.checkpoint);
}

Bytes small_fit() {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30, 4, 1, 0.0));
    sluice::job::FitSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles = {.targets = {"y1"}, .inputs = {}, .ignore = {"when"}, .time = ""};
    settings.options.components = 1;
    settings.options.forgetting = 1.0;
    const auto result = sluice::job::run_fit(settings);
    return sluice::pack_fit({.fitted = *result.file.fitted, .roles = result.file.roles, .layout = result.file.layout});
}

bool refused(const Bytes& bytes) {
    try {
        (void)sluice::job::unpack(bytes);
        return false;
    } catch (const sluice::StateError&) {
        return true;
    }
}

TEST(ModelFile, GivesBackWhatWasPacked) {
    for (const auto engine : {sluice::Engine::dense, sluice::Engine::columns}) {
        const Bytes bytes = small_model(engine, 2);
        const auto file = sluice::job::unpack(bytes);
        EXPECT_EQ(
            pack_checkpoint(file.roles, *file.learner, *file.tally, file.events, file.columns, *file.resume_point),
            bytes);
    }
    for (const bool in_own_file : {false, true}) {
        const Bytes bytes = model_with_late_labels(in_own_file);
        const auto file = sluice::job::unpack(bytes);
        ASSERT_TRUE(file.late_labels.has_value());
        EXPECT_EQ(file.late_labels->waiting(), in_own_file ? 2U : 0U);
        EXPECT_EQ(pack_checkpoint(file.roles, *file.learner, *file.tally, file.events, file.columns, *file.resume_point,
                                  &*file.late_labels),
                  bytes);
    }
    const Bytes bytes = small_fit();
    const auto file = sluice::job::unpack(bytes);
    ASSERT_TRUE(file.fitted.has_value());
    EXPECT_EQ(sluice::pack_fit({.fitted = *file.fitted, .roles = file.roles, .layout = file.layout}), bytes);
}

TEST(ModelFile, EveryFlippedBitIsRefused) {
    for (const Bytes& good : {small_model(), small_model(sluice::Engine::dense, 1, {1, 3}), small_fit()}) {
        Bytes bytes = good;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            for (unsigned bit = 0; bit < 8; ++bit) {
                bytes[i] ^= std::byte{1} << bit;
                ASSERT_TRUE(refused(bytes)) << "byte " << i << " bit " << bit;
                bytes[i] ^= std::byte{1} << bit;
            }
        }
        ASSERT_FALSE(refused(bytes));
    }
}

TEST(ModelFile, EveryTruncationAndEveryAdditionIsRefused) {
    const Bytes good = small_model();
    for (std::size_t length = 0; length < good.size(); ++length) {
        ASSERT_TRUE(refused(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_TRUE(refused(longer));
}

// Nonsense with right checksums: the sections are changed and framed again.
TEST(ModelFile, NonsenseWithRightChecksumsIsRefusedOrWorks) {
    std::mt19937_64 random(1);
    std::size_t refusals = 0;
    for (const Bytes& good :
         {small_model(), small_model(sluice::Engine::columns, 2), small_model(sluice::Engine::dense, 1, {1, 3}),
          model_with_late_labels(false), model_with_late_labels(true), small_fit()}) {
        const sluice::file::SectionView view(good);
        for (int trial = 0; trial < 3000; ++trial) {
            std::vector<sluice::file::Section> sections;
            for (const char* name : {"names", "model", "learner", "tally", "standing", "feed", "labels", "fit"}) {
                if (view.has(name)) {
                    sections.emplace_back(name, Bytes(view[name].begin(), view[name].end()));
                }
            }
            Bytes& changed = sections[random() % sections.size()].second;
            const std::size_t at = random() % changed.size();
            switch (random() % 4) {
                case 0:
                    changed[at] = std::byte(random());
                    break;
                case 1:
                    changed.resize(at);
                    break;
                case 2: {
                    const std::uint64_t huge = (std::uint64_t{1} << 63U) - (random() % 3);
                    std::memcpy(changed.data() + at, &huge, std::min(sizeof(huge), changed.size() - at));
                    break;
                }
                default:
                    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), std::byte(random()));
            }
            if (sections.size() > 1 && changed.size() > 28 && sections[1].first == "model" &&
                &changed == &sections[1].second) {
                const std::uint64_t length = changed.size() - 28;  // the model has a frame of its own
                std::memcpy(changed.data() + 12, &length, sizeof(length));
                const std::uint64_t sum = XXH3_64bits(changed.data(), changed.size() - 8);
                std::memcpy(changed.data() + changed.size() - 8, &sum, sizeof(sum));
            }
            try {
                auto file = sluice::job::unpack(sluice::file::join_sections(sections));
                if (file.learner) {
                    const std::vector<double> x(file.roles.inputs.size(), 1.0);
                    const std::vector<double> y(file.roles.targets.size(), 1.0);
                    if (file.late_labels) {
                        const sluice::job::LateLabels::Stream stream{
                            .learner = *file.learner,
                            .tally = *file.tally,
                            .write = [](const sluice::job::Record& /*record*/) {},
                            .late = [](std::string_view /*time*/) {}};
                        for (const char* time : {"112", "113", "111"}) {
                            const bool apart = file.late_labels->in_own_file();
                            file.late_labels->row(time, x, apart ? "" : "112",
                                                  apart ? std::span<const double>() : std::span(y), stream);
                        }
                        continue;
                    }
                    const auto step = file.learner->step(x, y);
                    if (file.tally) {
                        file.tally->add(step, y);
                    }
                } else {
                    (void)file.fitted->fit.predict(std::vector<double>(file.input_names().size(), 1.0));
                }
            } catch (const sluice::StateError&) {
                ++refusals;
            }
        }
    }
    EXPECT_GT(refusals, 1000U);
}

TEST(ModelFile, ForeignFilesAndNewerFormatsAreNamed) {
    const auto reason = [](const Bytes& bytes) -> std::string {
        try {
            (void)sluice::job::unpack(bytes);
        } catch (const sluice::StateError& error) {
            return error.what();
        }
        return "";
    };
    const std::string foreign = "PK\003\004 something else altogether, long enough to look like a file";
    const auto* begin = reinterpret_cast<const std::byte*>(foreign.data());
    EXPECT_EQ(reason(Bytes(begin, begin + foreign.size())), "cannot load this: it was not written by Sluice");
    Bytes newer = small_fit();
    newer[8] = std::byte{2};
    const std::size_t header = 16 + (2 * 24);
    const std::uint64_t sum = XXH3_64bits(newer.data(), header);
    std::memcpy(newer.data() + header, &sum, sizeof(sum));
    EXPECT_NE(reason(newer).find("written by a newer Sluice"), std::string::npos) << reason(newer);
}

const std::string kEarlierKind = SLUICE_SOURCE_DIR "/tests/job/corpus/v1-state3-tuned.sluice";

// A file of every format that was ever written; tests/job/corpus/README.md says how they were made.
TEST(ModelFile, FilesOfEveryFormatKeepLoading) {
    std::set<std::string> seen;
    for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SOURCE_DIR "/tests/job/corpus")) {
        if (entry.path().extension() == ".sluice" && entry.path() != kEarlierKind) {
            const auto file = sluice::job::read_model_file(entry.path().string());
            EXPECT_FALSE(file.roles.inputs.empty());
            EXPECT_EQ(file.learner.has_value(), !file.fitted.has_value());
            seen.insert(entry.path().stem().string());
        }
    }
    for (const char* name :
         {"v1-dense", "v1-columns-lags", "v1-columns-float", "v1-screened-horizon", "v1-groups", "v1-fit",
          "v1-state3-dense", "v1-library", "v1-target-lags", "v1-target-lags-horizon", "v1-compared"}) {
        EXPECT_TRUE(seen.contains(name)) << name;
    }
}

// It follows one setting at a time. What it has learnt is not what a mixture needs.
TEST(ModelFile, ASelfTuningModelOfTheEarlierKindIsRefusedWithWhatToDo) {
    try {
        (void)sluice::job::read_model_file(kEarlierKind);
        FAIL() << "it was loaded";
    } catch (const sluice::StateError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("a self-tuning model of an earlier kind, which cannot continue: start "
                            "again from the data"),
                  std::string::npos)
            << error.what();
    }
}

// What `sluice stream --checkpoint` writes is a model for the library, with its names.
TEST(ModelFile, ACheckpointIsLoadedByTheLibraryAndLearnsOnLikeTheJob) {
    const Scratch scratch;
    const std::string rows = small_stream(60, 4, 1, 0.0);
    write_file(scratch.path("in.csv"), rows);
    auto settings = small_settings(scratch.path("in.csv"));
    settings.roles.targets = {"y1"};
    settings.lags = {0, 2};
    settings.options.tuning = sluice::Tuning{};
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    sluice::NamedModel loaded = sluice::unpack_model(sluice::io::read_whole(settings.checkpoint));
    EXPECT_EQ(loaded.roles.inputs, (std::vector<std::string>{"x1", "x2", "x3", "x4"}));
    EXPECT_EQ(loaded.roles.targets, std::vector<std::string>{"y1"});
    EXPECT_EQ(loaded.roles.time, "when");
    EXPECT_EQ(loaded.input_names(), job.input_names());
    EXPECT_EQ(loaded.layout, (sluice::RowLayout{.lags = {0, 2}, .horizon = 0}));
    EXPECT_EQ(loaded.model.save(), job.learner().model().save());
    // Both learn the same further row: the library gets it stacked, as input_names() orders it.
    auto file = sluice::job::read_model_file(settings.checkpoint);
    const std::vector<double> y = {1.5};
    (void)file.learner->step(std::vector<double>{1, 2, 3, 4}, y);
    sluice::job::RowStack stack(4, 1, loaded.layout);
    auto reader = sluice::io::open_rows(sluice::io::open_source(settings.input), {});
    reader->want({1, 2, 3, 4}, {});
    for (sluice::io::Row row; reader->next(row);) {
        (void)stack.push(row.numbers, y);
    }
    const std::vector<double> newest = {1, 2, 3, 4};
    const auto last = stack.push(newest, y);
    loaded.model.learn(last, y);
    EXPECT_EQ(loaded.model.save(), file.learner->model().save());
}

sluice::NamedModel library_model(std::size_t rows) {
    sluice::AdaptiveModel model(8, 2, {.model = {.components = 2, .keep = {2}}, .tuning = sluice::Tuning::off()});
    sluice::FactorStream stream({.inputs = 8, .outputs = 2, .groups = 3, .drift = 0.05}, 9);
    std::vector<double> x(8);
    std::vector<double> y(2);
    for (std::size_t row = 0; row < rows; ++row) {
        stream.next(x, y);
        model.learn(x, y);
    }
    return {.model = model,
            .roles = {.inputs = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"},
                      .targets = {"y1", "y2"},
                      .ignored = {},
                      .time = "when"}};
}

void write_bytes(const std::string& path, const Bytes& bytes) {
    sluice::io::replace_durably(sluice::io::real_disk(), path, bytes);
}

TEST(ModelFile, AModelThatAProgramPackedIsPredictedWithAndDescribed) {
    const Scratch scratch;
    const sluice::NamedModel model = library_model(40);
    write_bytes(scratch.path("a.sluice"), pack_model(model));
    write_file(scratch.path("in.csv"), "when,x8,x7,x6,x5,x4,x3,x2,x1\nnoon,8,7,6,5,4,3,2,1\n");
    sluice::job::PredictSettings settings;
    settings.model = scratch.path("a.sluice");
    settings.input = scratch.path("in.csv");
    settings.out = scratch.path("out.ndjson");
    (void)sluice::job::run_predict(settings, sluice::io::real_disk());
    const std::vector<double> y = model.model.predict(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(content(settings.out), "{\"row\":1,\"time\":\"noon\",\"predicted\":{\"y1\":" + sluice::io::json(y[0]) +
                                         ",\"y2\":" + sluice::io::json(y[1]) + "}}\n");
    const std::string described = description_json(sluice::job::read_model_file(settings.model));
    EXPECT_NE(described.find("\"rows\": 40, \"skipped\": 0, \"learned\": 40"), std::string::npos) << described;
    EXPECT_EQ(described.find("error_so_far"), std::string::npos) << described;
}

TEST(ModelFile, AStreamContinuesFromAModelThatAProgramPackedOnlyWhereItIsSaidFromWhichRow) {
    const Scratch scratch;
    sluice::NamedModel model = library_model(40);
    write_bytes(scratch.path("a.sluice"), pack_model(model));
    write_file(scratch.path("in.csv"), small_stream(25, 8, 2, 0.0));
    auto settings = small_settings(scratch.path("in.csv"));
    settings.checkpoint = scratch.path("a.sluice");
    settings.resume = true;
    try {
        sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        FAIL();
    } catch (const sluice::StateError& error) {
        EXPECT_NE(std::string(error.what()).find("has no position in an input"), std::string::npos) << error.what();
        const auto* remedied = dynamic_cast<const sluice::io::Remedied*>(&error);
        ASSERT_NE(remedied, nullptr);
        EXPECT_EQ(remedied->remedies(), sluice::io::Remedies{sluice::io::Remedy::learn_every_row});
    }
    settings.from_here = true;
    std::vector<std::string> messages;
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr,
                               [&](const sluice::job::Message& message) { messages.push_back(message.text); });
    (void)job.run();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find("has learnt 40 rows before"), std::string::npos) << messages[0];
    EXPECT_EQ(job.tally().rows(), 25U);
    auto reader = sluice::io::open_rows(sluice::io::open_source(settings.input), {});
    reader->want({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {});
    for (sluice::io::Row row; reader->next(row);) {
        model.model.learn(std::span(row.numbers).first(8), std::span(row.numbers).subspan(8));
    }
    EXPECT_EQ(job.learner().model().save(), model.model.save());
    // From now on it is a checkpoint like any other.
    settings.from_here = false;
    sluice::job::StreamJob again(settings, sluice::io::real_disk(), nullptr, ignore_message);
    EXPECT_EQ(again.resumed_at(), 25U);
}

TEST(ModelFile, FilesThatAreNoModelFilesSayWhatTheyAre) {
    const Scratch scratch;
    const auto reason = [&](const Bytes& bytes) -> std::string {
        write_bytes(scratch.path("a"), bytes);
        try {
            (void)sluice::job::read_model_file(scratch.path("a"));
        } catch (const sluice::StateError& error) {
            return std::string(error.what()).substr(scratch.path("a").size());
        }
        return "no error";
    };
    const sluice::NamedModel model = library_model(5);
    EXPECT_EQ(
        reason(model.model.current().save()),
        ": this is the state of a StreamModel, as StreamModel::save() writes it, and has no column names: a program "
        "adds them with pack_model()");
    sluice::AdaptiveModel tuned(2, 1);
    EXPECT_NE(reason(tuned.save()).find("this is the state of an AdaptiveModel"), std::string::npos);
    const std::string csv = "a,y\n1,2\n";
    const auto text = std::as_bytes(std::span(csv));
    EXPECT_EQ(reason(Bytes(text.begin(), text.end())),
              ": this is text, such as CSV, and no model file: it was not written by Sluice");
    EXPECT_EQ(reason({}), ": this file is empty: a model file is needed");
}

// A file without the last rows can claim any lag: the memory for it must not be allocated.
TEST(ModelFile, AHugeLagOrHorizonIsRefused) {
    sluice::NamedModel model = library_model(5);
    model.layout.horizon = 900'000'000;
    EXPECT_TRUE(refused(pack_model(model)));
    model.layout.horizon = 0;
    model.layout.lags = {4'000'000'000};
    EXPECT_TRUE(refused(pack_model(model)));
    model.layout.lags = {3};
    EXPECT_FALSE(refused(pack_model(model)));
    model.roles.inputs.resize(6);  // two targets at one lag make eight again
    model.layout = {.lags = {0}, .horizon = 0, .target_lags = {100'001}};
    EXPECT_TRUE(refused(pack_model(model)));
    model.layout.target_lags = {100'000};
    EXPECT_FALSE(refused(pack_model(model)));
}

}  // namespace
}  // namespace model_file_test
