#include "inflate.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "source.hpp"

namespace sluice::io {

namespace {

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

class GzipInflater final : public Inflater {
  public:
    explicit GzipInflater(std::string name) : name_(std::move(name)) {
        constexpr int kOnlyGzip = 16 + MAX_WBITS;
        if (inflateInit2(&stream_, kOnlyGzip) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~GzipInflater() override { inflateEnd(&stream_); }
    GzipInflater(const GzipInflater&) = delete;
    GzipInflater& operator=(const GzipInflater&) = delete;
    GzipInflater(GzipInflater&&) = delete;
    GzipInflater& operator=(GzipInflater&&) = delete;

    Step step(std::span<const char> packed, std::span<char> room) override {
        if (between_members_) {  // tapes and some programs pad with zeros
            const auto padding = static_cast<std::size_t>(
                std::ranges::find_if(packed, [](char c) { return c != '\0'; }) - packed.begin());
            if (members_ > 0 && padding > 0) {
                return {.taken = padding, .made = 0};
            }
            between_members_ = packed.empty();
        }
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        packed = packed.first(std::min(packed.size(), most));
        room = room.first(std::min(room.size(), most));
        // zlib does not write to its input
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT(*-cast)
        stream_.avail_in = static_cast<uInt>(packed.size());
        stream_.next_out = reinterpret_cast<Bytef*>(room.data());  // NOLINT(*-cast)
        stream_.avail_out = static_cast<uInt>(room.size());
        const int status = inflate(&stream_, Z_NO_FLUSH);
        const Step done{.taken = packed.size() - stream_.avail_in, .made = room.size() - stream_.avail_out};
        if (status == Z_STREAM_END) {
            inflateReset(&stream_);
            between_members_ = true;
            ++members_;
        } else if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            throw DamagedSource(fmt::format("{}: gzip data is damaged ({}){}", name_,
                                            stream_.msg == nullptr ? "it asks for a dictionary" : stream_.msg,
                                            members_ == 0 ? "" : fmt::format(", in or after member {}", members_)));
        }
        return done;
    }

    bool may_end() const override { return between_members_ && members_ > 0; }

  private:
    std::string name_;
    z_stream stream_{};
    bool between_members_ = true;
    std::size_t members_ = 0;
};

class ZstdInflater final : public Inflater {
  public:
    explicit ZstdInflater(std::string name) : name_(std::move(name)), stream_(ZSTD_createDStream()) {
        if (stream_ == nullptr) {
            throw std::bad_alloc();
        }
    }

    Step step(std::span<const char> packed, std::span<char> room) override {
        ZSTD_inBuffer in{.src = packed.data(), .size = packed.size(), .pos = 0};
        ZSTD_outBuffer out{.dst = room.data(), .size = room.size(), .pos = 0};
        const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
        if (ZSTD_isError(status) != 0) {
            throw DamagedSource(fmt::format("{}: zstd data is damaged ({})", name_, ZSTD_getErrorName(status)));
        }
        // Without input it only returns what it has buffered, and then asks for the next frame.
        between_frames_ = status == 0 || (between_frames_ && in.pos == 0);
        return {.taken = in.pos, .made = out.pos};
    }

    bool may_end() const override { return between_frames_; }

  private:
    struct Free {
        void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
    };

    std::string name_;
    std::unique_ptr<ZSTD_DStream, Free> stream_;
    bool between_frames_ = false;
};

}  // namespace

Packing packing_of(std::string_view first_bytes) noexcept {
    for (const auto& [mark, packing] : {std::pair(kGzip, Packing::gzip), std::pair(kZstd, Packing::zstd)}) {
        if (first_bytes.starts_with(mark)) {
            return packing;
        }
        if (mark.starts_with(first_bytes)) {
            return Packing::unknown;
        }
    }
    return Packing::plain;
}

std::unique_ptr<Inflater> make_inflater(Packing packing, std::string name) {
    if (packing == Packing::gzip) {
        return std::make_unique<GzipInflater>(std::move(name));
    }
    return std::make_unique<ZstdInflater>(std::move(name));
}

}  // namespace sluice::io
