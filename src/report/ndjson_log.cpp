// ndjson_log.cpp -- src/job/record_writer.cpp shows what the records have.
#include "ndjson_log.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "event_json.hpp"
#include "log_reader.hpp"
#include "sluice/error.hpp"

namespace sluice::report {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

double number_of(const element& value) {
    double number = kUnknown;
    return value.get(number) == simdjson::SUCCESS ? number : kUnknown;
}

double member(const element& record, const char* name) {
    element value;
    return record[name].get(value) == simdjson::SUCCESS ? number_of(value) : kUnknown;
}

}  // namespace

class NdjsonLog::Reader {
  public:
    Reader(std::uint64_t warmup, bool latest) : warmup_(warmup), latest_(latest) {}

    // False where the record is none of ours.
    bool add(std::string_view line) {
        element record;
        if (parser_.parse(line.data(), line.size()).get(record) != simdjson::SUCCESS) {
            return false;
        }
        StreamRow row;
        if (record["row"].get(row.row) != simdjson::SUCCESS || row.row == 0 || !begin(record) ||
            !read_targets(record, "predicted", predicted_) || !read_targets(record, "observed", observed_)) {
            return false;
        }
        row.predicted = predicted_;
        row.observed = observed_;
        if (record["low"].error() == simdjson::SUCCESS) {
            if (!read_targets(record, "low", low_) || !read_targets(record, "high", high_)) {
                return false;
            }
            row.low = low_;
            row.high = high_;
        }
        if (record["time"].get(row.time) != simdjson::SUCCESS) {
            row.time = {};
        }
        if (record["label_of"].get(row.label_of) != simdjson::SUCCESS) {
            row.label_of = 0;
        }
        if (record["forecast"].error() == simdjson::SUCCESS) {
            if (!read_targets(record, "forecast", forecast_)) {
                return false;
            }
            row.forecast = forecast_;
        }
        row.forgetting = member(record, "forgetting");
        row.shrinkage = member(record, "shrinkage");
        row.last_value_share = member(record, "last_value_share");
        if (!read_uses(record) || !read_reasons(record)) {
            return false;
        }
        row.uses = uses_;
        row.reasons = reasons_;
        events_.clear();
        element events;
        if (record["events"].get(events) == simdjson::SUCCESS && !read_events(events, events_)) {
            return false;
        }
        row.events = events_;
        histories_->add(row);
        return true;
    }

    [[nodiscard]] Histories* histories() noexcept { return histories_ ? &*histories_ : nullptr; }

  private:
    // The first record has the names of the targets.
    bool begin(const element& record) {
        if (histories_) {
            return true;
        }
        object observed;
        if (record["observed"].get(observed) != simdjson::SUCCESS) {
            return false;
        }
        for (const auto target : observed) {
            targets_.emplace_back(target.key);
        }
        histories_.emplace(History::Settings{.targets = targets_, .warmup = warmup_}, latest_);
        return true;
    }

    bool read_targets(const element& record, const char* name, std::vector<double>& out) const {
        object values;
        if (record[name].get(values) != simdjson::SUCCESS) {
            return false;
        }
        out.clear();
        for (const auto value : values) {
            if (out.size() == targets_.size() || value.key != targets_[out.size()]) {
                return false;
            }
            out.push_back(number_of(value.value));
        }
        return out.size() == targets_.size();
    }

    bool read_uses(const element& record) {
        uses_.clear();
        array components;
        if (record["selected"].get(components) != simdjson::SUCCESS) {
            return false;
        }
        std::size_t component = 0;
        for (const element list : components) {
            array names;
            if (list.get(names) != simdjson::SUCCESS) {
                return false;
            }
            for (const element one : names) {
                std::string_view name;
                if (one.get(name) != simdjson::SUCCESS) {
                    return false;
                }
                uses_.push_back({.variable = histories_->variable(name), .component = component});
            }
            ++component;
        }
        array weights;
        if (record["weights"].get(weights) == simdjson::SUCCESS) {
            std::size_t i = 0;
            for (const element list : weights) {
                array numbers;
                if (list.get(numbers) != simdjson::SUCCESS) {
                    return false;
                }
                for (const element one : numbers) {
                    if (i < uses_.size()) {
                        uses_[i++].weight = std::abs(number_of(one));
                    }
                }
            }
        }
        array gains;
        if (record["gains"].get(gains) == simdjson::SUCCESS) {
            std::size_t i = 0;
            for (const element one : gains) {
                if (i < uses_.size()) {
                    uses_[i++].gain = number_of(one);
                }
            }
        }
        return true;
    }

    bool read_reasons(const element& record) {
        reasons_.clear();
        array decisions;
        if (record["decisions"].get(decisions) != simdjson::SUCCESS) {
            return true;
        }
        for (const element decision : decisions) {
            std::string_view setting;
            std::string_view input;
            if (decision["setting"].get(setting) == simdjson::SUCCESS && setting == "entered" &&
                decision["input"].get(input) == simdjson::SUCCESS) {
                reasons_.push_back({.variable = histories_->variable(input),
                                    .error_without = member(decision, "measured_from"),
                                    .error_with = member(decision, "measured_to")});
            }
        }
        return true;
    }

    std::uint64_t warmup_;
    bool latest_;
    simdjson::dom::parser parser_;
    std::vector<std::string> targets_;
    std::optional<Histories> histories_;
    std::vector<double> predicted_;
    std::vector<double> observed_;
    std::vector<double> low_;
    std::vector<double> high_;
    std::vector<double> forecast_;
    std::vector<Use> uses_;
    std::vector<Reason> reasons_;
    std::vector<StreamEvent> events_;
};

NdjsonLog::NdjsonLog(std::uint64_t warmup, bool latest) : reader_(std::make_unique<Reader>(warmup, latest)) {}
NdjsonLog::~NdjsonLog() = default;

Histories* NdjsonLog::histories() noexcept {
    return reader_->histories();
}

void NdjsonLog::add(std::string_view line) {
    if (!reader_->add(line)) {
        throw DataError("this is not a record of `sluice stream --out`, or one of another stream");
    }
}

History read_ndjson_log(std::unique_ptr<io::Records> records, const LogSettings& settings) {
    const std::string name = records->source().name();
    NdjsonLog log(settings.warmup, false);
    std::uint64_t count = 0;
    for (io::Records::Record line; records->next(line);) {
        try {
            log.add(line.text);
        } catch (const DataError& error) {
            throw DataError(fmt::format("{}, line {}: {}", name, line.at.line, error.what()));
        }
        if (settings.progress && ++count % kRecordsBetweenProgress == 0) {
            settings.progress(records->source().share_read());
        }
    }
    return log.histories()->of(Span::whole);
}

}  // namespace sluice::report
