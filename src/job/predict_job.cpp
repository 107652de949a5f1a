#include "predict_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "csv_text.hpp"
#include "durable.hpp"
#include "good_rows.hpp"
#include "json_text.hpp"
#include "output_file.hpp"
#include "sluice/error.hpp"

namespace sluice::job {

namespace {

ModelFile read_model(const std::string& path) {
    try {
        return unpack(io::read_whole(path));
    } catch (const StateError& error) {
        throw StateError(path + ": " + error.what());
    }
}

void append_ndjson(std::string& out, std::uint64_t row, const std::string* time, std::span<const double> predicted,
                   std::span<const double> observed, const std::vector<std::string>& targets) {
    fmt::format_to(std::back_inserter(out), "{{\"row\":{}", row);
    if (time != nullptr) {
        out += ",\"time\":";
        io::append_json(out, *time);
    }
    for (const auto& [name, values] : {std::pair{"predicted", predicted}, {"observed", observed}}) {
        if (values.empty()) {
            continue;
        }
        fmt::format_to(std::back_inserter(out), ",\"{}\":{{", name);
        for (std::size_t j = 0; j < values.size(); ++j) {
            out += j == 0 ? "" : ",";
            io::append_json(out, targets[j]);
            out += ':';
            io::append_json(out, values[j]);
        }
        out += '}';
    }
    out += "}\n";
}

void append_csv(std::string& out, std::uint64_t row, const std::string* time, std::span<const double> predicted,
                std::span<const double> observed) {
    fmt::format_to(std::back_inserter(out), "{}", row);
    if (time != nullptr) {
        out += ',';
        io::append_cell(out, *time);
    }
    for (const auto values : {predicted, observed}) {
        for (const double value : values) {
            out += ',';
            if (!std::isnan(value)) {
                fmt::format_to(std::back_inserter(out), "{}", value);
            }
        }
    }
    out += '\n';
}

void append_csv_header(std::string& out, bool time, const std::vector<std::string>& targets, bool observed) {
    out += time ? "row,time" : "row";
    for (const char* what : {"predicted", "observed"}) {
        for (std::size_t j = 0; j < targets.size() && (observed || std::string_view(what) == "predicted"); ++j) {
            out += ',';
            io::append_cell(out, fmt::format("{}_{}", what, targets[j]));
        }
    }
    out += '\n';
}

}  // namespace

PredictResult run_predict(const PredictSettings& settings, io::Disk& disk) {
    const ModelFile file = read_model(settings.model);
    auto reader = io::open_rows(io::open_source(settings.input), settings.dialect);
    const Places places = find_places(reader->columns(), file.roles, settings.ignore, false);
    std::vector<std::size_t> wanted = places.inputs;
    wanted.insert(wanted.end(), places.targets.begin(), places.targets.end());
    reader->want(wanted, places.time ? std::vector<std::size_t>{*places.time} : std::vector<std::size_t>{});

    const std::size_t p = places.inputs.size();
    const std::size_t q = file.roles.targets.size();
    const bool observed_known = !places.targets.empty();
    PredictResult result{.targets = file.roles.targets};
    result.scores.resize(observed_known ? q : 0);

    io::OutputFile out(disk, settings.out);
    if (settings.out_format == RecordFormat::csv) {
        append_csv_header(out.text(), places.time.has_value(), file.roles.targets, observed_known);
    }
    LagStack lags(p, file.shape.lags);
    const std::size_t horizon = file.shape.horizon;
    std::vector<double> forecasts((horizon + 1) * q, std::numeric_limits<double>::quiet_NaN());
    io::Row row;
    const auto next = [&] {
        try {
            return next_good(*reader, row, settings.skip_bad_rows, result.skipped);
        } catch (const io::RowError&) {
            out.flush();  // what came before it is good
            throw;
        }
    };
    while (next()) {
        const auto numbers = std::span<const double>(row.numbers);
        const auto x = lags.push(numbers.first(p));
        // A ring: the slot written now is read again `horizon` rows later, just before it is written anew.
        const auto made = std::span(forecasts).subspan((result.rows % (horizon + 1)) * q, q);
        if (file.fitted) {
            std::ranges::copy(file.fitted->fit.predict(x), made.begin());
        } else {
            file.learner->model().predict(x, made);
        }
        const auto predicted = std::span(forecasts).subspan(((result.rows + 1) % (horizon + 1)) * q, q);
        const auto observed = numbers.subspan(p);
        for (std::size_t j = 0; j < observed.size(); ++j) {
            if (!std::isnan(predicted[j])) {
                result.scores[j].add(observed[j], predicted[j]);
            }
        }
        ++result.rows;
        const std::string* time = places.time ? row.texts.data() : nullptr;
        if (settings.out_format == RecordFormat::csv) {
            append_csv(out.text(), result.rows, time, predicted, observed);
        } else {
            append_ndjson(out.text(), result.rows, time, predicted, observed, file.roles.targets);
        }
        out.settle();
    }
    out.flush();
    return result;
}

}  // namespace sluice::job
