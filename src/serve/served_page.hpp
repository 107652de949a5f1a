// served_page.hpp -- the page that shows the models, as the server gives it.
//
// The page is one HTML file with its script and styles inside. The server gives these as files of their own, because its
// content security policy allows no script inside a page: a name in the data that looks like HTML can never run.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sluice::serve {

struct PageFile {
    std::string content_type;
    std::string text;
};
/// By path: "/" and what it refers to, "/page/1.js" and so on. Scripts of another type than JavaScript are data, and stay.
/// SLUICE_DATA, where a report has its data, becomes {"live":true}: the page asks the server.
[[nodiscard]] std::map<std::string, PageFile> split_page(std::string_view whole);

}  // namespace sluice::serve
