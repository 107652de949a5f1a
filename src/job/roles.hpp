// roles.hpp -- which column is what: inputs, targets, time, left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice::job {

/// As the user says it. Each word is a column's name, its number from 1, numbers from:to, or a pattern with * and ?.
struct RoleRequest {
    std::vector<std::string> targets;
    std::vector<std::string> inputs;  ///< empty: every column that has no other role
    std::vector<std::string> ignore;
    std::string time;  ///< empty: none
};

/// Names, in the order in which the model knows them.
struct Roles {
    std::vector<std::string> inputs;
    std::vector<std::string> targets;
    std::vector<std::string> ignored;
    std::string time;

    friend bool operator==(const Roles&, const Roles&) = default;
};

/// Throws UsageError: unknown columns (with the nearest name), no target, two roles for one column.
[[nodiscard]] Roles assign_roles(const std::vector<std::string>& columns, const RoleRequest& request);

/// Where the columns of `roles` stand in this file.
struct Places {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> targets;  ///< empty where the file has none of them and need not
    std::optional<std::size_t> time;
};

/// Columns are found by name, in whatever order. Throws DataError with the difference: what is missing, what is new.
/// `ignore` names new columns that do not matter.
[[nodiscard]] Places find_places(const std::vector<std::string>& columns, const Roles& roles,
                                 const std::vector<std::string>& ignore, bool targets_needed);

}  // namespace sluice::job
