// http_message.hpp -- a request and its answer, as far as the service sees them. Sockets are the server's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::serve {

class Subscription;

/// What comes before the body. A field that was not sent is empty.
struct RequestHead {
    std::string method;  ///< "GET"
    std::string target;  ///< "/v1/models?x=1": path and query
    std::string host;
    std::string origin;
    std::string fetch_site;     ///< Sec-Fetch-Site
    std::string authorization;  ///< never shown or logged
    std::string content_type;
    std::string peer;  ///< address of the client, without its port
};

struct Request {
    RequestHead head;
    std::string body;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// Where it is set, the answer is text/event-stream: what the subscription has, for as long as the client listens.
    std::shared_ptr<Subscription> events = {};
};

/// Called once, from any thread.
using Respond = std::function<void(Response response)>;

}  // namespace sluice::serve
