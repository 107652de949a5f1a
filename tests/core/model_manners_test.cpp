// The manners of STYLE, for the on-line model in its several faces.
#include "sluice/model.hpp"
#include "support/manners.hpp"

namespace sluice::test::model_manners_test {
namespace {

struct Default {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) { return {inputs, outputs}; }
};

struct Paper {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        auto options = StreamOptions::paper();
        options.keep = {4};
        return {inputs, outputs, options};
    }
};

struct PaperLiteral {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        auto options = StreamOptions::paper();
        options.keep = {4, 3};
        options.center = false;
        options.balance = Balance::raw;
        options.loadings = Loadings::instant;
        return {inputs, outputs, options};
    }
};

struct NeverForgetting {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        return {
            inputs, outputs, {.components = 3, .keep = {2}, .names = 4, .forgetting = 1.0, .penalty = Penalty::scad}};
    }
};

struct Screened {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        auto options = StreamOptions::paper();
        options.keep = {4};
        options.forgetting = 0.5;  // a history of 56 rows: it goes round within the test
        options.engine = Engine::screened;
        return {inputs, outputs, options};
    }
};

struct ScreenedRefit {
    using Model = StreamModel;
    static constexpr std::size_t record = 8192;  // of the history of 168 rows, those after the first 60
    static Model make(std::size_t inputs, std::size_t outputs) {
        StreamOptions options{.components = 2, .keep = {2}, .forgetting = 0.8};
        options.engine = Engine::screened;
        return {inputs, outputs, options};
    }
};

struct Columns {
    using Model = StreamModel;
    static Model make(std::size_t inputs, std::size_t outputs) {
        StreamOptions options{.components = 2, .keep = {2}, .forgetting = 0.5};
        options.engine = Engine::columns;
        return {inputs, outputs, options};
    }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Default, Manners, Default);
INSTANTIATE_TYPED_TEST_SUITE_P(Paper, Manners, Paper);
INSTANTIATE_TYPED_TEST_SUITE_P(PaperLiteral, Manners, PaperLiteral);
INSTANTIATE_TYPED_TEST_SUITE_P(NeverForgetting, Manners, NeverForgetting);
INSTANTIATE_TYPED_TEST_SUITE_P(Screened, Manners, Screened);
INSTANTIATE_TYPED_TEST_SUITE_P(ScreenedRefit, Manners, ScreenedRefit);
INSTANTIATE_TYPED_TEST_SUITE_P(Columns, Manners, Columns);

}  // namespace sluice::test::model_manners_test
