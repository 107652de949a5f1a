#include "peeked_source.hpp"

#include <algorithm>
#include <utility>

namespace sluice::portfolio {

PeekedSource::PeekedSource(std::unique_ptr<io::ByteSource> source) : source_(std::move(source)) {
    constexpr std::size_t kLooked = 4096;
    beginning_.resize(kLooked);
    std::size_t held = 0;
    while (held < kLooked) {
        const std::size_t bytes = source_->read(std::span<char>(beginning_).subspan(held));
        if (bytes == 0) {
            break;
        }
        held += bytes;
    }
    beginning_.resize(held);
}

std::size_t PeekedSource::read(std::span<char> room) {
    if (at_ == beginning_.size()) {
        return source_->read(room);
    }
    const std::size_t bytes = std::min(room.size(), beginning_.size() - at_);
    std::copy_n(beginning_.data() + at_, bytes, room.data());
    at_ += bytes;
    return bytes;
}

void PeekedSource::skip_to(std::uint64_t byte) {
    if (byte <= beginning_.size()) {
        at_ = static_cast<std::size_t>(byte);
        return;
    }
    at_ = beginning_.size();
    source_->skip_to(byte);
}

}  // namespace sluice::portfolio
