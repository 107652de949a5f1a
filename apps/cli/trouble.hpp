// trouble.hpp -- an exception as a message on standard error and an exit code.
#pragma once

#include <exception>

namespace sluice::cli {

/// With `as_json`: {"error":{"kind":"bad_data","message":"...","source":"...","line":7,...},"exit_code":3}.
[[nodiscard]] int tell_trouble(const std::exception_ptr& trouble, bool as_json);

}  // namespace sluice::cli
