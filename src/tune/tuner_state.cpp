// tuner_state.cpp -- the self-tuning model as bytes: it goes on bit for bit.
#include <algorithm>
#include <cstdlib>

#include "state.hpp"
#include "tuner.hpp"

namespace sluice::tune {

void Tuner::save(core::StateWriter& out) const {
    out.put(rows_met_);
    out.put(static_cast<std::uint64_t>(rung_));
    out.put(static_cast<std::uint64_t>(lead_));
    for (const bool flag : {on_trial_, proven_, took_over_}) {
        out.put(static_cast<unsigned char>(flag));
    }
    out.put_all(units_.exponents());
    for (const Path& path : paths_) {
        path.save(out);
    }
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            memories_[b].save(out);
        }
    }
    mixture_.save(out);
    size_choice_.save(out);
    out.put_all(vote_);
    out.put(age_);
    out.put(error_now_);
    out.put(error_fresh_);
    out.put(settled_);
    out.cut();
    recent_.save(out);
    out.cut();
    scale_.save(out);
    for (const Range& range : range_) {
        out.put(static_cast<unsigned char>(range.known));
        out.put(range.low);
        out.put(range.high);
    }
    stability_.save(out);
    alarm_.save(out);
    for (const auto& selected : past_) {
        out.put_list(selected);
    }
    out.put_list(selected_);
    out.put(static_cast<std::uint64_t>(importances_.size()));
    for (const Importance& importance : importances_) {
        out.put(static_cast<std::uint64_t>(importance.input));
        out.put(importance.contribution);
        out.put(importance.gain);
    }
    out.put(static_cast<std::uint64_t>(decisions().size()));
    Decision before;
    for (const Decision& decision : decisions()) {
        out.put(decision.row);
        out.put(decision.setting);
        out.put(static_cast<std::uint64_t>(decision.input));
        for (const auto number : {&Decision::from, &Decision::to, &Decision::measured_from, &Decision::measured_to}) {
            out.put_near(decision.*number, before.*number);
        }
        before = decision;
    }
}

// With inputs that were added more names may be possible. A number of names above those before is as good as the largest of these
// so far: where inputs are missing, it predicts with the same names.
void Tuner::load_mixture(core::StateReader& in) {
    const std::vector<std::size_t>& sizes = plan_.readings.sizes;
    const std::vector<std::size_t> stored = plan_.sizes_for(in.stored_inputs(p_), options_);
    if (stored == sizes) {
        mixture_.load(in);
        size_choice_.load(in);
        return;
    }
    std::vector<std::size_t> places;
    places.reserve(sizes.size());
    for (const std::size_t size : sizes) {
        places.push_back(static_cast<std::size_t>(std::ranges::upper_bound(stored, size) - stored.begin()) - 1);
    }
    Grid grid = plan_.readings.grid;
    grid.sizes = stored.size();
    Mixture mixture(q_, grid);
    mixture.load(in);
    mixture_.continue_sizes(mixture, places);
    SizeChoice choice(stored.size());
    choice.load(in);
    size_choice_.continue_sizes(choice, places);
    rung_ = plan_.tuning.names == Names::found
                ? static_cast<std::size_t>(std::ranges::lower_bound(sizes, stored[rung_]) - sizes.begin())
                : sizes.size() - 1;
}

void Tuner::load(core::StateReader& in) {
    auto count_below = [&](std::uint64_t limit, const char* what) {
        std::uint64_t number = 0;
        in.get(number);
        in.require(number < limit, what);
        return static_cast<std::size_t>(number);
    };
    in.get(rows_met_);
    rung_ = count_below(plan_.sizes_for(in.stored_inputs(p_), options_).size(),
                        "its number of names is not one of those tried");
    lead_ = count_below(memories_.size(), "its leading memory does not exist");
    for (bool* flag : {&on_trial_, &proven_, &took_over_}) {
        *flag = in.get_flag();
    }
    in.require(plan_.fresh_starts() || !(on_trial_ || proven_),
               "it has a fresh start, although its forgetting is not tuned");
    in.require(!(on_trial_ && proven_), "its fresh start is on trial and proven at once");
    in.require(reads(lead_), "its leading memory is empty");
    if (plan_.fresh_starts()) {
        mixes_[fresh()] = proven_ ? 1 : 0;
    }
    in.require(mixes_[lead_] != 0, "its leading memory does not predict");
    std::vector<int> exponents(q_);
    in.get_all(exponents);
    in.require(units_.assign(exponents), "the unit of an output is out of range");
    for (Path& path : paths_) {
        path.load(in);
    }
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            memories_[b].load(in, path_of(b).variables(), plan_.readings);
        }
    }
    load_mixture(in);
    in.get_all(vote_);
    in.require(std::ranges::all_of(vote_, [](double vote) { return vote >= 0.0 && vote <= 2.0; }),
               "the weight of a memory is out of range");
    in.get(age_);
    in.get(error_now_);
    in.get(error_fresh_);
    in.require(error_now_ >= 0.0 && error_fresh_ >= 0.0, "an error of the fresh start on trial is negative");
    in.get(settled_);
    recent_.load(in);
    scale_.load(in);
    for (std::size_t k = 0; k < q_; ++k) {
        Range& range = range_[k];
        range.known = in.get_flag();
        in.get(range.low);
        in.get(range.high);
        in.require(range.low <= range.high, "the range of an output is empty");
        in.require(std::abs(range.low) <= 1e70 && std::abs(range.high) <= 1e70, "the range of an output is too large");
        set_bounds(k);
    }
    stability_.load(in);
    alarm_.load(in);
    for (auto& selected : past_) {
        core::Step::get_variables(in, p_, selected);
    }
    core::Step::get_variables(in, p_, selected_);
    importances_.resize(count_below(p_ + 1, "it has more names than inputs"));
    for (Importance& importance : importances_) {
        importance.input = count_below(p_, "an important variable is no input");
        in.get(importance.contribution);
        in.get(importance.gain);
    }
    log_.resize(count_below((4 * kLogged) + 1, "its log of decisions is too long"));
    Decision before;
    for (Decision& decision : log_) {
        in.get(decision.row);
        in.get(decision.setting);
        in.require(decision.setting <= Setting::fresh_start, "a decision is about an unknown setting");
        decision.input = count_below(p_, "a decision is about no input");
        for (const auto number : {&Decision::from, &Decision::to, &Decision::measured_from, &Decision::measured_to}) {
            decision.*number = in.get_near(before.*number);
        }
        before = decision;
    }
    mixture_.weigh(mixes_, rung_ + 1, plan_.readings.path ? Mixture::kAll : lead_);
}

}  // namespace sluice::tune
