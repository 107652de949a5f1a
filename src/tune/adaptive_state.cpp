// adaptive_state.cpp -- the self-tuning model as bytes, and with more inputs.
#include <cstdint>
#include <new>
#include <utility>

#include "adaptive_impl.hpp"
#include "added_inputs.hpp"
#include "model_impl.hpp"
#include "options_state.hpp"
#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice {

namespace {

void put_tuning(core::StateWriter& out, const Tuning& tuning) {
    for (const bool flag :
         {tuning.forgetting, tuning.variables, tuning.shrinkage, tuning.intercept, tuning.alarms, tuning.robust}) {
        out.put(static_cast<unsigned char>(flag));
    }
    out.put(tuning.names);
}

Tuning get_tuning(core::StateReader& in) {
    Tuning tuning;
    for (bool* flag : {&tuning.forgetting, &tuning.variables, &tuning.shrinkage, &tuning.intercept, &tuning.alarms,
                       &tuning.robust}) {
        *flag = in.get_flag();
    }
    in.get(tuning.names);
    in.require(tuning.names >= Names{} && tuning.names <= Names::all, "an option is none of its choices");
    return tuning;
}

}  // namespace

void AdaptiveModel::Impl::save(core::StateWriter& out) const {
    if (guard) {
        guard->save(out);
        first_rows->save(out);
    }
    if (tuner) {
        tuner->save(out);
    } else {
        core::ModelAccess::impl(*plain).save(out);
    }
}

void AdaptiveModel::Impl::load(core::StateReader& in) {
    if (guard) {
        guard->load(in);
        if (in.current() || in.version() >= core::kVersionWithFirstRows) {
            first_rows->load(in);
        } else {
            first_rows->end();
        }
    }
    if (tuner) {
        tuner->load(in);
    } else if (in.current()) {
        core::ModelAccess::impl(*plain).load(in);
    } else {
        plain = core::ModelAccess::load(in.take_bytes(in.left()), in.added_inputs(), options.model.keep);
        in.require(plain->inputs() == p && plain->outputs() == q && plain->options() == options.model,
                   "its model is another one than its options say");
    }
    in.require(in.left() == 0, "it goes on after its end");
}

std::vector<std::byte> AdaptiveModel::save() const {
    if (impl().plain && !impl().guard) {
        return impl().plain->save();
    }
    core::StateWriter out(core::Layout::packed);
    if (impl().p == impl().first_inputs) {
        out.put(std::uint64_t{core::kAdaptiveMark});
    } else {
        out.put(std::uint64_t{core::kWidenedMark});
        out.put(static_cast<std::uint64_t>(impl().first_inputs));
    }
    out.put(static_cast<std::uint64_t>(impl().p));
    out.put(static_cast<std::uint64_t>(impl().q));
    core::save_options(impl().options.model, out);
    out.put(impl().options.model.hold_bonus);
    put_tuning(out, impl().options.tuning);
    impl().save(out);
    return out.framed();
}

AdaptiveModel AdaptiveModel::load(std::span<const std::byte> bytes) {
    core::StateReader in(bytes);
    std::uint64_t mark = 0;
    in.get(mark);
    in.require(mark != core::kFollowedMark,
               "it is a self-tuning model of an earlier kind, which cannot continue: start again from the data");
    if (mark != core::kAdaptiveMark && mark != core::kWidenedMark) {
        return AdaptiveModel(StreamModel::load(bytes));
    }
    std::uint64_t first_inputs = 0;
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    if (mark == core::kWidenedMark) {
        in.get(first_inputs);
    }
    in.get(inputs);
    in.get(outputs);
    // Sizes that the bytes cannot hold are refused before any allocation.
    const std::uint64_t most = in.left() / sizeof(double);
    in.require(inputs >= 1 && outputs >= 1 && inputs <= most && outputs <= most && outputs <= most / inputs,
               "its sizes do not fit its length");
    if (mark == core::kWidenedMark) {
        in.require(first_inputs >= 1 && first_inputs < inputs, "it was made with no fewer inputs than it has");
    } else {
        first_inputs = inputs;
    }
    AdaptiveOptions options{.model = core::load_options(in), .tuning = {}};
    in.get(options.model.hold_bonus);
    options.tuning = get_tuning(in);
    in.require(options.problems(inputs, outputs).empty() && (options.tuning.any() || options.tuning.robust),
               "its options break the rules");
    try {
        auto impl = std::make_unique<Impl>(inputs, outputs, options, first_inputs);
        impl->load(in);
        return AdaptiveModel(std::move(impl));
    } catch (const std::bad_alloc&) {
        throw StateError("saved state refused: it needs more memory than there is");
    }
}

void AdaptiveModel::add_inputs(std::size_t count) {
    if (count == 0) {
        return;
    }
    core::check_added_inputs(impl().p, count, impl().options.model);
    const std::size_t p = impl().p + count;
    if (rows_met() == 0) {
        *this = AdaptiveModel(p, impl().q, impl().options);
        return;
    }
    if (auto problems = impl().options.problems(p, impl().q); !problems.empty()) {
        throw OptionError(std::move(problems));
    }
    core::StateWriter out;
    impl().save(out);
    const std::vector<std::byte> bytes = std::move(out).unframed();
    core::StateReader in = core::StateReader::unframed(bytes);
    in.set_added_inputs(count);
    auto wider = std::make_unique<Impl>(p, impl().q, impl().options, impl().first_inputs);
    wider->load(in);
    impl_ = std::move(wider);
}

}  // namespace sluice
