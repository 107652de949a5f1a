// selection.hpp -- the selected variables of a model file or of one row of a log, and how two of them differ.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::job {

struct Selection {
    std::string from;                                       ///< the file, and the row where it is a log
    std::vector<std::vector<std::string>> components = {};  ///< names
};

/// "FILE" for a model, "FILE:ROW" for a row of an NDJSON log that `sluice stream` wrote. Throws UsageError, StateError,
/// io::DiskError, DataError.
[[nodiscard]] Selection read_selection(const std::string& where);

struct SelectionDifference {
    std::vector<std::string> only_first;
    std::vector<std::string> only_second;
    std::vector<std::string> both;
    /// Selected by both, in another component: name, component in the first, in the second, from 1.
    struct Moved {
        std::string name;
        std::size_t first = 0;
        std::size_t second = 0;
    };
    std::vector<Moved> moved;
};

[[nodiscard]] SelectionDifference differ(const Selection& first, const Selection& second);
[[nodiscard]] std::string difference_json(const Selection& first, const Selection& second);

}  // namespace sluice::job
