#include "durable_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "request_error.hpp"
#include "rows.hpp"
#include "sluice/error.hpp"
#include "support/hard_disks.hpp"
#include "support/scratch.hpp"

namespace sluice::serve::durable_model_test {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::has;

ModelSpec spec() {
    return parse_spec(test::kSpec);
}

DurableModel::Result accept(DurableModel& model, const Batch& batch) {
    return model.accept({&batch, 1}).front();
}

std::string error_of(const DurableModel::Result& result) {
    try {
        std::rethrow_exception(result.error);
    } catch (const RequestError& error) {
        return error.kind();
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::vector<std::string> logs(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("log-")) {
            out.push_back(entry.path().string());
        }
    }
    return out;
}

class DurableModelTest : public ::testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    test::Scratch scratch_;
    std::string folder_ = scratch_.path("model");
};

TEST_F(DurableModelTest, ContinuesAfterAKillAsIfThereHadBeenNone) {
    test::RowSource first;
    test::RowSource second;
    DurableModel whole(spec(), io::real_disk(), "");
    std::string expected;
    std::string got;
    for (int i = 0; i < 12; ++i) {
        // Each batch is given to an object that ends without a checkpoint, as a process does that is killed.
        DurableModel killed(spec(), io::real_disk(), folder_);
        EXPECT_EQ(killed.batches(), static_cast<std::uint64_t>(3 * i));
        for (int k = 0; k < 3; ++k) {
            expected += accept(whole, first.batch(4)).answer;
            got += accept(killed, second.batch(4)).answer;
        }
    }
    const auto without_durable = [](std::string text) {
        for (std::size_t at = text.find("\"durable\":false"); at != std::string::npos;
             at = text.find("\"durable\":false", at)) {
            text.replace(at, 15, "\"durable\":true");
        }
        return text;
    };
    EXPECT_EQ(without_durable(expected), got);
    const DurableModel last(spec(), io::real_disk(), folder_);
    EXPECT_EQ(last.stream().pack(), whole.stream().pack());
}

TEST_F(DurableModelTest, WhatACrashHasLeftOfABatchIsCutOff) {
    test::RowSource source;
    {
        DurableModel model(spec(), io::real_disk(), folder_);
        (void)accept(model, source.batch(5));
        (void)accept(model, source.batch(5));
    }
    const std::string log = logs(folder_).front();
    const std::string whole = content(log);
    const std::size_t second = whole.size() / 2;
    for (std::size_t length = 0; length <= whole.size(); length += 7) {  // anywhere
        const std::string copy = scratch_.path("copy");
        fs::remove_all(copy);
        fs::copy(folder_, copy);
        test::write_file(logs(copy).front(), whole.substr(0, length));
        DurableModel model(spec(), io::real_disk(), copy);
        const std::uint64_t expected = length == whole.size() ? 2 : length >= second + 20 ? 1 : model.batches();
        EXPECT_EQ(model.batches(), expected) << length;
        EXPECT_LE(model.batches(), 2U);
        EXPECT_TRUE(accept(model, source.batch(1)).error == nullptr) << length;
    }
}

TEST_F(DurableModelTest, AFlippedBitInTheLogEndsTheReplayThere) {
    test::RowSource source;
    {
        DurableModel model(spec(), io::real_disk(), folder_);
        (void)accept(model, source.batch(2));
    }
    const std::string log = logs(folder_).front();
    const std::string whole = content(log);
    for (std::size_t at = 0; at < whole.size(); at += 3) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        test::write_file(log, damaged);
        std::uint64_t met = 0;
        EXPECT_EQ(BatchLog::replay(folder_, 0, [&](std::uint64_t, Batch&&) { ++met; }), 0U);
        EXPECT_EQ(met, 0U) << at;
    }
}

TEST_F(DurableModelTest, AMissingBatchIsAnErrorAndNotAGap) {
    test::RowSource source;
    {
        DurableModel model(spec(), io::real_disk(), folder_);
        (void)accept(model, source.batch(2));
        model.checkpoint();
        (void)accept(model, source.batch(2));
    }
    fs::remove(folder_ + "/model");
    EXPECT_THROW(DurableModel(spec(), io::real_disk(), folder_), StateError);
}

TEST_F(DurableModelTest, ASequenceNumberIsLearntOnceAndAnsweredAgain) {
    test::RowSource source;
    const Batch first = source.batch(3, 1);
    const Batch second = source.batch(3, 2);
    std::string answer;
    {
        DurableModel model(spec(), io::real_disk(), folder_);
        answer = accept(model, first).answer;
        EXPECT_TRUE(has(answer, R"("seq":1,"repeated":false)"));
        (void)accept(model, second);
        EXPECT_EQ(model.last_seq(), 2U);
    }
    for (int i = 0; i < 2; ++i) {  // from the log, and from a checkpoint
        DurableModel model(spec(), io::real_disk(), folder_);
        std::string again = accept(model, first).answer;
        EXPECT_TRUE(has(again, R"("repeated":true)"));
        EXPECT_EQ(again.substr(again.find("first_row")), answer.substr(answer.find("first_row")));
        EXPECT_EQ(model.stream().model()->tally.rows(), 6U);
        EXPECT_EQ(error_of(accept(model, source.batch(1, 4))), "seq_gap");
        EXPECT_EQ(error_of(accept(model, source.batch(1, 2))), "seq_reused");
        model.checkpoint();
    }
}

