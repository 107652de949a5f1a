// csv_log.cpp -- records in CSV. Several names in a cell are separated by a bar: a name with a bar in it is read as two.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "csv_reader.hpp"
#include "event_json.hpp"
#include "log_reader.hpp"
#include "sluice/error.hpp"

namespace sluice::report {

namespace {

constexpr std::string_view kPredicted = "predicted_";

// Calls `each` with every part between bars.
template <typename Each>
void split(std::string_view cell, const Each& each) {
    while (!cell.empty()) {
        const std::size_t bar = cell.find('|');
        each(cell.substr(0, bar));
        cell = bar == std::string_view::npos ? std::string_view() : cell.substr(bar + 1);
    }
}

double number_in(std::string_view text) {
    double number = kUnknown;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? number : kUnknown;
}

class CsvLog {
  public:
    CsvLog(io::RowReader& reader, const LogSettings& settings) : reader_(reader) {
        for (std::size_t i = 0; i < reader.columns().size(); ++i) {
            const std::string& column = reader.columns()[i];
            columns_.emplace(column, i);
            if (column.starts_with(kPredicted)) {
                targets_.push_back(column.substr(kPredicted.size()));
            }
        }
        if (!columns_.contains("row") || targets_.empty() || !columns_.contains("observed_" + targets_.front()) ||
            !(columns_.contains("selected") || columns_.contains("selected_1"))) {
            throw DataError(
                fmt::format("{}: these are not records of `sluice stream --out`: the columns row, "
                            "predicted_*, observed_* and selected are not all there",
                            reader.source().name()));
        }
        want_columns();
        history_.emplace(History::Settings{.targets = targets_, .warmup = settings.warmup});
    }

    void add(const io::Row& cells) {
        StreamRow row{.row = whole(cells, row_), .label_of = whole(cells, label_of_)};
        if (row.row == 0) {
            throw DataError("the number of the row is missing");
        }
        row.time = text(cells, time_);
        const auto of_targets = [&](std::optional<std::size_t> first) {
            return first ? std::span(cells.numbers).subspan(*first, targets_.size()) : std::span<const double>();
        };
        row.predicted = of_targets(predicted_);
        row.observed = of_targets(observed_);
        row.low = of_targets(low_);
        row.high = of_targets(high_);
        row.forecast = of_targets(forecast_);
        row.forgetting = number(cells, forgetting_);
        row.shrinkage = number(cells, shrinkage_);
        row.last_value_share = number(cells, last_value_share_);
        read_uses(cells);
        read_reasons(text(cells, decisions_));
        events_.clear();
        if (const std::string_view json = text(cells, event_list_); !json.empty()) {
            simdjson::dom::element list;
            if (parser_.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS || !read_events(list, events_)) {
                throw DataError("the cell `events` is not as `sluice stream` writes it");
            }
        }
        row.uses = uses_;
        row.reasons = reasons_;
        row.events = events_;
        history_->add(row);
    }

    [[nodiscard]] std::uint64_t rows() const { return history_->rows(); }
    History finish() && { return std::move(*history_); }

  private:
    using Place = std::optional<std::size_t>;

    Place want(const std::string& column, std::vector<std::size_t>& list) const {
        const auto at = columns_.find(column);
        if (at == columns_.end()) {
            return std::nullopt;
        }
        list.push_back(at->second);
        return list.size() - 1;
    }
    Place want_targets(const std::string& what, std::vector<std::size_t>& list) const {
        Place first;
        for (const std::string& target : targets_) {
            const Place at = want(what + target, list);
            if (!at) {
                return std::nullopt;
            }
            first = first ? first : at;
        }
        return first;
    }
    void want_columns() {
        std::vector<std::size_t> numbers;
        std::vector<std::size_t> texts;
        row_ = want("row", numbers);
        label_of_ = want("label_of", numbers);
        predicted_ = want_targets("predicted_", numbers);
        observed_ = want_targets("observed_", numbers);
        low_ = want_targets("low_", numbers);
        high_ = want_targets("high_", numbers);
        forecast_ = want_targets("forecast_", numbers);
        forgetting_ = want("forgetting", numbers);
        shrinkage_ = want("shrinkage", numbers);
        last_value_share_ = want("last_value_share", numbers);
        time_ = want("time", texts);
        decisions_ = want("decisions", texts);
        event_list_ = want("events", texts);
        if (columns_.contains("selected")) {
            selected_ = {want("selected", texts)};
            weights_ = {want("weights", texts)};
            gains_ = want("gains", texts);
        }
        for (std::size_t r = 1; columns_.contains(fmt::format("selected_{}", r)); ++r) {
            selected_.push_back(want(fmt::format("selected_{}", r), texts));
            weights_.push_back(want(fmt::format("weights_{}", r), texts));
        }
        if (!predicted_ || !observed_) {
            throw DataError(fmt::format("{}: the columns observed_* and predicted_* are not of the same targets",
                                        reader_.source().name()));
        }
        reader_.want(numbers, texts);
    }

