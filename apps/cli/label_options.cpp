#include "label_options.hpp"

#include <fmt/format.h>

#include "words.hpp"

namespace sluice::cli {

void add_label_options(CommandLine& command, job::StreamSettings& settings) {
    const char* late = "Labels that come late (matched by the time of the rows, --time)";
    command
        .add_option("--label-time", settings.label_time,
                    "Column with the time that the targets of a row belong to: its own or an earlier one. With "
                    "--labels: the column of the time there [the name that --time gives]")
        .values("COL")
        .group(late);
    command
        .add_option("--labels", settings.labels,
                    "The targets are in this file: their time and the targets, CSV or NDJSON, in any order; with "
                    "--follow it is followed too")
        .values("FILE")
        .group(late);
    command
        .add_option("--label-window", settings.label_window,
                    fmt::format("Rows that are kept for their labels, and labels that are kept for their rows [{}]",
                                job::LabelSettings().window))
        .values("N")
        .group(late);
    command
        .add_option("--label-delay", settings.label_delay,
                    "With --labels: a label is learnt at the earliest N rows after its own row [0]")
        .values("N")
        .group(late);
}

std::string label_line(const job::LateLabels& labels) {
    std::string line =
        fmt::format("labels: {} learnt, {} late (no row of their time among the last {})",
                    grouped(labels.counts().learned), grouped(labels.counts().late), grouped(labels.settings().window));
    if (labels.counts().repeated > 0) {
        line += fmt::format(", {} repeated and ignored", grouped(labels.counts().repeated));
    }
    if (labels.waiting() > 0) {
        line += fmt::format(", {} waiting", grouped(labels.waiting()));
    }
    return line;
}

}  // namespace sluice::cli
