#include "published_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "support/scratch.hpp"

namespace sluice::io::published_folder_test {
namespace {

using test::content;

// Fails at the first rename.
class NoRename : public Disk {
  public:
    [[nodiscard]] int rename(const std::string& /*from*/, const std::string& /*to*/) override {
        errno = EIO;
        return -1;
    }
};

TEST(PublishedFolder, NothingAppearsBeforeItIsPublished) {
    const test::Scratch scratch;
    const std::string path = scratch.path("a/b");
    PublishedFolder folder(real_disk(), path);
    folder.add("one.csv", "1");
    folder.add("page.html", "page");
    EXPECT_FALSE(std::filesystem::exists(path + "/one.csv"));
    EXPECT_FALSE(std::filesystem::exists(path + "/page.html"));
    folder.publish();
    EXPECT_EQ(content(path + "/one.csv"), "1");
    EXPECT_EQ(content(path + "/page.html"), "page");
}

TEST(PublishedFolder, LeavesNoTraceWhereNothingIsPublished) {
    const test::Scratch scratch;
    { PublishedFolder folder(real_disk(), scratch.path("a/b")); }
    EXPECT_EQ(scratch.files(), 0U);
    {
        PublishedFolder folder(real_disk(), scratch.path("a/b/"));
        folder.add("page.html", "page");
    }
    EXPECT_EQ(scratch.files(), 0U);
}

TEST(PublishedFolder, KeepsWhatWasThereUntilTheNewIsWhole) {
    const test::Scratch scratch;
    const std::string path = scratch.path("report");
    std::filesystem::create_directory(path);
    test::write_file(path + "/page.html", "old");
    test::write_file(path + "/notes", "mine");
    {
        PublishedFolder folder(real_disk(), path);
        folder.add("page.html", "new");
    }
    EXPECT_EQ(content(path + "/page.html"), "old");
    {
        NoRename disk;
        PublishedFolder folder(disk, path);
        folder.add("page.html", "new");
        EXPECT_THROW(folder.publish(), DiskError);
    }
    EXPECT_EQ(content(path + "/page.html"), "old");
    {
        PublishedFolder folder(real_disk(), path);
        folder.add("page.html", "new");
        folder.publish();
    }
    EXPECT_EQ(content(path + "/page.html"), "new");
    EXPECT_EQ(content(path + "/notes"), "mine");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 2) << "nothing else is left";
}

TEST(PublishedFolder, IsRefusedAtOnceWhereItCannotBeWritten) {
    EXPECT_THROW(PublishedFolder(real_disk(), "/proc/report"), DiskError);
    const test::Scratch scratch;
    test::write_file(scratch.path("file"), "a file, no folder");
    EXPECT_THROW(PublishedFolder(real_disk(), scratch.path("file")), DiskError);
    EXPECT_THROW(PublishedFolder(real_disk(), scratch.path("file/below")), DiskError);
}

}  // namespace
}  // namespace sluice::io::published_folder_test
