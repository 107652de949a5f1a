// request_error.hpp -- what is wrong with a request, and every error of the modules below as an answer.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "http_message.hpp"

namespace sluice::serve {

/// A request that cannot be answered as it is. `kind` is a word for programs; what() is the sentence for people.
class RequestError : public std::runtime_error {
  public:
    RequestError(int status, std::string kind, const std::string& sentence)
        : std::runtime_error(sentence), status_(status), kind_(std::move(kind)) {}
    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& kind() const noexcept { return kind_; }

  private:
    int status_;
    std::string kind_;
};

/// {"error":{"kind":"bad_data","message":"...","line":3,"byte":40,"column":"a","value":"x","reason":"...","remedy":"..."}}
/// A row that cannot be read has line to remedy; others have only kind, message and perhaps remedy.
[[nodiscard]] std::string error_json(const std::exception& error);
/// The same without the object around it: what stands after "error".
[[nodiscard]] std::string error_object(const std::exception& error);
/// The answer with its status. Never throws anything but std::bad_alloc.
[[nodiscard]] Response error_response(const std::exception_ptr& error);
[[nodiscard]] Response error_response(const RequestError& error);

}  // namespace sluice::serve
