// methods.hpp -- the table of methods by name, as `sluice compare --methods` knows them. Each has one setting for all
// streams: what a careful user would run without tuning by hand. docs/methods.md describes them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "method.hpp"

namespace sluice::baselines {

struct MethodRequest {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t names = 20;   ///< the most inputs that a method which selects may use, over all outputs together
    std::size_t season = 24;  ///< rows of a season, for the seasonal last value
};

struct MethodEntry {
    std::string_view name;   ///< "window_lars"
    std::string_view title;  ///< "LARS on a window"
    std::string_view paper;  ///< who proposed it; empty where nobody did
    bool selects = false;    ///< uses at most MethodRequest::names inputs, or chooses by itself how many
    std::unique_ptr<Method> (*make)(const MethodRequest& request) = nullptr;
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const MethodEntry> methods();
/// Throws OptionError that lists the names where there is no such method.
[[nodiscard]] std::unique_ptr<Method> make_method(std::string_view name, const MethodRequest& request);

}  // namespace sluice::baselines
