#include "member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "json_text.hpp"
#include "model_events.hpp"
#include "names_state.hpp"
#include "sections.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::fleet {

namespace {

constexpr const char* kSection = "fleet";
constexpr std::uint32_t kVersion = 1;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// On one line, so that a cell or a key cannot control a terminal.
std::string printable(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string out(text.substr(0, kLongest));
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }, ' ');
    return out;
}

}  // namespace

MemberNames::MemberNames(Roles of, const RowLayout& layout)
    : roles(std::move(of)), inputs(stacked_names(roles, layout)) {
    for (const std::string& name : inputs) {
        json.push_back(io::json(name));
    }
}

Member::Member(const Config& config, std::string key, std::shared_ptr<const MemberNames> names)
    : key_(std::move(key)), names_(std::move(names)) {
    learner_.emplace(roles().inputs.size(), roles().targets.size(), config.spec.layout, config.spec.adaptive_options());
    if (config.spec.interval) {
        intervals_.emplace(roles().targets.size(), config.spec.layout.horizon,
                           IntervalOptions{.coverage = *config.spec.interval});
    }
    start(config);
}

Member::Member(const Config& config, std::string key, std::span<const std::byte> state,
               const std::shared_ptr<const MemberNames>& usual)
    : key_(std::move(key)) {
    const file::SectionView sections(state);
    file::require(sections.has(kSection), "it is a model file, and not the state of a key of a fleet");
    core::StateReader in = core::StateReader::unframed(sections[kSection]);
    std::uint32_t version = 0;
    in.get(version);
    file::require(
        version == kVersion,
        fmt::format("the state of this key has format {}; this version of Sluice reads format {}", version, kVersion));
    NamedModel named = unpack_model(state);
    file::require(named.layout == config.spec.layout, "its lags or its horizon are not those of the config");
    names_ = usual && usual->roles == named.roles
                 ? usual
                 : std::make_shared<const MemberNames>(std::move(named.roles), named.layout);
    learner_.emplace(roles().inputs.size(), named.layout, std::move(named.model));
    learner_->load(in);
    check_options(config);
    const bool has_intervals = in.get_flag();
    file::require(has_intervals == config.spec.interval.has_value(), has_intervals
                                                                         ? "it has intervals, and the config has none"
                                                                         : "it has no intervals, as the config asks");
    if (has_intervals) {
        intervals_ = job::Intervals::load(in, roles().targets.size(), config.spec.layout.horizon);
        file::require(intervals_->coverage_asked() == *config.spec.interval,
                      "its intervals have another coverage than the config asks for");
    }
    start(config);
    columns_.load(in);
    if (in.get_flag()) {
        std::int64_t last = 0;
        in.get(last);
        last_ = last;
    }
    behind_ = in.get_flag();
    selection_sent_ = in.get_flag();
    std::uint64_t count = 0;
    in.get(count);
    in.require(count <= kKeptAnswers, "it keeps too many answers");
    for (; count > 0; --count) {
        Kept& kept = kept_.emplace_back();
        in.get(kept.sequence);
        in.get(kept.row);
        kept.values.resize(answer_width());
        in.get_raw(kept.values);
    }
    in.require(in.left() == 0, "it goes on after its end");
}

void Member::start(const Config& config) {
    sequence_column_ = config.sequence;
    strict_ = config.spec.strict_columns;
    columns_ = job::ColumnWatch(roles());
    columns_.begin(strict_);
    nothing_.assign(roles().targets.size(), kMissing);
}

void Member::check_options(const Config& config) const {
    const AdaptiveOptions asked = config.spec.adaptive_options();
    const AdaptiveOptions& known = learner_->model().options();
    for (const auto& [name, text] : config.spec.options) {
        const auto field = std::ranges::find(adaptive_fields(), name, &AdaptiveField::name);
        file::require(field->get(asked) == field->get(known), fmt::format("its {} is {}, and that of the config {}",
                                                                          name, field->get(known), field->get(asked)));
    }
}

