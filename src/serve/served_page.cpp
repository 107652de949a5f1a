#include "served_page.hpp"

#include <fmt/format.h>

namespace sluice::serve {

namespace {

// The places of one element: "<script type=module>" ... "</script>".
struct Element {
    std::size_t begin = std::string_view::npos;
    std::size_t content = 0;
    std::size_t content_end = 0;
    std::size_t end = 0;
};

Element find_element(std::string_view html, std::string_view name, std::size_t from) {
    const std::string open = fmt::format("<{}", name);
    const std::string close = fmt::format("</{}>", name);
    Element found;
    found.begin = html.find(open, from);
    if (found.begin == std::string_view::npos) {
        return {};
    }
    const std::size_t tag_end = html.find('>', found.begin);
    found.content = tag_end == std::string_view::npos ? html.size() : tag_end + 1;
    found.content_end = html.find(close, found.content);
    if (found.content_end == std::string_view::npos) {
        return {};
    }
    found.end = found.content_end + close.size();
    return found;
}

// Without the policy by hashes, which is that of a page in one file: the server sends its own. The data are the server's.
std::string for_server(std::string_view whole) {
    std::string html(whole);
    constexpr std::string_view kPolicy = "<meta http-equiv=\"Content-Security-Policy\"";
    if (const std::size_t at = html.find(kPolicy); at != std::string::npos) {
        html.erase(at, html.find('>', at) + 1 - at);
    }
    constexpr std::string_view kData = "SLUICE_DATA";
    if (const std::size_t at = html.find(kData); at != std::string::npos) {
        html.replace(at, kData.size(), R"({"live":true})");
    }
    return html;
}

bool is_data(std::string_view tag) {
    return tag.find("type=") != std::string_view::npos && tag.find("module") == std::string_view::npos &&
           tag.find("javascript") == std::string_view::npos;
}

}  // namespace

std::map<std::string, PageFile> split_page(std::string_view whole) {
    const std::string html = for_server(whole);
    std::map<std::string, PageFile> files;
    std::string page;
    std::size_t at = 0;
    std::size_t number = 0;
    for (;;) {
        const Element script = find_element(html, "script", at);
        const Element style = find_element(html, "style", at);
        const bool is_style = style.begin < script.begin;
        const Element& next = is_style ? style : script;
        if (next.begin == std::string_view::npos) {
            break;
        }
        const std::string tag = html.substr(next.begin, next.content - next.begin);
        page.append(html, at, next.begin - at);
        at = next.end;
        if (!is_style && (is_data(tag) || tag.find("src=") != std::string_view::npos)) {
            page.append(html, next.begin, next.end - next.begin);
            continue;
        }
        const std::string path = fmt::format("/page/{}.{}", ++number, is_style ? "css" : "js");
        files[path] = {.content_type = is_style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
                       .text = html.substr(next.content, next.content_end - next.content)};
        if (is_style) {
            page += fmt::format("<link rel=\"stylesheet\" href=\"{}\">", path);
        } else {
            page += fmt::format("{} src=\"{}\"></script>", tag.substr(0, tag.size() - 1), path);
        }
    }
    page.append(html, at);
    files["/"] = {.content_type = "text/html; charset=utf-8", .text = std::move(page)};
    return files;
}

}  // namespace sluice::serve
