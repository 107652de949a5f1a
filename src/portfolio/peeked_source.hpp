// peeked_source.hpp -- a source whose beginning can be seen before it is read: pipes cannot be opened twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "source.hpp"

namespace sluice::portfolio {

class PeekedSource final : public io::ByteSource {
  public:
    explicit PeekedSource(std::unique_ptr<io::ByteSource> source);

    [[nodiscard]] std::string_view beginning() const noexcept { return beginning_; }

    std::size_t read(std::span<char> room) override;
    [[nodiscard]] bool complete() const override { return source_->complete(); }
    void skip_to(std::uint64_t byte) override;
    [[nodiscard]] double share_read() const override { return source_->share_read(); }
    [[nodiscard]] const std::string& name() const override { return source_->name(); }

  private:
    std::unique_ptr<io::ByteSource> source_;
    std::string beginning_;
    std::size_t at_ = 0;  ///< of the beginning
};

}  // namespace sluice::portfolio
