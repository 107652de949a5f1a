// dense_gram.hpp -- engine `dense` with few inputs: all of C; rows are added two at a time.
#pragma once

#include <vector>

#include "buffer.hpp"
#include "gram.hpp"

namespace sluice::core {

class DenseGram final : public Gram {
  public:
    explicit DenseGram(std::size_t inputs);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs);

    [[nodiscard]] std::unique_ptr<Gram> clone() const override { return std::make_unique<DenseGram>(*this); }
    [[nodiscard]] Engine engine() const noexcept override { return Engine::dense; }
    [[nodiscard]] double* row() override { return row_.data(); }
    void add_row(double weight, Workers& workers) override;
    [[nodiscard]] bool prepare(std::span<const std::size_t> /*inputs*/, std::span<const double> /*square*/,
                               Workers& /*workers*/) override {
        return true;
    }
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const override;
    void inner_products(std::span<const std::span<const std::size_t>> supports,
                        std::span<const std::span<const double>> coefficients, std::span<const std::size_t> selected,
                        std::span<double> A) const override;
    void multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const override;
    void block(std::span<const std::size_t> inputs, std::span<double> out) const override;
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                  double* out, std::size_t out_stride, Workers& workers) const override;
    void scale(double factor) override;
    void scale_input(std::size_t j, double factor) override;
    void append(const Gram& later, double factor, std::span<const double> h, double weight) override;
    [[nodiscard]] std::size_t bytes() const override { return C_.bytes() + row_.bytes() + pending_.bytes(); }
    void save(StateWriter& out) const override;
    void load(StateReader& in) override;

    /// Computes all of C from the history of another engine.
    void rebuild_from(const History& history, Workers& workers);

  private:
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, double* out) const;
    void complete();
    void clear_pending();
    [[nodiscard]] double entry(std::size_t i, std::size_t j) const {
        return column(j)[i] + (pending_[i] * pending_[j]);
    }
    [[nodiscard]] double* column(std::size_t j) { return C_.data() + (j * stride_); }
    [[nodiscard]] const double* column(std::size_t j) const { return C_.data() + (j * stride_); }

    std::size_t inputs_;
    std::size_t stride_;
    Buffer<double> C_;        // by columns
    Buffer<double> row_;      // the coming row; then sqrt(weight) h
    Buffer<double> pending_;  // a row that C lacks, sqrt(weight) h; or zeros
    bool pends_ = false;
    mutable std::vector<const double*> pointers_;  // scratch
    mutable Buffer<double> product_;               // scratch: a product at all inputs
};

}  // namespace sluice::core
