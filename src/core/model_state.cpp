// model_state.cpp -- a model as bytes, and two models joined.
#include <cstdint>
#include <new>
#include <utility>

#include "engine.hpp"
#include "gram.hpp"
#include "model_impl.hpp"
#include "options_state.hpp"
#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice {

void StreamModel::Impl::save(core::StateWriter& out) const {
    out.put(rows_met);
    out.put(moments.gram().engine());
    out.put(loose);
    moments.save(out);
    step.save(out);
}

void StreamModel::Impl::load(core::StateReader& in) {
    in.get(rows_met);
    Engine engine{};
    in.get(engine);
    in.require(engine >= Engine::dense && engine <= Engine::columns, "its engine is unknown");
    if (engine != moments.gram().engine()) {
        in.require(core::engine_suits(engine, p, options), "its engine does not suit its options");
        moments.change_engine(core::OwnGram(core::make_gram(engine, p, q, options)));
    }
    in.get(loose);
    moments.load(in);
    step.load(in, moments);
    in.require(in.left() == 0, "it goes on after its end");
}

std::vector<std::byte> StreamModel::save() const {
    core::StateWriter out;
    out.put(static_cast<std::uint64_t>(impl_->p));
    out.put(static_cast<std::uint64_t>(impl_->q));
    core::save_options(impl_->options, out);
    out.put(impl_->options.hold_bonus);
    impl_->save(out);
    return out.framed();
}

StreamModel StreamModel::load(std::span<const std::byte> bytes) {
    core::StateReader in(bytes);
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
    StreamOptions options = core::load_options(in);
    if (in.version() >= 3) {
        in.get(options.hold_bonus);
    }
    in.require(options.problems(inputs, outputs).empty(), "its options break the rules");
    // Each component has vectors as long as the inputs: a few bytes must not claim thousands of them.
    constexpr std::uint64_t kMostPerNumber = 64;
    in.require(options.components_for(inputs) <= kMostPerNumber * (most / inputs), "its sizes do not fit its length");
    try {
        auto impl = std::make_unique<Impl>(inputs, outputs, std::move(options));
        impl->load(in);
        return StreamModel(std::move(impl));
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

void StreamModel::merge(const StreamModel& later) {
    const Impl& next = *later.impl_;
    if (next.p != impl_->p || next.q != impl_->q || !(next.options == impl_->options)) {
        throw DataError("the later model differs in inputs, outputs or options: only models made alike can be merged");
    }
    Impl joined = next;  // directions go on from the later rows, unless it has none
    joined.rows_met = impl_->rows_met + next.rows_met;
    joined.moments = impl_->moments;
    joined.moments.append(next.moments);
    if (next.moments.rows() == 0) {
        joined.step = impl_->step;
    }
    if (joined.options.hold_bonus > 0.0) {  // what it selected last, whether it was loaded since or not
        const std::vector<std::size_t> held = joined.step.coefficients().selected;
        joined.step.favour(held);
    }
    joined.step.run_anew(joined.moments);
    *impl_ = std::move(joined);
}

}  // namespace sluice
