#include "row_stream.hpp"

#include <gtest/gtest.h>

#include "rows.hpp"
#include "sluice/error.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace sluice::serve::row_stream_test {
namespace {

using test::has;

RowStream stream_of(const std::string& spec) {
    return RowStream(parse_spec(spec));
}

std::string learnt(RowStream& stream, const Batch& batch) {
    return stream.learn(stream.read(batch));
}

TEST(RowStream, LearnsAsAStreamJobDoesBitForBit) {
    test::RowSource source;
    const std::string rows = source.csv(300);
    const test::Scratch scratch;
    test::write_file(scratch.path("in.csv"), rows);
    job::StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = {"y"};
    settings.roles.time = "t";
    settings.interval = 0.9;
    settings.lags = std::vector<std::size_t>{0, 1};
    job::StreamJob job(settings, io::real_disk(), nullptr, [](const job::Message&) {});
    ASSERT_EQ(job.run(), job::StreamJob::End::finished);

    RowStream stream = stream_of(R"({"targets":["y"],"time":"t","interval":0.9,"lags":"0:1"})");
    const std::string header = rows.substr(0, rows.find('\n') + 1);
    for (std::size_t at = header.size(); at < rows.size();) {  // in batches of several sizes
        std::string batch = header;
        for (std::size_t i = 0; i <= at % 7 && at < rows.size(); ++i) {
            const std::size_t end = rows.find('\n', at) + 1;
            batch += rows.substr(at, end - at);
            at = end;
        }
        (void)learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = batch});
    }
    EXPECT_EQ(stream.model()->learner.model().save(), job.learner().model().save());
    EXPECT_EQ(stream.model()->tally.rows(), 300U);
}

TEST(RowStream, ReadingAheadOfLearningGivesTheSameBits) {
    test::RowSource first;
    test::RowSource second;
    RowStream one = stream_of(test::kSpec);
    RowStream other = stream_of(test::kSpec);
    std::vector<RowStream::Read> reads;
    std::string answers;
    std::string later;
    for (int i = 0; i < 10; ++i) {
        answers += learnt(one, first.batch(5));
        reads.push_back(other.read(second.batch(5)));
    }
    for (RowStream::Read& read : reads) {
        later += other.learn(std::move(read));
    }
    EXPECT_EQ(answers, later);
    EXPECT_EQ(one.pack(), other.pack());
}

TEST(RowStream, ABadRowRefusesItsWholeBatchAndChangesNothing) {
    test::RowSource source;
    RowStream stream = stream_of(test::kSpec);
    (void)learnt(stream, source.batch(10));
    const auto before = stream.pack();
    try {
        (void)stream.read({.seq = 0, .format = RowFormat::csv, .text = "t,a,b,c,y\nd,1,2,3,4\nd,1,oops,3,4\n"});
        FAIL();
    } catch (const io::RowError& error) {
        EXPECT_EQ(error.at().line, 3U);
        EXPECT_EQ(error.column(), "b");
    }
    EXPECT_EQ(stream.pack(), before);
    EXPECT_EQ(stream.reading().rows, 10U);
}

TEST(RowStream, WithSkipABadRowIsAnsweredAndTheOthersAreLearnt) {
    RowStream stream = stream_of(R"({"targets":["y"],"on_bad_row":"skip"})");
    const std::string answer = learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "a,y\n1,2\noops,3\n2,4\n"});
    EXPECT_TRUE(has(answer, R"("first_row":1,"rows":2,"skipped":1)")) << answer;
    EXPECT_TRUE(has(answer, R"({"row":null,"outcome":"skipped","error":{"kind":"bad_data")")) << answer;
    EXPECT_TRUE(has(answer, R"("line":3)")) << answer;
    EXPECT_EQ(stream.model()->tally.skipped(), 1U);
}

TEST(RowStream, CsvNeedsItsHeaderOnlyOnceAndNdjsonMayFollow) {
    RowStream stream = stream_of(R"({"targets":["y"]})");
    (void)learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "a,b,y\n1,2,3\n"});
    (void)learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "2,3,4\n"});
    const std::string answer =
        learnt(stream, {.seq = 0, .format = RowFormat::ndjson, .text = "{\"y\":5,\"a\":3,\"b\":4}\n"});
    EXPECT_TRUE(has(answer, R"("row":3)")) << answer;
    EXPECT_TRUE(has(answer, R"("observed":{"y":5})")) << answer;
}

