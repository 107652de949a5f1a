// histories.hpp -- what a page about a running stream shows: the history of all rows, down-sampled, and that of the latest
// rows, each of them by itself.
//
// The second is one of two histories that overlap: when the older one is full it is dropped, and the newer one, which has
// the later half of its rows, takes its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "history.hpp"

namespace sluice::report {

enum class Span : std::uint8_t { whole, latest };

class Histories {
  public:
    /// `latest`: whether the latest rows are kept too.
    Histories(History::Settings settings, bool latest);

    /// The number by which an input is known in all of them.
    [[nodiscard]] std::size_t variable(std::string_view name);
    void add(const StreamRow& row);

    [[nodiscard]] const History& of(Span span) const { return span == Span::whole || !latest_ ? whole_ : *latest_; }
    /// Those that follow a history have seen it: History::mark.
    [[nodiscard]] Mark mark(Span span) { return span == Span::whole || !latest_ ? whole_.mark() : latest_->mark(); }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void make_room();

    History whole_;
    std::optional<History> latest_;
    std::optional<History> next_;  // begins when latest_ is half full
};

}  // namespace sluice::report
