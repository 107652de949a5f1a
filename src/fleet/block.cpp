#include "block.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "json_text.hpp"
#include "sluice/error.hpp"

namespace sluice::fleet {

namespace {

std::optional<std::size_t> place_of(const std::vector<std::string>& columns, const std::string& name) {
    const auto at = name.empty() ? columns.end() : std::ranges::find(columns, name);
    return at == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - columns.begin()));
}

std::string refusal(std::string_view kind, const std::string& key, const std::string& text) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_list().begin_object().member("event", kind).member("key", key).member("row", 0);
    json.member("text", text).end_object().end_list();
    return out;
}

// Where the columns of the key are in the block, what the block lacks and what it has beside them.
struct BlockColumns {
    std::vector<std::size_t> read;    // places in the block
    std::vector<std::size_t> to;      // of each of them: place among the inputs and targets
    std::vector<std::size_t> absent;  // places among the inputs and targets
    std::vector<std::string> added;
};

BlockColumns find_columns(const Config& config, const Roles& roles, const std::vector<std::string>& columns) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        places.emplace(columns[i], i);
    }
    std::unordered_set<std::string_view> known = {roles.time, config.key, config.sequence};
    known.insert(roles.ignored.begin(), roles.ignored.end());
    BlockColumns out;
    std::size_t number = 0;
    for (const auto* names : {&roles.inputs, &roles.targets}) {
        for (const std::string& name : *names) {
            known.insert(name);
            if (const auto at = places.find(name); at != places.end()) {
                out.read.push_back(at->second);
                out.to.push_back(number);
            } else {
                out.absent.push_back(number);
            }
            ++number;
        }
    }
    for (const std::string& name : columns) {
        const bool ignored = std::ranges::any_of(config.spec.roles.ignore, [&](const std::string& word) {
            return fnmatch(word.c_str(), name.c_str(), 0) == 0;
        });
        if (!known.contains(name) && !ignored) {
            out.added.push_back(name);
        }
    }
    return out;
}

}  // namespace

Roles roles_of(const Config& config, const std::vector<std::string>& columns) {
    job::RoleRequest request = config.spec.roles;
    for (const std::string* name : {&config.key, &config.sequence}) {
        if (place_of(columns, *name)) {
            request.ignore.push_back(*name);
        }
    }
    return job::assign_roles(columns, request, config.spec.layout);
}

Stepped step_block(const Config& config, const std::string& key, std::span<const std::byte> state, Block& block,
                   const std::function<void(const Answer&)>& answer) {
    const std::vector<std::string>& columns = block.columns();
    const std::optional<std::size_t> sequence = place_of(columns, config.sequence);
    const auto sequence_of = [&](std::size_t i) { return sequence ? block.sequence(i, *sequence) : std::nullopt; };
    const auto refuse_all = [&](std::string_view kind, const std::string& why) {
        const std::string event = refusal(kind, key, fmt::format("key {}: {}", key, why));
        for (std::size_t i = 0; i < block.rows(); ++i) {
            answer({.sequence = sequence_of(i),
                    .outcome = "refused",
                    .events = i == 0 ? std::string_view(event) : std::string_view()});
        }
        return Stepped{.state = {state.begin(), state.end()}, .targets = config.spec.roles.targets};
    };
    if (!config.sequence.empty() && !sequence) {
        return refuse_all("columns_refused", fmt::format("its rows have no column {}, the sequence of the config. The "
                                                         "rows are not learnt",
                                                         config.sequence));
    }
    std::unique_ptr<Member> member;
    BlockColumns found;
    try {
        member = state.empty() ? std::make_unique<Member>(
                                     config, key,
                                     std::make_shared<const MemberNames>(roles_of(config, columns), config.spec.layout))
                               : std::make_unique<Member>(config, key, state);
        found = find_columns(config, member->roles(), columns);
        const bool other =
            found.read.empty() || (config.spec.strict_columns && (!found.absent.empty() || !found.added.empty()));
        if (other) {
            return refuse_all("columns_refused",
                              fmt::format("its columns are not those of its model: {}. The rows are not learnt",
                                          found.read.empty()     ? "there is none of its inputs and targets"
                                          : found.absent.empty() ? fmt::format("{} is new", found.added.front())
                                                                 : "some are missing, and strict_columns is set"));
        }
        block.want(found.read);
    } catch (const StateError& error) {
        return refuse_all("state_refused",
                          fmt::format("{}. The rows are not learnt and the state is kept: restore the config or the "
                                      "version that wrote it, or delete the state of this key to start again",
                                      error.what()));
    } catch (const std::invalid_argument& error) {  // UsageError, DataError, OptionError
        return refuse_all("columns_refused", fmt::format("{}. The rows are not learnt", error.what()));
    }
    member->begin_block(found.added, found.absent);
    const std::optional<std::size_t> time = place_of(columns, member->roles().time);
    const std::size_t width = member->roles().inputs.size() + member->roles().targets.size();
    io::Row read;
    io::Row row;
    for (std::size_t i = 0; i < block.rows(); ++i) {
        block.read(i, read);
        row.numbers.assign(width, std::numeric_limits<double>::quiet_NaN());
        for (std::size_t k = 0; k < found.to.size(); ++k) {
            row.numbers[found.to[k]] = read.numbers[k];
        }
        row.unreadable.clear();
        for (const std::size_t place : read.unreadable) {
            row.unreadable.push_back(found.to[place]);
        }
        row.unreadable_value = read.unreadable_value;
        answer(member->step(row, sequence_of(i), time ? block.text(i, *time) : std::string_view()));
    }
    return {.state = member->save(), .targets = member->roles().targets};
}

}  // namespace sluice::fleet
