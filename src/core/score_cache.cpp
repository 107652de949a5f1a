// score_cache.cpp -- products with C from the history alone, by way of the scores of each row.
//
//     (C v)_i = sum_t weight_t h_ti (h_t v)                                                          eq. (16), C part
//     v'C w   = sum_t weight_t (h_t v) (h_t w)
//
// One product costs |support| + 1 passes over a series of the history, and one more for each input that is asked for;
// entries of C are never formed.
#include "score_cache.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

void ScoreCache::clear() {
    kept_.clear();
    ++version_;
}

std::size_t ScoreCache::find(std::span<const std::size_t> support, std::span<const double> coefficient) const {
    std::size_t r = 0;
    while (r < kept_.size() &&
           !(std::ranges::equal(kept_[r].support, support) && std::ranges::equal(kept_[r].coefficient, coefficient))) {
        ++r;
    }
    return r;
}

// Whether rows that weigh less than `least_weight` of the newest have no more than their share of v'C v; a wrong value long
// ago may have more. What they add to (C v)_i is at most sqrt(sum of weight h_i^2) sqrt(sum of weight (h v)^2) over these
// rows. The second root is then at most four times its share, and so is the first, unless input i itself was larger.
bool ScoreCache::older_rows_are_light(const History& history, double least_weight, const Kept& of) {
    constexpr double kMostOfShare = 16.0;
    constexpr double kHeavy = 0.1;  // the newest rows have most of v'C v
    const double* scores = of.scores.data();
    const double* weighted = of.weighted.data();
    double older = 0.0;
    double newest = 0.0;
    kernels::dots(&scores, 1, &weighted, 1, history.older_rows(history.newest_rows(least_weight)), &older);
    kernels::dots(&scores, 1, &weighted, 1, history.newest_rows(kHeavy), &newest);
    for (std::size_t t = history.ring_rows(); t < history.length(); ++t) {
        newest += scores[t] * weighted[t];
    }
    return older <= kMostOfShare * least_weight * newest;
}

// A row asks for the products of one component after the other, and the inputs of one are often asked for again by the
// next: the history of an input is read once, for all components that are still to come.
void ScoreCache::multiply(const History& history, const Resident& resident, const Request& request,
                          std::span<double> out, Workers& workers) {
    const auto& inputs = request.inputs;
    kernels::RingRows rows = history.newest_rows(request.least_weight);
    targets_.clear();
    const std::size_t own = find(request.support, request.coefficient);
    if (own == kept_.size() || !update(history, kept_[own])) {
        scores_of_.assign(1, {.support = request.support, .coefficient = request.coefficient, .scores = other_.all()});
        history.scores(scores_of_, history.all_rows(), workers);
        targets_.push_back(other_.weighted.data());
        rows = older_rows_are_light(history, request.least_weight, other_) ? rows : history.all_rows();
        history.dots(inputs, targets_, rows, out, workers);
        return;
    }
    std::size_t last = own;
    for (; last < kept_.size() && update(history, kept_[last]); ++last) {
        Kept& kept = kept_[last];
        targets_.push_back(kept.weighted.data());
        if (kept.tested_version != version_ || kept.tested_weight != request.least_weight) {
            kept.older_are_light = older_rows_are_light(history, request.least_weight, kept);
            kept.tested_version = version_;
            kept.tested_weight = request.least_weight;
        }
        rows = kept.older_are_light ? rows : history.all_rows();
    }
    auto is_known = [&](std::size_t input) {
        if (!resident.has(input)) {
            return false;
        }
        const Products& products = products_[resident.place(input)];
        return products.version == version_ && products.first <= own && own < products.last &&
               products.rows >= rows.count();
    };
    const std::size_t R = kept_.size();
    values_.resize(products_.size() * R);
    missing_.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (is_known(inputs[i])) {
            out[i] = values_[(resident.place(inputs[i]) * R) + own];
        } else {
            missing_.push_back(inputs[i]);
        }
    }
    computed_.resize(missing_.size() * targets_.size());
    history.dots(missing_, targets_, rows, computed_, workers);
    auto next = missing_.begin();
    const double* values = computed_.data();
    for (std::size_t i = 0; i < inputs.size() && next != missing_.end(); ++i) {
        if (inputs[i] != *next) {
            continue;
        }
        out[i] = values[0];
        if (resident.has(*next)) {
            const std::size_t place = resident.place(*next);
            std::copy_n(values, targets_.size(), values_.begin() + static_cast<std::ptrdiff_t>((place * R) + own));
            products_[place] = {.version = version_, .first = own, .last = last, .rows = rows.count()};
        }
        values += targets_.size();
        ++next;
    }
}

