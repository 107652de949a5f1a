#include "experiments/hindsight/contests.hpp"

#include <fmt/format.h>

#include "experiments/common/paper_run.hpp"
#include "sluice/simulate.hpp"

namespace sluice::experiments {

namespace {

constexpr double kDrift = 0.02;  // of a weight of unit variance: another relation after some thousand rows
constexpr std::size_t kBreak = 400;

Recording record_factors(const FactorOptions& options, std::size_t rows, std::uint64_t seed) {
    FactorStream stream(options, seed);
    Recording recording{.inputs = options.inputs, .outputs = options.outputs};
    recording.x.resize(rows * options.inputs);
    recording.y.resize(rows * options.outputs);
    for (std::size_t t = 0; t < rows; ++t) {
        stream.next(std::span(recording.x).subspan(t * options.inputs, options.inputs),
                    std::span(recording.y).subspan(t * options.outputs, options.outputs));
    }
    return recording;
}

Recording record_paper(PaperStream::Kind kind, std::uint64_t seed) {
    PaperStream stream(kind, seed);
    Recording recording{.inputs = PaperStream::inputs, .outputs = 1};
    for (std::size_t t = 0; t < rows_of(kind); ++t) {
        const PaperStream::Row row = stream.next();
        recording.x.insert(recording.x.end(), row.x.begin(), row.x.end());
        recording.y.push_back(row.y);
    }
    return recording;
}

}  // namespace

std::vector<Contest> contests(std::size_t rows) {
    std::vector<Contest> all;
    for (const std::size_t outputs : {std::size_t{1}, std::size_t{2}}) {
        const auto add = [&](const char* what, double drift, std::size_t break_every) {
            const FactorOptions options{.outputs = outputs, .drift = drift, .break_every = break_every};
            all.push_back({.name = fmt::format("factors, {} output{}, {}", outputs, outputs == 1 ? "" : "s", what),
                           .rows = rows,
                           .record = [=](std::uint64_t seed) { return record_factors(options, rows, seed); }});
        };
        add("no change", 0.0, 0);
        add("gradual drift", kDrift, 0);
        add("breaks", 0.0, kBreak);
    }
    for (const auto kind : {PaperStream::Kind::constant, PaperStream::Kind::switching}) {
        all.push_back({.name = kind == PaperStream::Kind::constant ? "the paper's static" : "the paper's switching",
                       .rows = rows_of(kind),
                       .record = [=](std::uint64_t seed) { return record_paper(kind, seed); }});
    }
    return all;
}

}  // namespace sluice::experiments
