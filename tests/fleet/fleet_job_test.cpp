#include "fleet_job.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "rows.hpp"
#include "sluice/error.hpp"
#include "support/hard_disks.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace sluice::fleet::fleet_job_test {
namespace {

using sluice::test::content;
using sluice::test::FailingDisk;
using sluice::test::Scratch;

void ignore_message(const job::Message& /*message*/) {}

// Rows of several keys in a mixed order, with a bad one now and then.
std::string mixed_rows(std::size_t keys, std::size_t rows) {
    std::mt19937_64 random(3);
    std::vector<std::size_t> next(keys, 1);
    std::string text = "k,n,a,b,c,y\n";
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t key = random() % keys;
        const auto cells = test::some_rows((1000 * key) + next[key], 1)[0];
        text += "K" + std::to_string(key) + "," + std::to_string(next[key]++);
        for (std::size_t c = 1; c < cells.size(); ++c) {
            text += "," + (i % 41 == 7 && c == 2 ? std::string("oops") : cells[c]);
        }
        text += i % 53 == 9 ? ",surplus\n" : "\n";
        if (i % 61 == 11) {
            text += ",5,1,2,3,4\n";  // no key
        }
    }
    return text;
}

FleetSettings settings_for(const Scratch& scratch, const std::string& name) {
    FleetSettings settings;
    settings.input = scratch.path("rows.csv");
    settings.config = parse_config(test::kConfig, "test");
    settings.out = scratch.path(name + ".ndjson");
    settings.state = scratch.path(name);
    settings.checkpoint_rows = 17;
    return settings;
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

void finish(const FleetSettings& settings, io::Disk& disk = io::real_disk()) {
    FleetJob job(settings, disk, nullptr, ignore_message);
    EXPECT_TRUE(job.run());
}

TEST(FleetJob, RecordsAreTheSameWhateverThreadsMemoryAndCheckpoints) {
    const Scratch scratch;
    write(scratch.path("rows.csv"), mixed_rows(7, 400));
    FleetSettings plain = settings_for(scratch, "plain");
    plain.state.clear();
    finish(plain);
    const std::string expected = content(plain.out);
    EXPECT_EQ(std::ranges::count(expected, '\n'), 400 + 7);
    for (const auto& [threads, memory] : {std::pair<std::size_t, std::size_t>{2, 1}, {3, 200'000}, {1, 1U << 30U}}) {
        FleetSettings settings = settings_for(scratch, "t" + std::to_string(threads));
        settings.threads = threads;
        settings.memory = memory;
        finish(settings);
        EXPECT_EQ(content(settings.out), expected) << threads;
    }
}

TEST(FleetJob, AKilledRunIsResumedByteForByte) {
    const Scratch scratch;
    write(scratch.path("rows.csv"), mixed_rows(5, 300));
    const FleetSettings whole = settings_for(scratch, "whole");
    finish(whole);
    for (const std::size_t blocks : {1U, 2U, 9U}) {
        FleetSettings settings = settings_for(scratch, "killed" + std::to_string(blocks));
        settings.resume = true;
        struct Killed {};
        for (int run = 0; run < 3; ++run) {
            FleetJob job(settings, io::real_disk(), nullptr, ignore_message);
            std::size_t seen = 0;
            try {
                (void)job.run([&] {
                    if (++seen == blocks) {
                        throw Killed();
                    }
                });
            } catch (const Killed&) {
            }
        }
        finish(settings);
        EXPECT_EQ(content(settings.out), content(whole.out)) << blocks;
    }
}

TEST(FleetJob, WhicheverCallOfTheDiskFailsAResumedRunHasEveryRecordOnce) {
    const Scratch scratch;
    write(scratch.path("rows.csv"), mixed_rows(3, 60));
    const FleetSettings whole = settings_for(scratch, "whole");
    finish(whole);
    for (std::size_t failing = 1; failing < 130; failing += 3) {
        FleetSettings settings = settings_for(scratch, "f" + std::to_string(failing));
        settings.resume = true;
        FailingDisk disk(failing, ENOSPC);
        try {
            FleetJob job(settings, disk, nullptr, ignore_message);
            (void)job.run();
        } catch (const std::runtime_error&) {
        }
        finish(settings);
        EXPECT_EQ(content(settings.out), content(whole.out)) << disk.failed_call();
    }
}

TEST(FleetJob, ADamagedStateRefusesItsOwnKeyAlone) {
    const Scratch scratch;
    const std::string text = mixed_rows(4, 200);
    const std::size_t half = text.find('\n', text.size() / 2) + 1;
    write(scratch.path("rows.csv"), text.substr(0, half));
    FleetSettings settings = settings_for(scratch, "fleet");
    settings.checkpoint_rows = 0;  // one file with four states
    finish(settings);
    const std::string states = scratch.path("fleet") + "/states-000001";
    std::string bytes = content(states);
    bytes[bytes.size() / 8] = static_cast<char>(bytes[bytes.size() / 8] ^ 1);
    write(states, bytes);
    write(scratch.path("rows.csv"), text);
    settings.resume = true;
    finish(settings);
    const std::string records = content(settings.out);
    EXPECT_NE(records.find("state_refused"), std::string::npos);
    EXPECT_EQ(records.find("state_refused"), records.rfind("state_refused"));
    std::size_t refused = 0;
    std::size_t learned = 0;
    std::istringstream lines(records.substr(records.find("state_refused")));
    for (std::string line; std::getline(lines, line);) {
        refused += line.find("\"outcome\":\"refused\"}") != std::string::npos ? 1U : 0U;
        learned += line.find("\"outcome\":\"learned\"") != std::string::npos ? 1U : 0U;
    }
    EXPECT_GT(refused, 5U);
    EXPECT_GT(learned, 40U);
}

TEST(FleetJob, MistakesAreSaidBeforeTheFirstRow) {
    const Scratch scratch;
    write(scratch.path("rows.csv"), mixed_rows(2, 10));
    const auto refusal = [&](const FleetSettings& settings) -> std::string {
        try {
            FleetJob job(settings, io::real_disk(), nullptr, ignore_message);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "accepted";
    };
    FleetSettings settings = settings_for(scratch, "a");
    settings.config.key = "kk";
    EXPECT_NE(refusal(settings).find("there is no column kk"), std::string::npos) << refusal(settings);
    settings = settings_for(scratch, "b");
    settings.config.sequence = "m";
    EXPECT_NE(refusal(settings).find("there is no column m"), std::string::npos);
    settings = settings_for(scratch, "c");
    finish(settings);
    EXPECT_NE(refusal(settings).find("--resume"), std::string::npos) << refusal(settings);
    settings.resume = true;
    settings.config.spec.interval.reset();
    EXPECT_NE(refusal(settings).find("another config"), std::string::npos) << refusal(settings);
    settings = settings_for(scratch, "d");
    settings.state.clear();
    settings.resume = true;
    EXPECT_NE(refusal(settings).find("no folder"), std::string::npos);
}

TEST(FleetJob, ANewFieldIsAnnouncedOnceAlsoAcrossAResume) {
    const Scratch scratch;
    std::string text;
    for (int i = 1; i <= 60; ++i) {
        text += R"({"k":"K)" + std::to_string(i % 3) + R"(","n":)" + std::to_string(i) + R"(,"a":)" +
                std::to_string(i % 7) + R"(,"y":)" + std::to_string(i % 7) + (i > 20 ? R"(,"extra":1})" : "}") + "\n";
    }
    write(scratch.path("rows.csv"), text);
    const FleetSettings whole = settings_for(scratch, "whole");
    finish(whole);
    const std::string expected = content(whole.out);
    const std::size_t at = expected.find("column_new");
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(at, expected.rfind("column_new"));
    FleetSettings settings = settings_for(scratch, "resumed");
    settings.resume = true;
    write(scratch.path("rows.csv"),
          text.substr(0, text.find("\"n\":40")).substr(0, text.rfind('\n', text.find("\"n\":40")) + 1));
    finish(settings);
    write(scratch.path("rows.csv"), text);
    finish(settings);
    EXPECT_EQ(content(settings.out), expected);
}

}  // namespace
}  // namespace sluice::fleet::fleet_job_test
