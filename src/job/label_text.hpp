// label_text.hpp -- the value of a label in the text form of Prometheus.
#pragma once

#include <string>
#include <string_view>

namespace sluice::job {

/// Backslashes, quotes and line ends are escaped; what is not UTF-8 is left to the reader.
[[nodiscard]] inline std::string label_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace sluice::job
