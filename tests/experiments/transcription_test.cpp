// The transcription, in the reading that is ours, and the library's model are two writings of one algorithm.
#include "experiments/literal/transcription.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/common/paper_run.hpp"

namespace sluice::experiments::transcription_test {
namespace {

// Variables at the threshold may change places by rounding, and early predictions rest on nearly singular moments: the
// selections must be equal at nearly all rows, and where they are and rows enough were seen, the predictions to 1e-6.
void expect_equal(const Reading& reading, StreamOptions options) {
    options.forgetting = reading.forgetting;
    options.center = reading.center;
    options.balance = reading.balance ? Balance::trace : Balance::raw;
    options.loadings = reading.weighted_loadings ? Loadings::weighted : Loadings::instant;
    std::size_t equal = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        PaperStream stream(PaperStream::Kind::switching, seed);
        Transcription plain(PaperStream::inputs, reading);
        OnLine model(options);
        bool same_before = false;
        for (std::size_t row = 1; row <= kSwitchingRows; ++row) {
            const auto now = stream.next();
            const double ours = model.step(now.x, now.y);
            const double theirs = plain.step(now.x, now.y);
            if (same_before && row > 20) {
                EXPECT_NEAR(ours, theirs, 1e-6 * (1.0 + std::abs(ours))) << "row " << row << ", seed " << seed;
            }
            same_before = std::ranges::equal(model.selected(0), plain.selected(0)) &&
                          std::ranges::equal(model.selected(1), plain.selected(1));
            equal += same_before ? 1U : 0U;
        }
    }
    EXPECT_GE(equal, 3 * kSwitchingRows * 98 / 100);
}

TEST(Transcription, IsTheModelAsWeReadIt) {
    expect_equal({}, StreamOptions::paper());
}

TEST(Transcription, IsTheModelWithEachChoiceThatTheLibraryOffers) {
    expect_equal({.center = false}, StreamOptions::paper());
    expect_equal({.balance = false}, StreamOptions::paper());
    expect_equal({.weighted_loadings = false}, StreamOptions::paper());
    expect_equal({.forgetting = 1.0}, StreamOptions::paper());
}

}  // namespace
}  // namespace sluice::experiments::transcription_test
