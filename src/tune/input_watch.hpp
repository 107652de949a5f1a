// input_watch.hpp -- which values of a row cannot be believed: those far outside of what recent rows allow, and those of a sensor
// that has stopped.
//
// With [low, high] the range of an input in the last 500 to 1000 rows, a value beyond it by more than five times its width is suspect. A
// value that repeats the one before it twice is suspect where the input has not repeated itself for 1000 rows, or since it began. Suspect values do not
// widen the range. An input that stays far away is believed after six rows: its level has changed. So is a row in which many inputs are
// far away at once: sensors fail one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "robust_constants.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class InputWatch {
  public:
    explicit InputWatch(std::size_t inputs);

    /// Whether any value is suspect; then `believed` is the row with those as missing.
    bool look(std::span<const double> x, std::vector<double>& believed) const;
    /// The same, and the row becomes one of the recent ones. suspects(): the inputs, ascending.
    bool add(std::span<const double> x, std::vector<double>& believed);
    [[nodiscard]] std::span<const std::size_t> suspects() const { return suspects_; }
    [[nodiscard]] std::size_t bytes() const { return inputs_.size() * sizeof(Input); }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    struct Input {
        double low = 0.0;  // of this block of rows
        double high = 0.0;
        double low_before = 0.0;  // of the block before
        double high_before = 0.0;
        double last = 0.0;
        std::uint16_t unlike =
            kRepeatsUnknown;          // rows since a value that repeats the one before, without the present run
        std::uint8_t met = 0;         // there is a last value
        std::uint8_t known = 0;       // values, up to kFewestKnown
        std::uint8_t alike = 0;       // values in a row that repeat the one before
        std::uint8_t away = 0;        // values in a row that lie far outside
        std::uint16_t in_block = 0;   // values of this block that were believed
        std::uint16_t in_before = 0;  // and of the block before
    };

    /// Adds a value that is nothing out of the ordinary: within the range, and not the one before. False for another one, and nothing
    /// is changed.
    static bool add_ordinary(Input& input, double value);
    [[nodiscard]] static bool far(const Input& input, double value);
    [[nodiscard]] static bool stopped(const Input& input, double value);
    static void believe(Input& input, double value);
    static void update(Input& input, double value, bool suspect, bool is_far);
    static bool replace(std::span<const double> x, std::span<const std::size_t> suspects,
                        std::vector<double>& believed);
    /// False where there are values far outside that are not suspect, because they are many.
    bool find(std::span<const double> x, std::vector<std::size_t>& suspects) const;
    /// The same among these inputs: the others are not suspect.
    bool find(std::span<const double> x, std::span<const std::size_t> among, std::vector<std::size_t>& suspects) const;

    std::uint64_t rows_ = 0;
    std::vector<Input> inputs_;
    std::vector<std::size_t> suspects_;
    std::vector<std::size_t> others_;  // scratch: inputs of a row that are not ordinary
};

}  // namespace sluice::tune
