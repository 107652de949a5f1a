// predict_job.hpp -- applies a saved model to rows without learning from them.
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
    std::vector<std::string> ignore;  ///< columns that the model does not know and does not need
    bool skip_bad_rows = false;
    std::string out = "-";
    RecordFormat out_format = RecordFormat::ndjson;
};

struct PredictResult {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::vector<std::string> targets;
    std::vector<Score> scores = {};  ///< empty where the input does not have the targets
};

/// One record per row: {"row":1,"predicted":{...},"observed":{...}}, observed where the input has it. With a horizon
/// the prediction for a row is made from the inputs `horizon` rows before. A model with target lags needs the targets:
/// earlier values that are missing or lie before the first row count as missing inputs. Throws as StreamJob does.
[[nodiscard]] PredictResult run_predict(const PredictSettings& settings, io::Disk& disk);

}  // namespace sluice::job
