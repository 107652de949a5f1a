// time_axis.hpp -- what the texts of a time column mean: dates, numbers, or only texts.
//
// All rows are looked at: 10/03/2004 is the 10th of March where a later row says 25/03/2004. A meaning counts only where
// every text has it and time never runs backwards. Zones are not applied: times are shown as they are written.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::report {

class TimeAxis {
  public:
    enum class Kind { none, date, number, text };

    /// The time of a row of `bin`. An empty text is not known.
    void add(std::size_t bin, std::string_view text);
    void join_bins();
    /// Without bins; what the texts mean is known.
    [[nodiscard]] TimeAxis continued() const;

    [[nodiscard]] Kind kind() const;
    /// Differs where the same texts mean other times.
    [[nodiscard]] std::size_t meaning_number() const { return meaning().value_or(kMeanings); }
    /// Of the first row of each bin that has one: seconds since 1970 or the number. NaN: none.
    [[nodiscard]] std::vector<double> values(std::size_t bins) const;
    [[nodiscard]] double last_value() const;
    /// The same of any text; nothing where it has no such meaning.
    [[nodiscard]] std::optional<double> value_of(std::string_view text) const;
    /// The texts themselves.
    [[nodiscard]] std::string_view first_text(std::size_t bin) const;
    [[nodiscard]] const std::string& last_text() const { return last_; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in, std::size_t bins);

  private:
    enum Meaning : std::size_t { year_first, day_first, month_first, compact, number, kMeanings };
    struct State {
        bool possible = true;
        double last = -1e300;
    };
    [[nodiscard]] static std::optional<double> read(Meaning meaning, std::string_view text);
    [[nodiscard]] std::optional<Meaning> meaning() const;
    [[nodiscard]] double unit(Meaning meaning) const;

    struct First {
        std::string text;
        void join(const First& other) {
            if (text.empty()) {
                text = other.text;
            }
        }
    };
    std::vector<First> firsts_;
    std::string first_;  // of all rows, those before the first bin included
    std::string last_;
    std::array<State, kMeanings> states_{};
};

}  // namespace sluice::report
