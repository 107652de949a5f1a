#include "source.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "files.hpp"
#include "reading.hpp"

namespace sluice::test::source_test {
namespace {

using io::ByteSource;
using io::open_source;
using io::SourceError;

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string all_of(ByteSource& source, std::size_t piece = 1000) {
    std::string out;
    std::string room(piece, '\0');
    while (const std::size_t bytes = source.read(room)) {
        out.append(room, 0, bytes);
    }
    return out;
}

std::string refusal_of(const std::string& path) {
    try {
        (void)all_of(*open_source(path));
    } catch (const SourceError& error) {
        return error.what();
    }
    return "";
}

std::string plain_text(std::size_t rows) {
    std::string text = "a,b\n";
    for (std::size_t i = 0; i < rows; ++i) {
        text += std::to_string(i) + "," + std::to_string(i * i % 977) + ".5\n";
    }
    return text;
}

class Pipe {
  public:
    Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~Pipe() {
        close(0);
        close(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    Pipe(Pipe&&) = delete;
    Pipe& operator=(Pipe&&) = delete;

    [[nodiscard]] int reading_end() const { return ends_[0]; }
    [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
    void write(std::string_view text) {
        EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void close_writing() { close(1); }

  private:
    void close(std::size_t end) {
        if (ends_[end] >= 0) {
            ::close(ends_[end]);
            ends_[end] = -1;
        }
    }
    std::array<int, 2> ends_{-1, -1};
};

void pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST(Source, ReadsAFileAndReportsTheShareRead) {
    const std::string text = plain_text(1000);
    const TemporaryFile file(text);
    const auto source = open_source(file.path());
    EXPECT_EQ(source->name(), file.path());
    EXPECT_EQ(source->share_read(), 0.0);
    EXPECT_EQ(all_of(*source, 17), text);
    EXPECT_EQ(source->share_read(), 1.0);
    EXPECT_TRUE(source->complete());
}

TEST(Source, WhatCannotBeReadIsRefusedWithItsNameAndTheReason) {
    EXPECT_EQ(refusal_of("/no/such/file"), "/no/such/file: No such file or directory");
    EXPECT_EQ(refusal_of("/tmp"), "/tmp: Is a directory");
}

TEST(Source, SkipsToAByteByWhateverMeans) {
    const std::string text = plain_text(50'000);
    for (const std::string& stored : {text, gzipped(text), zstandard(text)}) {
        const TemporaryFile file(stored);
        for (const std::size_t before : {std::size_t{0}, std::size_t{10}}) {
            for (const std::size_t to : {std::size_t{10}, std::size_t{12}, std::size_t{200'000}, text.size()}) {
                const auto source = open_source(file.path());
                std::string room(before, '\0');
                for (std::size_t got = 0; got < before;) {
                    got += source->read(std::span(room).subspan(got));
                }
                source->skip_to(to);
                ASSERT_EQ(all_of(*source), text.substr(to)) << before << " " << to;
            }
        }
        try {
            open_source(file.path())->skip_to(text.size() + 1);
            FAIL() << "went beyond the end";
        } catch (const SourceError& error) {
            EXPECT_TRUE(says(error.what(), "ends at byte " + std::to_string(text.size()))) << error.what();
        }
    }
}

TEST(Source, CompressedFilesReadLikePlainOnes) {
    const std::string text = plain_text(20'000);
    const std::string half = text.substr(0, text.size() / 2);
    const std::string rest = text.substr(half.size());
    const Reading expected = reading_of(text);
    for (const std::string& stored :
         {gzipped(text), zstandard(text), gzipped(half) + gzipped(rest), zstandard(half) + zstandard(rest),
          gzipped(half) + gzipped("") + gzipped(rest) + std::string(600, '\0'),
          zstandard(half) + zstandard("") + zstandard(rest)}) {
        const TemporaryFile file(stored);
        const auto reader = io::open_rows(open_source(file.path()), {});
        ASSERT_TRUE(same(drain(*reader), expected));
        EXPECT_EQ(reader->source().share_read(), 1.0);
    }
}

TEST(Source, CompressedEmptinessIsEmpty) {
    EXPECT_EQ(all_of(*open_source(TemporaryFile(gzipped("")).path())), "");
    EXPECT_EQ(all_of(*open_source(TemporaryFile(zstandard("")).path())), "");
}

TEST(Source, TextThatBeginsLikeCompressedDataIsText) {
    for (const char* text : {"", "(", "(\xb5", "(a", "\x1f", "\x1f,"}) {
        EXPECT_EQ(all_of(*open_source(TemporaryFile(text).path()), 1), text);
    }
}

TEST(Source, CutOffDataIsRefusedWhereverItIsCut) {
    const std::string text = plain_text(300);
    for (const std::string& stored : {gzipped(text), zstandard(text)}) {
        for (std::size_t length = 4; length < stored.size(); length += 13) {
            const TemporaryFile file(stored.substr(0, length));
            const std::string refusal = refusal_of(file.path());
            ASSERT_TRUE(says(refusal, file.path()) && says(refusal, "ends too early")) << length << ": " << refusal;
        }
        const TemporaryFile file(stored + stored.substr(0, stored.size() - 1));
        EXPECT_TRUE(says(refusal_of(file.path()), "ends too early"));
    }
}

TEST(Source, DamagedDataIsRefused) {
    std::string damaged = gzipped(plain_text(3000));
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    EXPECT_TRUE(says(refusal_of(TemporaryFile(damaged).path()), "gzip data is damaged"));
    EXPECT_TRUE(says(refusal_of(TemporaryFile(gzipped("a") + "rubbish").path()), "after member 1"));
    EXPECT_TRUE(says(refusal_of(TemporaryFile(zstandard("a") + "rubbish").path()), "zstd data is damaged"));
}

TEST(Source, RowsBeforeTheDamageAreRead) {
    const std::string text = plain_text(100'000);
    const std::string packed = gzipped(text);
    const TemporaryFile file(packed.substr(0, packed.size() / 2));
    const auto reader = io::open_rows(open_source(file.path()), {});
    reader->want({0}, {});
    Row row;
    double rows = 0;
    EXPECT_THROW(
        {
            while (reader->next(row)) {
                ASSERT_EQ(row.numbers[0], rows++);
            }
        },
        SourceError);
    EXPECT_GT(rows, 20'000);
}

TEST(Source, APipeIsWaitedForAndWhatWasMadeIsHandedOnBefore) {
    Pipe pipe;
    int waits = 0;
    pipe.write("a\n1\n");
    const auto reader = io::open_rows(open_source(pipe.path(), {.before_waiting = [&] { ++waits; }}), {});
    reader->want({0}, {});
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(waits, 0);
    std::thread writer([&] {
        pause();
        pipe.write("2\n3");
        pause();
        pipe.close_writing();
    });
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.numbers[0], 2.0);
    EXPECT_EQ(waits, 1);
    ASSERT_TRUE(reader->next(row));  // the last line counts, as the pipe has ended for good
    EXPECT_EQ(row.numbers[0], 3.0);
    EXPECT_FALSE(reader->next(row));
    EXPECT_LT(reader->source().share_read(), 0.0);
    writer.join();
}

TEST(Source, ACompressedPipeIsRead) {
    Pipe pipe;
    pipe.write(gzipped("a\n1\n2\n"));
    pipe.close_writing();
    EXPECT_TRUE(numbers_are(drain(*io::open_rows(open_source(pipe.path()), {})), {{1}, {2}}));
}

TEST(Source, AStopEndsTheWaitForAPipeAndHalfALineIsNoRow) {
    Pipe pipe;
    Pipe stop;
    pipe.write("a\n1\n23");
    const auto reader = io::open_rows(open_source(pipe.path(), {.stop_descriptor = stop.reading_end()}), {});
    std::thread stopper([&] {
        pause();
        stop.write("x");
    });
    const Reading got = drain(*reader);
    stopper.join();
    EXPECT_TRUE(numbers_are(got, {{1}}));
    EXPECT_FALSE(reader->source().complete());
    EXPECT_EQ(got.positions.back(), (Position{.line = 3, .byte = 4}));
}

TEST(Source, AStopWhileATooLongRowIsPassedOverLeavesThePositionBeforeIt) {
    Pipe pipe;
    Pipe stop;
    pipe.write("a\n1\n" + std::string(1000, '2'));
    const auto reader =
        io::open_rows(open_source(pipe.path(), {.stop_descriptor = stop.reading_end()}), {.longest_row = 100});
    std::thread stopper([&] {
        pause();
        stop.write("x");
    });
    const Reading got = drain(*reader);
    stopper.join();
    EXPECT_TRUE(numbers_are(got, {{1}}));
    EXPECT_EQ(got.positions.back(), (Position{.line = 3, .byte = 4}));
}

TEST(Source, AGrowingFileIsFollowedUntilTheStop) {
    TemporaryFile file("a\n1\n");
    Pipe stop;
    std::atomic<int> waits = 0;
    std::thread writer([&] {
        pause();
        file.append("2\n3");
        pause();
        file.append("4\n5");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.write("x");
    });
    const auto reader = io::open_rows(
        open_source(file.path(),
                    {.follow = true, .stop_descriptor = stop.reading_end(), .before_waiting = [&] { ++waits; }}),
        {});
    const Reading got = drain(*reader);
    writer.join();
    EXPECT_TRUE(numbers_are(got, {{1}, {2}, {34}}));
    EXPECT_GE(waits, 1);
    EXPECT_EQ(got.positions.back(), (Position{.line = 5, .byte = 9}));
    // Going on later at that place finds the row whole.
    file.append("6\n");
    const auto later = io::open_rows(open_source(file.path()), {});
    later->skip_to(got.positions.back());
    EXPECT_TRUE(numbers_are(drain(*later), {{56}}));
}

TEST(Source, AFollowedFileThatIsEmptiedHasEnded) {
    TemporaryFile file("a\n1\n2\n3\n");
    const auto source = open_source(file.path(), {.follow = true});
    std::array<char, 100> room{};
    EXPECT_EQ(source->read(room), 8U);
    file.replace("a\n");
    EXPECT_EQ(source->read(room), 0U);
    EXPECT_EQ(source->file_end(), io::FileEnd::emptied);
    EXPECT_FALSE(source->complete());
    source->finish();
    EXPECT_TRUE(source->complete());
}

TEST(Source, AFollowedFileThatIsEmptiedAndHasGrownBeyondWhatWasReadHasEnded) {
    TemporaryFile file("a\n1\n2\n3\n");
    const auto source = open_source(file.path(), {.follow = true});
    std::array<char, 100> room{};
    EXPECT_EQ(source->read(room), 8U);
    file.replace("a\n4\n5\n6\n7\n8\n");
    EXPECT_EQ(source->read(room), 0U);
    EXPECT_EQ(source->file_end(), io::FileEnd::emptied);
}

TEST(Source, AnUnfollowedFileEndsWithItsLastLine) {
    const TemporaryFile file("a\n1\n2");
    EXPECT_TRUE(numbers_are(drain(*io::open_rows(open_source(file.path()), {})), {{1}, {2}}));
}

TEST(Source, AFollowedCompressedFileWaitsForItsRest) {
    const std::string packed = gzipped(plain_text(2000));
    TemporaryFile file(packed.substr(0, packed.size() / 2));
    Pipe stop;
    std::thread writer([&] {
        pause();
        file.append(packed.substr(packed.size() / 2));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.write("x");
    });
    const auto reader =
        io::open_rows(open_source(file.path(), {.follow = true, .stop_descriptor = stop.reading_end()}), {});
    EXPECT_EQ(drain(*reader).rows.size(), 2000U);
    writer.join();
}

TEST(Source, StandardInputIsCalledByItsName) {
    const TemporaryFile file("skipped\na\n1\n");
    const int saved = ::dup(STDIN_FILENO);
    const int opened = ::open(file.path().c_str(), O_RDONLY);
    ::dup2(opened, STDIN_FILENO);
    ::lseek(STDIN_FILENO, 8, SEEK_SET);  // as after a program that has read a part of it
    {
        const auto reader = io::open_rows(open_source("-"), {});
        EXPECT_EQ(reader->source().name(), "standard input");
        const Reading got = drain(*reader);
        EXPECT_TRUE(numbers_are(got, {{1}}));
        EXPECT_EQ(got.rows.at(0).at.byte, 2U);
    }
    EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), 0);  // still open
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    ::close(opened);
}

}  // namespace
}  // namespace sluice::test::source_test
