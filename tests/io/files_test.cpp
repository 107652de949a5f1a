// Files that are written: replaced durably, continued, and the small texts in them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv_text.hpp"
#include "durable.hpp"
#include "json_text.hpp"
#include "output_file.hpp"
#include "suggest.hpp"
#include "support/hard_disks.hpp"
#include "support/scratch.hpp"

namespace files_test {
namespace {

using namespace sluice::test;
namespace io = sluice::io;

void replace(io::Disk& disk, const std::string& path, const std::string& text) {
    io::replace_durably(disk, path, std::as_bytes(std::span(text)));
}

TEST(Durable, ReplacesAFileAndKeepsThePreviousOne) {
    const Scratch scratch;
    const std::string path = scratch.path("model");
    for (const char* text : {"one", "two", "three"}) {
        replace(io::real_disk(), path, text);
    }
    EXPECT_EQ(content(path), "three");
    EXPECT_EQ(content(path + ".previous"), "two");
    EXPECT_EQ(scratch.files(), 2U);
}

TEST(Durable, WhicheverCallFailsThePathHoldsOldOrNewContentWhole) {
    for (const int reason : {ENOSPC, EIO}) {
        for (std::size_t failing = 1; failing < 15; ++failing) {
            const Scratch scratch;
            const std::string path = scratch.path("model");
            replace(io::real_disk(), path, "old");
            FailingDisk disk(failing, reason);
            bool thrown = false;
            try {
                replace(disk, path, "new");
            } catch (const io::DiskError&) {
                thrown = true;
            }
            const std::string now = content(path);
            const bool last_sync = disk.failed_call().starts_with("sync_folder");
            EXPECT_EQ(now, thrown && !last_sync ? "old" : "new") << disk.failed_call();
            EXPECT_FALSE(std::filesystem::exists(path + ".new")) << disk.failed_call();
            EXPECT_FALSE(std::filesystem::exists(path + ".previous.new")) << disk.failed_call();
        }
    }
}

// A sync that failed may have thrown the data away: the next attempt is another file.
TEST(Durable, AFailedSyncIsNotTriedAgainOnTheSameFile) {
    class CountingDisk final : public io::Disk {
      public:
        int open(const std::string& path, int flags) override {
            const int file = Disk::open(path, flags);
            opened.push_back(file);
            return file;
        }
        int sync(int file) override {
            synced.push_back(file);
            errno = EIO;
            return -1;
        }
        std::vector<int> opened;
        std::vector<int> synced;
    };
    const Scratch scratch;
    CountingDisk disk;
    for (int attempt = 0; attempt < 2; ++attempt) {
        EXPECT_THROW(replace(disk, scratch.path("model"), "new"), io::DiskError);
    }
    EXPECT_EQ(disk.opened.size(), 2U);
    EXPECT_EQ(disk.synced.size(), 2U);
    EXPECT_EQ(scratch.files(), 0U);
}

TEST(OutputFile, ContinuesWhereItWasAndCutsOffWhatCameAfter) {
    const Scratch scratch;
    const std::string path = scratch.path("log");
    {
        io::OutputFile out(io::real_disk(), path);
        out.text() += "kept\nlost\n";
        EXPECT_EQ(out.length(), 10U);
        out.sync();
    }
    {
        io::OutputFile out(io::real_disk(), path, 5);
        out.text() += "new\n";
        out.flush();
    }
    EXPECT_EQ(content(path), "kept\nnew\n");
    EXPECT_THROW(io::OutputFile(io::real_disk(), path, 50), io::DiskError);
    EXPECT_THROW(io::OutputFile(io::real_disk(), scratch.path("no folder") + "/log"), io::DiskError);
}

TEST(JsonText, IsJsonWhateverTheBytes) {
    EXPECT_EQ(io::json("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
    EXPECT_EQ(io::json("Größe µ"), "\"Größe µ\"");
    EXPECT_EQ(io::json("\xff\xc3"), R"("\ufffd\ufffd")");
    EXPECT_EQ(io::json("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate is no character
    EXPECT_EQ(io::json(0.1), "0.1");
    EXPECT_EQ(io::json(1.0 / 0.0), "null");
}

TEST(CsvText, QuotesWhatNeedsIt) {
    std::string out;
    io::append_cell(out, "plain");
    out += ';';
    io::append_cell(out, "a,\"b\"");
    EXPECT_EQ(out, "plain;\"a,\"\"b\"\"\"");
}

TEST(Suggest, FindsTheNearestNameAndNoneThatIsFar) {
    const std::vector<std::string> known = {"forgetting", "components", "keep", "names"};
    EXPECT_EQ(io::nearest("forgeting", known), "forgetting");
    EXPECT_EQ(io::nearest("Keep", known), "keep");
    EXPECT_EQ(io::nearest("kepe", known), "keep");
    EXPECT_EQ(io::nearest("zebra", known), "");
    EXPECT_EQ(io::did_you_mean("nmaes", known), ". Did you mean names?");
}

}  // namespace
}  // namespace files_test
