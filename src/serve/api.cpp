#include "api.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "request_error.hpp"

namespace sluice::serve {

/// A target taken apart.
struct Api::Route {
    enum class What {
        page,
        health,
        metrics,
        openapi,
        models,
        model,
        rows,
        selected,
        coefficients,
        history,
        file,
        events
    };
    What what = What::page;
    std::string name;  // of the model
    std::string query;
    std::vector<std::string> methods;  // HEAD is allowed where GET is
};

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kModels = "/v1/models";

// Without what follows a semicolon, in small letters.
std::string media_type(std::string_view content_type) {
    std::string out(content_type.substr(0, content_type.find(';')));
    while (!out.empty() && out.back() == ' ') {
        out.pop_back();
    }
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

[[noreturn]] void refuse_type(const std::string& given, const char* wanted) {
    throw RequestError(415, "content_type",
                       fmt::format("the Content-Type {} is not known here: send {}", io::json(given), wanted));
}

// seq=7 and nothing else.
std::uint64_t seq_of(std::string_view query) {
    if (query.empty()) {
        return 0;
    }
    std::uint64_t seq = 0;
    constexpr std::string_view kSeq = "seq=";
    const char* end = query.data() + query.size();
    if (query.starts_with(kSeq)) {
        const auto [stop, problem] = std::from_chars(query.data() + kSeq.size(), end, seq);
        constexpr std::uint64_t kLargest = (std::uint64_t{1} << 53U) - 1;  // that JSON carries
        if (problem == std::errc() && stop == end && seq >= 1 && seq <= kLargest) {
            return seq;
        }
    }
    throw RequestError(400, "bad_query", "rows take one parameter: seq, a whole number from 1, such as ?seq=1");
}

// span=latest or span=whole, which it is without.
report::Span span_of(std::string_view query) {
    if (query.empty() || query == "span=whole") {
        return report::Span::whole;
    }
    if (query == "span=latest") {
        return report::Span::latest;
    }
    throw RequestError(400, "bad_query", "this path takes one parameter: span, which is whole or latest");
}

// One object, or a list of objects, as one object per line.
std::string lines_of_json(const std::string& text) {
    simdjson::dom::parser parser;
    simdjson::dom::element whole;
    const simdjson::padded_string padded(text);
    if (const auto error = parser.parse(padded).get(whole); error != simdjson::SUCCESS) {
        throw RequestError(400, "bad_data",
                           fmt::format("the rows: this is not JSON: {}", simdjson::error_message(error)));
    }
    simdjson::dom::array list;
    if (whole.get(list) != simdjson::SUCCESS) {
        if (!whole.is_object()) {
            throw RequestError(400, "bad_data", "the rows: JSON must be an object, or a list of objects");
        }
        return simdjson::minify(whole) + "\n";
    }
    std::string out;
    for (const simdjson::dom::element row : list) {
        if (!row.is_object()) {
            throw RequestError(400, "bad_data", "the rows: JSON must be an object, or a list of objects");
        }
        out += simdjson::minify(row) + "\n";
    }
    return out;
}

Batch batch_of(const Request& request, std::uint64_t seq) {
    const std::string type = media_type(request.head.content_type);
    if (request.body.empty()) {
        throw RequestError(400, "bad_data", "the rows: there are none");
    }
    if (type == "application/x-ndjson" || type == "application/ndjson" || type == "application/jsonl") {
        return {.seq = seq, .format = RowFormat::ndjson, .text = request.body};
    }
    if (type == "text/csv") {
        return {.seq = seq, .format = RowFormat::csv, .text = request.body};
    }
    if (type == "application/json") {
        return {.seq = seq, .format = RowFormat::ndjson, .text = lines_of_json(request.body)};
    }
    refuse_type(request.head.content_type, "application/x-ndjson, application/json or text/csv");
}

}  // namespace

Api::Api(Registry& registry, const ServerCounts& counts, std::string_view page)
    : registry_(registry), counts_(counts), page_(split_page(page)) {}

// Throws RequestError where there is no such path.
Api::Route Api::route_of(std::string_view target) {
    using What = Route::What;
    const std::size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    Route route;
    route.query = mark == std::string_view::npos ? "" : std::string(target.substr(mark + 1));
    const auto is = [&](What what, std::vector<std::string> methods) {
        route.what = what;
        route.methods = std::move(methods);
        return route;
    };
    if (path == "/" || path.starts_with("/page/")) {
        route.name = path;
        return is(What::page, {"GET"});
    }
    if (path == "/healthz") {
        return is(What::health, {"GET"});
    }
    if (path == "/metrics") {
        return is(What::metrics, {"GET"});
    }
    if (path == "/v1/openapi.json") {
        return is(What::openapi, {"GET"});
    }
    if (path == kModels) {
        return is(What::models, {"GET", "POST"});
    }
    if (path.starts_with(kModels) && path.substr(kModels.size()).starts_with('/')) {
        const std::string_view rest = path.substr(kModels.size() + 1);
        const std::size_t slash = rest.find('/');
        route.name = rest.substr(0, slash);
        if (slash == std::string_view::npos) {
            return is(What::model, {"GET", "PUT", "DELETE"});
        }
        const std::string_view last = rest.substr(slash + 1);
        if (last == "rows") {
            return is(What::rows, {"POST"});
        }
        constexpr std::array<std::pair<std::string_view, What>, 5> kViews = {{{"selected", What::selected},
                                                                              {"coefficients", What::coefficients},
                                                                              {"history", What::history},
                                                                              {"file", What::file},
                                                                              {"events", What::events}}};
        for (const auto& [name, what] : kViews) {
            if (last == name) {
                return is(what, {"GET"});
            }
        }
    }
    throw RequestError(404, "no_path", "there is nothing at this path: GET /v1/openapi.json lists what there is");
}

std::optional<Response> Api::refusal(const RequestHead& head) {
    try {
        const Route route = route_of(head.target);
        const std::string method = head.method == "HEAD" ? "GET" : head.method;
        if (std::ranges::find(route.methods, method) != route.methods.end()) {
            return std::nullopt;
        }
        std::string allowed;
        for (const std::string& one : route.methods) {
            allowed += (allowed.empty() ? "" : ", ") + one + (one == "GET" ? ", HEAD" : "");
        }
        Response response =
            error_response(RequestError(405, "method", fmt::format("this path takes {} and no other method", allowed)));
        response.headers.emplace_back("Allow", allowed);
        return response;
    } catch (const RequestError& error) {
        return error_response(error);
    }
}

void Api::handle(Request request, const Respond& respond) {
    Response response;
    try {
        if (auto refused = refusal(request.head)) {
            respond(std::move(*refused));
            return;
        }
        const Route route = route_of(request.head.target);
        const bool takes_query =
            route.what == Route::What::rows || route.what == Route::What::history || route.what == Route::What::events;
        if (!route.query.empty() && !takes_query) {
            throw RequestError(400, "bad_query", "this path takes no parameters after a ?");
        }
        switch (route.what) {
            case Route::What::rows:
                registry_.find(route.name)->post_rows(batch_of(request, seq_of(route.query)), respond);
                return;
            case Route::What::coefficients:
                registry_.find(route.name)->get(Host::View::coefficients, respond);
                return;
            case Route::What::history:
                registry_.find(route.name)
                    ->get(span_of(route.query) == report::Span::whole ? Host::View::whole_history
                                                                      : Host::View::latest_history,
                          respond);
                return;
            case Route::What::file:
                registry_.find(route.name)->get(Host::View::model_file, respond);
                return;
            default:
                if (request.head.method != "GET" && request.head.method != "HEAD") {
                    change(std::move(request), route, respond);
                    return;
                }
                response = answer(request, route);
        }
    } catch (const std::exception&) {
        response = error_response(std::current_exception());
    }
    respond(std::move(response));
}

// Creating and deleting wait for the disk, which no other request shall do.
void Api::change(Request&& request, const Route& route, const Respond& respond) {
    const bool added = changes_.add([this, request = std::move(request), route, respond] {
        Response response;
        try {
            response = answer(request, route);
        } catch (const std::exception&) {
            response = error_response(std::current_exception());
        }
        respond(std::move(response));
    });
    if (!added) {
        throw RequestError(429, "busy", "too many models are being created or deleted: try again a little later");
    }
}

Response Api::answer(const Request& request, const Route& route) {
    using What = Route::What;
    switch (route.what) {
        case What::page: {
            const auto file = page_.find(route.name);
            if (file == page_.end()) {
                throw RequestError(404, "no_path", "there is no such file of the page");
            }
            return {.content_type = file->second.content_type, .body = file->second.text};
        }
        case What::health:
            return health();
        case What::metrics:
            return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
                    .body = metrics_page(registry_, *registry_.event_counts(), counts_)};
        case What::openapi:
            return {.body = openapi_json()};
        case What::models:
            return request.head.method == "POST" ? create_named(request, {}) : list();
        case What::selected:
            return {.body = selected_json(*opened(route.name)->snapshot())};
        case What::events: {
            Response response{.content_type = "text/event-stream"};
            response.events = opened(route.name)->subscribe(span_of(route.query));
            return response;
        }
        default:
            break;
    }
    if (request.head.method == "PUT") {
        return create_named(request, route.name);
    }
    if (request.head.method == "DELETE") {
        registry_.remove(route.name);
        return {.status = 204};
    }
    const Registry::Model model = opened(route.name);
    return {.body = state_json(model->name(), *model->snapshot(), model->spec())};
}

