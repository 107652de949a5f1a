#include "model_file.hpp"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <random>

#include "durable.hpp"
#include "fit_job.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace {

using Bytes = std::vector<std::byte>;
using namespace sluice::test;

Bytes small_model(sluice::Engine engine = sluice::Engine::dense, std::size_t horizon = 0) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(12, 4, 1));
    auto settings = small_settings(scratch.path("in.csv"));
    settings.roles.targets = {"y1"};
    settings.options.model.engine = engine;
    settings.options.model.forgetting = 0.5;  // a short history
    settings.horizon = horizon;
    settings.lags = {0, 1};
    settings.options.model.keep = {1};
    settings.checkpoint = scratch.path("a.sluice");
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, no_words);
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
    return pack(result.file.roles, result.file.shape, *result.file.fitted);
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
        EXPECT_EQ(pack(file.roles, *file.learner, *file.tally, file.standing), bytes);
    }
    const Bytes bytes = small_fit();
    const auto file = sluice::job::unpack(bytes);
    ASSERT_TRUE(file.fitted.has_value());
    EXPECT_EQ(pack(file.roles, file.shape, *file.fitted), bytes);
}

TEST(ModelFile, EveryFlippedBitIsRefused) {
    for (const Bytes& good : {small_model(), small_fit()}) {
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
    for (const Bytes& good : {small_model(), small_model(sluice::Engine::columns, 2), small_fit()}) {
        const sluice::io::SectionView view(good);
        for (int trial = 0; trial < 3000; ++trial) {
            std::vector<sluice::io::Section> sections;
            for (const char* name : {"names", "model", "learner", "tally", "standing", "fit"}) {
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
                auto file = sluice::job::unpack(sluice::io::join_sections(sections));
                if (file.learner) {
                    const std::vector<double> x(file.roles.inputs.size(), 1.0);
                    const std::vector<double> y(file.roles.targets.size(), 1.0);
                    (void)file.learner->step(x, y);
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

TEST(ModelFile, ForeignFilesAreToldApartFromDamagedOnes) {
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
    EXPECT_EQ(reason(Bytes(begin, begin + foreign.size())), "model file refused: it was not written by Sluice");
    Bytes newer = small_fit();
    newer[8] = std::byte{2};
    const std::size_t header = 16 + (2 * 24);
    const std::uint64_t sum = XXH3_64bits(newer.data(), header);
    std::memcpy(newer.data() + header, &sum, sizeof(sum));
    EXPECT_NE(reason(newer).find("written by a newer Sluice"), std::string::npos) << reason(newer);
}

// Files written by every released format; tests/job/corpus/README.md says how they were made.
TEST(ModelFile, FilesOfEveryFormatKeepLoading) {
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SOURCE_DIR "/tests/job/corpus")) {
        if (entry.path().extension() == ".sluice") {
            const auto file = sluice::job::unpack(sluice::io::read_whole(entry.path().string()));
            EXPECT_FALSE(file.roles.inputs.empty());
            ++seen;
        }
    }
    EXPECT_GE(seen, 5U);
}

}  // namespace
