// simulate.hpp -- streams whose truth is known: the simulations of section 4.1, eq. (21) and (22), wide factors, a few
// inputs among many, a market.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// Normal numbers that are the same on every machine for the same seed.
class NormalSource {
  public:
    explicit NormalSource(std::uint64_t seed) : bits_(seed) {}
    [[nodiscard]] double next(double mean = 0.0, double deviation = 1.0);

  private:
    [[nodiscard]] double uniform();  ///< in (-1, 1)
    std::mt19937_64 bits_;
    double spare_ = 0.0;
    bool has_spare_ = false;
};

/// Which group of streams matters most, and which comes second, in the third phase: the paper's text does
/// not mention group 2, the caption of figure 2 says that one block is always small.
enum class ThirdPhase { caption, text };

/// Sixty input streams in three groups of twenty, each group following one hidden autoregressive factor,
/// and one output. Static: group 1 has coefficients near 10, group 2 near 5, group 3 zero. Switching: groups
/// 1 and 2 swap at row 101; from row 301 group 3 has the large coefficients. The phases repeat after row 400.
class PaperStream {
  public:
    static constexpr std::size_t inputs = 60;
    static constexpr std::size_t group_size = 20;
    static constexpr std::size_t phase_rows = 400;

    enum class Kind { constant, switching };

    PaperStream(Kind kind, std::uint64_t seed, ThirdPhase third_phase = ThirdPhase::caption);

    struct Row {
        std::array<double, inputs> x{};
        double y = 0.0;
        int large = 0;  ///< the group (0, 1, 2) with the large coefficients
        int small = 1;  ///< the group with the smaller ones
    };

    [[nodiscard]] Row next();

    /// Share of the variables selected by a component that belong to the given group.
    [[nodiscard]] static double share_right(std::span<const std::size_t> selected, int group);

  private:
    void begin_phase();

    Kind kind_;
    ThirdPhase third_phase_;
    NormalSource normal_;
    std::size_t row_ = 0;
    std::array<double, 3> factor_{};
    std::array<double, inputs> coefficients_{};
    int large_ = 0;
    int small_ = 1;
};

/// Wide test data: inputs in groups, each group following one hidden autoregressive factor; every output is a weighted
/// sum of the factors plus noise, and the weights drift or are drawn again.
struct FactorOptions {
    std::size_t inputs = 100;
    std::size_t outputs = 1;
    std::size_t groups = 10;      ///< 1 to inputs
    double drift = 0.0;           ///< standard deviation of each weight's step from row to row, 0 or more
    double missing_share = 0.0;   ///< of all cells, 0 to below 1
    std::size_t break_every = 0;  ///< rows after which all weights are drawn again; 0: never
};

class FactorStream {
  public:
    /// Throws OptionError.
    FactorStream(const FactorOptions& options, std::uint64_t seed);

    /// Missing cells are NaN. x has `inputs` numbers, y has `outputs`.
    void next(std::span<double> x, std::span<double> y);

  private:
    void draw_weights();

    FactorOptions options_;
    NormalSource normal_;
    std::mt19937_64 gaps_;
    std::vector<double> factors_;
    std::vector<double> weights_;  // outputs x groups
    std::size_t since_break_ = 0;  // rows
};

/// Many inputs, of which a few drive one output; from one row on, other inputs do. Does a model find their names?
struct SelectionOptions {
    std::size_t inputs = 30;
    std::size_t drivers = 2;                                  ///< 0: the output is noise of unit variance
    std::optional<std::size_t> drivers_after = std::nullopt;  ///< after the change, other inputs. Left empty: as many
    double correlation = 0.0;                                 ///< of any two inputs, from 0 to below 1
    double signal_to_noise = 5.0;  ///< variance of the signal over that of the noise, above 0, before and after
    std::size_t change_at = 450;   ///< rows before the change; 0: never

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class SelectionStream {
  public:
    /// Throws OptionError.
    SelectionStream(const SelectionOptions& options, std::uint64_t seed);

    struct Truth {
        std::vector<std::size_t> drivers;  ///< ascending
        std::vector<double> coefficients;  ///< of each driver: magnitude from 1 to 2, either sign
        double signal_variance = 0.0;      ///< exact, from the coefficients and the correlation
        double noise_variance = 1.0;
    };

    /// Fills x (`inputs` numbers of unit variance and mean 0) and returns the output.
    [[nodiscard]] double next(std::span<double> x);

    /// Of the row that next() gave last; before the first, that of the first.
    [[nodiscard]] const Truth& truth() const noexcept;

  private:
    SelectionOptions options_;
    NormalSource normal_;
    Truth before_;
    Truth after_;
    std::size_t row_ = 0;  // rows given
};

/// Stock indices and their stocks, for section 4.2 where its data is not available. Every market has a common factor
/// (all markets share a part of it), sectors and stocks of its own; its index is their mean, weighted by a size that
/// moves with the price. Regimes begin at random: volatility, trends and the stocks' sensitivities are then drawn again.
struct MarketOptions {
    std::vector<std::size_t> stocks = {98, 225};       ///< of each index, 1 or more: by default as in the paper
    std::vector<double> volatility = {0.013, 0.026};   ///< of each market's factor in one period, above 0
    std::vector<double> yearly_trend = {0.15, -0.01};  ///< of each market, on average over the regimes; finite
    std::size_t sectors = 8;                           ///< of each market, 1 or more
    double regime_periods = 75.0;                      ///< mean length of a regime, 1 or more
    double periods_per_year = 52.0;                    ///< above 0
};

class MarketStream {
  public:
    /// Throws OptionError.
    MarketStream(const MarketOptions& options, std::uint64_t seed);

    [[nodiscard]] std::size_t stocks() const noexcept { return all_.size(); }
    [[nodiscard]] std::size_t indices() const noexcept { return options_.stocks.size(); }
    [[nodiscard]] std::size_t market_of(std::size_t stock) const { return all_.at(stock).market; }

    /// The returns of one period, all above -1. True where a regime begins.
    bool next(std::span<double> stock_returns, std::span<double> index_returns);

  private:
    struct Stock {
        std::size_t market = 0;
        std::size_t sector = 0;
        double log_size = 0.0;      ///< its weight in the index, before it is divided by the sum
        double own_log_size = 0.0;  ///< to which it slowly returns
        double to_market = 1.0;     ///< sensitivities
        double to_sector = 1.0;
        double noise = 0.0;
    };
    struct Regime {
        double volatility = 1.0;
        double trend = 0.0;
        std::vector<double> sector_trends;
    };

    void begin_regime();

    MarketOptions options_;
    NormalSource normal_;
    std::mt19937_64 changes_;
    std::vector<Stock> all_;
    std::vector<Regime> regimes_;  ///< of each market
    bool first_ = true;
};

}  // namespace sluice