// Throws RequestError where the model could not be opened.
Registry::Model Api::opened(const std::string& name) const {
    Registry::Model model = registry_.find(name);
    if (const std::string problem = model->problem(); !problem.empty()) {
        throw RequestError(503, "damaged", fmt::format("the model {} does not work: {}", name, problem));
    }
    if (!model->ready()) {
        throw RequestError(503, "opening", fmt::format("the model {} is being opened: try again a little later", name));
    }
    return model;
}

Response Api::health() const {
    std::size_t damaged = 0;
    const auto models = registry_.all();
    for (const Registry::Model& model : models) {
        damaged += model->problem().empty() ? 0U : 1U;
    }
    return {.body = fmt::format("{{\"status\":\"{}\",\"models\":{},\"damaged\":{},\"durable\":{}}}\n",
                                damaged == 0 ? "ok" : "degraded", models.size(), damaged, registry_.durable())};
}

Response Api::list() const {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().key("models").begin_list();
    for (const Registry::Model& model : registry_.all()) {
        const auto state = model->snapshot();
        const std::string problem = model->problem();
        json.begin_object()
            .member("name", model->name())
            .member("rows", state->rows)
            .member("inputs", state->inputs)
            .member("names", state->names)
            .key("targets")
            .list(state->targets)
            .key("problem");
        problem.empty() ? json.encoded("null") : json.value(problem);
        json.end_object();
    }
    json.end_list().end_object();
    return {.body = out + "\n"};
}

// PUT has the name in its path, POST in its body.
Response Api::create_named(const Request& request, std::string name) {
    if (media_type(request.head.content_type) != "application/json") {
        refuse_type(request.head.content_type, "application/json");
    }
    const bool in_body = name.empty();
    if (!in_body) {
        check_model_name(name);
    }
    const ModelSpec spec = parse_spec(request.body, in_body ? &name : nullptr);
    const bool made = registry_.create(name, spec);
    const Registry::Model model = registry_.find(name);
    Response response{.status = made ? 201 : 200, .body = state_json(name, *model->snapshot(), model->spec())};
    response.headers.emplace_back("Location", fmt::format("{}/{}", kModels, name));
    return response;
}

}  // namespace sluice::serve
