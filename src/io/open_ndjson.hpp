// open_ndjson.hpp -- a reader of JSON rows without its header, which includes all of simdjson: 1.7 s of compiler time.
#pragma once

#include <memory>

#include "records.hpp"
#include "row_reader.hpp"

namespace sluice::io {

/// An NdjsonReader. Throws what open_rows() throws.
[[nodiscard]] std::unique_ptr<RowReader> open_ndjson(std::unique_ptr<Records> records, const Dialect& dialect);

}  // namespace sluice::io
