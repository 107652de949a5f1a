#include "stream_fleet.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "config_file.hpp"
#include "exit_code.hpp"
#include "fleet_job.hpp"
#include "remedy_words.hpp"
#include "sluice/adaptive_fields.hpp"
#include "usage.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr double kGigabyte = 1e9;

bool is_config_file(const std::string& by) {
    return by.ends_with(".yaml") || by.ends_with(".yml") || by.ends_with(".json");
}

// Options of `stream` that a fleet does not have.
void refuse_others(const FleetRequest& request) {
    const job::StreamSettings& stream = request.stream;
    using Given = std::pair<bool, const char*>;
    const std::array others = {
        Given{!stream.labels.empty() || !stream.label_time.empty(), "--labels and --label-time"},
        Given{stream.warmup > 0, "--warmup"},
        Given{stream.skip_bad_rows || !stream.rejects.empty(),
              "--on-bad-row and --rejects (bad rows are in the records)"},
        Given{stream.weights, "--weights"},
        Given{!stream.monitor.on_event.empty() || !stream.monitor.metrics.empty(), "--on-event and --metrics"},
        Given{!stream.checkpoint.empty(), "--checkpoint (give a folder with --state)"},
        Given{stream.from_here || stream.from_start || stream.new_out, "--from-here, --from-start and --new-out"},
        Given{!stream.group_file.empty(), "--group-file"},
        Given{stream.out_format == job::RecordFormat::csv, "records as CSV (give a name that ends in .ndjson)"},
        Given{request.other_outputs, "--summary, --report and --serve"},
    };
    std::string refused;
    for (const auto& [given, words] : others) {
        if (given) {
            refused += fmt::format("{}{}", refused.empty() ? "" : "; ", words);
        }
    }
    if (!refused.empty()) {
        throw job::UsageError("a fleet (--by) does not have: " + refused);
    }
}

fleet::Config config_of(const FleetRequest& request) {
    const job::StreamSettings& stream = request.stream;
    std::vector<std::string> given = stream.options_given;
    std::erase(given, "threads");
    if (is_config_file(request.fleet.by)) {
        const bool twice = !given.empty() || request.paper || !stream.roles.targets.empty() ||
                           !stream.roles.inputs.empty() || !stream.roles.ignore.empty() || !stream.roles.time.empty() ||
                           stream.lags || stream.target_lags || stream.horizon || stream.interval ||
                           !request.fleet.sequence.empty();
        if (twice) {
            throw job::UsageError(
                fmt::format("what {} says of columns and the model cannot be given on the command line "
                            "too: change the file",
                            request.fleet.by));
        }
        return fleet::read_config_file(request.fleet.by);
    }
    fleet::Config config{.key = request.fleet.by, .sequence = request.fleet.sequence, .spec = {}};
    config.spec.roles = stream.roles;
    config.spec.layout.lags = stream.lags.value_or(config.spec.layout.lags);
    config.spec.layout.target_lags = stream.target_lags.value_or(config.spec.layout.target_lags);
    config.spec.layout.horizon = stream.horizon.value_or(0);
    config.spec.interval = stream.interval;
    config.spec.strict_columns = stream.dialect.strict_columns;
    config.spec.paper = request.paper;
    config.spec.missing = stream.dialect.missing;
    for (const AdaptiveField& field : adaptive_fields()) {
        if (std::ranges::find(given, field.name) != given.end()) {
            config.spec.options.emplace_back(field.name, field.get(stream.options));
        }
    }
    return config;
}

std::size_t memory_of(const FleetArguments& fleet) {
    if (fleet.memory_gb) {
        return static_cast<std::size_t>(*fleet.memory_gb * kGigabyte);
    }
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(size)
                                 : fleet::FleetSettings{}.memory;
}

