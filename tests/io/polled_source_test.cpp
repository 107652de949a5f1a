#include "polled_source.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "files.hpp"
#include "row_reader.hpp"

namespace polled_source_test {
namespace {

using namespace sluice::test;
namespace io = sluice::io;

std::vector<double> there_now(io::RowReader& reader) {
    std::vector<double> out;
    for (io::Row row; reader.next(row);) {
        out.push_back(row.numbers[0]);
    }
    return out;
}

TEST(PolledSource, GivesTheRowsThatAreThereAndLaterThoseThatCame) {
    TemporaryFile file("a\n1\n2");
    const auto reader = io::open_rows(io::open_polled(file.path()), {});
    reader->want({0}, {});
    EXPECT_EQ(there_now(*reader), (std::vector<double>{1}));  // 2 may still become 23
    EXPECT_EQ(there_now(*reader), (std::vector<double>{}));
    file.append("3\n");
    EXPECT_EQ(there_now(*reader), (std::vector<double>{23}));
    const io::Position position = reader->position();
    file.append("4\n");
    const auto later = io::open_rows(io::open_polled(file.path()), {});
    later->want({0}, {});
    later->skip_to(position);
    EXPECT_EQ(there_now(*later), (std::vector<double>{4}));
    file.replace("a\n");
    EXPECT_THROW((void)there_now(*later), io::SourceError);
}

TEST(PolledSource, ReadsANamedPipeWithoutWaitingForItsWriter) {
    const TemporaryFile place;
    const std::string path = std::string(place.path()) + ".fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // NOLINT(*-vararg)
    ASSERT_GE(writer, 0);
    const auto write = [&](const std::string& text) {
        ASSERT_EQ(::write(writer, text.data(), text.size()), static_cast<::ssize_t>(text.size()));
    };
    write("a\n1\n");
    const auto reader = io::open_rows(io::open_polled(path), {});
    reader->want({0}, {});
    EXPECT_EQ(there_now(*reader), (std::vector<double>{1}));
    EXPECT_EQ(there_now(*reader), (std::vector<double>{}));
    write("2\n");
    EXPECT_EQ(there_now(*reader), (std::vector<double>{2}));
    ::close(writer);
    EXPECT_EQ(there_now(*reader), (std::vector<double>{}));
    ::unlink(path.c_str());
}

TEST(PolledSource, AFileThatIsNotThereIsNamed) {
    try {
        (void)io::open_polled("/nowhere/labels.csv");
        FAIL();
    } catch (const io::SourceError& error) {
        EXPECT_EQ(std::string(error.what()), "/nowhere/labels.csv: No such file or directory");
    }
}

}  // namespace
}  // namespace polled_source_test
