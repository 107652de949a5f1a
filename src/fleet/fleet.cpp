#include "fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "answer_record.hpp"
#include "block.hpp"
#include "json_text.hpp"
#include "names_state.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::fleet {

namespace {

// work(thread, k) for each k < count, by as many threads.
template <typename Work>
void share_out(std::size_t count, std::size_t threads, const Work& work) {
    std::vector<std::exception_ptr> failed(threads);
    std::atomic<std::size_t> next{0};
    const auto take = [&](std::size_t thread) {
        try {
            for (std::size_t k = next++; k < count; k = next++) {
                work(thread, k);
            }
        } catch (...) {
            failed[thread] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t thread = 1; thread < threads; ++thread) {
            helpers.emplace_back(take, thread);
        }
        take(0);
    }
    for (const std::exception_ptr& one : failed) {
        if (one) {
            std::rethrow_exception(one);
        }
    }
}

}  // namespace

void RowBlock::add(Row about, const io::Row& row) {
    about.first = numbers_.size();
    about.unreadable = unreadable_.size();
    numbers_.insert(numbers_.end(), row.numbers.begin(), row.numbers.end());
    unreadable_.insert(unreadable_.end(), row.unreadable.begin(), row.unreadable.end());
    about.unreadable_end = unreadable_.size();
    if (!row.unreadable.empty()) {
        about.unreadable_value = row.unreadable_value;
    }
    rows_.push_back(std::move(about));
}

void RowBlock::refuse(std::string key, std::uint64_t line, std::string why) {
    rows_.push_back({.key = std::move(key), .refusal = std::move(why), .line = line});
}

void RowBlock::clear() {
    rows_.clear();
    numbers_.clear();
    unreadable_.clear();
}

void RowBlock::copy(const Row& about, std::size_t width, io::Row& row) const {
    const auto at = [](const auto& values, std::size_t place) {
        return values.begin() + static_cast<std::ptrdiff_t>(place);
    };
    row.numbers.assign(at(numbers_, about.first), at(numbers_, about.first + width));
    row.unreadable.assign(at(unreadable_, about.unreadable), at(unreadable_, about.unreadable_end));
    row.unreadable_value = about.unreadable_value;
}

Fleet::Fleet(Config config, StateStore* store, std::size_t memory, std::size_t threads)
    : config_(std::move(config)), store_(store), memory_(memory), threads_(std::max<std::size_t>(1, threads)) {}

void Fleet::use_roles(Roles roles) {
    names_ = std::make_shared<const MemberNames>(std::move(roles), config_.spec.layout);
    json_targets_.clear();
    for (const std::string& target : names_->roles.targets) {
        json_targets_.push_back(io::json(target));
    }
}

void Fleet::use_columns(const std::vector<std::string>& columns) {
    use_roles(roles_of(config_, columns));
}

std::uint32_t Fleet::slot_of(const std::string& key) {
    const auto [at, added] = by_key_.try_emplace(key, static_cast<std::uint32_t>(slots_.size()));
    if (added) {
        slots_.push_back({.key = key});
    }
    return at->second;
}

