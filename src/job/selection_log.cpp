#include "selection_log.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "records.hpp"
#include "sluice/error.hpp"

namespace sluice::job {

namespace {

struct LogRecord {
    std::uint64_t row = 0;
    std::string_view time;
    simdjson::dom::array components;
    simdjson::dom::object observed;
    bool of_label = false;  // a label that came late: not a row of its own
};

bool parse(simdjson::dom::parser& parser, std::string_view line, LogRecord& record) {
    simdjson::dom::element whole;
    if (parser.parse(line.data(), line.size()).get(whole) != simdjson::SUCCESS ||
        whole["row"].get(record.row) != simdjson::SUCCESS ||
        whole["selected"].get(record.components) != simdjson::SUCCESS ||
        whole["observed"].get(record.observed) != simdjson::SUCCESS) {
        return false;
    }
    record.of_label = whole["label_of"].error() == simdjson::SUCCESS;
    record.time = {};
    return whole["time"].get(record.time) == simdjson::SUCCESS || whole["time"].error() == simdjson::NO_SUCH_FIELD;
}

class LogCounter {
  public:
    // False where the selected names are not lists of texts.
    bool add(const LogRecord& record) {
        if (log_.rows == 0) {
            for (const auto target : record.observed) {
                log_.targets.emplace_back(target.key);
            }
        }
        open_column(record);
        ++log_.rows;
        log_.last_row = record.row;
        ++log_.columns.back().rows;
        for (const simdjson::dom::element component : record.components) {
            simdjson::dom::array names;
            if (component.get(names) != simdjson::SUCCESS) {
                return false;
            }
            for (const simdjson::dom::element element : names) {
                std::string_view name;
                if (element.get(name) != simdjson::SUCCESS) {
                    return false;
                }
                count(name);
            }
        }
        return true;
    }

    SelectionLog finish() && {
        for (auto& variable : log_.variables) {
            variable.by_column.resize(log_.columns.size());
        }
        return std::move(log_);
    }

  private:
    void open_column(const LogRecord& record) {
        if (!log_.columns.empty() && log_.columns.back().rows < rows_to_a_column_) {
            return;
        }
        if (log_.columns.size() == SelectionLog::kMostColumns) {
            join_neighbours();
        }
        log_.columns.push_back({.row = record.row, .time = std::string(record.time)});
    }

    void join_neighbours() {
        const std::size_t half = SelectionLog::kMostColumns / 2;
        for (std::size_t i = 0; i < half; ++i) {
            if (i > 0) {
                log_.columns[i] = std::move(log_.columns[2 * i]);
            }
            log_.columns[i].rows += log_.columns[(2 * i) + 1].rows;
        }
        log_.columns.resize(half);
        for (auto& variable : log_.variables) {
            variable.by_column.resize(2 * half);
            for (std::size_t i = 0; i < half; ++i) {
                variable.by_column[i] = variable.by_column[2 * i] + variable.by_column[(2 * i) + 1];
            }
            variable.by_column.resize(half);
        }
        rows_to_a_column_ *= 2;
    }

    // A variable that several components have selected counts once in a row.
    void count(std::string_view name) {
        const auto [at, is_new] = known_.try_emplace(std::string(name), known_.size());
        if (is_new) {
            log_.variables.push_back({.name = std::string(name), .rows = 0, .by_column = {}});
            last_counted_.push_back(0);
        }
        if (std::exchange(last_counted_[at->second], log_.rows) == log_.rows) {
            return;
        }
        auto& variable = log_.variables[at->second];
        variable.by_column.resize(log_.columns.size());
        ++variable.by_column.back();
        ++variable.rows;
    }

    SelectionLog log_;
    std::uint32_t rows_to_a_column_ = 1;
    std::unordered_map<std::string, std::size_t> known_;  // index of each variable
    std::vector<std::uint64_t> last_counted_;             // log_.rows when each was last counted
};

}  // namespace

SelectionLog read_selection_log(std::unique_ptr<io::ByteSource> source) {
    const std::string name = source->name();
    io::Records records(std::move(source), {});
    simdjson::dom::parser parser;
    LogCounter counter;
    io::Records::Record line;
    LogRecord record;
    bool any = false;
    while (records.next(line)) {
        if (!parse(parser, line.text, record) || (!record.of_label && !counter.add(record))) {
            throw DataError(
                fmt::format("{}, line {}: this is not a record of `sluice stream` in NDJSON", name, line.at.line));
        }
        any = true;
    }
    if (!any) {
        throw DataError(fmt::format("{}: there is no record in it", name));
    }
    return std::move(counter).finish();
}

}  // namespace sluice::job
