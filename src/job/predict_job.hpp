// predict_job.hpp -- a model that was learnt before, applied to rows; it learns nothing from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "disk.hpp"
#include "model_file.hpp"
#include "record_writer.hpp"
#include "row_reader.hpp"

namespace sluice::job {

struct PredictSettings {
    std::string model;
    std::string input = "-";
    io::Dialect dialect;
    std::vector<std::string> ignore;  ///< columns that the model does not know and need not
    bool skip_bad_rows = false;
    std::string out = "-";
    RecordFormat out_format = RecordFormat::ndjson;
};

struct PredictResult {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::vector<std::string> targets;
    std::vector<Score> scores = {};  ///< where the file holds the targets; else empty
};

/// One record per row: {"row":1,"predicted":{...},"observed":{...}}, observed where the file has it. With a horizon
/// the prediction of a row is the one made so many rows before. Throws as StreamJob does.
[[nodiscard]] PredictResult run_predict(const PredictSettings& settings, io::Disk& disk);

}  // namespace sluice::job
