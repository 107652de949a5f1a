// name_search.hpp -- which few of the candidates follow each index best: the exact step after the model's short list.
//
//     error_k(S) = 1 - m_S' G_S^-1 m_S / v_k        share of index k that a least-squares portfolio of S does not explain
//     min  sum_k error_k(S_k)   with  sum_k |S_k| = names, no stock twice
//
// Names are added one at a time where the sum falls most, then exchanged, one for one, within an index or from one index to
// another, as long as the sum falls. What is held at the start leaves only for a gain above hold_bonus times the error of the
// indices concerned: choices of equal quality do not cause trades.
//
//   code   size     meaning
//   G      n x n    second moments of the candidates' returns, with their ridge
//   M, m   n x q    with the indices' returns
//   v      q        of the indices' returns
#pragma once

#include <cstddef>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

struct NameProblem {
    const Matrix& G;
    const Matrix& M;
    const std::vector<double>& v;
    std::size_t names = 10;
    double hold_bonus = 0.0;
    bool long_only = true;  ///< an added name must have a positive weight
};

/// Candidates (0 to n - 1) of each index, ascending.
using NameSets = std::vector<std::vector<std::size_t>>;

/// Begins from `held`, which may be empty sets. Fewer than `names` where no further candidate helps. Same problem, same answer.
[[nodiscard]] NameSets choose_names(const NameProblem& problem, NameSets held);

}  // namespace sluice::portfolio