void Fleet::step(const RowBlock& block, std::string& records) {
    ++blocks_;
    const std::vector<RowBlock::Row>& rows = block.rows();
    // The rows of each key, in the order in which its first one came.
    std::vector<std::uint32_t> touched;
    std::vector<std::uint32_t> slot(rows.size());
    std::unordered_map<std::uint32_t, std::uint32_t> order;
    std::vector<std::vector<std::uint32_t>> of_key;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].refusal.empty()) {
            continue;
        }
        slot[i] = slot_of(rows[i].key);
        const auto [at, added] = order.try_emplace(slot[i], static_cast<std::uint32_t>(touched.size()));
        if (added) {
            touched.push_back(slot[i]);
            of_key.emplace_back();
        }
        of_key[at->second].push_back(i);
    }
    std::vector<std::string> text(threads_);
    std::vector<Text> texts(rows.size());
    std::vector<FleetCounts> counts(threads_);
    share_out(touched.size(), threads_, [&](std::size_t thread, std::size_t k) {
        step_key(slots_[touched[k]], block, of_key[k], thread, text[thread], texts, counts[thread]);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].refusal.empty()) {
            append_refusal(records, rows[i].key, rows[i].line, rows[i].refusal);
            ++counts_.rows;
            ++counts_.refused;
            ++counts_.with_events;
        } else {
            records.append(text[texts[i].thread], texts[i].first, texts[i].length);
        }
    }
    for (const FleetCounts& one : counts) {
        counts_.rows += one.rows;
        counts_.refused += one.refused;
        counts_.repeated += one.repeated;
        counts_.with_events += one.with_events;
    }
    resident_ = 0;
    resident_bytes_ = 0;
    for (const Slot& one : slots_) {
        resident_ += one.member ? 1U : 0U;
        resident_bytes_ += one.member ? one.bytes : 0U;
    }
    evict();
}

void Fleet::step_key(Slot& slot, const RowBlock& block, std::span<const std::uint32_t> rows, std::size_t thread,
                     std::string& text, std::vector<Text>& texts, FleetCounts& counts) {
    slot.used = blocks_;
    std::string refusal;
    if (!slot.member) {
        try {
            slot.member = slot.place.file == 0
                              ? std::make_unique<Member>(config_, slot.key, names_)
                              : std::make_unique<Member>(config_, slot.key, store_->get(slot.place), names_);
            if (slot.member->roles() != names_->roles) {
                slot.member.reset();
                throw StateError("its columns are not those of the fleet");
            }
        } catch (const StateError& error) {
            refusal = fmt::format("key {}: {}. Its rows are not learnt and its state is kept; the other keys go on",
                                  slot.key, error.what());
        }
    }
    if (slot.member) {
        slot.member->begin_block({}, absent_);
        slot.changed = true;
    }
    const std::size_t inputs = names_->roles.inputs.size();
    io::Row row;
    std::string events;
    for (const std::uint32_t i : rows) {
        const RowBlock::Row& about = block.rows()[i];
        Answer answer{.sequence = about.sequence, .outcome = "refused"};
        std::span<const double> observed;
        if (slot.member) {
            block.copy(about, inputs + names_->roles.targets.size(), row);
            observed = std::span<const double>(row.numbers).subspan(inputs);
            if (about.new_columns.empty()) {
                answer = slot.member->step(row, about.sequence, about.time);
            } else {
                slot.member->begin_block(about.new_columns, absent_);
                answer = slot.member->step(row, about.sequence, about.time);
                slot.member->begin_block({}, absent_);
            }
        } else if (!slot.refused) {
            slot.refused = true;
            io::JsonWriter json(events, io::JsonWriter::compact);
            json.begin_list().begin_object().member("event", "state_refused").member("key", slot.key);
            json.member("line", about.line).member("text", refusal).end_object().end_list();
            answer.events = events;
        }
        texts[i] = {.thread = thread, .first = text.size()};
        append_record(text, slot.key, about.time, answer, observed, json_targets_);
        texts[i].length = text.size() - texts[i].first;
        ++counts.rows;
        counts.refused += answer.outcome == "refused" ? 1U : 0U;
        counts.repeated += answer.outcome == "repeated" ? 1U : 0U;
        counts.with_events += answer.events.empty() ? 0U : 1U;
    }
    if (slot.member) {
        slot.bytes = slot.member->bytes();
    }
}

