// block_gram_state.cpp -- engine `screened` as bytes: the block, the history, and C in single precision where there is one.
#include <cstddef>
#include <cstdint>
#include <span>

#include "block_gram.hpp"
#include "state.hpp"

namespace sluice::core {

void BlockGram::save(StateWriter& out) const {
    resident_.save(out);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        out.put_all(std::span<const double>(column(place), resident_.count()));
        out.put_all(std::span<const Bits>(known(place), words_));
    }
    if (history_) {
        history_->save(out);
        scores_.save(*history_, out);
    }
    if (single_) {
        single_->save(out);
    }
}

void BlockGram::load(StateReader& in) {
    resident_.load(in);
    note_whether_entries_stay();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        in.get_all(std::span(column(place), resident_.count()));
        in.get_all(std::span(known(place), words(in.stored_inputs(inputs_))));
    }
    if (history_) {
        history_->load(in);
        scores_.load(*history_, inputs_, in);
    }
    if (single_) {
        single_->load(in);
    }
}

}  // namespace sluice::core
