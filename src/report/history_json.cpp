#include "history_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "format_to.hpp"
#include "json_text.hpp"
#include "packed_cells.hpp"
#include "sluice/version.hpp"

namespace sluice::report {

namespace {

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

std::string shortened(const std::string& name) {
    if (name.size() <= kLongestNameShown) {
        return name;
    }
    std::size_t length = kLongestNameShown;
    while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    return name.substr(0, length) + "…";
}

class HistoryWriter {
  public:
    HistoryWriter(std::string& out, const History& history) : json_(out, io::JsonWriter::compact), history_(history) {}

    // What came after the row `since`; 0 is everything.
    void write(const ReportText& text, std::uint64_t since) {
        since_ = since;
        from_ = since > 0 ? history_.bin_of(std::min(since, history_.oldest_change())) : 0;
        choose_variables();
        json_.begin_object().member("version", 1).member("sluice", SLUICE_VERSION).member("since", since);
        json_.member("revision", history_.revision());
        json_.member("title", text.title).member("source", text.source).member("inputs", text.inputs);
        json_.member("rows", history_.rows())
            .member("first_row", history_.first_row())
            .member("last_row", history_.last_row())
            .member("rows_per_bin", history_.rows_per_bin())
            .member("bins", history_.row_bins().size())
            .member("from_bin", from_)
            .member("horizon", history_.horizon())
            .member("has_interval", history_.has_interval())
            .member("has_weights", history_.has_weights())
            .member("has_tuning", history_.has_tuning())
            .member("shortest_gap", history_.presence().shortest_gap())
            .member("bins_per_cell", history_.presence().bins_per_cell());
        write_time();
        write_tuned();
        json_.member("targets_left_out", history_.targets().size() - history_.targets_shown());
        json_.key("targets").begin_list();
        for (std::size_t j = 0; j < history_.targets_shown(); ++j) {
            write_target(j);
        }
        json_.end_list();
        write_variables();
        write_last_uses();
        write_events();
        json_.end_object();
    }

  private:
    // Those in use, and of the others those that were selected in most rows; of an increment, those selected since. By number.
    void choose_variables() {
        const auto& variables = history_.presence().variables();
        for (std::size_t v = 0; v < variables.size(); ++v) {
            known_ += variables[v].rows > 0 ? 1U : 0U;
            if (variables[v].rows > 0 && (since_ == 0 || variables[v].last_row > since_)) {
                shown_.push_back(v);
            }
        }
        if (since_ == 0 && shown_.size() > kMostVariablesShown) {
            const auto importance = [&](std::size_t v) {
                return std::pair(variables[v].last_row == history_.last_row(), variables[v].rows);
            };
            std::ranges::stable_sort(shown_, std::ranges::greater(), importance);
            shown_.resize(kMostVariablesShown);
            std::ranges::sort(shown_);
        }
    }

    template <typename Bins, typename Value>
    void list(std::string_view name, const Bins& bins, const Value& value) {
        std::string text = "[";
        for (std::size_t i = from_; i < bins.size(); ++i) {
            text += i > from_ ? "," : "";
            text += value(bins[i]);
        }
        json_.key(name).encoded(text + "]");
    }

    // {"mean":[...],"min":[...],"max":[...]}; a bin of one row has only its value.
    template <typename Bins, typename Get>
    void ranges(std::string_view name, const Bins& bins, const Get& get) {
        json_.key(name).begin_object();
        list("mean", bins, [&](const auto& bin) { return get(bin).count > 0 ? number(get(bin).mean) : "null"; });
        if (history_.rows_per_bin() > 1) {
            list("min", bins, [&](const auto& bin) { return number(get(bin).min); });
            list("max", bins, [&](const auto& bin) { return number(get(bin).max); });
        }
        json_.end_object();
    }

