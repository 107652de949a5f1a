// time_columns.hpp -- a time that stands in several columns, such as Date,Time: read as one column, whose text is theirs
// joined by blanks. Whoever reads the rows sees one column of the time.
#pragma once

#include <memory>
#include <string>

#include "roles.hpp"
#include "row_reader.hpp"

namespace sluice::job {

/// Where `request.time` lists several columns: a reader with one more column at the end, called "Date Time";
/// `request.time` is then that name, and the columns themselves are ignored. Otherwise where `known_time`, the time of a
/// model file, is the name of such a column and the input has none of that name: the same reader. Otherwise the reader
/// itself. Throws UsageError.
[[nodiscard]] std::unique_ptr<io::RowReader> join_time_columns(std::unique_ptr<io::RowReader> reader,
                                                               RoleRequest& request,
                                                               const std::string& known_time = {});

}  // namespace sluice::job
