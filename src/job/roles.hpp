// roles.hpp -- which column of an input is what, and where the columns of a model are in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "remedy.hpp"
#include "sluice/error.hpp"
#include "sluice/model_file.hpp"

namespace sluice::job {

/// What the user asks for. Each word is a column's name, its number from 1, numbers from:to, or a pattern with * and ?.
struct RoleRequest {
    std::vector<std::string> targets;
    std::vector<std::string> inputs;  ///< empty: every column that has no other role
    std::vector<std::string> ignore;
    std::string time;  ///< empty: none; several columns, separated by commas: see time_columns.hpp
};

/// The columns that one word means. Throws UsageError that names the setting where there is none.
[[nodiscard]] std::vector<std::size_t> columns_meant(const std::string& given, const std::vector<std::string>& columns,
                                                     const char* setting);

/// Names for a message: the first twelve, and how many more there are.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// Throws UsageError: unknown columns (with the nearest name), no target, two roles for one column; no input, except for a
/// model with target lags; an input with the name of a lagged target.
[[nodiscard]] Roles assign_roles(const std::vector<std::string>& columns, const RoleRequest& request,
                                 const RowLayout& layout = {});

/// The name of the one column that a word means. `setting` is what the word was given for. Throws UsageError.
[[nodiscard]] std::string column_named(const std::string& word, const std::vector<std::string>& columns,
                                       const char* setting);

/// Positions of the columns of `roles` in an input.
struct Places {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> targets;  ///< empty where the input has none of them and needs none
    std::optional<std::size_t> time;

    /// The columns that are read as numbers: the inputs, then the targets.
    [[nodiscard]] std::vector<std::size_t> numbers() const;
    /// The columns that are read as text: the time, if there is one.
    [[nodiscard]] std::vector<std::size_t> texts() const;
};

/// The columns of an input differ from those of the model. what() lists what is missing and what is new.
class ColumnError : public DataError, public io::Remedied {
  public:
    ColumnError(const std::string& difference, io::Remedies remedies)
        : DataError(difference), Remedied(std::move(remedies)) {}
};

/// Throws ColumnError unless the input has every target: a model with target lags predicts from them.
void require_targets(const std::vector<std::string>& columns, const Roles& roles);

/// Finds columns by name, in any order. Throws ColumnError. `ignore` lists new columns that do not matter.
[[nodiscard]] Places find_places(const std::vector<std::string>& columns, const Roles& roles,
                                 const std::vector<std::string>& ignore, bool targets_needed);

}  // namespace sluice::job
