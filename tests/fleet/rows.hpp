// rows.hpp -- rows of keys as text, and a block of them as the block function takes it.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "block.hpp"
#include "config_file.hpp"

namespace sluice::fleet::test {

inline const char* const kConfig = "{key: k, sequence: n, targets: [y], interval: 0.9}";

/// Cells of text by column name; a cell that is no number is unreadable.
class TextBlock final : public Block {
  public:
    TextBlock(std::vector<std::string> columns, std::vector<std::vector<std::string>> cells)
        : columns_(std::move(columns)), cells_(std::move(cells)) {}

    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
    [[nodiscard]] std::size_t rows() const override { return cells_.size(); }
    void want(const std::vector<std::size_t>& numbers) override { wanted_ = numbers; }
    void read(std::size_t index, io::Row& row) override {
        row.numbers.assign(wanted_.size(), std::nan(""));
        row.unreadable.clear();
        for (std::size_t place = 0; place < wanted_.size(); ++place) {
            const std::string& cell = cells_[index][wanted_[place]];
            if (cell.empty()) {
                continue;
            }
            double value = 0.0;
            const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
            if (problem != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
                if (row.unreadable.empty()) {
                    row.unreadable_value = cell;
                }
                row.unreadable.push_back(place);
            } else {
                row.numbers[place] = value;
            }
        }
    }
    [[nodiscard]] std::optional<std::int64_t> sequence(std::size_t index, std::size_t column) override {
        const std::string& cell = cells_[index][column];
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
        return problem == std::errc() && end == cell.data() + cell.size() ? std::optional(number) : std::nullopt;
    }
    [[nodiscard]] std::string_view text(std::size_t index, std::size_t column) override {
        return cells_[index][column];
    }

  private:
    std::vector<std::string> columns_;
    std::vector<std::vector<std::string>> cells_;
    std::vector<std::size_t> wanted_;
};

/// An answer that outlives the block.
struct Kept {
    std::optional<std::int64_t> sequence;
    std::uint64_t row = 0;
    std::vector<double> numbers;
    std::string outcome;
    std::string selected;
    std::string events;
};

struct Result {
    std::vector<std::byte> state;
    std::vector<Kept> answers;
};

inline Result step(const Config& config, const std::vector<std::byte>& state, Block& block,
                   const std::string& key = "A") {
    Result result;
    result.state = step_block(config, key, state, block, [&](const Answer& answer) {
                       Kept& kept = result.answers.emplace_back();
                       kept.sequence = answer.sequence;
                       kept.row = answer.row;
                       for (const auto& part : {answer.predicted, answer.low, answer.high}) {
                           kept.numbers.insert(kept.numbers.end(), part.begin(), part.end());
                       }
                       kept.outcome = answer.outcome;
                       kept.selected = answer.selected;
                       kept.events = answer.events;
                   }).state;
    return result;
}

/// Rows n = first, first + 1, ... of columns n, a, b, c, y with y = 2 a - b and a little noise, the same for each n.
inline std::vector<std::vector<std::string>> some_rows(std::size_t first, std::size_t count) {
    std::vector<std::vector<std::string>> out;
    for (std::size_t n = first; n < first + count; ++n) {
        std::mt19937_64 random(n);
        std::normal_distribution<double> normal;
        const double a = normal(random);
        const double b = normal(random);
        const double c = normal(random);
        const double y = (2 * a) - b + (0.1 * normal(random));
        out.push_back({std::to_string(n), std::to_string(a), std::to_string(b), std::to_string(c), std::to_string(y)});
    }
    return out;
}

inline const std::vector<std::string> kColumns = {"n", "a", "b", "c", "y"};

}  // namespace sluice::fleet::test
