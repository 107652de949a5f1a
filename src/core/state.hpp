// state.hpp -- a model's state as bytes: magic, version, length, payload, XXH3 of all that.
//
// Numbers are stored as they are in memory (little-endian, IEEE 754), so that loading gives back the same bits.
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

#include "sluice/saved_kind.hpp"

namespace sluice::core {

// 3: hold_bonus among the options. 4: the first rows of a self-tuning model, whose states alone have this number. 2 is still read.
inline constexpr std::uint32_t kOldestVersion = 2;
inline constexpr std::uint32_t kUsualVersion = 3;
inline constexpr std::uint32_t kVersionWithFirstRows = 4;

static_assert(std::endian::native == std::endian::little, "saved state is little-endian");

class StateWriter {
  public:
    template <typename T>
    void put(const T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        append(&value, sizeof(T));
    }
    template <typename T>
    void put_all(std::span<const T> values) {
        static_assert(std::is_arithmetic_v<T>);
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
    void put_raw(std::span<const double> values);

    /// The payload with its frame and checksum.
    [[nodiscard]] std::vector<std::byte> framed(std::uint32_t version = kUsualVersion) const;
    /// Without, for those who have a frame of their own.
    [[nodiscard]] std::vector<std::byte> unframed() && { return std::move(payload_); }

  private:
    void append(const void* from, std::size_t bytes);
    std::vector<std::byte> payload_;
};

class StateReader {
  public:
    /// Checks the frame of a model's state. Throws StateError where it does not hold.
    explicit StateReader(std::span<const std::byte> framed);
    /// The same of an interval tracker's state.
    [[nodiscard]] static StateReader of_intervals(std::span<const std::byte> framed);
    /// The same of BatchMoments.
    [[nodiscard]] static StateReader of_moments(std::span<const std::byte> framed);
    /// A payload that somebody else has checked.
    [[nodiscard]] static StateReader unframed(std::span<const std::byte> payload) { return {payload, 0}; }

    template <typename T>
    void get(T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        take(&value, sizeof(T));
        if constexpr (std::is_floating_point_v<T>) {
            require(std::isfinite(value), "a number is not finite");
        }
    }
    template <typename T>
    void get_all(std::vector<T>& values) {
        get_all(std::span<T>(values));
    }
    template <typename T>
    void get_all(std::span<T> values) {
        static_assert(std::is_arithmetic_v<T>);
        take(values.data(), values.size_bytes());
        if constexpr (std::is_floating_point_v<T>) {
            require(std::ranges::all_of(values, [](T v) { return std::isfinite(v); }), "a number is not finite");
        }
    }
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
        take(values.data(), values.size_bytes());
        require(std::ranges::none_of(values, [](double v) { return std::isinf(v); }), "a number is infinite");
    }

    /// The state is loaded into a model with this number of inputs more than it was saved with: StreamModel::add_inputs.
    void set_added_inputs(std::size_t count) noexcept { added_inputs_ = count; }
    [[nodiscard]] std::size_t added_inputs() const noexcept { return added_inputs_; }
    /// Of a model's inputs, the first ones that the state knows. What belongs to the others stays as a new model has it.
    [[nodiscard]] std::size_t stored_inputs(std::size_t inputs) const noexcept { return inputs - added_inputs_; }

    [[nodiscard]] std::uint32_t version() const noexcept { return version_; }  ///< of the frame
    [[nodiscard]] std::size_t left() const noexcept { return payload_.size(); }
    /// Throws StateError with the given words where `kept` is false.
    void require(bool kept, const char* what) const;

  private:
    StateReader(std::span<const std::byte> payload, int /*unframed*/) : payload_(payload) {}
    void take(void* to, std::size_t bytes);
    [[nodiscard]] static StateReader of_kind(SavedKind kind, std::span<const std::byte> framed);
    void check_frame(std::span<const std::byte> framed);
    std::span<const std::byte> payload_;
    std::uint32_t version_ = 0;
    std::size_t added_inputs_ = 0;
};

}  // namespace sluice::core
