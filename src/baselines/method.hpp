// method.hpp -- what every method that Sluice is compared with is: it predicts a row, then learns from it.
//
//     const auto method = make_method("window_lars", {.inputs = 60, .outputs = 1, .names = 10});     // methods.hpp
//     method->predict(x, forecast);
//     method->learn(x, y);
//
// A missing number is NaN. Numbers that cannot be used are refused by check_row (row_intake.hpp) before anything changes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sluice::baselines {

class Method {
  public:
    Method() = default;
    virtual ~Method() = default;
    Method& operator=(const Method&) = delete;
    Method(Method&&) = delete;
    Method& operator=(Method&&) = delete;

    /// The outputs expected with these inputs: always finite; zeros before any row was learnt. Changes nothing.
    virtual void predict(std::span<const double> x, std::span<double> y) const = 0;
    /// A missing output changes nothing that belongs to that output alone; a row without any output is not learnt.
    virtual void learn(std::span<const double> x, std::span<const double> y) = 0;

    /// Inputs that predict now, ascending: where a coefficient of any output is not zero.
    [[nodiscard]] virtual std::vector<std::size_t> selected() const = 0;
    /// Memory that it holds, without the object itself: to the size of its vectors.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
    [[nodiscard]] virtual std::unique_ptr<Method> clone() const = 0;

  protected:
    Method(const Method&) = default;
};

}  // namespace sluice::baselines