    void write_time() {
        static constexpr std::array<std::string_view, 4> kKinds = {"none", "date", "number", "text"};
        const TimeAxis& time = history_.time();
        const TimeAxis::Kind kind = time.kind();
        json_.key("time").begin_object().member("kind", kKinds.at(static_cast<std::size_t>(kind)));
        const std::size_t bins = history_.row_bins().size();
        if (kind == TimeAxis::Kind::text) {
            json_.key("values").begin_list();
            for (std::size_t bin = from_; bin < bins; ++bin) {
                json_.value(time.first_text(bin));
            }
            json_.end_list().member("last", time.last_text());
        } else if (kind != TimeAxis::Kind::none) {
            list("values", time.values(bins),
                 [](double value) { return std::isfinite(value) ? fmt::format("{:.12g}", value) : "null"; });
            json_.member("last", time.last_value());
        }
        json_.end_object();
    }

    void write_tuned() {
        using Bin = History::RowBin;
        const auto& bins = history_.row_bins();
        list("bin_rows", bins, [](const Bin& bin) { return fmt::to_string(bin.rows); });
        json_.key("tuned").begin_object();
        ranges("names", bins, [](const Bin& bin) { return bin.names; });
        ranges("forgetting", bins, [](const Bin& bin) { return bin.forgetting; });
        if (history_.has_tuning()) {
            ranges("shrinkage", bins, [](const Bin& bin) { return bin.shrinkage; });
            ranges("last_value_share", bins, [](const Bin& bin) { return bin.last_value_share; });
        }
        json_.end_object();
    }

    void write_target(std::size_t target) {
        const auto& bins = history_.lines(target);
        using Bin = TargetBin;
        json_.begin_object().member("name", shortened(history_.targets()[target]));
        ranges("predicted", bins, [](const Bin& bin) { return bin.predicted; });
        ranges("observed", bins, [](const Bin& bin) { return bin.observed; });
        if (history_.has_interval()) {
            list("low", bins, [](const Bin& bin) { return number(bin.low.min); });
            list("high", bins, [](const Bin& bin) { return number(bin.high.max); });
            list("with_interval", bins, [](const Bin& bin) { return fmt::to_string(bin.with_interval); });
            list("inside", bins, [](const Bin& bin) { return fmt::to_string(bin.inside); });
        }
        list("scored", bins, [](const Bin& bin) { return fmt::to_string(bin.scored); });
        list("squares", bins, [](const Bin& bin) { return number(bin.squares); });
        list("squares_last_value", bins, [](const Bin& bin) { return number(bin.squares_last_value); });
        list("squares_mean", bins, [](const Bin& bin) { return number(bin.squares_mean); });
        list("centre", bins,
             [](const Bin& bin) { return bin.scored > 0 ? fmt::format("{:.15g}", bin.centre) : "null"; });
        list("spread", bins, [](const Bin& bin) { return number(bin.spread); });
        list("peak", bins, [](const Bin& bin) { return bin.scored > 0 ? number(bin.peak) : "null"; });
        list("peak_row", bins, [](const Bin& bin) { return fmt::to_string(bin.peak_row); });
        json_.end_object();
    }

    void write_variables() {
        const auto& variables = history_.presence().variables();
        json_.member("variables_known", known_);
        json_.member("variables_left_out", known_ > kMostVariablesShown ? known_ - kMostVariablesShown : 0);
        json_.key("variables").begin_list();
        for (const std::size_t v : shown_) {
            write_variable(v, variables[v]);
        }
        json_.end_list();
    }

