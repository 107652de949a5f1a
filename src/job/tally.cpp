#include "tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "score_state.hpp"

namespace sluice::job {

Tally::Tally(std::size_t inputs, std::size_t outputs, std::size_t horizon, std::uint64_t warmup)
    : scores_(outputs),
      believed_(outputs),
      comparison_(outputs, horizon),
      reading_start_(outputs),
      has_horizon_(horizon > 0),
      warmup_(warmup),
      place_(inputs, 0) {}

Tally::Parts& Tally::parts_of(std::size_t input) {
    if (place_[input] == 0) {
        inputs_.push_back(input);
        selected_.emplace_back();
        place_[input] = static_cast<std::uint32_t>(inputs_.size());
    }
    return selected_[place_[input] - 1];
}

void Tally::join_neighbouring_parts() {
    for (Parts& parts : selected_) {
        for (std::size_t i = 0; i < kParts / 2; ++i) {
            parts[i] = parts[2 * i] + parts[(2 * i) + 1];
        }
        std::fill(parts.begin() + (kParts / 2), parts.end(), 0);
    }
    rows_per_part_ *= 2;
}

// The first row that is scored is not known beforehand: an output is scored from its second observation on.
void Tally::before_row(const AdaptiveModel& model, std::span<const double> observed) {
    if (has_horizon_ || rows_ < warmup_) {
        return;
    }
    for (std::size_t j = 0; j < scores_.size(); ++j) {
        if (scores_[j].count() == 0 && !std::isnan(observed[j])) {
            reading_start_.remember(j, model);
        }
    }
}

void Tally::add(const Learner::Step& step, std::span<const double> observed) {
    const bool scored = rows_ >= warmup_;
    if (scored) {
        add_scores(step.predicted, observed,
                   step.report ? step.report->suspect_outputs : std::span<const std::size_t>());
    }
    comparison_.add(step.predicted, observed, scored);
    ++rows_;
    if (step.report) {
        add_learned(*step.report);
    }
}

void Tally::add_row() {
    comparison_.add_row();
    ++rows_;
}

void Tally::add_label(std::uint64_t row, std::span<const double> predicted, std::span<const Comparison::Forecast> then,
                      std::span<const double> observed, const StepReport& report) {
    const bool scored = row >= warmup_;
    if (scored) {
        add_scores(predicted, observed, report.suspect_outputs);
    }
    comparison_.add_label(predicted, then, observed, scored);
    add_learned(report);
}

void Tally::add_scores(std::span<const double> predicted, std::span<const double> observed,
                       std::span<const std::size_t> suspects) {
    for (std::size_t j = 0; j < scores_.size(); ++j) {
        if (std::isnan(predicted[j])) {
            continue;
        }
        scores_[j].add(observed[j], predicted[j]);
        if (!std::ranges::binary_search(suspects, j)) {
            believed_[j].add(observed[j], predicted[j]);
        }
    }
}

void Tally::add_learned(const StepReport& report) {
    if (report.outcome == Outcome::outputs_missing) {
        return;
    }
    if (learned_ == rows_per_part_ * kParts) {
        join_neighbouring_parts();
    }
    const std::size_t part = learned_ / rows_per_part_;
    for (const std::size_t input : report.selected) {
        ++parts_of(input)[part];
    }
    entered_ += report.entered.size();
    ++learned_;
}

double Tally::mean_turnover() const {
    return learned_ > 0 ? static_cast<double>(entered_) / static_cast<double>(learned_) : 0.0;
}

std::vector<Tally::Stay> Tally::stays() const {
    std::vector<Stay> stays;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
        const Parts& parts = selected_[k];
        Stay stay{.input = inputs_[k]};
        const auto total = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
        stay.share = static_cast<double>(total) / static_cast<double>(learned_);
        for (std::uint64_t begin = 0; begin < learned_; begin += rows_per_part_) {
            const std::uint64_t length = std::min(rows_per_part_, learned_ - begin);
            stay.when.push_back(static_cast<double>(parts[begin / rows_per_part_]) / static_cast<double>(length));
        }
        stays.push_back(std::move(stay));
    }
    std::ranges::sort(
        stays, [](const Stay& a, const Stay& b) { return a.share != b.share ? a.share > b.share : a.input < b.input; });
    return stays;
}

// The first files end after the selected variables. What follows was added later: the units of the scores (1 before) and
// the comparison (it then begins with the next row), then the start of the readings (they are then not compared), then the
// scores without suspect labels (the same as the others before).
void Tally::save(core::StateWriter& out) const {
    for (const std::uint64_t count : {warmup_, rows_, skipped_, learned_, entered_, rows_per_part_}) {
        out.put(count);
    }
    for (const Score& score : scores_) {
        put_sums(out, score.sums());
    }
    out.put_list(inputs_);
    for (const Parts& parts : selected_) {
        out.put_all(std::span<const std::uint64_t>(parts));
    }
    for (const Score& score : scores_) {
        put_exponent(out, score.sums());
    }
    comparison_.save(out);
    reading_start_.save(out);
    for (const Score& score : believed_) {
        put_sums(out, score.sums());
        put_exponent(out, score.sums());
    }
}

void Tally::load(core::StateReader& in) {
    for (std::uint64_t* count : {&warmup_, &rows_, &skipped_, &learned_, &entered_, &rows_per_part_}) {
        in.get(*count);
    }
    in.require(rows_per_part_ > 0 && learned_ / rows_per_part_ <= kParts && learned_ <= rows_per_part_ * kParts &&
                   learned_ / scores_.size() <= rows_,  // the outputs of a row may come one by one
               "its counts of rows contradict each other");
    for (Score& score : scores_) {
        score.restore(get_sums(in, rows_));
    }
    inputs_ = in.get_list();
    in.require(in.left() / sizeof(Parts) >= inputs_.size(), "its list of selected variables is longer than the file");
    selected_.resize(inputs_.size());
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
        in.require(inputs_[k] < place_.size() && place_[inputs_[k]] == 0,
                   "a selected variable is listed twice or does not exist");
        place_[inputs_[k]] = static_cast<std::uint32_t>(k + 1);
        in.get_all(std::span<std::uint64_t>(selected_[k]));
    }
    if (in.left() == 0) {
        believed_ = scores_;
        return;
    }
    for (Score& score : scores_) {
        Score::Sums sums = score.sums();
        sums.exponent = get_exponent(in);
        score.restore(sums);
    }
    comparison_.load(in, rows_);
    if (in.left() > 0) {
        reading_start_.load(in);
    }
    believed_ = scores_;
    for (std::size_t j = 0; in.left() > 0 && j < believed_.size(); ++j) {
        Score::Sums sums = get_sums(in, scores_[j].count());
        sums.exponent = get_exponent(in);
        believed_[j].restore(sums);
    }
}

}  // namespace sluice::job
