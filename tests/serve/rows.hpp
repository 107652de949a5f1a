// rows.hpp -- batches of a small stream whose output follows its inputs, and what is read out of answers.
#pragma once

#include <fmt/format.h>

#include <future>
#include <string>
#include <utility>

#include "api.hpp"
#include "batch.hpp"
#include "sluice/simulate.hpp"

namespace sluice::test {

/// Rows as CSV with a header, or NDJSON; always the same ones for the same numbers.
class RowSource {
  public:
    std::string csv(int rows) {
        std::string out = "t,a,b,c,y\n";
        for (int i = 0; i < rows; ++i) {
            const Row row = next();
            out += fmt::format("d{},{},{},{},{}\n", row.number, row.a, row.b, row.c, row.y);
        }
        return out;
    }
    std::string ndjson(int rows) {
        std::string out;
        for (int i = 0; i < rows; ++i) {
            const Row row = next();
            out += fmt::format("{{\"t\":\"d{}\",\"a\":{},\"b\":{},\"c\":{},\"y\":{}}}\n", row.number, row.a, row.b,
                               row.c, row.y);
        }
        return out;
    }
    serve::Batch batch(int rows, std::uint64_t seq = 0) {
        return {.seq = seq, .format = serve::RowFormat::csv, .text = csv(rows)};
    }

  private:
    struct Row {
        int number;
        double a, b, c, y;
    };
    Row next() {
        Row row{.number = ++number_, .a = noise_.next(), .b = noise_.next(), .c = noise_.next(), .y = 0.0};
        row.y = (2.0 * row.a) - row.b + noise_.next(0.0, 0.1);
        return row;
    }
    NormalSource noise_{7};
    int number_ = 0;
};

inline constexpr const char* kSpec = R"({"targets":["y"],"time":"t"})";

/// The answer of the API, waited for.
inline serve::Response ask(serve::Api& api, serve::Request request) {
    std::promise<serve::Response> promise;
    auto answer = promise.get_future();
    api.handle(std::move(request), [&](serve::Response response) { promise.set_value(std::move(response)); });
    return answer.get();
}
inline serve::Response ask(serve::Api& api, const std::string& method, const std::string& target,
                           const std::string& body = {}, const std::string& type = "application/json") {
    return ask(api, {.head = {.method = method,
                              .target = target,
                              .host = {},
                              .origin = {},
                              .fetch_site = {},
                              .authorization = {},
                              .content_type = type,
                              .peer = {}},
                     .body = body});
}
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace sluice::test
