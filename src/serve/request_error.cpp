#include "request_error.hpp"

#include <fmt/format.h>

#include <new>

#include "disk.hpp"
#include "json_text.hpp"
#include "remedy_fields.hpp"
#include "row_reader.hpp"
#include "sluice/error.hpp"
#include "usage.hpp"

namespace sluice::serve {

namespace {

struct Meaning {
    int status = 500;
    std::string kind = "failure";
    std::string message;
};

Meaning meaning_of(const std::exception& error) {
    if (const auto* request = dynamic_cast<const RequestError*>(&error)) {
        return {.status = request->status(), .kind = request->kind(), .message = error.what()};
    }
    if (dynamic_cast<const io::RowError*>(&error) != nullptr || dynamic_cast<const DataError*>(&error) != nullptr ||
        dynamic_cast<const io::SourceError*>(&error) != nullptr) {
        return {.status = 400, .kind = "bad_data", .message = error.what()};
    }
    if (dynamic_cast<const OptionError*>(&error) != nullptr) {
        return {.status = 400, .kind = "bad_options", .message = error.what()};
    }
    if (dynamic_cast<const job::UsageError*>(&error) != nullptr) {
        return {.status = 400, .kind = "usage", .message = error.what()};
    }
    if (dynamic_cast<const StateError*>(&error) != nullptr) {
        return {.status = 503, .kind = "damaged", .message = error.what()};
    }
    if (dynamic_cast<const io::DiskError*>(&error) != nullptr) {
        return {.status = 503, .kind = "storage", .message = error.what()};
    }
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return {.status = 503, .kind = "memory", .message = "out of memory: send fewer rows at once"};
    }
    return {.message = error.what()};
}

}  // namespace

std::string error_object(const std::exception& error) {
    const Meaning meaning = meaning_of(error);
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().member("kind", meaning.kind).member("message", meaning.message);
    const auto* row = dynamic_cast<const io::RowError*>(&error);
    if (row != nullptr) {
        json.member("line", row->at().line)
            .member("byte", row->at().byte)
            .member("column", row->column())
            .member("value", row->value())
            .member("reason", row->reason());
    }
    if (const auto* remedied = dynamic_cast<const io::Remedied*>(&error)) {
        const std::string remedy =
            remedy_text(remedied->remedies(), remedied->remedied_column(), row == nullptr ? "" : row->value());
        if (!remedy.empty()) {
            json.member("remedy", remedy);
        }
    }
    json.end_object();
    return out;
}

std::string error_json(const std::exception& error) {
    return fmt::format("{{\"error\":{}}}\n", error_object(error));
}

Response error_response(const RequestError& error) {
    Response response{.status = error.status(), .body = error_json(error)};
    if (error.status() == 429 || error.status() == 503) {
        response.headers.emplace_back("Retry-After", "1");
    }
    return response;
}

Response error_response(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const RequestError& known) {
        return error_response(known);
    } catch (const std::exception& other) {
        Response response{.status = meaning_of(other).status, .body = error_json(other)};
        if (response.status == 503) {
            response.headers.emplace_back("Retry-After", "1");
        }
        return response;
    }
}

}  // namespace sluice::serve
