#include "history.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "state.hpp"

namespace sluice::serve {

History::Point History::point_of(const HistoryRow& row) {
    Point point{.row = row.row, .time = std::string(row.time), .numbers = {}, .selected = {}};
    for (const auto numbers : {row.predicted, row.observed, row.low, row.high}) {
        point.numbers.insert(point.numbers.end(), numbers.begin(), numbers.end());
    }
    point.selected.reserve(row.selected.size());
    for (const std::size_t input : row.selected) {
        point.selected.push_back(static_cast<std::uint32_t>(input));
    }
    return point;
}

void History::add(const HistoryRow& row) {
    if (last_is_extra_) {
        points_.pop_back();
    }
    const bool kept = met_++ % stride_ == 0;
    points_.push_back(point_of(row));
    last_is_extra_ = !kept;
    if (kept && points_.size() > most_rows_) {  // every second one stays
        std::size_t to = 0;
        for (std::size_t from = 0; from < points_.size(); from += 2, ++to) {
            if (to != from) {
                points_[to] = std::move(points_[from]);
            }
        }
        stride_ *= 2;
        points_.resize(to);
        last_is_extra_ = false;
    }
}

void History::add(const job::Event& event) {
    events_.push_back(job::event_json(event));
    if (events_.size() > kMostEvents) {
        events_.pop_front();
    }
}

void History::clear() {
    points_.clear();
    events_.clear();
    stride_ = 1;
    met_ = 0;
    last_is_extra_ = false;
}

void History::append(io::JsonWriter& json, const HistoryNames& names) const {
    json.member("stride", stride_).key("rows").begin_list();
    for (const Point& point : points_) {
        json.value(point.row);
    }
    json.end_list();
    if (names.has_time) {
        json.key("time").begin_list();
        for (const Point& point : points_) {
            json.value(point.time);
        }
        json.end_list();
    }
    const std::size_t q = names.targets.size();
    const std::size_t kinds = names.has_interval ? 4 : 2;
    constexpr std::array<std::string_view, 4> kNames = {"predicted", "observed", "low", "high"};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        json.key(kNames[kind]).begin_object();
        for (std::size_t j = 0; j < q; ++j) {
            json.key(names.targets[j]).begin_list();
            for (const Point& point : points_) {
                const std::size_t at = (kind * q) + j;
                json.value(at < point.numbers.size() ? point.numbers[at] : std::numeric_limits<double>::quiet_NaN());
            }
            json.end_list();
        }
        json.end_object();
    }
    std::map<std::uint32_t, std::size_t> places;  // of the inputs that were selected
    for (const Point& point : points_) {
        for (const std::uint32_t input : point.selected) {
            places.try_emplace(input, 0);
        }
    }
    json.key("inputs").begin_list();
    std::size_t next = 0;
    for (auto& [input, place] : places) {
        place = next++;
        json.value(names.inputs[input]);
    }
    json.end_list().key("selected").begin_list();
    for (const Point& point : points_) {
        json.begin_list();
        for (const std::uint32_t input : point.selected) {
            json.value(places[input]);
        }
        json.end_list();
    }
    json.end_list().key("events").begin_list();
    for (const std::string& event : events_) {
        json.encoded(event);
    }
    json.end_list();
}

void History::save(core::StateWriter& out) const {
    out.put(stride_);
    out.put(met_);
    out.put(static_cast<std::uint8_t>(last_is_extra_ ? 1 : 0));
    out.put(std::uint64_t{points_.size()});
    for (const Point& point : points_) {
        out.put(point.row);
        out.put_text(point.time);
        out.put(std::uint64_t{point.numbers.size()});
        out.put_raw(point.numbers);
        out.put_list(std::vector<std::size_t>(point.selected.begin(), point.selected.end()));
    }
    out.put(std::uint64_t{events_.size()});
    for (const std::string& event : events_) {
        out.put_text(event);
    }
}

void History::load(core::StateReader& in, std::size_t inputs, std::size_t targets) {
    in.get(stride_);
    in.get(met_);
    last_is_extra_ = in.get_flag();
    std::uint64_t count = 0;
    in.get(count);
    in.require(stride_ >= 1 && count <= most_rows_ + 1, "a history has too many rows");
    in.require(!last_is_extra_ || count > 0, "a history has no rows");
    points_.resize(count);
    for (Point& point : points_) {
        in.get(point.row);
        point.time = in.get_text();
        std::uint64_t numbers = 0;
        in.get(numbers);
        in.require(numbers == 2 * targets || numbers == 4 * targets, "a history has other targets");
        point.numbers.resize(numbers);
        in.get_raw(point.numbers);
        for (const std::size_t input : in.get_list()) {
            in.require(input < inputs, "a history names an input that does not exist");
            point.selected.push_back(static_cast<std::uint32_t>(input));
        }
    }
    in.get(count);
    in.require(count <= kMostEvents, "a history has too many events");
    events_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        events_.push_back(in.get_text());
    }
}

}  // namespace sluice::serve