// Models become bytes on several threads, some hundred at a time, and go to the store in their order.
void Fleet::put(std::span<Slot* const> slots) {
    constexpr std::size_t kAtOnce = 256;
    for (; !slots.empty(); slots = slots.subspan(std::min(kAtOnce, slots.size()))) {
        const auto some = slots.first(std::min(kAtOnce, slots.size()));
        std::vector<std::vector<std::byte>> states(some.size());
        share_out(some.size(), threads_,
                  [&](std::size_t /*thread*/, std::size_t k) { states[k] = some[k]->member->save(); });
        for (std::size_t k = 0; k < some.size(); ++k) {
            const StatePlace before = some[k]->place;
            some[k]->place = store_->put(states[k]);
            store_->release(before);
            some[k]->changed = false;
        }
    }
}

void Fleet::evict() {
    if (store_ == nullptr || resident_bytes_ <= memory_) {
        return;
    }
    std::vector<Slot*> by_age;
    for (Slot& slot : slots_) {
        if (slot.member) {
            by_age.push_back(&slot);
        }
    }
    std::ranges::stable_sort(by_age, {}, &Slot::used);
    std::vector<Slot*> leaving;
    std::vector<Slot*> changed;
    for (Slot* slot : by_age) {
        if (resident_bytes_ <= memory_ - (memory_ / 4)) {  // some at once, so that it is not done in every block
            break;
        }
        leaving.push_back(slot);
        if (slot->changed) {
            changed.push_back(slot);
        }
        resident_bytes_ -= slot->bytes;
    }
    put(changed);
    for (Slot* slot : leaving) {
        slot->member.reset();
    }
    resident_ -= leaving.size();
}

std::vector<std::byte> Fleet::save(std::vector<file::Section> more) {
    assert(store_ != nullptr);
    std::vector<Slot*> changed;
    for (Slot& slot : slots_) {
        if (slot.changed || (slot.member && store_->must_be_copied(slot.place))) {
            changed.push_back(&slot);
        }
    }
    put(changed);
    for (Slot& slot : slots_) {
        if (store_->worth_copying(slot.place) || store_->must_be_copied(slot.place)) {
            const StatePlace before = slot.place;
            slot.place = store_->put(store_->get(before));
            store_->release(before);
        }
    }
    core::StateWriter keys;
    for (const std::uint64_t count : {counts_.rows, counts_.refused, counts_.repeated, counts_.with_events}) {
        keys.put(count);
    }
    keys.put(static_cast<std::uint64_t>(slots_.size()));
    for (const Slot& slot : slots_) {
        keys.put_text(slot.key);
        keys.put(slot.place.file);
        keys.put(slot.place.offset);
        keys.put(slot.place.length);
    }
    core::StateWriter config;
    config.put_text(config_json(config_));
    more.emplace_back("fleet", std::move(config).unframed());
    more.emplace_back("names", file::names_section(names_->roles, config_.spec.layout));
    more.emplace_back("keys", std::move(keys).unframed());
    return file::join_sections(more);
}

void Fleet::load(std::span<const std::byte> saved) {
    const file::SectionView sections(saved);
    core::StateReader config = core::StateReader::unframed(sections["fleet"]);
    file::require(config.get_text() == config_json(config_),
                  "the fleet was started with another config. Restore it, or start with a new folder");
    use_roles(file::read_names(sections["names"]).roles);
    core::StateReader in = core::StateReader::unframed(sections["keys"]);
    for (std::uint64_t* count : {&counts_.rows, &counts_.refused, &counts_.repeated, &counts_.with_events}) {
        in.get(*count);
    }
    std::uint64_t keys = 0;
    in.get(keys);
    file::require(keys <= in.left() / 32, "it has more keys than its length allows");
    std::vector<StatePlace> places;
    for (; keys > 0; --keys) {
        Slot& slot = slots_.emplace_back();
        slot.key = in.get_text();
        in.get(slot.place.file);
        in.get(slot.place.offset);
        in.get(slot.place.length);
        file::require(by_key_.try_emplace(slot.key, static_cast<std::uint32_t>(slots_.size() - 1)).second,
                      "a key is there twice");
        places.push_back(slot.place);
    }
    file::require(in.left() == 0, "the section of its keys is longer than its content");
    store_->begin(places);
}

}  // namespace sluice::fleet
