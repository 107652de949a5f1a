#include "selection_log.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <string_view>
#include <utility>
#include <vector>

#include "records.hpp"
#include "selection_counter.hpp"
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

// False where the selected names are not lists of texts.
bool add(SelectionCounter& counter, const LogRecord& record) {
    counter.begin_row(record.row, record.time);
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
            counter.count(name);  // a variable that several components have selected counts once in a row
        }
    }
    return true;
}

std::vector<std::string> targets_of(const LogRecord& record) {
    std::vector<std::string> targets;
    for (const auto target : record.observed) {
        targets.emplace_back(target.key);
    }
    return targets;
}

}  // namespace

SelectionLog read_selection_log(std::unique_ptr<io::ByteSource> source) {
    const std::string name = source->name();
    io::Records records(std::move(source), {});
    simdjson::dom::parser parser;
    SelectionCounter counter;
    io::Records::Record line;
    LogRecord record;
    bool any = false;
    bool has_targets = false;
    while (records.next(line)) {
        if (!parse(parser, line.text, record) || (!record.of_label && !add(counter, record))) {
            throw DataError(
                fmt::format("{}, line {}: this is not a record of `sluice stream` in NDJSON", name, line.at.line));
        }
        if (!record.of_label && !std::exchange(has_targets, true)) {
            counter.set_targets(targets_of(record));
        }
        any = true;
    }
    if (!any) {
        throw DataError(fmt::format("{}: there is no record in it", name));
    }
    return std::move(counter).finish();
}

}  // namespace sluice::job
