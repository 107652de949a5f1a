// bridge.cpp -- Bridge PLS, section 2.2.
//
//     U = first R eigenvectors of H = alpha C + (1 - alpha) M M'            eq. (6), (9)
//     S = X U,   W = (S'S)^+ S'Y,   beta = U W                              eq. (10), in describe.cpp
//
// alpha = 0: the left singular vectors of M, no more than its rank. Any alpha above 0 lifts the rank of H to that of
// X'X, eq. (8). alpha = 1: principal components regression.
#include "bridge.hpp"

#include "methods.hpp"
#include "products.hpp"
#include "text.hpp"

namespace sluice::batch {

std::string shortfall(const BridgeOperator& H, const Leading& found, Index asked) {
    const std::string start = "components = " + core::text(static_cast<std::size_t>(asked)) + ": ";
    const std::string rank = core::text(static_cast<std::size_t>(found.values.size()));
    if (!H.sees_inputs()) {
        return start + "M has rank " + rank + ", so ridge = 0 supports only " + rank + "; give a ridge above 0";
    }
    return start + "H has rank " + rank + ", which is that of the inputs, and supports only " + rank;
}

Directions bridge(const Table& table, const StreamOptions& options) {
    const MatrixXd M = transposed_times(table.inputs.working, table.outputs.working);
    const BridgeOperator H(table, M, options);
    const auto R = static_cast<Index>(options.components_for(table.inputs.columns.size()));
    const Leading leading = leading_eigenvectors(H, R);
    Directions found{.weights = leading.vectors, .rotation = leading.vectors, .coefficients = {}, .notes = {}};
    if (leading.values.size() < R) {
        found.notes.push_back(shortfall(H, leading, R));
    }
    return found;
}

}  // namespace sluice::batch
