// bank_state.cpp -- a bank as bytes: it goes on bit for bit.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "bank.hpp"
#include "state.hpp"

namespace sluice::tune {

void Bank::save(core::StateWriter& out) const {
    out.put(rows_met_);
    out.put(static_cast<std::uint64_t>(rung_));
    out.put(static_cast<unsigned char>(on_trial_));
    out.put_all(exponents_);
    out.put(static_cast<std::uint64_t>(lead_));
    for (const Member& member : members_) {
        member.save(out);
    }
    out.put(static_cast<std::uint64_t>(age_));
    out.put(error_now_);
    out.put(error_fresh_);
    out.put(settled_);
    recent_.save(out);
    scale_.save(out);
    for (const std::uint64_t row : changed_) {
        out.put(row);
    }
    stability_.save(out);
    alarm_.save(out);
    for (const auto& selected : past_) {
        out.put_list(selected);
    }
    out.put_list(selected_);
    out.put(static_cast<std::uint64_t>(log_.size()));
    for (const Decision& decision : log_) {
        out.put(decision.row);
        out.put(decision.setting);
        for (const double number : {decision.from, decision.to, decision.measured_from, decision.measured_to}) {
            out.put(number);
        }
    }
}

void Bank::load(core::StateReader& in) {
    auto count_below = [&](std::uint64_t limit, const char* what) {
        std::uint64_t number = 0;
        in.get(number);
        in.require(number < limit, what);
        return static_cast<std::size_t>(number);
    };
    auto get_selected = [&](std::vector<std::size_t>& selected) {
        selected = in.get_list();
        const bool ascending = std::ranges::adjacent_find(selected, std::greater_equal{}) == selected.end();
        in.require(ascending && (selected.empty() || selected.back() < p_), "its variables are not in order");
    };
    in.get(rows_met_);
    rung_ = count_below(ladder_.rungs.size(), "its number of variables is none of them");
    on_trial_ = in.get_flag();
    in.require(tuning_.forgetting || !on_trial_, "it tries what it may not");
    std::vector<int> exponents(q_);
    in.get_all(exponents);
    for (std::size_t k = 0; k < q_; ++k) {
        in.require(exponents[k] == kUnknown || std::abs(exponents[k]) <= 1000, "an output's unit cannot be");
        if (exponents[k] != kUnknown) {
            use_unit(k, exponents[k]);
        }
    }
    if (on_trial_) {
        members_.push_back(fresh_member(0));
    }
    lead_ = count_below(lengths_.size(), "its leading memory is none of them");
    for (Member& member : members_) {
        member.load(in, ladder_, rung_);
    }
    in.get(age_);
    in.get(error_now_);
    in.get(error_fresh_);
    in.require(error_now_ >= 0.0 && error_fresh_ >= 0.0, "an error of its trial is negative");
    in.get(settled_);
    recent_.load(in);
    scale_.load(in);
    for (std::uint64_t& row : changed_) {
        in.get(row);
    }
    stability_.load(in);
    alarm_.load(in);
    for (auto& selected : past_) {
        get_selected(selected);
    }
    get_selected(selected_);
    log_.resize(count_below((2 * kLogged) + 1, "its log is too long"));
    for (Decision& decision : log_) {
        in.get(decision.row);
        in.get(decision.setting);
        in.require(decision.setting <= Setting::shrinkage, "a decision is about nothing");
        for (double* number : {&decision.from, &decision.to, &decision.measured_from, &decision.measured_to}) {
            in.get(*number);
        }
    }
}

}  // namespace sluice::tune
