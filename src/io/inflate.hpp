// inflate.hpp -- compressed bytes to plain ones, gzip or zstd, a piece at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sluice::io {

enum class Packing { unknown, plain, gzip, zstd };

/// The packing that the first bytes of a file show; unknown where more bytes are needed.
[[nodiscard]] Packing packing_of(std::string_view first_bytes) noexcept;

class Inflater {
  public:
    struct Step {
        std::size_t taken = 0;  ///< bytes of the input
        std::size_t made = 0;   ///< bytes of the output
    };

    Inflater() = default;
    virtual ~Inflater() = default;
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    Inflater(Inflater&&) = delete;
    Inflater& operator=(Inflater&&) = delete;

    /// Throws SourceError, which names `name`, for damaged data.
    [[nodiscard]] virtual Step step(std::span<const char> packed, std::span<char> room) = 0;
    /// Whether the input may end here: between two members or frames.
    [[nodiscard]] virtual bool may_end() const = 0;
};

[[nodiscard]] std::unique_ptr<Inflater> make_inflater(Packing packing, std::string name);

}  // namespace sluice::io
