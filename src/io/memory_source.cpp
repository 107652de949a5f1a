#include <algorithm>
#include <utility>

#include "file_source.hpp"
#include "source.hpp"

namespace sluice::io {

namespace {

class MemorySource final : public ByteSource {
  public:
    MemorySource(std::string bytes, std::size_t piece, std::string name)
        : bytes_(std::move(bytes)), piece_(std::max<std::size_t>(piece, 1)), name_(std::move(name)) {}

    std::size_t read(std::span<char> room) override {
        const std::size_t bytes = std::min({room.size(), piece_, bytes_.size() - at_});
        std::copy_n(bytes_.data() + at_, bytes, room.data());
        at_ += bytes;
        return bytes;
    }

    void skip_to(std::uint64_t byte) override {
        if (byte > bytes_.size()) {
            refuse_skip(name_, bytes_.size(), byte);
        }
        at_ = static_cast<std::size_t>(byte);
    }

    double share_read() const override {
        return bytes_.empty() ? 1.0 : static_cast<double>(at_) / static_cast<double>(bytes_.size());
    }

    const std::string& name() const override { return name_; }

  private:
    std::string bytes_;
    std::size_t piece_;
    std::size_t at_ = 0;
    std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::string bytes, std::size_t piece, std::string name) {
    return std::make_unique<MemorySource>(std::move(bytes), piece, std::move(name));
}

}  // namespace sluice::io
