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
    bool new_rows = false;  ///< the rows do not follow those that the model has seen: what was before them is not known
    bool skip_bad_rows = false;
    std::string out = "-";
    RecordFormat out_format = RecordFormat::ndjson;
};

struct PredictResult {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::uint64_t without_lags = 0;  ///< rows that were predicted without all of their lags
    std::vector<std::string> targets;
    std::vector<Score> scores = {};  ///< empty where the input does not have the targets
};

/// One record per row: {"row":1,"predicted":{...},"observed":{...},"missing_lags":0}, observed where the input has it,
/// missing_lags where the model has lags. The rows follow the last one of the stream that wrote the file: lags begin with
/// its last rows. With a horizon the prediction for a row is made from the inputs `horizon` rows before; the first ones
/// are the last forecasts of that stream. A model with target lags needs the targets. What is not known counts as a
/// missing input. Throws as StreamJob does.
[[nodiscard]] PredictResult run_predict(const PredictSettings& settings, io::Disk& disk);

}  // namespace sluice::job
