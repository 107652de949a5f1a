#include "record_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "csv_text.hpp"
#include "decision_text.hpp"
#include "json_text.hpp"

namespace sluice::job {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string_view outcome_of(const Learner::Step& step) {
    return step.report ? name_of(step.report->outcome) : std::string_view("waiting");
}

// {"row":7,"time":"...","predicted":{"y":1.5},"observed":{"y":1.25},"selected":[["a","b"],["c"]],"entered":["c"],
//  "left":[],"forgetting":0.95,"outcome":"learned"}
class NdjsonWriter final : public RecordWriter {
  public:
    explicit NdjsonWriter(RecordNames names) : names_(std::move(names)) {
        for (std::string& name : names_.inputs) {
            name = io::json(name);
        }
        for (std::string& name : names_.targets) {
            name = io::json(name) + ":";
        }
    }

    void begin(std::string& /*out*/) const override {}

    void write(std::string& out, std::uint64_t row, std::string_view time, std::span<const double> observed,
               const Learner::Step& step, const StreamModel& model) const override {
        fmt::format_to(std::back_inserter(out), "{{\"row\":{}", row);
        if (names_.has_time) {
            out += ",\"time\":";
            io::append_json(out, time);
        }
        append_targets(out, ",\"predicted\":{", step.predicted);
        append_targets(out, ",\"observed\":{", observed);
        if (names_.has_forecast) {
            append_targets(out, ",\"forecast\":{", step.forecast);
        }
        out += ",\"selected\":[";
        for (std::size_t r = 0; r < model.components(); ++r) {
            out += r == 0 ? "" : ",";
            append_inputs(out, model.selected(r));
        }
        out += "],\"entered\":";
        append_inputs(out, step.report ? step.report->entered : std::span<const std::size_t>());
        out += ",\"left\":";
        append_inputs(out, step.report ? step.report->left : std::span<const std::size_t>());
        out += ",\"forgetting\":";
        io::append_json(out, step.report ? step.report->forgetting : kUnknown);
        out += ",\"explained_covariance\":";
        io::append_json(out, step.report ? step.report->explained_covariance : kUnknown);
        if (names_.tuned && step.report) {
            append_tuning(out, *step.report);
        }
        fmt::format_to(std::back_inserter(out), ",\"outcome\":\"{}\"}}\n", outcome_of(step));
    }

  private:
    void append_tuning(std::string& out, const StepReport& report) const {
        fmt::format_to(std::back_inserter(out), ",\"components\":{},\"keep\":{},\"shrinkage\":", report.components,
                       report.keep);
        io::append_json(out, report.shrinkage);
        if (!report.decisions.empty()) {
            out += ",\"decisions\":";
            out += decisions_json(report.decisions);
        }
        if (report.outcome == Outcome::drift) {
            fmt::format_to(std::back_inserter(out),
                           ",\"alarm\":{{\"since\":{},\"by\":\"{}\",\"entered\":", report.alarm.since + 1,
                           report.alarm.error ? "error" : "covariance");
            append_inputs(out, report.alarm.entered);
            out += ",\"left\":";
            append_inputs(out, report.alarm.left);
            out += '}';
        }
    }
    void append_targets(std::string& out, const char* begin, std::span<const double> values) const {
        out += begin;
        for (std::size_t j = 0; j < values.size(); ++j) {
            out += j == 0 ? "" : ",";
            out += names_.targets[j];
            io::append_json(out, values[j]);
        }
        out += '}';
    }
    void append_inputs(std::string& out, std::span<const std::size_t> inputs) const {
        out += '[';
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            out += k == 0 ? "" : ",";
            out += names_.inputs[inputs[k]];
        }
        out += ']';
    }

    RecordNames names_;
};

// One column per target and per component; several names in one cell are parted by a bar.
class CsvWriter final : public RecordWriter {
  public:
    explicit CsvWriter(RecordNames names) : names_(std::move(names)) {}

    void begin(std::string& out) const override {
        out += names_.has_time ? "row,time" : "row";
        for (const char* what : {"predicted", "observed", "forecast"}) {
            if (names_.has_forecast || std::string_view(what) != "forecast") {
                for (const std::string& target : names_.targets) {
                    out += ',';
                    io::append_cell(out, fmt::format("{}_{}", what, target));
                }
            }
        }
        for (std::size_t r = 1; r <= names_.components; ++r) {
            fmt::format_to(std::back_inserter(out), ",selected_{}", r);
        }
        out += names_.components == 0 ? ",selected" : "";
        out += ",entered,left,forgetting,explained_covariance,";
        out += names_.tuned ? "components,keep,shrinkage,decisions," : "";
        out += "outcome\n";
    }

    void write(std::string& out, std::uint64_t row, std::string_view time, std::span<const double> observed,
               const Learner::Step& step, const StreamModel& model) const override {
        fmt::format_to(std::back_inserter(out), "{}", row);
        if (names_.has_time) {
            out += ',';
            io::append_cell(out, time);
        }
        for (const auto values : {step.predicted, observed, step.forecast}) {
            for (const double value : values) {
                append_number(out, value);
            }
        }
        if (names_.components == 0) {
            append_inputs(out, model.selected());
        }
        for (std::size_t r = 0; r < names_.components; ++r) {
            append_inputs(out, model.selected(r));
        }
        append_inputs(out, step.report ? step.report->entered : std::span<const std::size_t>());
        append_inputs(out, step.report ? step.report->left : std::span<const std::size_t>());
        append_number(out, step.report ? step.report->forgetting : kUnknown);
        append_number(out, step.report ? step.report->explained_covariance : kUnknown);
        if (names_.tuned) {
            append_tuning(out, step.report.value_or(StepReport{}));
        }
        fmt::format_to(std::back_inserter(out), ",{}\n", outcome_of(step));
    }

  private:
    static void append_tuning(std::string& out, const StepReport& report) {
        fmt::format_to(std::back_inserter(out), ",{},{},{},", report.components, report.keep, report.shrinkage);
        std::string cell;
        for (const Decision& decision : report.decisions) {
            fmt::format_to(std::back_inserter(cell), "{}{} {} to {}", cell.empty() ? "" : "|",
                           name_of(decision.setting), decision.from, decision.to);
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
        out += ',';
        std::string cell;
        for (const std::size_t input : inputs) {
            cell += cell.empty() ? "" : "|";
            cell += names_.inputs[input];
        }
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
