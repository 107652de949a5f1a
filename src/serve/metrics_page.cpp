#include "metrics_page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "format_to.hpp"
#include "label_text.hpp"

namespace sluice::serve {

namespace {

constexpr std::size_t kMostTargets = 20;  // of a model; of one with more, none is shown

std::string metric_number(double number) {
    return std::isnan(number) ? "NaN" : std::isinf(number) ? (number > 0 ? "+Inf" : "-Inf") : fmt::format("{}", number);
}

class Page {
  public:
    void metric(const char* name, const char* type, const char* help) {
        name_ = fmt::format("sluice_{}", name);
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
    }
    void line(const std::string& labels, const std::string& number, const char* suffix = "") {
        fmt::format_to(std::back_inserter(text_), "{}{}{}{}{} {}\n", name_, suffix, labels.empty() ? "" : "{", labels,
                       labels.empty() ? "" : "}", number);
    }
    [[nodiscard]] std::string take() && { return std::move(text_); }

  private:
    std::string name_;
    std::string text_;
};

struct Shown {
    std::string label;  // model="plant"
    Registry::Model model;
    std::shared_ptr<const Snapshot> state;
};

using Models = std::vector<Shown>;

template <typename Number>
void of_each(Page& page, const Models& models, const char* name, const char* type, const char* help, Number number) {
    page.metric(name, type, help);
    for (const Shown& one : models) {
        page.line(one.label, fmt::format("{}", number(one)));
    }
}

template <typename Number>
void of_targets(Page& page, const Models& models, const char* name, const char* type, const char* help, Number number) {
    page.metric(name, type, help);
    for (const Shown& one : models) {
        for (std::size_t j = 0; j < one.state->targets.size() && one.state->targets.size() <= kMostTargets; ++j) {
            page.line(fmt::format("{},target=\"{}\"", one.label, job::label_text(one.state->targets[j])),
                      metric_number(number(one.state->scores[j])));
        }
    }
}

void add_models(Page& page, const Models& models) {
    of_each(page, models, "rows_total", "counter", "Rows that were predicted, learnt or not.",
            [](const Shown& one) { return one.state->rows; });
    of_each(page, models, "learned_rows_total", "counter", "Rows that were learnt.",
            [](const Shown& one) { return one.state->learned; });
    of_each(page, models, "skipped_rows_total", "counter", "Rows that could not be read.",
            [](const Shown& one) { return one.state->skipped; });
    of_each(page, models, "batches_total", "counter", "Requests with rows that were accepted.",
            [](const Shown& one) { return one.state->batches; });
    page.metric("events_total", "counter", "Events, by kind.");
    for (const Shown& one : models) {
        for (std::size_t kind = 0; kind < job::kEventKinds; ++kind) {
            page.line(fmt::format("{},kind=\"{}\"", one.label, job::name_of(static_cast<job::EventKind>(kind))),
                      fmt::format("{}", one.state->events[kind]));
        }
    }
    of_targets(page, models, "error_over_variance", "gauge",
               "Squared error of all rows over the variance of the target.",
               [](const Score& score) { return score.error_over_variance(); });
    of_targets(page, models, "squared_error_total", "counter",
               "Sum of squared errors, in the unit of the target squared.",
               [](const Score& score) { return std::ldexp(score.sums().error, 2 * score.sums().exponent); });
    of_targets(page, models, "scored_rows_total", "counter", "Rows that the squared errors are over.",
               [](const Score& score) { return static_cast<double>(score.count()); });
    of_each(page, models, "entered_names_total", "counter",
            "Inputs that began to predict, since the process started: the turnover.",
            [](const Shown& one) { return one.state->entered; });
    of_each(page, models, "names", "gauge", "Inputs that predict now.",
            [](const Shown& one) { return one.state->names; });
    of_each(page, models, "inputs", "gauge", "Inputs of the model, lags included.",
            [](const Shown& one) { return one.state->inputs; });
    of_each(page, models, "vanished_columns", "gauge", "Columns that have vanished and count as missing.",
            [](const Shown& one) { return one.state->vanished; });
    of_each(page, models, "model_bytes", "gauge", "Memory of the model.",
            [](const Shown& one) { return one.state->bytes; });
    of_each(page, models, "waiting_requests", "gauge", "Requests in the model's queue.",
            [](const Shown& one) { return one.model->waiting(); });
    of_each(page, models, "failed_checkpoints_total", "counter", "Checkpoints that could not be written.",
            [](const Shown& one) { return one.model->failed_checkpoints(); });
    of_each(page, models, "model_up", "gauge", "1, or 0 where the model could not be opened.",
            [](const Shown& one) { return one.model->problem().empty() ? 1 : 0; });
    page.metric("rows_request_seconds", "histogram", "From the arrival of a request with rows to its answer.");
    for (const Shown& one : models) {
        const LatencyCounts& latency = one.model->latency();
        for (std::size_t i = 0; i < LatencyCounts::kBounds.size(); ++i) {
            page.line(fmt::format("{},le=\"{}\"", one.label, LatencyCounts::kBounds[i]),
                      fmt::format("{}", latency.at_most(i)), "_bucket");
        }
        page.line(one.label + ",le=\"+Inf\"", fmt::format("{}", latency.count()), "_bucket");
        page.line(one.label, metric_number(latency.seconds()), "_sum");
        page.line(one.label, fmt::format("{}", latency.count()), "_count");
    }
}

}  // namespace

std::string metrics_page(const Registry& registry, const EventCounts& events, const ServerCounts& server) {
    Models models;
    for (const Registry::Model& model : registry.all()) {
        models.push_back(
            {.label = fmt::format("model=\"{}\"", model->name()), .model = model, .state = model->snapshot()});
    }
    Page page;
    add_models(page, models);
    page.metric("event_clients", "gauge", "Clients that listen to events.");
    page.line("", fmt::format("{}", events.clients.load()));
    page.metric("event_updates_merged_total", "counter",
                "Updates that a later one replaced before a client took them.");
    page.line("", fmt::format("{}", events.merged.load()));
    page.metric("event_drops_total", "counter", "Events that a client was too slow for.");
    page.line("", fmt::format("{}", events.dropped.load()));
    page.metric("event_clients_cut_total", "counter", "Clients that did not read what they were sent.");
    page.line("", fmt::format("{}", events.cut.load()));
    page.metric("http_connections", "gauge", "Open connections.");
    page.line("", fmt::format("{}", server.connections.load()));
    page.metric("http_connections_total", "counter", "Connections that were accepted.");
    page.line("", fmt::format("{}", server.connections_total.load()));
    page.metric("http_refused_connections_total", "counter", "Connections beyond the limit.");
    page.line("", fmt::format("{}", server.refused_connections.load()));
    page.metric("http_timeouts_total", "counter", "Connections that were too slow.");
    page.line("", fmt::format("{}", server.timeouts.load()));
    page.metric("http_answers_total", "counter", "Answers, by status.");
    for (std::size_t status = 0; status < server.answers.size(); ++status) {
        if (const auto count = server.answers[status].load(); count > 0) {
            page.line(fmt::format("code=\"{}\"", status), fmt::format("{}", count));
        }
    }
    return std::move(page).take();
}

}  // namespace sluice::serve
