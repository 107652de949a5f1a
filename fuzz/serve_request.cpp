// Bytes from anywhere as a request of the service: its path, its head, the description of a model and rows. An answer comes for
// each, with a status that the API has, and rows that were refused change nothing.
#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>

#include "api.hpp"
#include "guard.hpp"

namespace {

void insist(bool condition) {
    if (!condition) {
        std::abort();
    }
}

sluice::serve::Response answer(sluice::serve::Api& api, const std::string& method, const std::string& target,
                               const std::string& type, const std::string& body) {
    std::promise<sluice::serve::Response> promise;
    auto future = promise.get_future();
    sluice::serve::Request request;
    request.head.method = method;
    request.head.target = target;
    request.head.content_type = type;
    request.body = body;
    api.handle(std::move(request), [&](sluice::serve::Response response) { promise.set_value(std::move(response)); });
    sluice::serve::Response response = future.get();
    insist(response.status >= 200 && response.status < 500 && response.status != 500);
    insist(response.status == 204 || response.events || !response.body.empty());
    return response;
}

}  // namespace

// The first byte chooses; the rest is text, of which a line may be the path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) {
        return -1;
    }
    static sluice::serve::ServerCounts counts;
    sluice::serve::Registry registry({}, sluice::io::real_disk());
    sluice::serve::Api api(registry, counts, "<p>");
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t line = text.find('\n');
    const std::string first = text.substr(0, line);
    const std::string rest = line == std::string::npos ? "" : text.substr(line + 1);
    static const char* const kMethods[] = {"GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"};
    static const char* const kTypes[] = {"application/x-ndjson", "application/json", "text/csv", "text/plain"};
    switch (data[0] % 4) {
        case 0: {  // a path
            (void)answer(api, kMethods[(data[0] / 4) % 6], first, kTypes[(data[0] / 32) % 4], rest);
            sluice::serve::Guard guard({.hosts = {"localhost"}, .port = 1, .token = std::string(32, 'x')});
            sluice::serve::RequestHead head;
            head.host = first;
            head.origin = rest;
            head.authorization = text;
            head.target = first;
            (void)guard.refusal(head);
            break;
        }
        case 1:  // a model
            (void)answer(api, "PUT", "/v1/models/m", "application/json", text);
            (void)answer(api, "POST", "/v1/models", "application/json", text);
            break;
        default: {  // rows, after some good ones
            insist(answer(api, "PUT", "/v1/models/m", "application/json",
                          (data[0] & 128U) != 0 ? R"({"targets":["y"],"on_bad_row":"skip","lags":"0:1"})"
                                                : R"({"targets":["y"]})")
                       .status == 201);
            if ((data[0] & 64U) != 0) {
                insist(answer(api, "POST", "/v1/models/m/rows", "text/csv", "a,b,y\n1,2,3\n2,3,5\n").status == 200);
            }
            const auto before = registry.find("m")->snapshot()->rows;
            const auto got = answer(api, "POST", "/v1/models/m/rows", kTypes[(data[0] / 4) % 4], text);
            insist(got.status == 200 || registry.find("m")->snapshot()->rows == before);
            break;
        }
    }
    return 0;
}
