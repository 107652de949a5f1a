// step_state.cpp -- directions, loadings, fit and thresholds of a step, as bytes.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "state.hpp"
#include "step.hpp"

namespace sluice::core {

void Step::save(StateWriter& out) const {
    for (const Component& component : components_) {
        out.put_list(component.support);
        for (const std::size_t j : component.support) {
            out.put(component.u[j]);
        }
    }
    out.put_all(W_);
    out.put(static_cast<std::uint64_t>(held_));
    out.put_list(fit_.selected);
    out.put_all(fit_.beta);
    out.put_all(narrowing_.threshold_shares());
    screen_.save(out);
}

void Step::get_variables(StateReader& in, std::size_t inputs, std::vector<std::size_t>& variables) {
    const auto read = in.get_list();
    const bool ascending = std::ranges::adjacent_find(read, std::greater_equal{}) == read.end();
    in.require(ascending, "its variables are not in ascending order");
    in.require(read.empty() || read.back() < inputs, "a variable is not among its inputs");
    variables.assign(read.begin(), read.end());
}

void Step::load(StateReader& in) {
    const std::size_t stored = options_.components_for(in.stored_inputs(p_));  // more inputs may mean more components
    for (Component& component : std::span(components_).first(stored)) {
        get_variables(in, p_, component.support);
        for (const std::size_t j : component.support) {
            in.get(component.u[j]);
        }
    }
    for (std::size_t k = 0; k < inner_.size(); ++k) {
        in.get_all(std::span(W_).subspan(k * components_.size(), stored));
    }
    std::uint64_t held = 0;
    in.get(held);
    held_ = held;
    get_variables(in, p_, fit_.selected);
    fit_.beta.resize(fit_.selected.size() * inner_.size());
    in.get_all(fit_.beta);
    in.get_all(std::span(narrowing_.threshold_shares()).first(stored));
    screen_.load(in);
}

}  // namespace sluice::core
