#include "splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace sluice::portfolio {

namespace {

// Chosen on adjusted prices, in which nothing may be found, and on the same with splits put in: see docs/tracking.md.
constexpr double kFar = 9.0;        // of the usual size
constexpr double kNear = 2.0;       // of the usual size
constexpr double kNearest = 0.06;   // and not further than this, where stocks move a lot
constexpr double kLarge = 1.0;      // log: beyond it, from 3 for 1 on, true moves are rare, and it may be
constexpr double kNearLarge = 3.0;  // this far
constexpr double kNearestLarge = 0.12;
constexpr double kSmallestMove = 0.25;     // log: ratios nearer to 1 than 4/3 look like ordinary moves
constexpr double kLeastWithoutPast = 0.6;  // log: from 2 for 1 on, where the stock's own moves are not known
constexpr double kSmallestSize = 0.005;
constexpr double kSimilar = 0.5;       // a move of another stock that is this share of it counts as similar
constexpr double kMostSimilar = 0.02;  // of all stocks
constexpr std::size_t kPast = 52;
constexpr std::size_t kRecent = 5;
constexpr std::size_t kLeastPast = 20;
constexpr std::size_t kLeastStocks = 5;
constexpr double kToDeviation = 1.4826;  // from a median |x| to a deviation

constexpr std::array<std::pair<unsigned, unsigned>, 33> kRatios = {
    {{2, 1},  {3, 1},  {4, 1},  {5, 1},  {6, 1},   {7, 1},  {8, 1},  {10, 1}, {12, 1}, {15, 1}, {20, 1},
     {25, 1}, {30, 1}, {40, 1}, {50, 1}, {100, 1}, {3, 2},  {1, 2},  {1, 3},  {1, 4},  {1, 5},  {1, 6},
     {1, 7},  {1, 8},  {1, 10}, {1, 12}, {1, 15},  {1, 20}, {1, 25}, {1, 30}, {1, 40}, {1, 50}, {1, 100}}};

// Middle of the numbers, which are reordered; nothing for none.
std::optional<double> median(std::vector<double>& numbers) {
    if (numbers.empty()) {
        return std::nullopt;
    }
    const auto middle = numbers.begin() + std::ssize(numbers) / 2;
    std::ranges::nth_element(numbers, middle);
    return *middle;
}

double log_return(double r) {
    return r > -1.0 ? std::log1p(r) : std::numeric_limits<double>::quiet_NaN();
}

// All stocks in one period.
class CrossSection {
  public:
    explicit CrossSection(std::span<const double> returns) {
        moves_.reserve(returns.size());
        for (const double r : returns) {
            moves_.push_back(log_return(r));
        }
        std::vector<double> there = traded();
        stocks_ = there.size();
        if (stocks_ < kLeastStocks) {
            return;
        }
        const double middle = *median(there);
        for (double& move : moves_) {
            move -= middle;
        }
        std::vector<double> sizes = traded();
        std::ranges::transform(sizes, sizes.begin(), [](double move) { return std::abs(move); });
        size_ = kToDeviation * *median(sizes);
    }

    [[nodiscard]] double move(std::size_t stock) const { return moves_[stock]; }
    [[nodiscard]] double size() const noexcept { return size_; }
    [[nodiscard]] bool is_alone(double move) const {
        const auto similar = std::ranges::count_if(
            moves_, [&](double other) { return other * move > 0.0 && std::abs(other) > kSimilar * std::abs(move); });
        return static_cast<double>(similar - 1) <= std::max(1.0, kMostSimilar * static_cast<double>(stocks_));
    }

  private:
    [[nodiscard]] std::vector<double> traded() const {
        std::vector<double> out;
        std::ranges::copy_if(moves_, std::back_inserter(out), [](double move) { return !std::isnan(move); });
        return out;
    }

