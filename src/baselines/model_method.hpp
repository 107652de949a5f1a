// model_method.hpp -- a model with predict(x, y), learn(x, y), coefficients() and bytes() as a method of the table.
#pragma once

#include <memory>
#include <utility>

#include "method.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

template <typename Model>
class ModelMethod final : public Method {
  public:
    explicit ModelMethod(Model model) : model_(std::move(model)) {}

    void predict(std::span<const double> x, std::span<double> y) const override { model_.predict(x, y); }
    void learn(std::span<const double> x, std::span<const double> y) override { model_.learn(x, y); }
    [[nodiscard]] std::vector<std::size_t> selected() const override {
        const Matrix b = model_.coefficients();
        std::vector<std::size_t> used;
        for (std::size_t i = 0; i < b.rows(); ++i) {
            for (std::size_t j = 0; j < b.cols(); ++j) {
                if (b(i, j) != 0.0) {
                    used.push_back(i);
                    break;
                }
            }
        }
        return used;
    }
    [[nodiscard]] std::size_t bytes() const override { return model_.bytes(); }
    [[nodiscard]] std::unique_ptr<Method> clone() const override { return std::make_unique<ModelMethod>(model_); }

  private:
    Model model_;
};

}  // namespace sluice::baselines
