// cached_text.hpp -- a text that takes long to make, given to everyone who asks until it is made again: making it costs at
// most a tenth of the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice::serve {

class CachedText {
  public:
    /// `version`: a number that changes where make() would give another text.
    template <typename Make>
    [[nodiscard]] const std::string& get(std::uint64_t version, const Make& make) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        if (!kept_ || (kept_->version != version && begin >= kept_->not_before)) {
            std::string text = make();
            const auto end = Clock::now();
            constexpr int kShareOfTime = 10;
            kept_ =
                Kept{.version = version, .not_before = end + (kShareOfTime * (end - begin)), .text = std::move(text)};
        }
        return kept_->text;
    }

  private:
    struct Kept {
        std::uint64_t version = 0;
        std::chrono::steady_clock::time_point not_before;  // when it may be made again
        std::string text;
    };
    std::optional<Kept> kept_;
};

}  // namespace sluice::serve
