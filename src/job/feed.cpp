#include "feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "borrowed_source.hpp"
#include "rotated_files.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

std::vector<std::string> in_order(std::vector<std::string> names) {
    std::ranges::sort(names);
    return names;
}

std::string difference(const io::TextMark& now, const FeedPlace& then) {
    if (now.head_hash != then.mark.head_hash || now.head_bytes != then.mark.head_bytes) {
        return fmt::format("its first {} bytes are different", then.mark.head_bytes);
    }
    return fmt::format("it has another row before line {} (byte {})", then.at.line, then.at.byte);
}

}  // namespace

Feed::Feed(Settings settings, MessageHandler message) : settings_(std::move(settings)), message_(std::move(message)) {
    std::error_code none_yet;
    const bool exists = settings_.path != "-" && std::filesystem::exists(settings_.path, none_yet);
    reads_once_ = settings_.path == "-" || (exists && !std::filesystem::is_regular_file(settings_.path, none_yet));
}

Feed::~Feed() = default;

// Waits for the names of the columns where the file is followed.
Feed::Opened Feed::opened(int descriptor, bool follow, std::vector<std::string> columns_before) const {
    io::SourceOptions options = settings_.options;
    options.descriptor = descriptor;
    options.follow = follow;
    io::Dialect dialect = settings_.dialect;
    bool continues = continues_ || !columns_before.empty();
    if (!columns_before.empty()) {
        dialect.known_columns = columns_before;
    }
    dialect.columns_before = std::move(columns_before);
    Opened out;
    out.source = io::open_source(settings_.path, std::move(options));
    try {
        out.reader = io::open_rows(std::make_unique<io::BorrowedSource>(*out.source), dialect);
        out.columns = out.reader->columns();
        if (settings_.wrap) {
            continues = continues || (!place_columns_.empty() && in_order(out.columns) == place_columns_);
            out.reader = settings_.wrap(std::move(out.reader), continues);
        }
    } catch (const io::RowError&) {
        throw;
    } catch (const DataError&) {
        if (out.source->stopped()) {
            throw Stopped(settings_.path + ": stopped before the columns were known");
        }
        if (out.source->file_end() == io::FileEnd::none) {
            throw;
        }
        out.reader = nullptr;  // the file has ended before its columns were known
    }
    return out;
}

void Feed::use(Opened opened) {
    if (prepare_) {
        prepare_(*opened.reader);
    }
    const Opened last = std::exchange(present_, std::move(opened));
    reader_ = present_.reader.get();
    finished_ = false;
    place_is_new_ = true;
}

void Feed::prepare(Prepare prepare) {
    prepare(*reader_);
    prepare_ = std::move(prepare);
}

void Feed::open(bool continues) {
    continues_ = continues;
    std::error_code trouble;
    if (settings_.options.follow && !std::filesystem::exists(settings_.path, trouble)) {
        message_({.text = settings_.path + " does not exist yet: waiting for it"});
    }
    for (;;) {
        Opened file = opened(-1, settings_.options.follow, {});
        if (file.reader != nullptr) {
            use(std::move(file));
            rows_ = 0;
            return;
        }
    }
}

// The file at `place`, if it is the text that the place is in; otherwise `why` says how it differs.
std::optional<Feed::Opened> Feed::continued(int descriptor, const FeedPlace& place, std::string& why) const {
    try {
        Opened file = opened(descriptor, false, place.columns);
        if (file.columns != place.columns) {
            why = "it has other columns, or in another order";
            return std::nullopt;
        }
        file.reader->skip_to(place.at, place.mark.tail_bytes);
        if (place.mark != io::TextMark{} && file.reader->mark() != place.mark) {
            why = difference(file.reader->mark(), place);
            return std::nullopt;
        }
        if (settings_.options.follow) {
            file.source->follow();
        }
        return file;
    } catch (const DataError&) {
        why = "it has no rows";
    } catch (const io::DamagedSource&) {
        throw;
    } catch (const io::SourceError&) {
        why = fmt::format("it ends before byte {}", place.at.byte);
    }
    return std::nullopt;
}

// `why` is about the youngest file that was tried.
std::optional<Feed::Opened> Feed::find_place(const FeedPlace& place, std::string& why) const {
    if (!settings_.options.follow) {
        return continued(-1, place, why);
    }
    why = "it does not exist";
    if (place.file != io::FileId{}) {
        if (const int same = file_with(settings_.path, place.file); same >= 0) {
            std::string other;
            if (auto file = continued(same, place, other)) {
                return file;
            }
        }
    }
    bool is_first = true;
    for (OpenFile& one : rotated_files(settings_.path)) {
        std::string reason;
        if (auto file = continued(one.release(), place, reason)) {
            return file;
        }
        if (std::exchange(is_first, false)) {
            why = reason;
        }
        if (place.rows == 0 || place.mark == io::TextMark{}) {
            break;  // a header alone does not tell one file from the next
        }
    }
    return std::nullopt;
}

