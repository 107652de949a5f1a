#include "answer_record.hpp"

#include "json_text.hpp"

namespace sluice::fleet {

namespace {

void append_numbers(io::JsonWriter& json, const char* name, const std::vector<std::string>& targets,
                    std::span<const double> values) {
    if (values.empty()) {
        return;
    }
    json.key(name).begin_object();
    for (std::size_t k = 0; k < values.size(); ++k) {
        json.encoded_key(targets[k]).value(values[k]);
    }
    json.end_object();
}

}  // namespace

void append_record(std::string& out, std::string_view key, std::string_view time, const Answer& answer,
                   std::span<const double> observed, const std::vector<std::string>& targets) {
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().member("key", key);
    if (answer.sequence) {
        json.member("sequence", *answer.sequence);
    }
    json.key("row");
    answer.row > 0 ? json.value(answer.row) : json.encoded("null");
    if (!time.empty()) {
        json.member("time", time);
    }
    append_numbers(json, "predicted", targets, answer.predicted);
    append_numbers(json, "low", targets, answer.low);
    append_numbers(json, "high", targets, answer.high);
    append_numbers(json, "observed", targets, observed);
    append_numbers(json, "forecast", targets, answer.forecast);
    append_numbers(json, "forecast_low", targets, answer.forecast_low);
    append_numbers(json, "forecast_high", targets, answer.forecast_high);
    json.member("outcome", answer.outcome);
    if (!answer.selected.empty()) {
        json.key("selected").encoded(answer.selected);
    }
    if (!answer.events.empty()) {
        json.key("events").encoded(answer.events);
    }
    json.end_object();
    out += '\n';
}

void append_refusal(std::string& out, std::string_view key, std::uint64_t line, const std::string& text) {
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().key("key");
    key.empty() ? json.encoded("null") : json.value(key);
    json.key("row").encoded("null").member("outcome", "refused");
    json.key("events").begin_list().begin_object().member("event", "row_refused").member("line", line);
    json.member("text", text).end_object().end_list().end_object();
    out += '\n';
}

}  // namespace sluice::fleet
