#include "page.hpp"

#include <fmt/format.h>

namespace sluice::serve {

// Until the page is there: the models, their counts and what they select, by the API and nothing else.
std::string_view page_html() {
    return R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid; }
</style>
<h1>Sluice</h1>
<p id="none">No models yet. <code>PUT /v1/models/NAME</code> makes one; <a href="/v1/openapi.json">the API</a>.</p>
<div id="models"></div>
<script>
"use strict";
const shown = new Map();
function show(name, state) {
    let part = shown.get(name);
    if (!part) {
        part = document.createElement("section");
        document.getElementById("models").append(part);
        shown.set(name, part);
    }
    const title = document.createElement("h2");
    title.textContent = name;
    const line = document.createElement("p");
    line.textContent = (state.row ?? state.rows) + " rows, " + state.names + " of " + state.inputs + " inputs predict";
    const list = document.createElement("p");
    list.textContent = (state.selected || []).map(one => one.name).join(", ");
    part.replaceChildren(title, line, list);
}
async function start() {
    const answer = await fetch("/v1/models");
    const models = (await answer.json()).models;
    document.getElementById("none").hidden = models.length > 0;
    for (const model of models) {
        const events = new EventSource("/v1/models/" + model.name + "/events");
        events.addEventListener("state", event => show(model.name, JSON.parse(event.data)));
        events.addEventListener("update", event => show(model.name, JSON.parse(event.data)));
    }
}
start();
</script>
</html>
)html";
}

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

bool is_data(std::string_view tag) {
    return tag.find("type=") != std::string_view::npos && tag.find("module") == std::string_view::npos &&
           tag.find("javascript") == std::string_view::npos;
}

}  // namespace

std::map<std::string, PageFile> split_page(std::string_view html) {
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
        const std::string_view tag = html.substr(next.begin, next.content - next.begin);
        page += html.substr(at, next.begin - at);
        at = next.end;
        if (!is_style && (is_data(tag) || tag.find("src=") != std::string_view::npos)) {
            page += html.substr(next.begin, next.end - next.begin);
            continue;
        }
        const std::string path = fmt::format("/page/{}.{}", ++number, is_style ? "css" : "js");
        files[path] = {.content_type = is_style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
                       .text = std::string(html.substr(next.content, next.content_end - next.content))};
        if (is_style) {
            page += fmt::format("<link rel=\"stylesheet\" href=\"{}\">", path);
        } else {
            page += fmt::format("{} src=\"{}\"></script>", tag.substr(0, tag.size() - 1), path);
        }
    }
    page += html.substr(at);
    files["/"] = {.content_type = "text/html; charset=utf-8", .text = std::move(page)};
    return files;
}

}  // namespace sluice::serve