    static std::uint64_t whole(const io::Row& cells, const Place& place) {
        const double value = number(cells, place);
        return value >= 1.0 && value <= 9e15 ? static_cast<std::uint64_t>(value) : 0;
    }
    static double number(const io::Row& cells, const Place& place) { return place ? cells.numbers[*place] : kUnknown; }
    static std::string_view text(const io::Row& cells, const Place& place) {
        return place ? std::string_view(cells.texts[*place]) : std::string_view();
    }

    void read_uses(const io::Row& cells) {
        uses_.clear();
        for (std::size_t r = 0; r < selected_.size(); ++r) {
            const std::size_t first = uses_.size();
            split(text(cells, selected_[r]), [&](std::string_view name) {
                uses_.push_back({.variable = history_->variable(name), .component = r});
            });
            std::size_t i = first;
            split(text(cells, weights_[r]), [&](std::string_view weight) {
                if (i < uses_.size()) {
                    uses_[i++].weight = std::abs(number_in(weight));
                }
            });
        }
        std::size_t i = 0;
        split(text(cells, gains_), [&](std::string_view gain) {
            if (i < uses_.size()) {
                uses_[i++].gain = number_in(gain);
            }
        });
    }

    // "entered m3: error 0.21 to 0.12"
    void read_reasons(std::string_view cell) {
        static constexpr std::string_view kEntered = "entered ";
        static constexpr std::string_view kError = ": error ";
        static constexpr std::string_view kTo = " to ";
        reasons_.clear();
        split(cell, [&](std::string_view line) {
            const std::size_t error = line.rfind(kError);
            if (!line.starts_with(kEntered) || error == std::string_view::npos || error < kEntered.size()) {
                return;
            }
            const std::string_view name = line.substr(kEntered.size(), error - kEntered.size());
            const std::string_view errors = line.substr(error + kError.size());
            const std::size_t to = errors.find(kTo);
            if (to != std::string_view::npos) {
                reasons_.push_back({.variable = history_->variable(name),
                                    .error_without = number_in(errors.substr(0, to)),
                                    .error_with = number_in(errors.substr(to + kTo.size()))});
            }
        });
    }

    io::RowReader& reader_;
    std::map<std::string, std::size_t> columns_;
    std::vector<std::string> targets_;
    std::optional<History> history_;
    simdjson::dom::parser parser_;
    Place row_, label_of_, predicted_, observed_, low_, high_, forecast_, forgetting_, shrinkage_, last_value_share_;
    Place time_, decisions_, event_list_, gains_;
    std::vector<Place> selected_;
    std::vector<Place> weights_;
    std::vector<Use> uses_;
    std::vector<Reason> reasons_;
    std::vector<StreamEvent> events_;
};

}  // namespace

History read_csv_log(std::unique_ptr<io::Records> records, const LogSettings& settings) {
    records->enable_quotes(',');
    const io::Dialect dialect{.kind = io::Dialect::Kind::csv, .delimiter = ','};
    io::CsvReader reader(std::move(records), dialect, ',');
    CsvLog log(reader, settings);
    std::uint64_t count = 0;
    for (io::Row row; reader.next(row);) {
        try {
            log.add(row);
        } catch (const io::RowError&) {
            throw;
        } catch (const DataError& error) {
            throw DataError(fmt::format("{}, line {}: {}", reader.source().name(), row.at.line, error.what()));
        }
        if (settings.progress && ++count % kRecordsBetweenProgress == 0) {
            settings.progress(reader.source().share_read());
        }
    }
    if (log.rows() == 0) {
        throw DataError(fmt::format("{}: there is no record in it", reader.source().name()));
    }
    return std::move(log).finish();
}

}  // namespace sluice::report
