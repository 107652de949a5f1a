#include "least_squares_methods.hpp"

#include <array>

#include "clipped_inputs.hpp"
#include "model_method.hpp"
#include "recursive_least_squares.hpp"
#include "window_lars.hpp"

namespace sluice::baselines {

namespace {

std::unique_ptr<Method> make_recursive(const MethodRequest& request, double forgetting) {
    return std::make_unique<ClippedInputs>(std::make_unique<ModelMethod<RecursiveLeastSquares>>(RecursiveLeastSquares(
                                               request.inputs, request.outputs, {.forgetting = forgetting})),
                                           request.inputs);
}

constexpr std::array<MethodEntry, 3> kMethods = {{
    {.name = "rls",
     .title = "recursive least squares, forgetting 0.99",
     .paper = "Haykin",
     .make = [](const MethodRequest& request) { return make_recursive(request, 0.99); }},
    {.name = "rls_all_rows",
     .title = "recursive least squares that never forgets",
     .paper = "Haykin",
     .make = [](const MethodRequest& request) { return make_recursive(request, 1.0); }},
    {.name = "window_lars",
     .title = "LARS on a window of 150 rows",
     .paper = "Efron et al.",
     .selects = true,
     .make = [](const MethodRequest& request) -> std::unique_ptr<Method> {
         return std::make_unique<ClippedInputs>(
             std::make_unique<ModelMethod<WindowLars>>(
                 WindowLars(request.inputs, request.outputs, {.window = 150, .names = request.names, .ridge = 5e-3})),
             request.inputs, ClipOptions{.clip = 5.0, .forgetting = 0.98});
     }},
}};

}  // namespace

std::span<const MethodEntry> least_squares_methods() {
    return kMethods;
}

}  // namespace sluice::baselines
