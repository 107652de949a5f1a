#include "log_reader.hpp"

#include <fmt/format.h>

#include "sluice/error.hpp"

namespace sluice::report {

History read_log(std::unique_ptr<io::ByteSource> source, const LogSettings& settings) {
    const std::string name = source->name();
    auto records = std::make_unique<io::Records>(std::move(source), io::Dialect{});
    const auto line = records->peek_line();
    if (!line) {
        throw DataError(
            fmt::format("{}: there is no record in it. `sluice stream --out FILE` writes one per row", name));
    }
    const bool ndjson = line->starts_with('{');
    return ndjson ? read_ndjson_log(std::move(records), settings) : read_csv_log(std::move(records), settings);
}

}  // namespace sluice::report