void Feed::open_at(const FeedPlace& place, const Prepare& check) {
    place_columns_ = in_order(place.columns);
    std::string why;
    std::optional<Opened> file = reads_once_ ? std::nullopt : find_place(place, why);
    if (reads_once_) {
        use(opened(-1, false, {}));
        check(*reader_);
        if (present_.columns == place.columns) {
            reader_->skip_to(place.at, place.mark.tail_bytes);
            if (place.mark == io::TextMark{} || reader_->mark() == place.mark) {
                rows_ = place.rows;
                return;
            }
            why = difference(reader_->mark(), place);
        }
    } else if (file) {
        if (!(file->source->file_id() == place.file) && place.file != io::FileId{}) {
            message_({.text = fmt::format("{} is another file than before, with the same beginning and the same row "
                                          "before line {}: reading continues there",
                                          settings_.path, place.at.line)});
        }
        use(std::move(*file));
        rows_ = place.rows;
        return;
    }
    if (skip_counted_rows(place, check)) {
        return;
    }
    throw UsageError({"resume"},
                     fmt::format("{} is not the file that the checkpoint was written for: {}",
                                 settings_.path == "-" ? "standard input" : settings_.path, why),
                     {io::Remedy::learn_every_row, io::Remedy::read_from_start});
}

// Columns in another order: the bytes differ, and the rows are counted. False where that is not the case.
bool Feed::skip_counted_rows(const FeedPlace& place, const Prepare& check) {
    if (!reads_once_) {
        try {
            use(opened(-1, false, {}));
        } catch (const io::SourceError&) {
            if (settings_.options.follow) {
                return false;  // it does not exist
            }
            throw;
        } catch (const DataError&) {
            return false;
        }
        check(*reader_);
    }
    if (present_.columns == place.columns || in_order(present_.columns) != in_order(place.columns)) {
        return false;
    }
    io::Row row;
    for (rows_ = 0; rows_ < place.rows; ++rows_) {
        try {
            if (!reader_->next(row)) {
                throw DataError(fmt::format("{}: has {} rows, but the checkpoint was written after row {}",
                                            settings_.path, rows_, place.rows));
            }
        } catch (const io::RowError&) {
            continue;
        }
    }
    if (settings_.options.follow) {
        present_.source->follow();
    }
    return true;
}

bool Feed::next(io::Row& row) {
    try {
        while (!reader_->next(row)) {
            if (present_.source->file_end() == io::FileEnd::none || !go_on()) {
                return false;
            }
        }
    } catch (const io::RowError&) {
        ++rows_;
        throw;
    }
    ++rows_;
    return true;
}

// After the end of a file that is followed. False when reading must end.
bool Feed::go_on() {
    const io::FileEnd end = present_.source->file_end();
    if (!finished_) {
        if (!continue_in_copy(end)) {
            present_.source->finish();  // a last line without its newline is now a row, good or bad
            finished_ = true;
        }
        return true;
    }
    return open_successor(end);
}

bool Feed::continue_in_copy(io::FileEnd end) {
    FeedPlace place{.at = reader_->position(), .mark = reader_->mark(), .rows = rows_, .columns = present_.columns};
    std::string why;
    std::optional<Opened> copy;
    if (end == io::FileEnd::emptied && rows_ > 0) {
        const io::FileId own = present_.source->file_id();
        for (OpenFile& file : rotated_files(settings_.path)) {
            if (!copy && !(file.id() == own)) {
                copy = continued(file.release(), place, why);
            }
        }
    } else if (end == io::FileEnd::replaced && present_.source->unlinked()) {
        copy = continued(-1, place, why);
    }
    if (!copy) {
        return false;
    }
    const std::uint64_t rows = rows_;
    use(std::move(*copy));
    rows_ = rows;
    return true;
}

bool Feed::open_successor(io::FileEnd end) {
    const std::string& path = settings_.path;
    message_({.text = fmt::format("{} was {} after {} rows of it were read: reading continues with {}", path,
                                  end == io::FileEnd::emptied ? "emptied" : "replaced", rows_,
                                  end == io::FileEnd::emptied ? "its new content" : "the next file")});
    io::FileId last = present_.source->file_id();
    const std::vector<std::string> columns = present_.columns;
    for (;;) {
        const int descriptor = end == io::FileEnd::emptied ? file_with(path, last) : younger_than(path, last);
        try {
            Opened file = opened(descriptor, true, columns);
            if (file.reader != nullptr) {
                use(std::move(file));
                rows_ = 0;
                return true;
            }
            end = file.source->file_end();
            last = file.source->file_id();
        } catch (const Stopped&) {
            return false;
        }
    }
}

void Feed::note_place(FeedPlace& place) {
    place.at = reader_->position();
    place.mark = reader_->mark();
    place.rows = rows_;
    if (std::exchange(place_is_new_, false)) {
        place.file = present_.source->file_id();
        place.columns = present_.columns;
    }
}

}  // namespace sluice::job
