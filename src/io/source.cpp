// source.cpp -- open_source(): a file whose first bytes, when they are read, show how it is packed.
#include "source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "file_source.hpp"
#include "inflate.hpp"

namespace sluice::io {

namespace {

class OpenedSource final : public ByteSource {
  public:
    explicit OpenedSource(std::unique_ptr<ByteSource> file) : file_(std::move(file)) {}

    std::size_t read(std::span<char> room) override {
        const std::size_t bytes = find_packing() ? unpack(room) : copy_held(room);
        at_ += bytes;
        return bytes;
    }

    bool complete() const override { return file_->complete(); }
    FileEnd file_end() const override { return file_->file_end(); }
    void finish() override { file_->finish(); }
    void follow() override { file_->follow(); }
    FileId file_id() const override { return file_->file_id(); }
    bool unlinked() const override { return file_->unlinked(); }
    bool stopped() const override { return file_->stopped(); }

    void skip_to(std::uint64_t byte) override {
        if (byte <= at_) {
            return;
        }
        if (find_packing()) {
            read_on(*this, at_, byte);
            return;
        }
        const std::uint64_t fetched = at_ + (end_ - begin_);
        if (byte >= fetched) {
            file_->skip_to(byte);
            begin_ = end_;
        } else {
            begin_ += static_cast<std::size_t>(byte - at_);
        }
        at_ = byte;
    }

    double share_read() const override { return file_->share_read(); }
    const std::string& name() const override { return file_->name(); }

  private:
    // Whether the bytes are packed. Reads no more of the file than it takes to decide.
    bool find_packing() {
        while (packing_ == Packing::unknown) {
            packing_ = packing_of(std::string_view(held_.data(), end_));
            if (packing_ == Packing::unknown && !fetch()) {
                if (!complete()) {
                    return false;
                }
                packing_ = Packing::plain;
            }
        }
        if (packing_ == Packing::plain) {
            return false;
        }
        if (inflater_ == nullptr) {
            inflater_ = make_inflater(packing_, name());
        }
        return true;
    }

    // Reads more of the file after the bytes held; false at its end.
    bool fetch() {
        if (begin_ == end_) {
            begin_ = end_ = 0;
        }
        const std::size_t bytes = file_->read(std::span(held_).subspan(end_));
        end_ += bytes;
        return bytes > 0;
    }

    std::size_t copy_held(std::span<char> room) {
        if (begin_ == end_) {
            return packing_ == Packing::plain ? file_->read(room) : 0;
        }
        const std::size_t bytes = std::min(room.size(), end_ - begin_);
        std::copy_n(held_.data() + begin_, bytes, room.data());
        begin_ += bytes;
        return bytes;
    }

    std::size_t unpack(std::span<char> room) {
        for (;;) {
            const auto [taken, made] = inflater_->step(std::span(held_).subspan(begin_, end_ - begin_), room);
            begin_ += taken;
            if (made > 0) {
                return made;
            }
            if (taken == 0 && !fetch()) {
                if (complete() && (begin_ < end_ || !inflater_->may_end())) {
                    throw DamagedSource(
                        fmt::format("{}: {} data ends too early: the file was cut short, or is still being written",
                                    name(), packing_ == Packing::gzip ? "gzip" : "zstd"));
                }
                return 0;
            }
        }
    }

    std::unique_ptr<ByteSource> file_;
    std::vector<char> held_ = std::vector<char>(std::size_t{1} << 17U);
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t at_ = 0;
    Packing packing_ = Packing::unknown;
    std::unique_ptr<Inflater> inflater_;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path, SourceOptions options) {
    return std::make_unique<OpenedSource>(open_file(path, std::move(options)));
}

}  // namespace sluice::io
