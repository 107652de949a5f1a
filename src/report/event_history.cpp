#include "event_history.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace sluice::report {

namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 63U;

// Rows between two events; 0 where the second is not the later one, as only a made-up log has it.
std::uint64_t rows_after(const StreamEvent& first, const StreamEvent& second) {
    return second.row > first.last_row ? second.row - first.last_row : 0;
}

void shorten(std::vector<std::string>& names) {
    if (names.size() > EventHistory::kMostNames) {
        const std::size_t others = names.size() - EventHistory::kMostNames;
        names.resize(EventHistory::kMostNames);
        names.push_back("and " + std::to_string(others) + " others");
    }
}

}  // namespace

void EventHistory::add(const StreamEvent& event) {
    count_ += event.count;
    if (apart_ > 0) {
        const auto last = std::find_if(events_.rbegin(), events_.rend(),
                                       [&](const StreamEvent& other) { return other.kind == event.kind; });
        if (last != events_.rend() && rows_after(*last, event) <= apart_) {
            last->last_row = std::max(last->last_row, event.row);
            last->count += event.count;
            return;
        }
    }
    events_.push_back(event);
    StreamEvent& added = events_.back();
    added.last_row = std::max(added.row, added.last_row);
    if (added.text.size() > kLongestText) {
        std::size_t length = kLongestText;
        while (length > 0 && (static_cast<unsigned char>(added.text[length]) & 0xC0U) == 0x80U) {  // within a character
            --length;
        }
        added.text = added.text.substr(0, length) + "…";
    }
    for (auto* names : {&added.columns, &added.entered, &added.left}) {
        shorten(*names);
    }
    while (events_.size() > most_ && apart_ < kAll) {  // all of one kind can become one, and there are few kinds
        merge();
    }
}

void EventHistory::merge() {
    apart_ = apart_ == 0 ? 1 : apart_ * 2;
    std::map<std::string, std::size_t> last;  // of each kind: where it is kept
    std::vector<StreamEvent> kept;
    for (StreamEvent& event : events_) {
        const auto [at, is_new] = last.try_emplace(event.kind, kept.size());
        if (!is_new && rows_after(kept[at->second], event) <= apart_) {
            kept[at->second].last_row = std::max(kept[at->second].last_row, event.last_row);
            kept[at->second].count += event.count;
            continue;
        }
        at->second = kept.size();
        kept.push_back(std::move(event));
    }
    events_ = std::move(kept);
}

}  // namespace sluice::report
