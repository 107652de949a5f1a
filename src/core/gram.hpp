// gram.hpp -- C, the second moments among the inputs, as the rest of the core sees it: a matrix that gives products and
// small blocks. How much of C is stored is up to the engine.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sluice/options.hpp"
#include "workers.hpp"

namespace sluice::core {

class History;
class SingleGram;
class StateReader;
class StateWriter;

/// All numbers are as stored: true moment / Moments::scale(), in column units.
class Gram {
  public:
    Gram() = default;
    virtual ~Gram() = default;
    [[nodiscard]] virtual std::unique_ptr<Gram> clone() const = 0;
    [[nodiscard]] virtual Engine engine() const noexcept = 0;

    /// Where the coming row's deviations h go: p numbers, padded. add_row() adds weight h'h to C.
    [[nodiscard]] virtual double* row() = 0;
    virtual void add_row(double weight, Workers& workers) = 0;

    /// Makes C_ij available for i and j among `inputs`; `square` holds all C_jj. False where there is no room for so
    /// many inputs. The workers also serve the products with what was prepared.
    [[nodiscard]] virtual bool prepare(std::span<const std::size_t> inputs, std::span<const double> square,
                                       Workers& workers) = 0;
    /// Inputs that may be prepared soon, the likeliest first; a hint for the requests of this row.
    virtual void expect(std::span<const std::size_t> /*inputs*/) {}
    /// out_i = (C v)_i for the given inputs, where v has coefficient[s] at support[s]. Support and inputs were prepared
    /// together.
    virtual void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                             std::span<const std::size_t> inputs, std::span<double> out) const = 0;
    /// The same where rows that weigh less than `least_weight` of the newest may be left out.
    virtual void multiply_newest_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                    std::span<const std::size_t> inputs, double /*least_weight*/,
                                    std::span<double> out) const {
        multiply_at(support, coefficient, inputs, out);
    }
    /// The same for each input of the support by itself: out[s out_stride + i] = coefficient[s] C_ij with j = support[s], for the i-th
    /// of the inputs.
    virtual void multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                  std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const;
    /// A = V'C V, R x R, for sparse v_1 .. v_R with the given supports, whose union is `selected` and was prepared.
    virtual void inner_products(std::span<const std::span<const std::size_t>> supports,
                                std::span<const std::span<const double>> coefficients,
                                std::span<const std::size_t> selected, std::span<double> A) const;
    /// out = C_SS by columns, where S = `inputs` was prepared.
    virtual void block(std::span<const std::size_t> inputs, std::span<double> out) const = 0;
    /// out_m = C v_m at all inputs for m < targets, columns `out_stride` apart; v_m has coefficient[s][m] at
    /// support[s], which was prepared.
    virtual void multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const = 0;

    virtual void scale(double factor) = 0;                       ///< C <- factor C
    virtual void scale_input(std::size_t j, double factor) = 0;  ///< row and column j
    /// Adds rows that came after ours: C <- factor C + C_later + weight h'h with the given h.
    virtual void append(const Gram& later, double factor, std::span<const double> h, double weight) = 0;

    [[nodiscard]] virtual const History* history() const noexcept { return nullptr; }
    /// All of C in single precision, where the engine keeps it; or null.
    [[nodiscard]] virtual SingleGram* single() noexcept { return nullptr; }
    [[nodiscard]] virtual std::size_t bytes() const = 0;
    virtual void save(StateWriter& out) const = 0;
    virtual void load(StateReader& in) = 0;

  protected:
    Gram(const Gram&) = default;
    Gram& operator=(const Gram&) = default;
    Gram(Gram&&) = default;
    Gram& operator=(Gram&&) = default;

  private:
    mutable std::vector<double> products_;  // scratch
};

/// A Gram on the heap that is copied with its owner.
class OwnGram {
  public:
    explicit OwnGram(std::unique_ptr<Gram> gram) : gram_(std::move(gram)) {}
    OwnGram(const OwnGram& other) : gram_(other.gram_->clone()) {}
    OwnGram(OwnGram&&) noexcept = default;
    OwnGram& operator=(OwnGram other) noexcept {
        gram_ = std::move(other.gram_);
        return *this;
    }
    ~OwnGram() = default;

    [[nodiscard]] Gram& operator*() const noexcept { return *gram_; }
    [[nodiscard]] Gram* operator->() const noexcept { return gram_.get(); }

  private:
    std::unique_ptr<Gram> gram_;
};

}  // namespace sluice::core