TEST(RowStream, ARowWithoutItsTargetIsPredictedAndNotLearnt) {
    test::RowSource source;
    RowStream stream = stream_of(test::kSpec);
    (void)learnt(stream, source.batch(50));
    const std::string answer = learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "t,a,b,c\nd,1,1,1\n"});
    EXPECT_TRUE(has(answer, R"("observed":{"y":null},"outcome":"outputs_missing")")) << answer;
    EXPECT_FALSE(has(answer, R"("predicted":{"y":null})")) << answer;
}

TEST(RowStream, OtherColumnsAreRefusedAndTheDifferenceIsShown) {
    RowStream stream = stream_of(R"({"targets":["y"]})");
    (void)learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "a,y\n1,2\n"});
    EXPECT_THROW((void)stream.read({.seq = 0, .format = RowFormat::csv, .text = "p,q\n1,2\n"}), DataError);
    RowStream strict = stream_of(R"({"targets":["y"],"strict_columns":true})");
    (void)learnt(strict, {.seq = 0, .format = RowFormat::csv, .text = "a,y\n1,2\n"});
    EXPECT_THROW((void)strict.read({.seq = 0, .format = RowFormat::csv, .text = "a,new,y\n1,2,3\n"}), DataError);
    const std::string answer = learnt(stream, {.seq = 0, .format = RowFormat::csv, .text = "a,new,y\n1,2,3\n"});
    EXPECT_TRUE(has(answer, "column_new")) << answer;
}

TEST(RowStream, OptionsThatDoNotSuitTheColumnsAreToldWithTheFirstRows) {
    RowStream stream = stream_of(R"({"targets":["y"],"options":{"keep":50,"components":1}})");
    try {
        (void)stream.read({.seq = 0, .format = RowFormat::csv, .text = "a,b,y\n1,2,3\n"});
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_TRUE(has(error.what(), "keep = 50")) << error.what();
    }
    EXPECT_EQ(stream.model(), nullptr);
}

TEST(RowStream, ModelsThatWouldNeedTooMuchMemoryAreRefused) {
    RowStream stream = stream_of(R"({"targets":["y"],"horizon":1000000,"lags":"0:100"})");
    EXPECT_ANY_THROW((void)stream.read({.seq = 0, .format = RowFormat::csv, .text = "a,b,y\n1,2,3\n"}));
    RowStream wide = stream_of(R"({"targets":["y"],"lags":"0:99999"})");
    EXPECT_ANY_THROW((void)wide.read({.seq = 0, .format = RowFormat::csv, .text = "a,b,c,y\n1,2,3,4\n"}));
}

TEST(RowStream, AnAnswerThatWouldBeFarLargerThanItsRowsIsRefused) {
    RowStream stream = stream_of(R"({"targets":["y"],"on_bad_row":"skip"})");
    std::string many = "a,y\n";
    for (std::size_t i = 0; i <= RowStream::kMostRows; ++i) {
        many += "1,2\n";
    }
    EXPECT_ANY_THROW((void)stream.read({.seq = 0, .format = RowFormat::csv, .text = many}));
    // Long names of many targets are repeated in each answer.
    RowStream wide = stream_of(R"({"targets":["y*"]})");
    std::string rows = "a";
    for (int j = 0; j < 100; ++j) {
        rows += ",y" + std::string(10'000, 'x') + std::to_string(j);
    }
    for (int i = 0; i < 1000; ++i) {
        rows += "\n1";
        for (int j = 0; j < 100; ++j) {
            rows += ",1";
        }
    }
    EXPECT_ANY_THROW((void)wide.read({.seq = 0, .format = RowFormat::csv, .text = rows}));
    EXPECT_EQ(wide.model(), nullptr);
}

TEST(RowStream, AModelFileContinuesWithTheSameBits) {
    test::RowSource first;
    test::RowSource second;
    const std::string spec = R"({"targets":["y"],"time":"t","interval":0.8,"horizon":2,"target_lags":"1:2"})";
    RowStream whole = stream_of(spec);
    RowStream begun = stream_of(spec);
    (void)learnt(whole, first.batch(40));
    (void)learnt(begun, second.batch(40));
    RowStream resumed(parse_spec(spec), job::unpack(begun.pack()));
    EXPECT_EQ(learnt(whole, first.batch(40)), learnt(resumed, second.batch(40)));
    EXPECT_EQ(whole.pack(), resumed.pack());
}

}  // namespace
}  // namespace sluice::serve::row_stream_test
