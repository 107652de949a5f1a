// made_stream.hpp -- a stream of rows whose selection is known, row by row, for tests of reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "history.hpp"

namespace sluice::report {

struct MadeStream {
    std::size_t rows = 0;
    std::vector<std::vector<bool>> selected;  // of each variable: in each row
    std::vector<double> predicted;
    std::vector<double> observed;
};

/// Every variable enters and leaves at random, on average once in `stay` rows; one value in ten is missing.
inline MadeStream made_stream(unsigned seed, std::size_t rows, std::size_t variables, double stay) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    std::normal_distribution<double> normal;
    MadeStream out{.rows = rows, .selected = {}, .predicted = {}, .observed = {}};
    for (std::size_t v = 0; v < variables; ++v) {
        std::vector<bool> in(rows);
        bool now = share(random) < 0.5;
        for (std::size_t t = 0; t < rows; ++t) {
            now = share(random) < 1.0 / stay ? !now : now;
            in[t] = now;
        }
        out.selected.push_back(std::move(in));
    }
    for (std::size_t t = 0; t < rows; ++t) {
        const double y = normal(random);
        out.predicted.push_back(share(random) < 0.1 ? kUnknown : y + (0.3 * normal(random)));
        out.observed.push_back(share(random) < 0.1 ? kUnknown : y);
    }
    return out;
}

/// Row `t`, from 0.
inline void add_row(History& history, const MadeStream& stream, std::size_t t,
                    const std::vector<StreamEvent>& events = {}) {
    std::vector<Use> uses;
    for (std::size_t v = 0; v < stream.selected.size(); ++v) {
        if (stream.selected[v][t]) {
            uses.push_back({.variable = history.variable("v" + std::to_string(v)),
                            .weight = 1.0 / static_cast<double>(v + 1),
                            .gain = 0.01});
        }
    }
    history.add({.row = t + 1,
                 .predicted = std::span(&stream.predicted[t], 1),
                 .observed = std::span(&stream.observed[t], 1),
                 .uses = uses,
                 .forgetting = 0.99,
                 .events = events});
}

inline History history_of(const MadeStream& stream, History::Settings settings) {
    settings.targets = {"y"};
    History history(settings);
    for (std::size_t t = 0; t < stream.rows; ++t) {
        add_row(history, stream, t);
    }
    return history;
}

}  // namespace sluice::report
