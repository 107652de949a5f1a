// The manners of STYLE, for the self-tuning model in its several faces.
#include "sluice/adaptive.hpp"
#include "support/manners.hpp"

namespace sluice::test::adaptive_manners_test {
namespace {

// What is chosen in the first rows depends on how they tie.
struct Tuned {
    using Model = AdaptiveModel;
    static constexpr bool chooses = true;
    static constexpr std::size_t record =
        32768;  // decisions, parts of the alarm's window, a memory since the last break
};

struct Found : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) { return {inputs, outputs}; }
};

struct Off {
    using Model = AdaptiveModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        return {inputs, outputs, {.model = {}, .tuning = Tuning::off()}};
    }
};

struct Limited : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        StreamOptions options;
        options.names = 6;
        return {inputs, outputs, {.model = options, .tuning = {}}};
    }
};

struct Most : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        Tuning tuning;
        tuning.names = Names::most;
        return {inputs, outputs, {.model = {}, .tuning = tuning}};
    }
};

struct All : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        Tuning tuning;
        tuning.names = Names::all;
        return {inputs, outputs, {.model = {}, .tuning = tuning}};
    }
};

struct Given : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        return {inputs, outputs, {.model = {.components = 2, .keep = {2}, .hold_bonus = 0.5}, .tuning = {}}};
    }
};

struct Paper : Tuned {
    static Model make(std::size_t inputs, std::size_t outputs) {
        auto options = StreamOptions::paper();
        options.keep = {4};
        return {inputs, outputs, {.model = options, .tuning = {}}};
    }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveFound, Manners, Found);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveOff, Manners, Off);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveLimited, Manners, Limited);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveMost, Manners, Most);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveAll, Manners, All);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptiveGiven, Manners, Given);
INSTANTIATE_TYPED_TEST_SUITE_P(AdaptivePaper, Manners, Paper);

}  // namespace sluice::test::adaptive_manners_test
