// notes.hpp -- counts what was unusual in the files, one kind each, with the first few examples, for a note.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::portfolio {

class NoteCounter {
  public:
    explicit NoteCounter(std::string what) : what_(std::move(what)) {}
    void add(const std::string& example) {
        if (count_++ < kShown) {
            examples_ += count_ == 1 ? example : ", " + example;
        }
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Appends "prices of zero: 5 (a 2024-01-31, b 2024-02-07, c 2024-02-07, and 2 more)"; nothing where the count is 0.
    void append_to(std::vector<std::string>& notes) const;

  private:
    static constexpr std::size_t kShown = 3;  ///< examples
    std::string what_;
    std::string examples_;
    std::size_t count_ = 0;
};

}  // namespace sluice::portfolio
