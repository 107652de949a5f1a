// feed.hpp -- the rows of a stream job's input, across the files in which they come.
//
// A file that is followed may be rotated:
//     by renaming       FILE becomes FILE.1 and a new FILE begins: FILE.1 is read to its end, then FILE from its beginning
//     by copying        FILE is copied to FILE.1 and emptied: what was not read yet is read from FILE.1
//     by replacing      another file is renamed to FILE. If it begins with what was read so far, reading continues in it;
//                       otherwise it is read from its beginning
// A new file has the same columns, in any order, or what `wrap` makes of others. If its first line is a row and no header,
// the columns are those of the file before.
//
// A resumed run continues only in the text that the checkpoint was written for: the beginning of the file and its last row
// before the position have the hashes that the checkpoint holds (text_mark.hpp). The file's number (inode) only decides
// which of several such files is meant. With `follow`, FILE.1 to FILE.9 are searched too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "message.hpp"
#include "row_reader.hpp"
#include "source.hpp"

namespace sluice::job {

/// Reading was stopped before the columns of the input were known.
class Stopped : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Where the next row begins, and in which text.
struct FeedPlace {
    io::Position at;
    io::TextMark mark;
    io::FileId file = {};
    std::uint64_t rows = 0;            ///< of this file, good and bad ones
    std::vector<std::string> columns;  ///< in their order

    friend bool operator==(const FeedPlace&, const FeedPlace&) = default;
};

class Feed {
  public:
    struct Settings {
        std::string path;
        io::Dialect dialect;
        io::SourceOptions options;
        /// Of each reader. `continues`: its file continues those before it, or has the columns of the place.
        std::function<std::unique_ptr<io::RowReader>(std::unique_ptr<io::RowReader>, bool continues)> wrap = {};
    };
    /// Called for every file before its first row: says which columns are wanted, or throws where they do not fit.
    using Prepare = std::function<void(io::RowReader& reader)>;

    Feed(Settings settings, MessageHandler message);
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;
    Feed(Feed&&) = delete;
    Feed& operator=(Feed&&) = delete;

    /// From the beginning of the input, which may continue an earlier one. Throws Stopped and what io::open_rows() throws.
    void open(bool continues = false);
    /// From a place of an earlier run. `check` throws where columns do not fit. Throws UsageError where the input is
    /// another text.
    void open_at(const FeedPlace& place, const Prepare& check);
    /// `prepare` is called now, and for every file that follows.
    void prepare(Prepare prepare);

    /// As RowReader::next(); continues in the next file at the end of one.
    [[nodiscard]] bool next(io::Row& row);

    [[nodiscard]] io::RowReader& reader() { return *reader_; }  ///< of the present file
    [[nodiscard]] const io::RowReader& reader() const { return *reader_; }
    [[nodiscard]] const std::vector<std::string>& columns() const { return reader_->columns(); }
    /// Sets `place` to where the next row begins. Allocates only when there is another file than in the last call.
    void note_place(FeedPlace& place);

  private:
    struct Opened {
        std::unique_ptr<io::ByteSource> source;
        std::unique_ptr<io::RowReader> reader;
        std::vector<std::string> columns;  // of the file, before the reader was wrapped
    };
    [[nodiscard]] Opened opened(int descriptor, bool follow, std::vector<std::string> columns_before) const;
    [[nodiscard]] std::optional<Opened> continued(int descriptor, const FeedPlace& place, std::string& why) const;
    [[nodiscard]] std::optional<Opened> find_place(const FeedPlace& place, std::string& why) const;
    [[nodiscard]] bool skip_counted_rows(const FeedPlace& place, const Prepare& check);
    [[nodiscard]] bool go_on();
    [[nodiscard]] bool continue_in_copy(io::FileEnd end);
    [[nodiscard]] bool open_successor(io::FileEnd end);
    void use(Opened opened);

    Settings settings_;
    MessageHandler message_;
    Prepare prepare_;
    bool continues_ = false;                  // the first file does
    std::vector<std::string> place_columns_;  // of the place at which reading began, sorted
    Opened present_;
    io::RowReader* reader_ = nullptr;  // of present_
    bool reads_once_ = false;          // standard input, or a pipe
    std::uint64_t rows_ = 0;           // of the present file
    bool finished_ = false;            // the present file has ended, and its last line counts as it is
    bool place_is_new_ = true;         // there is another file since the last note_place()
};

}  // namespace sluice::job
