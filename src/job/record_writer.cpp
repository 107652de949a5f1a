#include "record_writer.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "csv_text.hpp"
#include "decision_text.hpp"
#include "format_to.hpp"
#include "json_text.hpp"

namespace sluice::job {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string_view outcome_of(const Learner::Step& step) {
    return step.report ? name_of(step.report->outcome) : std::string_view("waiting");
}

std::span<const std::size_t> entered(const Learner::Step& step) {
    return step.report ? step.report->entered : std::span<const std::size_t>();
}

std::span<const std::size_t> left(const Learner::Step& step) {
    return step.report ? step.report->left : std::span<const std::size_t>();
}

// {"row":7,"time":"...","predicted":{"y":1.5},"observed":{"y":1.25},"selected":[["a","b"],["c"]],"entered":["c"],
//  "left":[],"forgetting":0.95,"explained_covariance":0.8,"outcome":"learned","events":[{"event":"drift",...}]}
// "events" is there only where the row has any.
// "selected" has a list for each component; where the variables are found, one list, the most important first. With
// weights there are lists as long: "weights":[[0.8,0.3],[0.5]] and, where the variables are found, "gains":[0.2,0.1].
class NdjsonWriter final : public RecordWriter {
  public:
    explicit NdjsonWriter(RecordNames names) : names_(std::move(names)) {
        for (auto* list : {&names_.inputs, &names_.targets}) {  // escaped once, not in every row
            for (std::string& name : *list) {
                name = io::json(name);
            }
        }
    }

    void begin(std::string& /*out*/) const override {}

    void write(std::string& out, const Record& record) const override {
        io::JsonWriter json(out, io::JsonWriter::compact);
        const Learner::Step& step = record.step;
        json.begin_object().member("row", record.row);
        if (names_.has_time) {
            json.member("time", record.time);
        }
        if (record.label_of > 0) {
            json.member("label_of", record.label_of);
        }
        append_targets(json.key("predicted"), step.predicted);
        if (names_.has_interval) {
            append_targets(json.key("low"), record.intervals->predicted().low);
            append_targets(json.key("high"), record.intervals->predicted().high);
        }
        if (names_.has_observed) {
            append_targets(json.key("observed"), record.observed);
        }
        if (names_.has_forecast) {
            append_targets(json.key("forecast"), step.forecast);
            if (names_.has_interval) {
                append_targets(json.key("forecast_low"), record.intervals->forecast().low);
                append_targets(json.key("forecast_high"), record.intervals->forecast().high);
            }
        }
        if (names_.has_missing_lags) {
            json.member("missing_lags", record.missing_lags);
        }
        if (names_.has_model) {
            append_model(json, step, *record.model);
        }
        if (!record.events.empty()) {
            json.key("events").encoded(events_json(record.events));
        }
        json.end_object();
        out += '\n';
    }

  private:
    void append_model(io::JsonWriter& json, const Learner::Step& step, const AdaptiveModel& model) const {
        json.key("selected").begin_list();
        if (names_.components == 0) {
            json.begin_list();
            for (const Importance& one : model.importances()) {
                json.encoded(names_.inputs[one.input]);
            }
            json.end_list();
        }
        for (std::size_t r = 0; r < names_.components; ++r) {
            append_inputs(json, model.current().selected(r));
        }
        json.end_list();
        if (names_.has_weights) {
            append_weights(json, model);
        }
        append_inputs(json.key("entered"), entered(step));
        append_inputs(json.key("left"), left(step));
        json.member("forgetting", step.report ? step.report->forgetting : kMissing)
            .member("explained_covariance", step.report ? step.report->explained_covariance : kMissing);
        if (names_.tuned && step.report) {
            append_tuning(json, *step.report);
        }
        json.member("outcome", outcome_of(step));
    }
    void append_weights(io::JsonWriter& json, const AdaptiveModel& model) const {
        json.key("weights").begin_list();
        if (names_.components == 0) {
            json.begin_list();
            for (const Importance& one : model.importances()) {
                json.value(one.contribution);
            }
            json.end_list();
        }
        for (std::size_t r = 0; r < names_.components; ++r) {
            json.begin_list();
            for (const std::size_t input : model.current().selected(r)) {
                json.value(model.current().weights(r)[input]);
            }
            json.end_list();
        }
        json.end_list();
        if (names_.components == 0) {
            json.key("gains").begin_list();
            for (const Importance& one : model.importances()) {
                json.value(one.gain);
            }
            json.end_list();
        }
    }
    void append_tuning(io::JsonWriter& json, const StepReport& report) const {
        json.member("names", report.selected.size())
            .member("shrinkage", report.shrinkage)
            .member("last_value_share", report.last_value_share);
        if (!report.decisions.empty()) {
            json.key("decisions").encoded(decisions_json(report.decisions, [this](std::size_t input) {
                return names_.inputs[input];
            }));
        }
    }
    void append_targets(io::JsonWriter& json, std::span<const double> values) const {
        json.begin_object();
        for (std::size_t j = 0; j < values.size(); ++j) {
            json.encoded_key(names_.targets[j]).value(values[j]);
        }
        json.end_object();
    }
    void append_inputs(io::JsonWriter& json, std::span<const std::size_t> inputs) const {
        json.begin_list();
        for (const std::size_t input : inputs) {
            json.encoded(names_.inputs[input]);
        }
        json.end_list();
    }

    RecordNames names_;
};

// One column per target and per component; several names in one cell are separated by a bar. The events of a row are one
// cell, which has the same JSON as the other format.
class CsvWriter final : public RecordWriter {
  public:
    explicit CsvWriter(RecordNames names) : names_(std::move(names)) {}