std::vector<std::byte> Member::save() const {
    core::StateWriter out;
    out.put(kVersion);
    learner_->save(out);
    out.put(static_cast<unsigned char>(intervals_.has_value()));
    if (intervals_) {
        intervals_->save(out);
    }
    columns_.save(out);
    out.put(static_cast<unsigned char>(last_.has_value()));
    if (last_) {
        out.put(*last_);
    }
    out.put(static_cast<unsigned char>(behind_));
    out.put(static_cast<unsigned char>(selection_sent_));
    out.put(static_cast<std::uint64_t>(kept_.size()));
    for (const Kept& kept : kept_) {
        out.put(kept.sequence);
        out.put(kept.row);
        out.put_raw(kept.values);
    }
    return file::join_sections({{"names", file::names_section(roles(), learner_->layout())},
                                {"model", learner_->model().save()},
                                {kSection, std::move(out).unframed()}});
}

void Member::begin_block(std::span<const std::string> new_columns, std::vector<std::size_t> absent) {
    columns_.begin(strict_);
    new_columns_.assign(new_columns.begin(), new_columns.end());
    absent_ = std::move(absent);
}

Answer Member::step(const io::Row& row, std::optional<std::int64_t> sequence, std::string_view time) {
    own_events_.clear();
    events_text_.clear();
    selected_text_.clear();
    events_.end_row();
    if (!sequence_column_.empty() && !sequence) {
        return refuse(sequence_column_, "whole number", {}, sequence, time);
    }
    if (sequence && last_ && *sequence <= *last_) {
        return repeat(*sequence, time);
    }
    const auto unknown =
        std::ranges::find_if(row.unreadable, [&](std::size_t place) { return !columns_.tolerates(place); });
    if (unknown != row.unreadable.end()) {
        const std::size_t inputs = roles().inputs.size();
        return refuse(*unknown < inputs ? roles().inputs[*unknown] : roles().targets[*unknown - inputs],
                      "finite number", row.unreadable_value, sequence, time);
    }
    behind_ = false;
    const std::span<const double> numbers(row.numbers);
    const auto y = numbers.subspan(roles().inputs.size());
    const job::Learner::Step step = learner_->step(numbers.first(roles().inputs.size()), y);
    if (intervals_) {
        intervals_->add(step, y, true);
    }
    const job::EventRow at{.row = learner_->rows(), .time = time};
    (void)columns_.after_row(&row, job::ColumnNews{.new_fields = new_columns_, .absent = absent_}, at, events_);
    if (step.report) {
        job::raise_model_events(events_, *step.report, at, names_->inputs, roles().targets);
    }
    if (step.report && (!selection_sent_ || !step.report->entered.empty() || !step.report->left.empty())) {
        write_selected();
    }
    write_events();
    Answer answer{.sequence = sequence,
                  .row = learner_->rows(),
                  .predicted = step.predicted,
                  .forecast = step.forecast,
                  .outcome = step.report ? name_of(step.report->outcome) : std::string_view("waiting"),
                  .selected = selected_text_,
                  .events = events_text_};
    if (intervals_) {
        answer.low = intervals_->predicted().low;
        answer.high = intervals_->predicted().high;
        answer.forecast_low = intervals_->forecast().low;
        answer.forecast_high = intervals_->forecast().high;
    }
    if (sequence) {
        last_ = sequence;
        keep(*sequence, answer);
    }
    return answer;
}

Answer Member::repeat(std::int64_t sequence, std::string_view time) {
    if (!behind_) {
        behind_ = true;
        add_event(
            "sequence_back", time,
            fmt::format("key {}: the row numbers went back from {} to {}. Rows up to {} are answered and not learnt "
                        "again; if the source counts from the beginning again, give a sequence that only grows, "
                        "such as a time",
                        printable(key_), *last_, sequence, *last_));
    }
    const auto kept = std::ranges::find(kept_, sequence, &Kept::sequence);
    write_events();
    Answer answer = answer_of(kept == kept_.end() ? std::span<const double>() : std::span<const double>(kept->values));
    answer.sequence = sequence;
    answer.row = kept == kept_.end() ? 0 : kept->row;
    answer.outcome = "repeated";
    answer.events = events_text_;
    return answer;
}

