// late_stream.hpp -- a stream whose labels come late, and what must come of it, written out by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "small_stream.hpp"

namespace sluice::test {

constexpr std::size_t kLateInputs = 5;

struct LateRow {
    std::string time;
    std::vector<double> x;
    double y = 0.0;
};

/// A label of row `row` that comes with row `with`, before it is predicted; with its own row, after it.
struct LateLabel {
    std::size_t row = 0;
    std::size_t with = 0;
};

inline std::vector<LateRow> late_rows(std::size_t rows, std::uint64_t seed = 3) {
    FactorStream stream({.inputs = kLateInputs, .outputs = 1, .groups = 3, .drift = 0.02}, seed);
    std::vector<LateRow> out(rows);
    std::vector<double> y(1);
    for (std::size_t t = 0; t < rows; ++t) {
        out[t].x.resize(kLateInputs);
        stream.next(out[t].x, y);
        for (double& value : out[t].x) {  // as it is written and read back
            value = std::stod(std::to_string(value));
        }
        out[t].y = std::stod(std::to_string(y[0]));
        out[t].time = std::to_string(100 + t);
    }
    return out;
}

/// One row in `every` has a label, which comes `late` rows later.
inline std::vector<LateLabel> sampled_labels(std::size_t rows, std::size_t every, std::size_t late) {
    std::vector<LateLabel> labels;
    for (std::size_t row = 0; row + late < rows; row += every) {
        labels.push_back({.row = row, .with = row + late});
    }
    return labels;
}

inline std::string late_header() {
    std::string text = "when";
    for (std::size_t i = 1; i <= kLateInputs; ++i) {
        text += ",x" + std::to_string(i);
    }
    return text;
}

inline std::string late_cells(const LateRow& row) {
    std::string text = row.time;
    for (const double value : row.x) {
        text += "," + std::to_string(value);
    }
    return text;
}

/// Labels in the rows, at most one in each: columns when, x1.., of, y.
inline std::string csv_with_labels(const std::vector<LateRow>& rows, const std::vector<LateLabel>& labels) {
    std::string text = late_header() + ",of,y\n";
    for (std::size_t t = 0; t < rows.size(); ++t) {
        const auto at = std::ranges::find(labels, t, &LateLabel::with);
        text += late_cells(rows[t]) +
                (at == labels.end() ? ",," : "," + rows[at->row].time + "," + std::to_string(rows[at->row].y)) + "\n";
    }
    return text;
}

inline std::string csv_without_labels(const std::vector<LateRow>& rows) {
    std::string text = late_header() + "\n";
    for (const LateRow& row : rows) {
        text += late_cells(row) + "\n";
    }
    return text;
}

/// The labels alone, in the order of the list.
inline std::string csv_of_labels(const std::vector<LateRow>& rows, const std::vector<LateLabel>& labels) {
    std::string text = "when,y\n";
    for (const LateLabel& label : labels) {
        text += rows[label.row].time + "," + std::to_string(rows[label.row].y) + "\n";
    }
    return text;
}

inline job::StreamSettings late_settings(const std::string& input) {
    job::StreamSettings settings;
    settings.input = input;
    settings.roles.targets = {"y"};
    settings.roles.time = "when";
    return settings;
}

/// What must come of it: each label is learnt with its own inputs when it comes, and the prediction that was made when
/// its row came is scored.
struct LateReference {
    AdaptiveModel model;
    std::vector<double> predicted;  // of each row; NaN before the first label
    Score score;

    LateReference(const std::vector<LateRow>& rows, const std::vector<LateLabel>& labels,
                  const AdaptiveOptions& options)
        : model(kLateInputs, 1, options), predicted(rows.size()) {
        bool any = false;
        const auto learn = [&](const LateLabel& label) {
            if (!std::isnan(predicted[label.row])) {
                score.add(rows[label.row].y, predicted[label.row]);
            }
            model.learn(rows[label.row].x, {&rows[label.row].y, 1});
            any = true;
        };
        for (std::size_t t = 0; t < rows.size(); ++t) {
            for (const LateLabel& label : labels) {
                if (label.with == t && label.row < t) {
                    learn(label);
                }
            }
            predicted[t] = any ? model.predict(rows[t].x)[0] : std::nan("");
            for (const LateLabel& label : labels) {
                if (label.with == t && label.row == t) {
                    learn(label);
                }
            }
        }
    }
};

}  // namespace sluice::test
