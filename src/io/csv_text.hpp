// csv_text.hpp -- CSV as it is written.
#pragma once

#include <string>
#include <string_view>

namespace sluice::io {

/// In quotes where the text needs them.
inline void append_cell(std::string& out, std::string_view text) {
    if (text.find_first_of(",;\"\r\n\t") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        out += c;
        if (c == '"') {
            out += c;
        }
    }
    out += '"';
}

}  // namespace sluice::io
