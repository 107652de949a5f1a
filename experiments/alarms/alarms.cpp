// alarms.cpp -- detection delays on the Tennessee Eastman runs, and false alarms where nothing changes.
#include "experiments/alarms/alarms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiments/alarms/detectors.hpp"
#include "experiments/alarms/eastman.hpp"
#include "experiments/alarms/stationary.hpp"
#include "experiments/common/text.hpp"

namespace sluice::experiments {

namespace {

// 2,500 runs are 20 streams of 10^5 rows of each kind: some minutes. 500 are a fifth of that.
constexpr std::size_t kMostStreams = 20;
constexpr std::size_t kRowsPerRun = 40;
constexpr std::size_t kLeastRows = 500;
constexpr std::size_t kMostRows = 100'000;
constexpr std::size_t kStationaryComponents = 3;

std::size_t streams_of(const Plan& plan) {
    return std::min(plan.runs, kMostStreams);
}
std::size_t rows_of_stream(const Plan& plan) {
    return std::clamp(plan.runs * kRowsPerRun, kLeastRows, kMostRows);
}

struct Outputs {
    const char* name;
    std::vector<std::size_t> columns;  // XMEAS
};
const std::array<Outputs, 2>& output_sets() {
    static const std::array<Outputs, 2> kSets = {Outputs{.name = "G, H", .columns = {40, 41}},
                                                 Outputs{.name = "D to H", .columns = {37, 38, 39, 40, 41}}};
    return kSets;
}

// Alarms of each detector, in all streams of a kind.
struct FalseAlarms {
    Noise noise;
    std::size_t rows = 0;  // of all streams
    std::array<std::size_t, kDetectors> alarms = {};
    std::size_t most = 0;  // of Sluice, in one stream
};

std::vector<FalseAlarms> stationary_part(const Plan& plan) {
    const std::size_t streams = streams_of(plan);
    const std::size_t rows = rows_of_stream(plan);
    std::vector<Alarms> found(kNoiseNames.size() * streams);
    Plan jobs = plan;
    jobs.runs = found.size();
    each_run(jobs, rows, [&](std::size_t job, std::uint64_t seed) {
        found[job] = detect(stationary_stream(static_cast<Noise>(job / streams), rows, seed), kStationaryComponents);
    });
    std::vector<FalseAlarms> out;
    for (std::size_t kind = 0; kind < kNoiseNames.size(); ++kind) {
        FalseAlarms of{.noise = static_cast<Noise>(kind), .rows = streams * rows};
        for (std::size_t stream = 0; stream < streams; ++stream) {
            const Alarms& alarms = found[(kind * streams) + stream];
            for (std::size_t d = 0; d < kDetectors; ++d) {
                of.alarms[d] += alarms[d].size();
            }
            of.most = std::max(of.most, alarms[static_cast<std::size_t>(Detector::sluice)].size());
        }
        out.push_back(of);
    }
    return out;
}

// One test run with one set of outputs.
struct Tested {
    std::string fault;
    std::size_t outputs = 0;                          // which set
    std::array<std::size_t, kDetectors> before = {};  // alarms before the fault; of the fault-free run, all
    std::array<std::optional<std::size_t>, kDetectors> rows =
        {};                  // from the fault's first row to the first alarm, both counted
    bool by_errors = false;  // that of Sluice
};

Tested tested(const Eastman& data, const EastmanRun& test, std::size_t outputs) {
    const AlarmStream stream = eastman_stream(data.normal, test, output_sets().at(outputs).columns);
    const Alarms alarms = detect(stream, kEastmanComponents);
    const bool faulty = test.fault != "00";
    const std::size_t fault = faulty ? stream.fault_free + kEastmanFault : stream.rows();
    Tested out{.fault = test.fault, .outputs = outputs};
    for (std::size_t d = 0; d < kDetectors; ++d) {
        out.before[d] = count_between(alarms[d], 0, fault);
        if (const auto first = std::ranges::lower_bound(alarms[d], fault); first != alarms[d].end()) {
            out.rows[d] = *first - fault + 1;
        }
    }
    out.by_errors = out.rows[0].has_value() && out.rows[0] == out.rows[1];
    return out;
}

struct EastmanPart {
    std::vector<Tested> tested;
    Table moved;  // how much the outputs do
};

std::size_t eastman_jobs(const std::string& folder) {
    return folder.empty() ? 0 : output_sets().size() * eastman_tests(folder);
}
constexpr std::size_t kEastmanRows = 1457;  // 500 and 960, without the first three

EastmanPart eastman_part(const Plan& plan, const std::string& folder) {
    const Eastman data = read_eastman(folder);
    EastmanPart out;
    out.tested.resize(output_sets().size() * data.tests.size());
    Plan jobs = plan;
    jobs.runs = out.tested.size();
    each_run(jobs, kEastmanRows, [&](std::size_t job, std::uint64_t /*seed*/) {
        out.tested[job] = tested(data, data.tests[job % data.tests.size()], job / data.tests.size());
    });
    out.moved = {.title = "Variance of the outputs after the fault, over that of d00.dat",
                 .head = {"fault", "D", "E", "F", "G", "H"},
                 .rows = {}};
    for (const EastmanRun& test : data.tests) {
        std::vector<std::string> row{test.fault == "00" ? "none" : test.fault};
        for (const std::size_t column : output_sets().back().columns) {
            row.push_back(fmt::format("{:.1f}", variance_ratio(data.normal, test, column, kEastmanFault)));
        }
        out.moved.rows.push_back(std::move(row));
    }
    return out;
}

Table stationary_table(const std::vector<FalseAlarms>& all) {
    Table table{.title = "False alarms in 100,000 stationary rows", .head = {"noise and inputs", "rows"}, .rows = {}};
    for (const std::string_view name : kDetectorNames) {
        table.head.emplace_back(name);
    }
    for (const FalseAlarms& of : all) {
        std::vector<std::string> row{std::string(kNoiseNames.at(static_cast<std::size_t>(of.noise))),
                                     fmt::format("{}", of.rows)};
        for (const std::size_t alarms : of.alarms) {
            row.push_back(fmt::format("{:.2f}", 1e5 * static_cast<double>(alarms) / static_cast<double>(of.rows)));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table eastman_table(const std::vector<Tested>& all) {
    Table table{
        .title =
            "Tennessee Eastman: rows (3 minutes each) from the fault to the first alarm; in brackets: alarms before it",
        .head = {"outputs", "fault"},
        .rows = {}};
    for (const std::string_view name : kDetectorNames) {
        table.head.emplace_back(name);
    }
    for (const Tested& one : all) {
        std::vector<std::string> row{output_sets().at(one.outputs).name, one.fault == "00" ? "none" : one.fault};
        for (std::size_t d = 0; d < kDetectors; ++d) {
            row.push_back(fmt::format("{} ({})",
                                      one.rows[d]         ? fmt::format("{}", *one.rows[d])
                                      : one.fault == "00" ? "-"
                                                          : "missed",
                                      one.before[d]));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

void add_stationary_claim(Result& result, const std::vector<FalseAlarms>& all) {
    std::string measured;
    bool few = true;
    for (const FalseAlarms& of : all) {
        measured += fmt::format("{}{}: {} alarms in {} rows, at most {} in one stream", measured.empty() ? "" : "; ",
                                kNoiseNames.at(static_cast<std::size_t>(of.noise)), of.alarms[0], of.rows, of.most);
        few = few && of.alarms[0] <= std::max<std::size_t>(1, of.rows / kMostRows);
    }
    result.claims.push_back({.claim = "Where nothing changes, there is at most one alarm in 100,000 rows.",
                             .measured = measured,
                             .verdict = few ? Verdict::holds : Verdict::fails,
                             .ours = true});
}

void add_eastman_claims(Result& result, const std::vector<Tested>& all) {
    std::size_t faults = 0;
    std::size_t found = 0;
    std::size_t by_errors = 0;
    std::size_t false_ones = 0;
    for (const Tested& one : all) {
        false_ones += one.before[0];
        faults += one.fault == "00" ? 0U : 1U;
        found += one.rows[0] ? 1U : 0U;
        by_errors += one.by_errors ? 1U : 0U;
    }
    result.claims.push_back({.claim = "No alarm is raised on fault-free rows of the Tennessee Eastman process.",
                             .measured = all.empty() ? "the data is not here" : fmt::format("{} alarms", false_ones),
                             .verdict = all.empty()       ? Verdict::not_tested
                                        : false_ones == 0 ? Verdict::holds
                                                          : Verdict::fails,
                             .ours = true});
    result.claims.push_back(
        {.claim = "Its faults are found, most of them by the inputs: they hardly move the product's composition.",
         .measured = all.empty() ? "the data is not here"
                                 : fmt::format("{} of {} found, {} of them by errors", found, faults, by_errors),
         .verdict = all.empty()       ? Verdict::not_tested
                    : found == faults ? Verdict::holds
                    : found > 0       ? Verdict::in_part
                                      : Verdict::fails,
         .ours = true});
}

std::string json_of(const std::vector<FalseAlarms>& stationary, const std::vector<Tested>& eastman) {
    std::string out = R"("stationary":[)";
    for (const FalseAlarms& of : stationary) {
        out += fmt::format(R"({}{{"kind":"{}","rows":{},"alarms":{{)", out.back() == '[' ? "" : ",",
                           kNoiseNames.at(static_cast<std::size_t>(of.noise)), of.rows);
        for (std::size_t d = 0; d < kDetectors; ++d) {
            out += fmt::format(R"({}"{}":{})", d > 0 ? "," : "", kDetectorKeys[d], of.alarms[d]);
        }
        out += "}}";
    }
    out += R"(],"eastman":[)";
    for (const Tested& one : eastman) {
        out += fmt::format(R"({}{{"outputs":"{}","fault":"{}","by":{},"rows":{{)", out.back() == '[' ? "" : ",",
                           output_sets().at(one.outputs).name, one.fault,
                           !one.rows[0]    ? "null"
                           : one.by_errors ? R"("errors")"
                                           : R"("inputs")");
        for (std::size_t d = 0; d < kDetectors; ++d) {
            out += fmt::format(R"({}"{}":{})", d > 0 ? "," : "", kDetectorKeys[d],
                               one.rows[d] ? fmt::format("{}", *one.rows[d]) : "null");
        }
        out += R"(},"before":{)";
        for (std::size_t d = 0; d < kDetectors; ++d) {
            out += fmt::format(R"({}"{}":{})", d > 0 ? "," : "", kDetectorKeys[d], one.before[d]);
        }
        out += "}}";
    }
    return out + "]";
}

std::string csv_of(const std::vector<Tested>& all) {
    std::string out = "outputs,fault,detector,rows,alarms_before\n";
    for (const Tested& one : all) {
        for (std::size_t d = 0; d < kDetectors; ++d) {
            out += fmt::format("\"{}\",{},{},{},{}\n", output_sets().at(one.outputs).name, one.fault, kDetectorKeys[d],
                               one.rows[d] ? fmt::format("{}", *one.rows[d]) : "", one.before[d]);
        }
    }
    return out;
}

}  // namespace

std::size_t alarms_rows(const Plan& plan) {
    return (kNoiseNames.size() * streams_of(plan) * rows_of_stream(plan)) +
           (eastman_jobs(find_eastman(plan.data)) * kEastmanRows);
}

Result run_alarms(const Plan& plan) {
    const std::string folder = find_eastman(plan.data);
    Result result{.name = "alarms",
                  .title = "Beyond the paper: alarms",
                  .question =
                      "Which faults of a process raise an alarm, how soon, and how many alarms are false? Beside the "
                      "self-tuning model, with nothing given: ADWIN on its one-step error, and a PCA chart.",
                  .settings = {{"seed", fmt::format("{}", plan.seed)},
                               {"streams", fmt::format("{}", streams_of(plan))},
                               {"rows", fmt::format("{}", rows_of_stream(plan))},
                               {"eastman", folder.empty() ? "false" : "true"}}};
    const std::vector<FalseAlarms> stationary = stationary_part(plan);
    const EastmanPart eastman = folder.empty() ? EastmanPart{} : eastman_part(plan, folder);
    add_stationary_claim(result, stationary);
    add_eastman_claims(result, eastman.tested);
    result.tables.push_back(stationary_table(stationary));
    if (folder.empty()) {
        result.notice =
            "The Tennessee Eastman runs were not found: name the folder that has tep/d00.dat with --data DIR or "
            "SLUICE_DATA.";
        result.summary.push_back(result.notice);
    } else {
        result.tables.push_back(eastman_table(eastman.tested));
        result.tables.push_back(eastman.moved);
        result.series.push_back({.name = "alarms", .csv = csv_of(eastman.tested)});
    }
    result.json = json_line(result, plan.runs, rows_of_stream(plan), json_of(stationary, eastman.tested));
    return result;
}

}  // namespace sluice::experiments