void ScoreCache::inner_products(const History& history, std::span<const std::span<const std::size_t>> supports,
                                std::span<const std::span<const double>> coefficients, std::span<double> A,
                                Workers& workers) {
    const std::size_t R = supports.size();
    scores_of_.clear();
    for (std::size_t r = 0; r < R; ++r) {
        keep(history, r, supports[r], coefficients[r]);
    }
    for (std::size_t r = 0; r < R; ++r) {
        scores_of_.push_back({.support = supports[r], .coefficient = coefficients[r], .scores = kept_[r].all()});
    }
    history.scores(scores_of_, history.all_rows(), workers);
    series_.clear();
    targets_.clear();
    for (std::size_t r = 0; r < R; ++r) {
        series_.push_back(kept_[r].scores.data());
        targets_.push_back(kept_[r].weighted.data());
    }
    kernels::dots(series_.data(), R, targets_.data(), R, history.all_rows(), A.data());
    for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t s = 0; s <= r; ++s) {
            for (std::size_t t = history.ring_rows(); t < history.length(); ++t) {
                A[(r * R) + s] += kept_[r].scores[t] * kept_[s].weighted[t];
            }
            A[(s * R) + r] = A[(r * R) + s];
        }
    }
}

// Brings kept scores up to date by adding the newest rows to them. False where they are too old for that.
bool ScoreCache::update(const History& history, Kept& kept) const {
    if (kept.version == version_) {
        return true;
    }
    if (history.archived() - kept.archived > 1) {
        return false;
    }
    if (kept.weights_version != weights_version_) {
        history.weigh(kept.all());
        kept.weights_version = weights_version_;
    }
    if (history.archived() != kept.archived) {
        history.newest_ring_scores(kept.support, kept.coefficient, kept.all());
        kept.archived = history.archived();
    }
    history.recent_scores(kept.support, kept.coefficient, kept.all());
    kept.version = version_;
    return true;
}

// Makes room for the scores of the r-th weights.
void ScoreCache::keep(const History& history, std::size_t r, std::span<const std::size_t> support,
                      std::span<const double> coefficient) {
    while (kept_.size() <= r) {
        kept_.emplace_back(other_.scores.size());
    }
    Kept& kept = kept_[r];
    kept.support.assign(support.begin(), support.end());
    kept.coefficient.assign(coefficient.begin(), coefficient.end());
    kept.archived = history.archived();
    kept.weights_version = weights_version_;
    ++version_;
}

// Scores that would not be used again are left out, and those that would be computed again are saved as zeros: equal
// models give equal bytes.
void ScoreCache::save(const History& history, StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(kept_.size()));
    for (const Kept& kept : kept_) {
        const std::uint64_t behind = history.archived() - kept.archived;
        out.put_list(behind <= 1 ? kept.support : std::vector<std::size_t>{});
        out.put_all(behind <= 1 ? kept.coefficient : std::vector<double>{});
        std::vector<double> scores(history.ring_rows(), 0.0);
        if (behind <= 1) {
            std::copy_n(kept.scores.data(), scores.size(), scores.begin());
        }
        if (behind == 1) {
            std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(history.newest_slot()), kLanes, 0.0);
        }
        out.put_all(scores);
        out.put(behind <= 1 ? kept.archived : 0);
    }
}

void ScoreCache::load(const History& history, std::size_t inputs, StateReader& in) {
    std::uint64_t count = 0;
    in.get(count);
    in.require(count <= inputs, "it keeps the scores of more components than there are inputs");
    clear();
    for (std::uint64_t r = 0; r < count; ++r) {
        Kept kept(other_.scores.size());
        kept.support = in.get_list();
        in.require(std::ranges::all_of(kept.support, [&](std::size_t j) { return j < inputs; }),
                   "the support of kept scores names an input that does not exist");
        kept.coefficient.resize(kept.support.size());
        in.get_all(kept.coefficient);
        in.get_all(kept.scores.all().first(history.ring_rows()));
        in.get(kept.archived);
        kept_.push_back(std::move(kept));
    }
}

}  // namespace sluice::core
