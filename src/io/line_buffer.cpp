#include "line_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "file_source.hpp"

namespace sluice::io {

namespace {

constexpr std::size_t kFirstSize = std::size_t{1} << 13U;  // small inputs need little memory
constexpr std::size_t kUsualSize = std::size_t{1} << 18U;
constexpr std::size_t kLeastRoom = std::size_t{1} << 11U;  // less is not worth a system call

}  // namespace

LineBuffer::LineBuffer(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), bytes_(kFirstSize + kPadding) {}

bool LineBuffer::more() {
    const std::size_t usable = bytes_.size() - kPadding;
    if (usable - end_ < kLeastRoom) {
        const bool roomy = begin_ >= usable / 2;
        std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
        end_ -= std::exchange(begin_, 0);
        if (!roomy || usable < kUsualSize) {
            bytes_.resize((2 * usable) + kPadding);
        }
    }
    const std::size_t bytes = source_->read(std::span(bytes_).subspan(end_, bytes_.size() - kPadding - end_));
    end_ += bytes;
    bytes_[end_] = '\0';  // simdjson reads one byte after a row, which must not depend on what was there before
    return bytes > 0;
}

void LineBuffer::take(std::size_t bytes, std::uint64_t lines) {
    marker_.add(held().substr(0, bytes));
    begin_ += bytes;
    position_.byte += bytes;
    position_.line += lines;
    if (begin_ == end_) {
        // Views of held() stay valid until more() overwrites the bytes.
        begin_ = end_ = 0;
    }
}

void LineBuffer::skip_to(Position position, std::uint64_t tail) {
    if (position.byte < position_.byte) {
        throw SourceError(fmt::format("{}: reading cannot go back from byte {} to byte {}", source_->name(),
                                      position_.byte, position.byte));
    }
    const std::uint64_t tail_at = position.byte - std::min(tail, position.byte);
    take_until(std::min<std::uint64_t>(tail_at, TextMarker::kHead));
    jump_to(tail_at);
    take_until(position.byte);
    position_ = position;
}

// Reads and removes the bytes before `byte`, as one piece. Does nothing where they were removed before.
void LineBuffer::take_until(std::uint64_t byte) {
    while (position_.byte + (end_ - begin_) < byte) {
        if (!more()) {
            refuse_skip(source_->name(), position_.byte + (end_ - begin_), byte);
        }
    }
    if (byte > position_.byte) {
        take(static_cast<std::size_t>(byte - position_.byte), 0);
    }
}

// Removes the bytes before `byte` and does not look at them.
void LineBuffer::jump_to(std::uint64_t byte) {
    if (byte <= position_.byte) {
        return;
    }
    if (const std::uint64_t ahead = byte - position_.byte; ahead <= end_ - begin_) {
        begin_ += static_cast<std::size_t>(ahead);
    } else {
        source_->skip_to(byte);
        begin_ = end_ = 0;
    }
    position_.byte = byte;
}

}  // namespace sluice::io
