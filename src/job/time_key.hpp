// time_key.hpp -- the time of a row or of a label: what a late label is matched by.
//
// Two times are the same where their texts are equal, or where both are numbers of at most 15 digits and equal: "7" and
// "7.0". Longer numbers (nanoseconds since 1970) are compared as text: as doubles neighbours would be the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::job {

class TimeKey {
  public:
    TimeKey() = default;
    explicit TimeKey(std::string_view text) { assign(text); }

    /// Allocates only where the text is longer than those before.
    void assign(std::string_view text);
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::size_t hash() const noexcept { return hash_; }

    friend bool operator==(const TimeKey& a, const TimeKey& b) noexcept {
        return a.hash_ == b.hash_ && a.is_number_ == b.is_number_ &&
               (a.is_number_ ? a.number_ == b.number_ : a.text_ == b.text_);
    }

    enum class Order { before, same, after, unknown };
    /// Of two numbers, or of two texts that begin with a date as 2024-01-31 or 2024/01/31. Others have no known order.
    [[nodiscard]] static Order order(const TimeKey& a, const TimeKey& b) noexcept;

  private:
    std::string text_;
    bool is_number_ = false;
    double number_ = 0.0;
    std::size_t hash_ = 0;
};

}  // namespace sluice::job
