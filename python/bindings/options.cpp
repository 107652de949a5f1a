// options.cpp -- a Python value becomes the text that the core's table of options takes.
#include "options.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"

namespace nb = nanobind;

namespace sluice::python {

namespace {

// Python's texts can have characters that UTF-8 has not, and zeros, at which an error message would end.
std::string utf8(nb::handle text) {
    const nb::object encoded = nb::getattr(text, "encode")("utf-8", "backslashreplace");
    const auto bytes = nb::borrow<nb::bytes>(encoded);
    std::string made(bytes.c_str(), bytes.size());
    std::ranges::replace(made, '\0', '?');
    return made;
}

std::string option_text(nb::handle value) {
    if (value.is_none()) {
        return "none";
    }
    if (nb::isinstance<nb::bool_>(value)) {
        return nb::cast<bool>(value) ? "yes" : "no";
    }
    if (nb::isinstance<nb::str>(value)) {
        return utf8(value);
    }
    return utf8(nb::repr(value));  // what is no number writes itself, and the core refuses it
}

// A list of them: no lists in it.
std::string option_list_text(nb::handle value) {
    // numpy's scalars write themselves as np.float64(0.5): through Python's own numbers.
    const nb::object plain = nb::hasattr(value, "tolist") ? nb::getattr(value, "tolist")() : nb::borrow(value);
    if (!nb::isinstance<nb::list>(plain) && !nb::isinstance<nb::tuple>(plain)) {
        return option_text(plain);
    }
    std::string text;
    for (const nb::handle item : nb::borrow<nb::sequence>(plain)) {
        text += (text.empty() ? "" : ",") + option_text(item);
    }
    return text;
}

// Left out: `auto` fields whose value is None, and every plain field that is None and has no such value.
template <typename Field, typename Options>
void set_field(const Field& field, const nb::dict& values, Options& options, std::vector<std::string>& problems) {
    const nb::str name(field.name.data(), field.name.size());
    if (!values.contains(name)) {
        return;
    }
    const nb::object value = values[name];
    if (value.is_none() && field.values.find("none") == std::string_view::npos) {
        return;
    }
    try {
        field.set(options, option_list_text(value));
    } catch (const OptionError& error) {
        for (const std::string& problem : error.problems()) {
            std::string sentence = std::string(field.name) + ": " + problem;
            if (constexpr std::string_view kFlag = "yes or no"; sentence.ends_with(kFlag)) {  // the tool's words
                sentence.replace(sentence.size() - kFlag.size(), kFlag.size(), "True or False");
            }
            problems.push_back(std::move(sentence));
        }
    }
}

template <typename Fields, typename Options>
Options read_options(const Fields& fields, const nb::dict& values) {
    Options options;
    std::vector<std::string> problems;
    for (const auto& field : fields) {
        set_field(field, values, options, problems);
    }
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

template <typename Fields>
nb::list described(const Fields& fields) {
    nb::list list;
    for (const auto& field : fields) {
        list.append(nb::make_tuple(std::string(field.name), std::string(field.values), std::string(field.help)));
    }
    return list;
}

}  // namespace

AdaptiveOptions adaptive_options(const nb::dict& values) {
    return read_options<decltype(adaptive_fields()), AdaptiveOptions>(adaptive_fields(), values);
}

StreamOptions stream_options(const nb::dict& values) {
    return read_options<decltype(option_fields()), StreamOptions>(option_fields(), values);
}

void bind_options(nb::module_& module) {
    module.def(
        "adaptive_fields", [] { return described(adaptive_fields()); },
        "Name, values and help of every option of StreamRegressor.");
    module.def(
        "option_fields", [] { return described(option_fields()); },
        "Name, values and help of every option of the off-line fits.");
}

}  // namespace sluice::python
