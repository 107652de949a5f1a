#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace sluice::cli {

bool stdout_shows_colour() {
    const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): no thread runs yet
    return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace sluice::cli