TEST_F(DurableModelTest, AnAnswerThatIsNoLongerKeptStillSaysThatTheBatchWasLearnt) {
    test::RowSource source;
    DurableModel model(spec(), io::real_disk(), "");
    const Batch first = source.batch(1, 1);
    (void)accept(model, first);
    for (std::uint64_t seq = 2; seq < 2 + DurableModel::kKeptAnswers; ++seq) {
        (void)accept(model, source.batch(1, seq));
    }
    const std::string again = accept(model, first).answer;
    EXPECT_TRUE(has(again, R"("repeated":true)"));
    EXPECT_TRUE(has(again, R"("answers":null)"));
    EXPECT_EQ(model.stream().model()->tally.rows(), 1 + DurableModel::kKeptAnswers);
}

TEST_F(DurableModelTest, BatchesThatAreAcceptedTogetherMayRepeatEachOther) {
    test::RowSource source;
    DurableModel model(spec(), io::real_disk(), folder_);
    const Batch first = source.batch(2, 1);
    const std::vector<Batch> together = {
        first, first, {.seq = 2, .format = RowFormat::csv, .text = "t,a\n"}, source.batch(2, 2), source.batch(2)};
    const auto results = model.accept(together);
    ASSERT_EQ(results.size(), 5U);
    EXPECT_TRUE(has(results[0].answer, R"("repeated":false)"));
    EXPECT_TRUE(has(results[1].answer, R"("repeated":true)"));
    EXPECT_TRUE(results[2].error != nullptr);
    EXPECT_TRUE(has(results[3].answer, R"("seq":2,"repeated":false)"));
    EXPECT_TRUE(has(results[4].answer, R"("seq":null)"));
    EXPECT_EQ(model.stream().model()->tally.rows(), 6U);
}

// Each call to the disk fails once, in every way: what was acknowledged is there afterwards, what was not may be sent again,
// and the model goes on.
TEST_F(DurableModelTest, WhateverCallOfTheDiskFailsNothingAcknowledgedIsLost) {
    for (const int reason : {ENOSPC, EIO, 0}) {
        for (std::size_t failing = 1; failing < 60; ++failing) {
            const std::string folder = scratch_.path("failing");
            fs::remove_all(folder);
            fs::create_directories(folder);
            test::FailingDisk disk(failing, reason);
            test::RowSource source;
            std::uint64_t rows = 0;
            std::uint64_t seq = 0;
            try {
                DurableModel model(spec(), disk, folder);
                for (int i = 0; i < 6; ++i) {
                    const Batch batch = source.batch(2, seq + 1);
                    auto result = accept(model, batch);
                    if (result.error) {
                        result = accept(model, batch);  // the client tries again
                    }
                    ASSERT_TRUE(result.error == nullptr) << disk.failed_call() << ": " << error_of(result);
                    ++seq;
                    rows += 2;
                    if (i == 3) {
                        try {
                            model.checkpoint();
                        } catch (const io::DiskError&) {  // the next batch makes it
                        }
                    }
                }
            } catch (const io::DiskError&) {
                ASSERT_EQ(rows, 0U);  // the model could not be opened
            }
            const DurableModel after(spec(), io::real_disk(), folder);
            const std::uint64_t known = after.stream().model() == nullptr ? 0 : after.stream().model()->tally.rows();
            EXPECT_EQ(known, rows) << disk.failed_call();
            EXPECT_EQ(after.last_seq(), seq);
        }
    }
}

// The power goes at any call; what was not synced may be lost, or there in part.
TEST_F(DurableModelTest, APowerLossLosesNothingThatWasAcknowledgedAndDoublesNothing) {
    std::mt19937_64 random(1);
    int lost_power = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const std::string folder = scratch_.path("fragile");
        fs::remove_all(folder);
        test::FragileDisk disk(1 + (random() % 60));
        test::RowSource source;
        std::uint64_t acknowledged = 0;
        std::uint64_t sent = 0;
        fs::create_directories(folder);
        try {
            DurableModel model(spec(), disk, folder);
            for (int i = 0; i < 12; ++i) {
                ++sent;
                const auto result = accept(model, source.batch(1, sent));
                ASSERT_TRUE(result.error == nullptr);
                acknowledged = sent;
                if (i % 4 == 3) {
                    model.checkpoint();
                }
            }
        } catch (const test::PowerLoss&) {
            ++lost_power;
        }
        fs::remove_all(folder);
        fs::create_directories(folder);
        for (const auto& [path, text] : disk.after_power_loss(random)) {
            test::write_file(path, text);
        }
        const DurableModel after(spec(), io::real_disk(), folder);
        const std::uint64_t known = after.stream().model() == nullptr ? 0 : after.stream().model()->tally.rows();
        ASSERT_GE(known, acknowledged) << trial;
        ASSERT_LE(known, sent) << trial;
        ASSERT_EQ(after.last_seq(), known) << trial;
    }
    EXPECT_GT(lost_power, 100);
}

}  // namespace
}  // namespace sluice::serve::durable_model_test
