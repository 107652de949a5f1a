// bank_state.cpp -- a bank as bytes: it goes on bit for bit.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "model_bank.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

// The alarm of state 3 does not help the present one, which begins again.
void skip_alarm_of_state_3(core::StateReader& in) {
    const auto skip = [&](std::uint64_t count) {
        in.require(count <= in.left() / sizeof(double), "the alarm's window is longer than the state");
        for (; count > 0; --count) {
            std::uint64_t number = 0;
            in.get(number);
        }
    };
    std::uint64_t buckets = 0;
    in.get(buckets);
    in.require(buckets <= in.left(), "the alarm's window is longer than the state");
    skip(3 * buckets);
    skip(7);
}

}  // namespace

void ModelBank::save(core::StateWriter& out) const {
    out.put(rows_met_);
    out.put(static_cast<std::uint64_t>(rung_));
    out.put(static_cast<unsigned char>(on_trial_));
    out.put_all(units_.exponents());
    out.put(static_cast<std::uint64_t>(lead_));
    for (const MemoryModel& memory : memories_) {
        memory.save(out);
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

void ModelBank::load(core::StateReader& in) {
    auto count_below = [&](std::uint64_t limit, const char* what) {
        std::uint64_t number = 0;
        in.get(number);
        in.require(number < limit, what);
        return static_cast<std::size_t>(number);
    };
    in.get(rows_met_);
    rung_ = count_below(ladder_.rungs.size(), "its number of variables per component is not one of those tried");
    on_trial_ = in.get_flag();
    in.require(tuning_.forgetting || !on_trial_, "it tries a fresh start, although its forgetting is not tuned");
    std::vector<int> exponents(q_);
    in.get_all(exponents);
    for (std::size_t k = 0; k < q_; ++k) {
        const bool known = exponents[k] != core::ColumnUnits::kUnknown;
        in.require(!known || std::abs(exponents[k]) <= core::kExponentLimit, "the unit of an output is out of range");
        if (known) {
            use_unit(k, exponents[k]);
        }
    }
    if (on_trial_) {
        memories_.push_back(new_memory(0));
    }
    lead_ = count_below(lengths_.size(), "its leading memory does not exist");
    for (MemoryModel& memory : memories_) {
        memory.load(in, ladder_, rung_);
    }
    in.get(age_);
    in.get(error_now_);
    in.get(error_fresh_);
    in.require(error_now_ >= 0.0 && error_fresh_ >= 0.0, "an error of the fresh start on trial is negative");
    in.get(settled_);
    recent_.load(in);
    scale_.load(in);
    for (std::uint64_t& row : changed_) {
        in.get(row);
    }
    stability_.load(in);
    if (in.version() > 3) {
        alarm_.load(in);
    } else {
        skip_alarm_of_state_3(in);
    }
    for (auto& selected : past_) {
        core::Step::get_variables(in, p_, selected);
    }
    core::Step::get_variables(in, p_, selected_);
    log_.resize(count_below((2 * kLogged) + 1, "its log of decisions is too long"));
    for (Decision& decision : log_) {
        in.get(decision.row);
        in.get(decision.setting);
        in.require(decision.setting <= Setting::shrinkage, "a decision is about an unknown setting");
        for (double* number : {&decision.from, &decision.to, &decision.measured_from, &decision.measured_to}) {
            in.get(*number);
        }
    }
}

}  // namespace sluice::tune