    void write_variable(std::size_t id, const Variable& variable) {
        json_.begin_object()
            .member("id", id)
            .member("name", shortened(variable.name))
            .member("rows", variable.rows)
            .key("tracks")
            .begin_list();
        for (const Track& track : variable.tracks) {
            // Stays are in order: those that ended before are known to the reader.
            const auto first = static_cast<std::size_t>(std::ranges::upper_bound(track.stays, since_, {}, &Stay::to) -
                                                        track.stays.begin());
            if (first == track.stays.size()) {
                continue;
            }
            json_.begin_object().member("component", track.component).member("from_stay", first);
            // from, to, entries, rows; and for those with a reason: which one, the error without and with the input
            std::string stays = "[";
            std::string why = "[";
            for (std::size_t i = first; i < track.stays.size(); ++i) {
                const Stay& stay = track.stays[i];
                fmt::format_to(std::back_inserter(stays), "{}{},{},{},{}", i > first ? "," : "", stay.from, stay.to,
                               stay.entries, stay.rows);
                if (!std::isnan(stay.error_with)) {
                    fmt::format_to(std::back_inserter(why), "{}{},{},{}", why.size() > 1 ? "," : "", i,
                                   number(stay.error_without), number(stay.error_with));
                }
            }
            json_.key("stays").encoded(stays + "]").key("why").encoded(why + "]");
            const auto first_cell = static_cast<std::uint32_t>(from_ / history_.presence().bins_per_cell());
            const auto cells = std::ranges::lower_bound(track.cells, first_cell, {}, &Cell::index);
            if (cells != track.cells.end()) {
                write_cells({cells, track.cells.end()});
            }
            json_.end_object();
        }
        json_.end_list().end_object();
    }

    void write_cells(std::span<const Cell> cells) {
        const PackedCells packed = pack(cells);
        json_.key("cells")
            .begin_object()
            .key("runs")
            .list(packed.runs)
            .key("weight_scale")
            .encoded(number(packed.weight_scale))
            .member("weights", packed.weights);
        if (!packed.gains.empty()) {
            json_.key("gain_scale").encoded(number(packed.gain_scale)).member("gains", packed.gains);
        }
        json_.end_object();
    }

    // Flat: which input, its weight, its gain.
    void write_last_uses() {
        std::string text = "[";
        for (const Use& use : history_.last_uses()) {
            fmt::format_to(std::back_inserter(text), "{}{},{},{}", text.size() > 1 ? "," : "", use.variable,
                           number(use.weight), number(use.gain));
        }
        json_.key("now").encoded(text + "]");
    }

    void write_events() {
        json_.member("events_counted", history_.events().count()).key("events").begin_list();
        for (const StreamEvent& event : history_.events().events()) {
            if (since_ > 0 && event.last_row <= since_) {
                continue;
            }
            json_.begin_object().member("kind", event.kind).member("row", event.row);
            if (event.count > 1) {
                json_.member("last_row", event.last_row).member("count", event.count);
            }
            if (const auto at = history_.time().value_of(event.time)) {
                json_.member("at", *at);
            } else if (!event.time.empty()) {
                json_.member("at", event.time);
            }
            json_.member("text", event.text);
            const auto names = [&](std::string_view key, const std::vector<std::string>& list) {
                if (!list.empty()) {
                    json_.key(key).begin_list();
                    for (const std::string& name : list) {
                        json_.value(shortened(name));
                    }
                    json_.end_list();
                }
            };
            names("columns", event.columns);
            names("entered", event.entered);
            names("left", event.left);
            json_.end_object();
        }
        json_.end_list();
    }

    io::JsonWriter json_;
    const History& history_;
    std::size_t from_ = 0;
    std::uint64_t since_ = 0;
    std::size_t known_ = 0;  // variables that were selected
    std::vector<std::size_t> shown_;
};

}  // namespace

std::string snapshot_json(const History& history, const ReportText& text) {
    std::string out;
    HistoryWriter(out, history).write(text, 0);
    return out;
}

bool continues(const History& history, const Mark& seen) {
    return history.rows() > 0 && seen.revision == history.revision() && seen.first_row == history.first_row() &&
           seen.row >= history.first_row() && seen.row <= history.last_row();
}

std::string increment_json(const History& history, const ReportText& text, const Mark& seen) {
    std::string out;
    HistoryWriter(out, history).write(text, continues(history, seen) ? seen.row : 0);
    return out;
}

}  // namespace sluice::report