void print_result(std::FILE* to, const fleet::FleetJob& job, double rows_per_second) {
    const fleet::Fleet& fleet = job.fleet();
    const fleet::FleetCounts& counts = fleet.counts();
    fmt::print(to, "{} rows of {} keys, {} rows/s\n", grouped(counts.rows), grouped(fleet.keys()),
               grouped(static_cast<std::uint64_t>(rows_per_second)));
    if (counts.refused + counts.repeated + counts.with_events > 0) {
        fmt::print(to, "{} rows refused, {} sent again and not learnt twice, {} with events: see the records\n",
                   grouped(counts.refused), grouped(counts.repeated), grouped(counts.with_events));
    }
    fmt::print(to, "{} models in memory, {:.2f} GB", grouped(fleet.resident()),
               static_cast<double>(fleet.resident_bytes()) / kGigabyte);
    if (job.state_bytes() > 0) {
        fmt::print(to, "; states on disk {:.2f} GB", static_cast<double>(job.state_bytes()) / kGigabyte);
    }
    fmt::print(to, "\n");
}

}  // namespace

void add_fleet_options(CommandLine& command, FleetArguments& fleet) {
    const char* group = "A fleet: one model for each key";
    command
        .add_option("--by", fleet.by,
                    "Column with the key, or a file (.yaml, .json) that says what the fleet is: docs/fleet.md. Records "
                    "have the key of their row; --threads works on as many keys at once")
        .values("COL|FILE")
        .group(group);
    command
        .add_option("--sequence", fleet.sequence,
                    "Column with the number of a row within its key: a row that comes again is not learnt twice")
        .values("COL")
        .group(group);
    command
        .add_option("--state", fleet.state, "Folder with the models of all keys, replaced at intervals and at the end")
        .values("FOLDER")
        .group(group);
    command
        .add_option("--fleet-memory", fleet.memory_gb,
                    "With --state: gigabytes of models that stay in memory [half of the memory of the machine]")
        .values("GB")
        .group(group)
        .positive();
}

int run_fleet(const FleetRequest& request) {
    refuse_others(request);
    const job::StreamSettings& stream = request.stream;
    const io::Interrupt interrupt;
    const auto say = [&](const job::Message& message) {
        if (!request.quiet || message.severity == job::Message::Severity::warning) {
            const bool on_progress = isatty(STDERR_FILENO) == 1;
            fmt::print(stderr, "{}sluice: {}{}\n", on_progress ? "\r\033[K" : "", message.text,
                       remedy_sentence(message.remedies, {}, message.value));
        }
    };
    fleet::FleetSettings settings{.input = stream.input,
                                  .dialect = stream.dialect,
                                  .follow = stream.follow,
                                  .config = config_of(request),
                                  .state = request.fleet.state,
                                  .out = stream.out,
                                  .checkpoint_rows = stream.checkpoint_rows,
                                  .checkpoint_seconds = stream.checkpoint_seconds,
                                  .resume = stream.resume,
                                  .threads = stream.options.model.threads,
                                  .memory = memory_of(request.fleet)};
    const job::ModelSpec& spec = settings.config.spec;
    if (is_config_file(request.fleet.by)) {
        settings.dialect.delimiter = spec.delimiter ? spec.delimiter : settings.dialect.delimiter;
        settings.dialect.decimal = spec.decimal;
        settings.dialect.missing = spec.missing;
    }
    std::optional<fleet::FleetJob> opened;
    try {
        opened.emplace(std::move(settings), io::real_disk(), &interrupt, say);
    } catch (const job::Stopped& stop) {
        say({.text = stop.what()});
        return kInterrupted;
    }
    fleet::FleetJob& job = *opened;
    if (job.resumed_at() > 0) {
        say({.text = fmt::format("continuing after row {}", grouped(job.resumed_at()))});
    }
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto rate = [&] { return static_cast<double>(job.fleet().counts().rows - job.resumed_at()) / seconds(); };
    const bool shows = !request.quiet && isatty(STDERR_FILENO) == 1;
    const bool finished = job.run([&] {
        if (shows) {
            fmt::print(stderr, "\r\033[K{} rows of {} keys, {} rows/s", grouped(job.fleet().counts().rows),
                       grouped(job.fleet().keys()), grouped(static_cast<std::uint64_t>(rate())));
        }
    });
    if (shows) {
        fmt::print(stderr, "\r\033[K");
    }
    if (!request.quiet) {
        print_result(stream.out == "-" ? stderr : stdout, job, rate());
    }
    if (!finished) {
        say({.text =
                 fmt::format("interrupted after row {}{}", grouped(job.fleet().counts().rows),
                             request.fleet.state.empty() ? "" : "; --resume continues from " + request.fleet.state)});
        return kInterrupted;
    }
    return kDone;
}

}  // namespace sluice::cli
