// saved_kind.hpp -- which kind of saved model a run of bytes is, seen from its first bytes, and the error that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sluice/error.hpp"

namespace sluice {

enum class SavedKind : std::uint8_t {
    unknown,         ///< nothing that Sluice writes
    empty,           ///< no bytes at all
    text,            ///< printable text, such as CSV or NDJSON
    stream_state,    ///< StreamModel::save(): a model without column names
    adaptive_state,  ///< AdaptiveModel::save() of a model that tunes itself, without column names
    interval_state,  ///< IntervalTracker::save()
    moments_state,   ///< BatchMoments::save()
    model_file,      ///< pack_model() or `sluice stream`: an on-line model with its column names
    fit_file,        ///< pack_fit() or `sluice fit`: a fitted model with its column names
};

/// Looks only at the first bytes: whether the rest is whole is checked when it is loaded.
[[nodiscard]] SavedKind saved_kind(std::span<const std::byte> bytes) noexcept;

/// Bytes of one kind were given to a function that loads another. what() says which kind they are and what loads them.
class WrongKindError : public StateError {
  public:
    explicit WrongKindError(SavedKind found);
    [[nodiscard]] SavedKind found() const noexcept { return found_; }

  private:
    SavedKind found_;
};

}  // namespace sluice
