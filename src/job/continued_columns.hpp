// continued_columns.hpp -- a file that continues a stream and has other columns than the files before it. Whoever reads the
// rows sees the columns of the stream: one that this file lacks is missing in every row, and one that is new is left out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "row_reader.hpp"
#include "sluice/model_file.hpp"

namespace sluice::job {

/// What a stream reads.
struct StreamColumns {
    const Roles& roles;
    bool without_targets = false;            ///< they are in a file of their own
    const std::vector<std::string>& ignore;  ///< patterns of new columns that are no news
};

/// A reader whose columns() are those of the file that the stream knows, then the inputs and targets that the file lacks:
/// RowReader::absent() lists these, and new_fields() begins with the columns that are new. The time is never added. The
/// reader itself where the file has the same columns, or none of the inputs and targets: that is no continuation.
[[nodiscard]] std::unique_ptr<io::RowReader> continue_columns(std::unique_ptr<io::RowReader> reader,
                                                              const StreamColumns& stream);

}  // namespace sluice::job
