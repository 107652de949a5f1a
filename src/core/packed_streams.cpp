#include "packed_streams.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::core {

namespace {

constexpr int kLevel = 1;             // 3: 0.1 % smaller, and takes twice the time
constexpr std::size_t kVerbatim = 8;  // first bytes, by which saved_kind() tells models apart
constexpr std::size_t kSmallest =
    64;  // bytes below which a block may be stored in anything: zstd needs some for itself

// Numbers between 2^-128 and 2^128 have the same three highest bits of their exponents.
constexpr std::uint64_t kExponentShift = std::uint64_t{1023 - 128} << 52U;

std::uint64_t turned(std::uint64_t word) {
    return std::rotl(word - kExponentShift, 4);
}
std::uint32_t turned(std::uint32_t word) {
    return std::rotl(word, 1);
}
std::uint64_t turned_back(std::uint64_t word) {
    return std::rotr(word, 4) + kExponentShift;
}
std::uint32_t turned_back(std::uint32_t word) {
    return std::rotr(word, 1);
}

[[noreturn]] void refuse(const char* what) {
    throw StateError(std::string("saved state refused: ") + what);
}

std::size_t least_stored(std::size_t size) {
    return size <= kSmallest ? 0 : size / kMostPacked;
}

// What zstd works in: made once in each thread, which takes longer than to compress a small state.
template <auto make, auto free>
auto* context() {
    using Context = std::remove_pointer_t<decltype(make())>;
    struct Free {
        void operator()(Context* made) const { free(made); }
    };
    thread_local std::unique_ptr<Context, Free> own;
    if (!own) {
        own.reset(make());
    }
    if (!own) {
        throw std::bad_alloc();
    }
    return own.get();
}

class Packer {
  public:
    Packer(std::size_t room, bool compress) : context_(context<ZSTD_createCCtx, ZSTD_freeCCtx>()), compress_(compress) {
        out_.reserve(room);
    }

    void put(const void* from, std::size_t bytes) {
        const auto* first = static_cast<const std::byte*>(from);
        out_.insert(out_.end(), first, first + bytes);
    }
    void put_size(std::uint64_t size) { put(&size, sizeof size); }

    void put_words(std::span<const std::uint64_t> words, std::span<const std::uint64_t> cuts) {
        std::size_t from = 0;
        for (const std::uint64_t to : cuts) {
            put_words(words.subspan(from, to - from));
            from = to;
        }
        put_words(words.subspan(from));
    }

    /// The length of what follows, and a block of that length: compressed, or as it is where that is not longer.
    void put_block(std::span<const std::byte> block) {
        const std::size_t at = out_.size();
        put_size(0);
        std::uint64_t stored = block.size();
        std::size_t size = block.size();
        if (compress_ && !looks_random(block)) {
            if (block.size() > scratch_size_) {
                scratch_size_ = block.size();
                scratch_ = std::make_unique_for_overwrite<std::byte[]>(scratch_size_);  // NOLINT(*-avoid-c-arrays)
            }
            size = ZSTD_compressCCtx(context_, scratch_.get(), scratch_size_, block.data(), block.size(), kLevel);
        }
        if (ZSTD_isError(size) == 0U && size < block.size()) {
            stored = std::max(size, least_stored(block.size()));
            put(scratch_.get(), size);
            out_.resize(at + sizeof stored + stored, std::byte{});
        } else {
            put(block.data(), block.size());
        }
        std::memcpy(out_.data() + at, &stored, sizeof stored);
    }

    template <typename Word>
    void put_words(std::span<const Word> words) {
        constexpr std::size_t kBytes = sizeof(Word);
        const std::size_t n = words.size();
        planes_.resize(n * kBytes);
        for (std::size_t i = 0; i < n; ++i) {
            const Word word = turned(words[i]);
            for (std::size_t b = 0; b < kBytes; ++b) {
                planes_[(b * n) + i] = static_cast<std::byte>(word >> (8U * b));
            }
        }
        for (std::size_t b = 0; b < kBytes; ++b) {
            put_block(std::span(planes_).subspan(b * n, n));
        }
    }

    [[nodiscard]] std::vector<std::byte> packed() && { return std::move(out_); }

  private:
    // Whether all bytes come about equally often, as those of a mantissa: there is nothing to gain.
    static bool looks_random(std::span<const std::byte> block) {
        constexpr std::size_t kLooked = 512;
        constexpr double kUsual = 255.0 + (6.0 * 22.6);  // chi square of equal shares: mean and six standard deviations
        if (block.size() < kLooked) {
            return false;
        }
        const std::size_t apart = block.size() / kLooked;
        std::array<int, 256> counts{};
        for (std::size_t i = 0; i < kLooked; ++i) {
            ++counts[static_cast<std::size_t>(block[i * apart])];
        }
        constexpr double kExpected = kLooked / 256.0;
        double chi_square = 0.0;
        for (const int count : counts) {
            chi_square += (count - kExpected) * (count - kExpected) / kExpected;
        }
        return chi_square < kUsual;
    }

    ZSTD_CCtx* context_;
    bool compress_;
    std::vector<std::byte> out_;
    std::vector<std::byte> planes_;
    std::unique_ptr<std::byte[]> scratch_;  // NOLINT(*-avoid-c-arrays): not filled with zeros first
    std::size_t scratch_size_ = 0;
};

class Unpacker {
  public:
    explicit Unpacker(std::span<const std::byte> packed)
        : left_(packed), context_(context<ZSTD_createDCtx, ZSTD_freeDCtx>()) {}