Answer Member::refuse(std::string_view column, std::string_view needed, std::string_view value,
                      std::optional<std::int64_t> sequence, std::string_view time) {
    add_event(
        "row_refused", time,
        fmt::format("key {}, the row after row {}{}: column {} holds no {}{}. The row is not learnt; correct it{}",
                    printable(key_), learner_->rows(),
                    sequence ? fmt::format(" (sequence {})", *sequence) : std::string(), printable(column), needed,
                    value.empty() ? std::string() : fmt::format(" but \"{}\"", printable(value)),
                    value.empty() ? "" : ", or list its text as one that means missing"));
    write_events();
    Answer answer = answer_of({});
    answer.sequence = sequence;
    answer.outcome = "refused";
    answer.events = events_text_;
    return answer;
}

// The numbers of an answer, one kind after the other.
std::size_t Member::answer_width() const {
    const std::size_t kinds = learner_->layout().horizon > 0 ? 2 : 1;
    return roles().targets.size() * kinds * (intervals_ ? 3 : 1);
}

void Member::keep(std::int64_t sequence, const Answer& answer) {
    if (kept_.size() == kKeptAnswers) {  // the oldest makes room, with its memory
        kept_.push_back(std::move(kept_.front()));
        kept_.pop_front();
    } else {
        kept_.emplace_back();
    }
    Kept& kept = kept_.back();
    kept.sequence = sequence;
    kept.row = answer.row;
    kept.values.clear();
    for (const auto& part :
         {answer.predicted, answer.low, answer.high, answer.forecast, answer.forecast_low, answer.forecast_high}) {
        kept.values.insert(kept.values.end(), part.begin(), part.end());
    }
}

Answer Member::answer_of(std::span<const double> values) const {
    Answer answer;
    const auto next = [&](bool there) {
        if (!there) {
            return std::span<const double>();
        }
        if (values.empty()) {
            return std::span<const double>(nothing_);
        }
        const auto part = values.first(nothing_.size());
        values = values.subspan(nothing_.size());
        return part;
    };
    const bool ahead = learner_->layout().horizon > 0;
    answer.predicted = next(true);
    answer.low = next(intervals_.has_value());
    answer.high = next(intervals_.has_value());
    answer.forecast = next(ahead);
    answer.forecast_low = next(ahead && intervals_);
    answer.forecast_high = next(ahead && intervals_);
    return answer;
}

void Member::write_selected() {
    selection_sent_ = true;
    const AdaptiveModel& model = learner_->model();
    io::JsonWriter json(selected_text_, io::JsonWriter::compact);
    json.begin_list();
    if (finds_variables(model.options())) {
        for (const Importance& one : model.importances()) {
            json.encoded(names_->json[one.input]);
        }
    } else {
        for (const std::size_t input : model.selected()) {
            json.encoded(names_->json[input]);
        }
    }
    json.end_list();
}

void Member::add_event(std::string_view kind, std::string_view time, const std::string& text) {
    io::JsonWriter json(own_events_, io::JsonWriter::compact);
    json.begin_object().member("event", kind).member("key", key_).member("row", learner_->rows());
    if (!time.empty()) {
        json.member("time", time);
    }
    json.member("text", text).end_object();
}

void Member::write_events() {
    if (own_events_.empty() && events_.of_row().empty()) {
        return;
    }
    io::JsonWriter json(events_text_, io::JsonWriter::compact);
    json.begin_list();
    if (!own_events_.empty()) {
        json.encoded(own_events_);
    }
    for (const job::Event& event : events_.of_row()) {
        json.encoded(job::event_json(event));
    }
    json.end_list();
}

}  // namespace sluice::fleet
