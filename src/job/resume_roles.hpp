// resume_roles.hpp -- whether the columns that a resumed run asks for are those of its checkpoint.
#pragma once

#include <string>
#include <vector>

#include "roles.hpp"

namespace sluice::job {

/// The order of the columns does not matter, and what is not asked for is as in the checkpoint. Throws UsageError where
/// other targets, other inputs or another time are asked for, or an input is to be ignored: it names the columns.
void check_roles_agree(const std::vector<std::string>& columns, const RoleRequest& request, const Roles& known,
                       const RowLayout& layout);

/// Columns that are ignored as in the checkpoint although they are not asked to be: a sentence, or nothing.
[[nodiscard]] std::string ignored_as_before(const std::vector<std::string>& columns, const RoleRequest& request,
                                            const Roles& known);

}  // namespace sluice::job
