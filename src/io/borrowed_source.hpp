// borrowed_source.hpp -- a source that somebody else owns, so that its owner can ask how it ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "source.hpp"

namespace sluice::io {

class BorrowedSource final : public ByteSource {
  public:
    explicit BorrowedSource(ByteSource& source) : source_(source) {}

    [[nodiscard]] std::size_t read(std::span<char> room) override { return source_.read(room); }
    [[nodiscard]] bool complete() const override { return source_.complete(); }
    void skip_to(std::uint64_t byte) override { source_.skip_to(byte); }
    [[nodiscard]] double share_read() const override { return source_.share_read(); }
    [[nodiscard]] const std::string& name() const override { return source_.name(); }

  private:
    ByteSource& source_;
};

}  // namespace sluice::io