    void begin(std::string& out) const override {
        out += names_.has_time ? "row,time" : "row";
        out += names_.has_late_labels ? ",label_of" : "";
        append_header(out, "predicted");
        if (names_.has_interval) {
            append_header(out, "low");
            append_header(out, "high");
        }
        if (names_.has_observed) {
            append_header(out, "observed");
        }
        if (names_.has_forecast) {
            append_header(out, "forecast");
            if (names_.has_interval) {
                append_header(out, "forecast_low");
                append_header(out, "forecast_high");
            }
        }
        out += names_.has_missing_lags ? ",missing_lags" : "";
        if (names_.has_model) {
            for (std::size_t r = 1; r <= names_.components; ++r) {
                fmt::format_to(std::back_inserter(out), ",selected_{}", r);
            }
            out += names_.components == 0 ? ",selected" : "";
            if (names_.has_weights) {
                for (std::size_t r = 1; r <= names_.components; ++r) {
                    fmt::format_to(std::back_inserter(out), ",weights_{}", r);
                }
                out += names_.components == 0 ? ",weights,gains" : "";
            }
            out += ",entered,left,forgetting,explained_covariance,";
            out += names_.tuned ? "names,shrinkage,last_value_share,decisions," : "";
            out += "outcome,events";
        }
        out += '\n';
    }

    void write(std::string& out, const Record& record) const override {
        fmt::format_to(std::back_inserter(out), "{}", record.row);
        if (names_.has_time) {
            out += ',';
            io::append_cell(out, record.time);
        }
        if (names_.has_late_labels) {
            out += ',';
            out += record.label_of > 0 ? fmt::to_string(record.label_of) : "";
        }
        const IntervalEnds none;
        const IntervalEnds now = names_.has_interval ? record.intervals->predicted() : none;
        const IntervalEnds ahead = names_.has_interval ? record.intervals->forecast() : none;
        for (const auto values :
             {record.step.predicted, now.low, now.high, record.observed, record.step.forecast, ahead.low, ahead.high}) {
            for (const double value : values) {
                append_number(out, value);
            }
        }
        if (names_.has_missing_lags) {
            fmt::format_to(std::back_inserter(out), ",{}", record.missing_lags);
        }
        if (names_.has_model) {
            append_model(out, record.step, *record.model);
            out += ',';
            if (!record.events.empty()) {
                io::append_cell(out, events_json(record.events));
            }
        }
        out += '\n';
    }

  private:
    void append_header(std::string& out, std::string_view what) const {
        for (const std::string& target : names_.targets) {
            out += ',';
            io::append_cell(out, fmt::format("{}_{}", what, target));
        }
    }
    void append_model(std::string& out, const Learner::Step& step, const AdaptiveModel& model) const {
        if (names_.components == 0) {
            append_by_importance(out, model.importances());
        }
        for (std::size_t r = 0; r < names_.components; ++r) {
            append_inputs(out, model.current().selected(r));
        }
        if (names_.has_weights) {
            append_weights(out, model);
        }
        append_inputs(out, entered(step));
        append_inputs(out, left(step));
        append_number(out, step.report ? step.report->forgetting : kMissing);
        append_number(out, step.report ? step.report->explained_covariance : kMissing);
        if (names_.tuned) {
            append_tuning(out, step.report.value_or(StepReport{}));
        }
        out += ',';
        out += outcome_of(step);
    }
    void append_weights(std::string& out, const AdaptiveModel& model) const {
        const auto append = [](std::string& cell, double value) {
            fmt::format_to(std::back_inserter(cell), "{}{}", cell.empty() ? "" : "|", value);
        };
        if (names_.components == 0) {
            std::string weights;
            std::string gains;
            for (const Importance& one : model.importances()) {
                append(weights, one.contribution);
                append(gains, one.gain);
            }
            out += ',' + weights + ',' + gains;
        }
        for (std::size_t r = 0; r < names_.components; ++r) {
            std::string weights;
            for (const std::size_t input : model.current().selected(r)) {
                append(weights, model.current().weights(r)[input]);
            }
            out += ',' + weights;
        }
    }
    void append_tuning(std::string& out, const StepReport& report) const {
        fmt::format_to(std::back_inserter(out), ",{},{},{},", report.selected.size(), report.shrinkage,
                       report.last_value_share);
        std::string cell;
        for (const Decision& decision : report.decisions) {
            cell += cell.empty() ? "" : "|";
            cell += decision_line(decision, names_.inputs[decision.input]);
        }
        io::append_cell(out, cell);
    }
    static void append_number(std::string& out, double value) {
        out += ',';
        if (!std::isnan(value)) {
            fmt::format_to(std::back_inserter(out), "{}", value);
        }
    }
    void append_inputs(std::string& out, std::span<const std::size_t> inputs) const {
        std::string cell;
        for (const std::size_t input : inputs) {
            append_name(cell, input);
        }
        append_names(out, cell);
    }
    void append_by_importance(std::string& out, std::span<const Importance> importances) const {
        std::string cell;
        for (const Importance& one : importances) {
            append_name(cell, one.input);
        }
        append_names(out, cell);
    }
    void append_name(std::string& cell, std::size_t input) const {
        cell += cell.empty() ? "" : "|";
        cell += names_.inputs[input];
    }
    static void append_names(std::string& out, const std::string& cell) {
        out += ',';
        io::append_cell(out, cell);
    }

    RecordNames names_;
};

}  // namespace

std::unique_ptr<RecordWriter> make_record_writer(RecordFormat format, const RecordNames& names) {
    if (format == RecordFormat::csv) {
        return std::make_unique<CsvWriter>(names);
    }
    return std::make_unique<NdjsonWriter>(names);
}

}  // namespace sluice::job
