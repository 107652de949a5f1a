#include "xml_text.hpp"

namespace sluice::io {

std::string xml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                const auto byte = static_cast<unsigned char>(c);
                const bool allowed = byte >= 0x20 || c == '\t' || c == '\n' || c == '\r';
                if (allowed) {
                    out += c;
                } else {
                    out += "\xEF\xBF\xBD";
                }
        }
    }
    return out;
}

}  // namespace sluice::io
