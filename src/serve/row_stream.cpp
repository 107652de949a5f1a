#include "row_stream.hpp"

#include <algorithm>
#include <utility>

#include "continued_columns.hpp"
#include "format_to.hpp"
#include "model_events.hpp"
#include "request_error.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "time_columns.hpp"

namespace sluice::serve {

namespace {

io::Dialect::Kind kind_of(RowFormat format) {
    switch (format) {
        case RowFormat::csv:
            return io::Dialect::Kind::csv;
        case RowFormat::ndjson:
            return io::Dialect::Kind::ndjson;
        default:
            return io::Dialect::Kind::automatic;
    }
}

void check_size(const Roles& roles, const RowLayout& layout) {
    const std::size_t columns = roles.inputs.size();
    const std::size_t width = layout.width(columns, roles.targets.size());
    if (width > RowStream::kMostInputs) {
        throw RequestError(400, "too_large",
                           fmt::format("the model would have {} inputs, lags included; at most {} are possible: choose "
                                       "fewer with \"inputs\" or \"lags\"",
                                       width, RowStream::kMostInputs));
    }
    constexpr std::size_t kPerInput = 8;  // numbers of an input beside those of its targets
    if (width * (roles.targets.size() + kPerInput) > RowStream::kMostCells) {
        throw RequestError(
            400, "too_large",
            fmt::format("the model would have {} inputs, lags included, and {} targets, which is too much "
                        "memory: choose fewer",
                        width, roles.targets.size()));
    }
    const std::size_t kept = (layout.horizon * width) + ((layout.lags.back() + 1) * columns);
    if (kept > RowStream::kMostKeptNumbers) {
        throw RequestError(400, "too_large",
                           fmt::format("lags and horizon need {} numbers of earlier rows; at most {} are possible",
                                       kept, RowStream::kMostKeptNumbers));
    }
}

// What one row adds to an answer at most, roughly: names and numbers of the targets, several times.
std::size_t answer_bytes(const Roles& roles, const ModelSpec& spec) {
    constexpr std::size_t kNumber = 28;
    constexpr std::size_t kRest = 200;
    std::size_t names = 0;
    for (const std::string& target : roles.targets) {
        names += target.size() + kNumber;
    }
    const std::size_t times = (spec.interval ? 4U : 2U) + (spec.layout.horizon > 0 ? (spec.interval ? 3U : 1U) : 0U);
    return (names * times) + kRest;
}

void append_targets(io::JsonWriter& json, const std::vector<std::string>& names, std::span<const double> values) {
    json.begin_object();
    for (std::size_t j = 0; j < values.size(); ++j) {
        json.encoded_key(names[j]).value(values[j]);
    }
    json.end_object();
}

}  // namespace

RowStream::RowStream(ModelSpec spec) : spec_(std::move(spec)) {}

RowStream::RowStream(ModelSpec spec, job::ModelFile&& file) : spec_(std::move(spec)) {
    if (!file.learner || !file.tally || !file.resume_point) {
        throw StateError("the model file was not written by the service");
    }
    if (file.layout != spec_.layout) {
        throw StateError("the model file has other lags or another horizon than the model was created with");
    }
    reading_ = {.opened = true,
                .roles = file.roles,
                .columns = file.resume_point->input.columns,
                .watch = file.columns,
                .rows = file.tally->rows()};
    watch_ = std::move(file.columns);
    std::vector<std::string> input_names = file.input_names();
    begin_with(std::make_unique<Model>(Model{.roles = std::move(file.roles),
                                             .input_names = std::move(input_names),
                                             .learner = std::move(*file.learner),
                                             .tally = std::move(*file.tally),
                                             .events = std::move(file.events),
                                             .intervals = std::move(file.intervals)}));
}

void RowStream::begin_with(std::unique_ptr<Model> model) {
    model_ = std::move(model);
    for (const std::string& target : model_->roles.targets) {
        json_targets_.push_back(io::json(target));
    }
    live_.emplace(model_->input_names, model_->roles.targets, model_->tally.warmup(), true);
}

RowStream::~RowStream() = default;
RowStream::RowStream(RowStream&&) noexcept = default;

std::unique_ptr<RowStream::Model> RowStream::make_model(const Roles& roles) const {
    std::vector<std::string> names = stacked_names(roles, spec_.layout);
    auto model = std::make_unique<Model>(Model{
        .roles = roles,
        .input_names = names,
        .learner = job::Learner(roles.inputs.size(), roles.targets.size(), spec_.layout, spec_.adaptive_options()),
        .tally = job::Tally(names.size(), roles.targets.size(), spec_.layout.horizon, spec_.warmup),
        .events = {},
        .intervals = {}});
    if (spec_.interval) {
        model->intervals.emplace(roles.targets.size(), spec_.layout.horizon,
                                 IntervalOptions{.coverage = *spec_.interval});
    }
    return model;
}

RowStream::Read RowStream::read(const Batch& batch) {
    io::Dialect dialect = spec_.dialect(kind_of(batch.format));
    if (reading_.opened) {
        dialect.known_columns = reading_.columns;
        dialect.columns_before = reading_.columns;
    }
    auto reader = io::open_rows(io::memory_source(batch.text, batch.text.size(), "the rows"), dialect);
    job::RoleRequest request = spec_.roles;
    reader = job::join_time_columns(std::move(reader), request, reading_.opened ? reading_.roles.time : request.time);
    ReadingState next = reading_;
    Read out;
    if (!next.opened) {
        next.opened = true;
        next.columns = reader->columns();
        next.roles = job::assign_roles(reader->columns(), request, spec_.layout);
        check_size(next.roles, spec_.layout);
        next.watch = job::ColumnWatch(next.roles);
        out.model = make_model(next.roles);
    } else if (!spec_.strict_columns) {
        reader = job::continue_columns(std::move(reader), {.roles = next.roles, .ignore = request.ignore});
    }
    const job::Places places = job::find_places(reader->columns(), next.roles, request.ignore, true);
    reader->want(places.numbers(), places.texts());
    next.watch.begin(*reader, spec_.strict_columns);

    out.width = next.roles.inputs.size() + next.roles.targets.size();
    const std::size_t row_bytes = answer_bytes(next.roles, spec_);
    std::size_t answer = 0;
    job::EventLog of_columns;
    io::Row row;
    for (;;) {
        Read::Row result;
        try {
            if (!reader->next(row)) {
                break;
            }
        } catch (const io::RowError& error) {
            if (!spec_.skip_bad_rows) {
                throw;
            }
            result.error = error_object(error);
        }
        if (result.error.empty()) {
            result.time = row.texts.empty() ? "" : row.texts.front();
            out.numbers.insert(out.numbers.end(), row.numbers.begin(), row.numbers.end());
            ++next.rows;
            next.watch.after_row(&row, *reader, {.row = next.rows, .time = result.time}, of_columns);
        } else {
            next.watch.after_row(nullptr, *reader, {.row = next.rows + 1, .time = {}}, of_columns);
        }
        answer += result.error.empty() ? row_bytes + result.time.size() : result.error.size();
        if (out.rows.size() >= kMostRows || answer > kMostAnswerBytes) {
            throw RequestError(400, "too_large",
                               fmt::format("these are too many rows for one request: send at most {}",
                                           std::min(kMostRows, out.rows.size())));
        }
        result.events.assign(of_columns.of_row().begin(), of_columns.of_row().end());
        of_columns.end_row();
        out.rows.push_back(std::move(result));
    }
    if (out.rows.empty()) {
        throw DataError("the rows: there is a header, and no row follows it");
    }
    out.watch = next.watch;
    reading_ = std::move(next);
    return out;
}

std::string RowStream::learn(Read&& read) {
    if (read.model) {
        begin_with(std::move(read.model));
    }
    std::string answers;
    std::uint64_t skipped = 0;
    const std::uint64_t first = model_->tally.rows() + 1;
    const std::span<const double> numbers(read.numbers);
    std::size_t good = 0;
    for (std::size_t i = 0; i < read.rows.size(); ++i) {
        answers += i == 0 ? "" : ",";
        if (read.rows[i].error.empty()) {
            learn_row(read, i, numbers.subspan(good++ * read.width, read.width), answers);
        } else {
            ++skipped;
            model_->tally.add_skipped();
            for (job::Event& event : read.rows[i].events) {
                model_->events.raise(std::move(event));  // goes with the next row that can be read, as in a stream job
            }
            fmt::format_to(std::back_inserter(answers), R"({{"row":null,"outcome":"skipped","error":{}}})",
                           read.rows[i].error);
        }
    }
    watch_ = std::move(read.watch);
    return fmt::format(R"("first_row":{},"rows":{},"skipped":{},"answers":[{}])", first, good, skipped, answers);
}

void RowStream::learn_row(const Read& read, std::size_t row, std::span<const double> numbers, std::string& answers) {
    Model& model = *model_;
    const Read::Row& about = read.rows[row];
    const auto x = numbers.first(model.roles.inputs.size());
    const auto y = numbers.subspan(x.size());
    model.tally.before_row(model.learner.model(), y);
    const job::Learner::Step step = model.learner.step(x, y);
    model.tally.add(step, y);
    if (model.intervals) {
        model.intervals->add(step, y, model.tally.rows() > model.tally.warmup());
    }
    for (const job::Event& event : about.events) {
        model.events.raise(event);
    }
    const std::uint64_t number = model.tally.rows();
    if (step.report) {
        job::raise_model_events(model.events, *step.report, {.row = number, .time = about.time}, model.input_names,
                                model.roles.targets);
        entered_ += step.report->entered.size();
    }
    const bool has_interval = model.intervals.has_value();
    const job::IntervalEnds ends = has_interval ? model.intervals->predicted() : job::IntervalEnds{};
    io::JsonWriter json(answers, io::JsonWriter::compact);
    json.begin_object().member("row", number);
    if (!model.roles.time.empty()) {
        json.member("time", about.time);
    }
    append_targets(json.key("predicted"), json_targets_, step.predicted);
    if (has_interval) {
        append_targets(json.key("low"), json_targets_, ends.low);
        append_targets(json.key("high"), json_targets_, ends.high);
    }
    append_targets(json.key("observed"), json_targets_, y);
    if (model.learner.layout().horizon > 0) {
        append_targets(json.key("forecast"), json_targets_, step.forecast);
        if (has_interval) {
            append_targets(json.key("forecast_low"), json_targets_, model.intervals->forecast().low);
            append_targets(json.key("forecast_high"), json_targets_, model.intervals->forecast().high);
        }
    }
    json.member("outcome", step.report ? name_of(step.report->outcome) : std::string_view("waiting"));
    const auto events = model.events.of_row();
    live_->add({.row = number,
                .time = about.time,
                .observed = y,
                .step = step,
                .intervals = has_interval ? &*model.intervals : nullptr,
                .model = &model.learner.model(),
                .events = events});
    if (!events.empty()) {
        json.key("events").encoded(job::events_json(events));
        for (const job::Event& event : events) {
            if (fresh_events_.size() < kMostFreshEvents) {
                fresh_events_.push_back(event);
            }
        }
    }
    json.end_object();
    model.events.end_row();
}

std::vector<job::Event> RowStream::take_events() {
    return std::exchange(fresh_events_, {});
}

std::vector<std::byte> RowStream::pack(const std::vector<std::pair<std::string, std::vector<std::byte>>>& more) const {
    job::ResumePoint point;
    point.input.columns = reading_.columns;
    point.input.rows = model_->tally.rows() + model_->tally.skipped();
    point.closed = true;
    return job::pack_checkpoint(model_->roles, model_->learner, model_->tally, model_->events, watch_, point, nullptr,
                                model_->intervals ? &*model_->intervals : nullptr, more);
}

}  // namespace sluice::serve
