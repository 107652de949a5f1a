// state.hpp -- a model's state as bytes: magic, version, length, payload, XXH3 of all that.
//
// Loading gives back the same bits. A plain payload has all numbers as they are in memory (little-endian, IEEE 754), one after the
// other; a packed one has them by kind and compressed (packed_streams.hpp).
// A reader never trusts a length: vectors are read into the size that the reader expects.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "packed_streams.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice::core {

// 3: hold_bonus among the options. 4: the first rows of a self-tuning model, whose states alone had this number. 5: packed, and without
// what follows from the rest. 2 is still read. Others than those of models are plain, and have number 3.
inline constexpr std::uint32_t kOldestVersion = 2;
inline constexpr std::uint32_t kPlainVersion = 3;
inline constexpr std::uint32_t kVersionWithFirstRows = 4;
inline constexpr std::uint32_t kPackedVersion = 5;

enum class Layout { plain, packed };

static_assert(std::endian::native == std::endian::little, "saved state is little-endian");

class StateWriter {
  public:
    explicit StateWriter(Layout layout = Layout::plain) : packed_(layout == Layout::packed) {}

    template <typename T>
    void put(const T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        if constexpr (std::is_arithmetic_v<T>) {
            put_all(std::span<const T>(&value, 1));
        } else {
            append(&value, sizeof(T));
        }
    }
    template <typename T>
    void put_all(std::span<const T> values) {
        static_assert(std::is_arithmetic_v<T>);
        if constexpr (std::is_floating_point_v<T>) {
            if (packed_) {
                append_numbers(values);
                return;
            }
        }
        append(values.data(), values.size_bytes());
    }
    template <typename T>
    void put_all(const std::vector<T>& values) {
        put_all(std::span<const T>(values));
    }
    /// A list whose length the reader does not know beforehand.
    void put_list(const std::vector<std::size_t>& values);

    void put_text(std::string_view text);
    void put_bytes(std::span<const std::byte> bytes) { append(bytes.data(), bytes.size()); }
    /// Numbers that may be missing: NaN is kept.
    void put_raw(std::span<const double> values) { put_all(values); }
    /// A number that is close to one that the reader knows too: it needs less room, and keeps its bits.
    /// unused: the lowest bits of the value's pattern that are all 0.
    void put_near(double value, double known, unsigned unused = 0);

    /// The numbers that follow are of another kind than those before: they are compressed by themselves.
    void cut() {
        if (packed_ && streams_.cuts.size() < kMostCuts) {
            streams_.cuts.push_back(streams_.doubles.size());
        }
    }

    /// The payload with its frame and checksum.
    [[nodiscard]] std::vector<std::byte> framed() const;
    /// Without, for those who have a frame of their own. Plain layout only.
    [[nodiscard]] std::vector<std::byte> unframed() && { return std::move(streams_.bytes); }

  private:
    void append(const void* from, std::size_t bytes);
    void append_numbers(std::span<const double> values);
    void append_numbers(std::span<const float> values);
    bool packed_;
    Streams streams_;  // plain: all of it in `bytes`
    std::size_t bits_ = 0;
};

class StateReader {
  public:
    /// Checks the frame of a model's state. Throws StateError where it does not hold.
    explicit StateReader(std::span<const std::byte> framed);
    /// The same of an interval tracker's state.
    [[nodiscard]] static StateReader of_intervals(std::span<const std::byte> framed);
    /// The same of BatchMoments.
    [[nodiscard]] static StateReader of_moments(std::span<const std::byte> framed);
    /// A plain payload that somebody else has checked.
    [[nodiscard]] static StateReader unframed(std::span<const std::byte> payload) { return {payload, 0}; }

    StateReader(StateReader&&) = default;  // what was unpacked moves along
    StateReader& operator=(StateReader&&) = default;
    StateReader(const StateReader&) = delete;
    StateReader& operator=(const StateReader&) = delete;
    ~StateReader() = default;

    template <typename T>
    void get(T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        if constexpr (std::is_arithmetic_v<T>) {
            get_all(std::span<T>(&value, 1));
        } else {
            take(&value, sizeof(T));
        }
    }
    template <typename T>
    void get_all(std::vector<T>& values) {
        get_all(std::span<T>(values));
    }
    template <typename T>
    void get_all(std::span<T> values) {
        static_assert(std::is_arithmetic_v<T>);
        if constexpr (std::is_floating_point_v<T>) {
            take_numbers(values);
            require(std::ranges::all_of(values, [](T v) { return std::isfinite(v); }), "a number is not finite");
        } else {
            take(values.data(), values.size_bytes());
        }
    }
    /// What put_near() wrote.
    [[nodiscard]] double get_near(double known, unsigned unused = 0);
    [[nodiscard]] bool get_flag();  ///< a byte that must be 0 or 1
    [[nodiscard]] std::vector<std::size_t> get_list();
    [[nodiscard]] std::string get_text();
    /// The next bytes, as a view.
    [[nodiscard]] std::span<const std::byte> take_bytes(std::uint64_t count) {
        require(count <= payload_.size(), "it is cut short");
        const auto taken = payload_.first(count);
        payload_ = payload_.subspan(count);
        return taken;
    }
    void get_raw(std::span<double> values) {
        take_numbers(values);
        require(std::ranges::none_of(values, [](double v) { return std::isinf(v); }), "a number is infinite");
    }

    /// The state is loaded into a model with this number of inputs more than it was saved with: StreamModel::add_inputs.
    void set_added_inputs(std::size_t count) noexcept { added_inputs_ = count; }
    [[nodiscard]] std::size_t added_inputs() const noexcept { return added_inputs_; }
    /// Of a model's inputs, the first ones that the state knows. What belongs to the others stays as a new model has it.
    [[nodiscard]] std::size_t stored_inputs(std::size_t inputs) const noexcept { return inputs - added_inputs_; }

    [[nodiscard]] std::uint32_t version() const noexcept { return version_; }  ///< of the frame
    /// Whether it has all that a state of this program has: what is not framed is one.
    [[nodiscard]] bool current() const noexcept { return version_ == 0 || version_ >= kPackedVersion; }
    /// Bytes, unpacked.
    [[nodiscard]] std::size_t left() const noexcept;
    /// Throws StateError with the given words where `kept` is false.
    void require(bool kept, const char* what) const;

  private:
    StateReader(std::span<const std::byte> payload, int /*unframed*/) : payload_(payload) {}
    void take(void* to, std::size_t bytes);
    void take_numbers(std::span<double> values);
    void take_numbers(std::span<float> values);
    [[nodiscard]] std::uint64_t take_bits(unsigned count);
    [[nodiscard]] static StateReader of_kind(SavedKind kind, std::span<const std::byte> framed);
    void check_frame(std::span<const std::byte> framed);

    Streams streams_;                     // unpacked
    std::span<const std::byte> payload_;  // of these, or of the caller's: what is left
    std::span<const std::uint64_t> doubles_;
    std::span<const std::uint32_t> floats_;
    std::span<const std::uint8_t> widths_;
    std::size_t bits_ = 0;  // of the differences, already read
    bool packed_ = false;
    std::uint32_t version_ = 0;
    std::size_t added_inputs_ = 0;
};

}  // namespace sluice::core