    std::span<const std::byte> take(std::uint64_t bytes) {
        if (bytes > left_.size()) {
            refuse("it ends too early");
        }
        const auto taken = left_.first(bytes);
        left_ = left_.subspan(bytes);
        return taken;
    }
    std::uint64_t take_size() {
        std::uint64_t size = 0;
        std::memcpy(&size, take(sizeof size).data(), sizeof size);
        return size;
    }

    /// How many numbers of this size follow: no more than what is left may hold.
    std::size_t take_count(std::size_t bytes_each) {
        const std::uint64_t count = take_size();
        const std::uint64_t least = least_stored(count);
        if (least > (left_.size() - std::min<std::uint64_t>(left_.size(), claimed_)) / bytes_each) {
            refuse("its sizes do not fit its length");
        }
        claimed_ += least * bytes_each;
        return static_cast<std::size_t>(count);
    }

    void take_block(std::span<std::byte> block) {
        const auto stored = take(take_size());
        if (stored.size() == block.size()) {
            std::ranges::copy(stored, block.begin());
            return;
        }
        if (stored.size() > block.size() || stored.size() < least_stored(block.size())) {
            refuse("the length of a block is out of range");
        }
        const std::size_t frame = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
        if (ZSTD_isError(frame) != 0U ||
            ZSTD_decompressDCtx(context_, block.data(), block.size(), stored.data(), frame) != block.size()) {
            refuse("a block cannot be decompressed");
        }
    }

    template <typename Word>
    void take_words(std::span<Word> words) {
        constexpr std::size_t kBytes = sizeof(Word);
        const std::size_t n = words.size();
        std::vector<std::byte> planes(n * kBytes);
        for (std::size_t b = 0; b < kBytes; ++b) {
            take_block(std::span(planes).subspan(b * n, n));
        }
        for (std::size_t i = 0; i < n; ++i) {
            Word word = 0;
            for (std::size_t b = 0; b < kBytes; ++b) {
                word |= static_cast<Word>(planes[(b * n) + i]) << (8U * b);
            }
            words[i] = turned_back(word);
        }
    }
    [[nodiscard]] bool at_end() const { return left_.empty(); }

  private:
    std::span<const std::byte> left_;
    std::uint64_t claimed_ = 0;  // of these, by the counts so far
    ZSTD_DCtx* context_;
};

}  // namespace

std::vector<std::byte> pack(const Streams& streams, bool compress) {
    const std::size_t doubles = streams.doubles.size() * sizeof(double);
    const std::size_t floats = streams.floats.size() * sizeof(float);
    const std::size_t bits = streams.bits.size() * sizeof(std::uint64_t);
    constexpr std::size_t kFrames = 4096;
    Packer out(streams.bytes.size() + doubles + floats + bits + streams.widths.size() + kFrames, compress);
    std::array<std::byte, kVerbatim> first{};
    const std::size_t verbatim = std::min(kVerbatim, streams.bytes.size());
    std::copy_n(streams.bytes.begin(), verbatim, first.begin());
    out.put(first.data(), first.size());
    for (const std::size_t size : {streams.bytes.size(), streams.doubles.size(), streams.floats.size(),
                                   streams.widths.size(), streams.bits.size()}) {
        out.put_size(size);
    }
    out.put_block(std::span(streams.bytes).subspan(verbatim));
    out.put_size(streams.cuts.size());
    out.put(streams.cuts.data(), streams.cuts.size() * sizeof(std::uint64_t));
    out.put_words(streams.doubles, streams.cuts);
    out.put_words(std::span<const std::uint32_t>(streams.floats));
    out.put_block(std::as_bytes(std::span(streams.widths)));
    out.put(streams.bits.data(), bits);
    return std::move(out).packed();
}

Streams unpack(std::span<const std::byte> packed) {
    Unpacker in(packed);
    const auto first = in.take(kVerbatim);
    Streams streams;
    const std::size_t bytes = in.take_count(sizeof(std::byte));
    if (bytes < kVerbatim) {
        refuse("it has no beginning");
    }
    const std::size_t doubles = in.take_count(sizeof(double));
    const std::size_t floats = in.take_count(sizeof(float));
    const std::size_t widths = in.take_count(sizeof(std::uint8_t));
    const std::size_t bits = in.take_count(sizeof(std::uint64_t));
    streams.bytes.resize(bytes);
    std::ranges::copy(first, streams.bytes.begin());
    in.take_block(std::span(streams.bytes).subspan(kVerbatim));
    streams.doubles.resize(doubles);
    const std::uint64_t cuts = in.take_size();
    if (cuts > kMostCuts) {
        refuse("it has too many parts");
    }
    std::size_t from = 0;
    for (std::uint64_t cut = 0; cut < cuts; ++cut) {
        streams.cuts.push_back(in.take_size());
    }
    for (const std::uint64_t to : streams.cuts) {
        if (to < from || to > doubles) {
            refuse("the beginning of a part is out of range");
        }
        in.take_words(std::span(streams.doubles).subspan(from, to - from));
        from = to;
    }
    in.take_words(std::span(streams.doubles).subspan(from));
    streams.floats.resize(floats);
    in.take_words(std::span(streams.floats));
    streams.widths.resize(widths);
    in.take_block(std::as_writable_bytes(std::span(streams.widths)));
    const auto raw = in.take(std::uint64_t{bits} * sizeof(std::uint64_t));
    streams.bits.resize(bits);
    if (bits > 0) {
        std::memcpy(streams.bits.data(), raw.data(), raw.size());
    }
    if (!in.at_end()) {
        refuse("it goes on after its end");
    }
    return streams;
}

}  // namespace sluice::core
