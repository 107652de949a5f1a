#include "report_page.hpp"

#include <cassert>

namespace sluice::report {

std::string report_html(std::string_view page, std::string_view json) {
    const std::size_t at = page.find(kDataPlace);
    assert(at != std::string_view::npos && "the built page has a place for its data");
    std::string out;
    out.reserve(page.size() + json.size() + (json.size() / 64));
    out += page.substr(0, at);
    for (const char c : json) {  // outside of JSON's texts there is no such character
        if (c == '<') {
            out += "\\u003c";
        } else if (c == '>') {
            out += "\\u003e";
        } else if (c == '&') {
            out += "\\u0026";
        } else {
            out += c;
        }
    }
    out += page.substr(at + kDataPlace.size());
    return out;
}

}  // namespace sluice::report
