#include "cell_cursor.hpp"

namespace sluice::io {

bool CellCursor::next(std::string_view& cell) {
    if (done_) {
        return false;
    }
    while (at_ < text_.size() && is_blank(text_[at_], delimiter_)) {
        ++at_;
    }
    text_after_quote_ = false;
    if (at_ < text_.size() && text_[at_] == '"') {
        cell = unquoted();
        const std::size_t end = end_of_cell();
        text_after_quote_ = !trimmed(text_.substr(at_, end - at_), delimiter_).empty();
        at_ = end;
    } else {
        const std::size_t end = end_of_cell();
        cell = trimmed(text_.substr(at_, end - at_), delimiter_);
        at_ = end;
    }
    done_ = at_ == text_.size();
    ++at_;
    return true;
}

std::size_t CellCursor::end_of_cell() const noexcept {
    const std::size_t end = delimiter_ == ' ' ? text_.find_first_of(" \t", at_) : text_.find(delimiter_, at_);
    return end == std::string_view::npos ? text_.size() : end;
}

// The text between two quotes, in which two quotes in a row mean one; moves past the closing quote.
std::string_view CellCursor::unquoted() {
    room_.clear();
    for (std::size_t begin = at_ + 1;;) {
        const std::size_t quote = text_.find('"', begin);
        room_.append(text_.substr(begin, quote - begin));
        if (quote == std::string_view::npos) {  // cannot happen: no quote is open at the end of a record
            at_ = text_.size();
            return room_;
        }
        at_ = quote + 1;
        if (at_ == text_.size() || text_[at_] != '"') {
            return room_;
        }
        room_ += '"';
        begin = at_ + 1;
    }
}

}  // namespace sluice::io
