// names_state.cpp -- names as bytes.
#include "names_state.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "sections.hpp"

namespace sluice::file {

using core::StateReader;
using core::StateWriter;

namespace {

bool ascends(const std::vector<std::size_t>& lags) {
    return std::ranges::adjacent_find(lags, std::greater_equal{}) == lags.end();
}

}  // namespace

void put_texts(StateWriter& out, const std::vector<std::string>& texts) {
    out.put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) {
        out.put_text(text);
    }
}

std::vector<std::string> get_texts(StateReader& in) {
    std::uint64_t count = 0;
    in.get(count);
    in.require(count <= in.left() / sizeof(std::uint64_t), "a list of names is longer than the file");
    std::vector<std::string> texts;
    texts.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        texts.push_back(in.get_text());
    }
    return texts;
}

std::vector<std::byte> names_section(const Roles& roles, const RowLayout& layout) {
    StateWriter out;
    put_texts(out, roles.inputs);
    put_texts(out, roles.targets);
    put_texts(out, roles.ignored);
    out.put_text(roles.time);
    out.put_list(layout.lags);
    out.put(static_cast<std::uint64_t>(layout.horizon));
    if (!layout.target_lags.empty()) {  // files without them are as before there were any
        out.put_list(layout.target_lags);
    }
    return std::move(out).unframed();
}

Names read_names(std::span<const std::byte> section) {
    StateReader in = StateReader::unframed(section);
    Names names;
    Roles& roles = names.roles;
    roles.inputs = get_texts(in);
    roles.targets = get_texts(in);
    roles.ignored = get_texts(in);
    roles.time = in.get_text();
    std::vector<std::size_t>& lags = names.layout.lags;
    lags = in.get_list();
    std::uint64_t horizon = 0;
    in.get(horizon);
    names.layout.horizon = horizon;
    std::vector<std::size_t>& target_lags = names.layout.target_lags;
    if (in.left() > 0) {
        target_lags = in.get_list();
        require(!target_lags.empty(), "its list of target lags is empty");
    }
    require(in.left() == 0, "its section \"names\" is longer than its content");
    require(!roles.targets.empty(), "it has no targets");
    require(!lags.empty(), "its list of lags is empty");
    require(ascends(lags), "its lags are not in ascending order");
    require(ascends(target_lags), "its target lags are not in ascending order");
    require(target_lags.empty() || target_lags.front() > 0, "it has target lag 0, the value to predict");
    require(!roles.inputs.empty() || (!target_lags.empty() && lags.size() == 1 && lags.front() == 0),
            "it has no inputs");
    constexpr std::size_t kMostInputs = std::numeric_limits<std::uint32_t>::max();
    names.inputs = names.layout.width(roles.inputs.size(), roles.targets.size());
    require(lags.size() <= kMostInputs / std::max<std::size_t>(roles.inputs.size(), 1) &&
                target_lags.size() <= kMostInputs / roles.targets.size() && names.inputs <= kMostInputs,
            "its columns times its lags are more inputs than a model can have");
    return names;
}

}  // namespace sluice::file
