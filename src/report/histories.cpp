#include "histories.hpp"

#include <utility>

#include "state.hpp"

namespace sluice::report {

Histories::Histories(History::Settings settings, bool latest) : whole_(settings) {
    if (latest) {
        latest_.emplace(std::move(settings));
    }
}

std::size_t Histories::variable(std::string_view name) {
    const std::size_t number = whole_.variable(name);
    for (std::optional<History>* history : {&latest_, &next_}) {
        if (*history) {
            (void)(*history)->variable(name);
        }
    }
    return number;
}

// Before a row: a bin for it in the latest ones.
void Histories::make_room() {
    const auto rows = [](const History& history) {
        return history.rows() == 0 ? 0 : history.last_row() - history.first_row() + 1;
    };
    if (rows(*latest_) >= latest_->most_bins()) {
        latest_ = next_ ? std::move(*next_) : latest_->continued();
        next_.reset();
    }
    if (!next_ && rows(*latest_) >= latest_->most_bins() / 2) {
        next_ = latest_->continued();
    }
}

void Histories::add(const StreamRow& row) {
    whole_.add(row);
    if (latest_) {
        if (row.label_of == 0) {
            make_room();
        }
        latest_->add(row);
    }
    if (next_) {
        next_->add(row);
    }
}

void Histories::save(core::StateWriter& out) const {
    whole_.save(out);
    for (const std::optional<History>* history : {&latest_, &next_}) {
        out.put(static_cast<std::uint8_t>(*history ? 1 : 0));
        if (*history) {
            (*history)->save(out);
        }
    }
}

void Histories::load(core::StateReader& in) {
    whole_.load(in);
    for (std::optional<History>* history : {&latest_, &next_}) {
        if (in.get_flag()) {
            *history = whole_.continued();
            (*history)->load(in);
            in.require((*history)->presence().variables().size() == whole_.presence().variables().size(),
                       "the histories know other inputs");
        } else {
            history->reset();
        }
    }
}

}  // namespace sluice::report