    std::vector<double> moves_;  // log returns, less their median where there are enough
    std::size_t stocks_ = 0;
    double size_ = 0.0;
};

// The size of a stock's moves before a period.
struct PastMoves {
    double usual = 0.0;   // over the last kPast of them
    double recent = 0.0;  // over the last kRecent of them: a stock that is about to crash often moves a lot
};

// Nothing where too few are known.
std::optional<PastMoves> past_moves(const Market& market, std::size_t stock, std::size_t period) {
    std::vector<double> sizes;
    double sum = 0.0;
    for (std::size_t t = period; t > 0 && sizes.size() < kPast; --t) {
        if (const double move = log_return(market.stock_returns(stock, t - 1)); !std::isnan(move)) {
            sizes.push_back(std::abs(move));
            sum += sizes.size() <= kRecent ? std::abs(move) : 0.0;
        }
    }
    if (sizes.size() < kLeastPast) {
        return std::nullopt;
    }
    return PastMoves{.usual = kToDeviation * *median(sizes), .recent = sum / kRecent};
}

std::optional<Split> split_of(const Market& market, const CrossSection& all, std::size_t stock, std::size_t period) {
    const double move = all.move(stock);
    if (!(std::abs(move) >= std::max(kSmallestMove, kFar * all.size()))) {
        return std::nullopt;
    }
    const std::optional<PastMoves> past = past_moves(market, stock, period);
    if (!past && (all.size() == 0.0 || std::abs(move) < kLeastWithoutPast)) {
        return std::nullopt;  // too little is known of what is usual
    }
    const double usual = std::max(kSmallestSize, past ? past->usual : all.size());
    const double largest = std::max({usual, all.size(), past ? past->recent : 0.0});
    const auto distance = [&](const std::pair<unsigned, unsigned>& ratio) {
        return std::abs(move + std::log(static_cast<double>(ratio.first) / ratio.second));
    };
    const auto nearest = std::ranges::min(kRatios, {}, distance);
    const bool large = std::abs(move) > kLarge;
    const double near = large ? std::min(kNearLarge * usual, kNearestLarge) : std::min(kNear * usual, kNearest);
    if (std::abs(move) < kFar * largest || distance(nearest) > near || !all.is_alone(move)) {
        return std::nullopt;
    }
    return Split{.stock = stock,
                 .period = period,
                 .new_shares = nearest.first,
                 .old_shares = nearest.second,
                 .gain = market.stock_returns(stock, period)};
}

const char* in_words(Splits treatment) {
    switch (treatment) {
        case Splits::missing:
            return "the return counts as missing";
        case Splits::adjust:
            return "the return is adjusted for it";
        case Splits::keep:
            break;
    }
    return "the return is kept as it is";
}

}  // namespace

std::string Split::text() const {
    return fmt::format("{} for {}", new_shares, old_shares);
}

std::vector<Split> find_splits(const Market& market) {
    std::vector<Split> out;
    for (std::size_t t = 0; t < market.stock_returns.cols(); ++t) {
        const CrossSection all(market.stock_returns.column(t));
        for (std::size_t j = 0; j < market.stocks.size(); ++j) {
            if (const auto split = split_of(market, all, j, t)) {
                out.push_back(*split);
            }
        }
    }
    return out;
}

void treat_splits(Market& market, Splits treatment) {
    for (const Split& split : find_splits(market)) {
        double& r = market.stock_returns(split.stock, split.period);
        if (treatment != Splits::keep) {
            r = treatment == Splits::adjust ? ((1.0 + r) * split.ratio()) - 1.0
                                            : std::numeric_limits<double>::quiet_NaN();
        }
        market.warnings.push_back(
            fmt::format("{} {}: {:+.1f} % looks like a split of {} for which the file is not adjusted: {}",
                        market.stocks[split.stock], market.dates[split.period], 100.0 * split.gain, split.text(),
                        in_words(treatment)));
    }
}

}  // namespace sluice::portfolio
