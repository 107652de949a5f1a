// names_state.cpp -- names as bytes.
#include "names_state.hpp"

#include <limits>
#include <utility>

#include "sections.hpp"

namespace sluice::file {

using core::StateReader;
using core::StateWriter;

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
    require(in.left() == 0, "its section \"names\" is longer than its content");
    require(!roles.inputs.empty(), "it has no inputs");
    require(!roles.targets.empty(), "it has no targets");
    require(!lags.empty(), "its list of lags is empty");
    for (std::size_t k = 1; k < lags.size(); ++k) {
        require(lags[k - 1] < lags[k], "its lags are not in ascending order");
    }
    require(lags.size() <= std::numeric_limits<std::uint32_t>::max() / roles.inputs.size(),
            "its columns times its lags are more inputs than a model can have");
    names.inputs = roles.inputs.size() * lags.size();
    return names;
}

}  // namespace sluice::file
