// model_state.cpp -- a model as bytes, a model with more inputs, and two models joined.
#include <cstdint>
#include <new>
#include <utility>

#include "added_inputs.hpp"
#include "engine.hpp"
#include "gram.hpp"
#include "model_impl.hpp"
#include "options_state.hpp"
#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice {

void StreamModel::Impl::save(core::StateWriter& out) const {
    out.put(rows_met_);
    out.put(moments_.inputs.gram().engine());
    out.put(screen_failure_rate_);
    moments_.save(out);
    step_.save(out);
}

void StreamModel::Impl::load(core::StateReader& in) {
    in.get(rows_met_);
    Engine engine{};
    in.get(engine);
    in.require(engine >= Engine::dense && engine <= Engine::columns, "its engine is unknown");
    if (in.added_inputs() > 0) {
        core::check_engine_memory(engine, inputs(), outputs(), options_);
    }
    if (engine != moments_.inputs.gram().engine()) {
        in.require(core::engine_suits(engine, inputs(), options_), "its engine does not suit its options");
        moments_.inputs.change_engine(core::OwnGram(core::make_gram(engine, inputs(), outputs(), options_)));
    }
    in.get(screen_failure_rate_);
    moments_.load(in);
    step_.load(in);
    units_.refresh(moments_);  // the rest follows from the moments
}

void StreamModel::Impl::append(const Impl& later) {
    rows_met_ += later.rows_met_;
    moments_.append(later.moments_);
    screen_failure_rate_ = later.screen_failure_rate_;
    if (later.moments_.inputs.rows() > 0) {
        step_ = later.step_;
    }
    if (options_.hold_bonus > 0.0) {  // what was selected last, whether it was loaded since or not
        const std::vector<std::size_t> held = step_.fit().selected;
        step_.set_held(held);
    }
    units_.refresh(moments_);
    step_.run(moments_, units_, nullptr);
}

std::vector<std::byte> StreamModel::save() const {
    core::StateWriter out(core::Layout::packed);
    out.put(static_cast<std::uint64_t>(impl().inputs()));
    out.put(static_cast<std::uint64_t>(impl().outputs()));
    core::save_options(impl().options(), out);
    out.put(impl().options().hold_bonus);
    impl().save(out);
    return out.framed();
}

StreamModel StreamModel::load(std::span<const std::byte> bytes) {
    try {
        return core::ModelAccess::load(bytes);
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

void StreamModel::add_inputs(std::size_t count) {
    if (count == 0) {
        return;
    }
    core::check_added_inputs(inputs(), count, options());
    if (rows_met() == 0) {
        *this = StreamModel(inputs() + count, outputs(), options());
        return;
    }
    *this = core::ModelAccess::load(save(), count, options().keep);
}

StreamModel core::ModelAccess::load(std::span<const std::byte> bytes, std::size_t added_inputs,
                                    const std::vector<std::size_t>& keep) {
    StateReader in(bytes);
    if (saved_kind(bytes) == SavedKind::adaptive_state) {
        throw WrongKindError(SavedKind::adaptive_state);
    }
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    in.get(inputs);
    in.get(outputs);
    // The cross-moments alone need p q numbers: sizes that the bytes cannot hold are refused before any allocation.
    const std::uint64_t most = in.left() / sizeof(double);
    in.require(inputs >= 1 && outputs >= 1 && inputs <= most && outputs <= most && outputs <= most / inputs,
               "its sizes do not fit its length");
    StreamOptions options = load_options(in);
    if (in.version() >= 3) {
        in.get(options.hold_bonus);
    }
    in.require(options.problems(inputs, outputs).empty(), "its options break the rules");
    // Each component has vectors as long as the inputs: a few bytes must not claim thousands of them.
    constexpr std::uint64_t kMostPerNumber = 64;
    in.require(options.components_for(inputs) <= kMostPerNumber * (most / inputs), "its sizes do not fit its length");
    if (added_inputs > 0) {
        options.keep = keep;
        in.set_added_inputs(added_inputs);
    }
    auto impl = std::make_unique<StreamModel::Impl>(inputs + added_inputs, outputs, std::move(options));
    impl->load(in);
    in.require(in.left() == 0, "it has more bytes than a model needs");
    return StreamModel(std::move(impl));
}

void StreamModel::merge(const StreamModel& later) {
    if (later.inputs() != inputs() || later.outputs() != outputs() || !(later.options() == options())) {
        throw DataError("the later model differs in inputs, outputs or options: only models made alike can be merged");
    }
    Impl merged = impl();
    merged.append(later.impl());
    *impl_ = std::move(merged);
}

}  // namespace sluice
