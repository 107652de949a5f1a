// api.hpp -- from a request to its answer. docs/serve.md has the routes for people, openapi.cpp for programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "http_message.hpp"
#include "metrics_page.hpp"
#include "registry.hpp"
#include "served_page.hpp"
#include "worker.hpp"

namespace sluice::serve {

class Api {
  public:
    /// The first two outlive the object. `page`: the HTML of apps/server/web.
    Api(Registry& registry, const ServerCounts& counts, std::string_view page);

    /// Answers by `respond`, at once or from the thread of a model. Never throws and never waits.
    void handle(Request request, const Respond& respond);

    /// What is checked before the body is read: whether the path and the method exist. Nothing where they do.
    [[nodiscard]] static std::optional<Response> refusal(const RequestHead& head);

  private:
    struct Route;
    [[nodiscard]] static Route route_of(std::string_view target);
    void change(Request&& request, const Route& route, const Respond& respond);
    [[nodiscard]] Response answer(const Request& request, const Route& route);
    [[nodiscard]] Response health() const;
    [[nodiscard]] Response list() const;
    [[nodiscard]] Response create_named(const Request& request, std::string name);
    [[nodiscard]] Registry::Model opened(const std::string& name) const;

    Registry& registry_;
    const ServerCounts& counts_;
    std::map<std::string, PageFile> page_;
    Worker changes_;  // the last: models are created and deleted by its thread
};

/// The OpenAPI 3.1 description of the service.
[[nodiscard]] const std::string& openapi_json();

}  // namespace sluice::serve
