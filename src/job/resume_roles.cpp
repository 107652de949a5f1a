#include "resume_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "usage.hpp"

namespace sluice::job {

namespace {

// In `names` and, as `among` says, in `others` or not.
std::vector<std::string> those(const std::vector<std::string>& names, const std::vector<std::string>& others,
                               bool among) {
    std::vector<std::string> sorted_others = others;
    std::ranges::sort(sorted_others);
    std::vector<std::string> out;
    std::ranges::copy_if(names, std::back_inserter(out), [&](const std::string& name) {
        return std::ranges::binary_search(sorted_others, name) == among;
    });
    return out;
}

[[noreturn]] void refuse_roles(const char* setting, const std::string& reason) {
    throw UsageError({setting}, reason, {io::Remedy::not_resume});
}

void check_inputs_agree(const Roles& asked, const Roles& known) {
    const std::vector<std::string> removed = those(known.inputs, asked.inputs, false);
    const std::vector<std::string> added = those(asked.inputs, known.inputs, false);
    std::string difference;
    if (!added.empty()) {
        difference = "it does not predict from " + listed(added);
    }
    if (!removed.empty()) {
        difference += (added.empty() ? "it also predicts from " : ", and it also predicts from ") + listed(removed);
    }
    if (!difference.empty()) {
        refuse_roles("inputs", "contradicts the checkpoint: " + difference);
    }
}

}  // namespace

void check_roles_agree(const std::vector<std::string>& columns, const RoleRequest& request, const Roles& known,
                       const RowLayout& layout) {
    RoleRequest wanted = request;
    if (wanted.targets.empty()) {
        wanted.targets = known.targets;
    }
    const Roles asked = assign_roles(columns, wanted, layout);
    if (!those(asked.targets, known.targets, false).empty() || !those(known.targets, asked.targets, false).empty()) {
        refuse_roles("targets", fmt::format("{} contradicts the checkpoint, which has {}", listed(asked.targets),
                                            listed(known.targets)));
    }
    if (!request.time.empty() && asked.time != known.time) {
        refuse_roles("time", fmt::format("{} contradicts the checkpoint, which has {}", asked.time,
                                         known.time.empty() ? "no time" : known.time));
    }
    if (!request.inputs.empty()) {
        check_inputs_agree(asked, known);
    } else if (const auto ignored = those(known.inputs, asked.ignored, true); !ignored.empty()) {
        refuse_roles("ignore", "contradicts the checkpoint: it predicts from " + listed(ignored));
    }
}

std::string ignored_as_before(const std::vector<std::string>& columns, const RoleRequest& request, const Roles& known) {
    if (request.targets.empty() || !request.inputs.empty() || !request.ignore.empty()) {
        return {};
    }
    const std::vector<std::string> ignored = those(known.ignored, columns, true);
    return ignored.empty() ? "" : fmt::format("{}: ignored, as in the checkpoint", listed(ignored));
}

}  // namespace sluice::job
