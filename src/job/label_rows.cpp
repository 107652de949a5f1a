#include "label_rows.hpp"

#include "state.hpp"

namespace sluice::job {

void LabelRows::save(core::StateWriter& out) const {
    out.put(learned_);
    for (std::uint64_t label = learned_ - known(); label < learned_; ++label) {
        out.put(rows_[label % rows_.size()]);
    }
}

void LabelRows::load(core::StateReader& in) {
    in.get(learned_);
    in.require(known() <= in.left() / sizeof(std::uint64_t), "it has fewer labels than were learnt");
    for (std::uint64_t label = learned_ - known(); label < learned_; ++label) {
        in.get(rows_[label % rows_.size()]);
    }
}

}  // namespace sluice::job
