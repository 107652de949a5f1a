// The manners of STYLE, for the self-tuning model in its several faces.
#include "sluice/adaptive.hpp"
#include "support/manners.hpp"

namespace sluice::test {
namespace {

/// The suite asks for what is selected; an adaptive model tells that by the memory that leads.
class Selecting : public AdaptiveModel {
  public:
    using AdaptiveModel::AdaptiveModel;
    explicit Selecting(AdaptiveModel model) : AdaptiveModel(std::move(model)) {}
    [[nodiscard]] auto selected() const { return current().selected(); }
    [[nodiscard]] static Selecting load(std::span<const std::byte> bytes) {
        return Selecting(AdaptiveModel::load(bytes));
    }
};

// What is chosen in the first rows depends on how they tie.
struct Tuned {
    using Model = Selecting;
    static constexpr bool chooses = true;
    static constexpr std::size_t record = 16384;  // decisions, parts of the window, readings of another shape
};

struct All : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) { return {inputs, outputs}; }
};

struct Off {
    using Model = Selecting;
    static Model make(std::size_t inputs, std::size_t outputs) {
        return {inputs, outputs, {.model = {}, .tuning = Tuning::off()}};
    }
};

struct Budget : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        StreamOptions options;
        options.names = 6;
        options.hold_bonus = 0.5;
        return {inputs, outputs, {.model = options, .tuning = {.dwell = 2}}};
    }
};

struct Paper : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        auto options = StreamOptions::paper();
        options.keep = {4};
        return {inputs, outputs, {.model = options, .tuning = {.components_rule = ComponentsRule::energy}}};
    }
};

struct Akaike : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        Tuning tuning;
        tuning.keep_rule = KeepRule::akaike;
        tuning.components = false;
        return {inputs, outputs, {.model = {.components = 2, .keep = {2}}, .tuning = tuning}};
    }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveAll, Manners, All);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveOff, Manners, Off);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveBudget, Manners, Budget);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptivePaper, Manners, Paper);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveAkaike, Manners, Akaike);

}  // namespace sluice::test
