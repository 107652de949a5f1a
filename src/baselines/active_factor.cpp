// active_factor.cpp -- see active_factor.hpp.
//
// Joining: with G' = [G g; g' s] the new row of L is [l', sqrt(s - l'l)], where L l = g.
// Leaving: without row k of L each later row has one entry above the diagonal. A rotation of columns i and i + 1
// removes it, row by row; rotating columns of L does not change L L'.
#include "active_factor.hpp"

#include <cassert>
#include <cmath>

namespace sluice::baselines {

bool ActiveFactor::join(std::span<const double> products, double square, double least_share) {
    assert(products.size() == size());
    std::vector<double> l(products.begin(), products.end());
    double left = square;
    for (std::size_t i = 0; i < l.size(); ++i) {
        for (std::size_t m = 0; m < i; ++m) {
            l[i] -= rows_[i][m] * l[m];
        }
        l[i] /= rows_[i][i];
        left -= l[i] * l[i];
    }
    if (!(left > least_share * square)) {
        return false;
    }
    l.push_back(std::sqrt(left));
    rows_.push_back(std::move(l));
    return true;
}

void ActiveFactor::leave(std::size_t place) {
    assert(place < size());
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(place));
    for (std::size_t i = place; i < rows_.size(); ++i) {
        const double length = std::hypot(rows_[i][i], rows_[i][i + 1]);
        const double c = rows_[i][i] / length;
        const double s = rows_[i][i + 1] / length;
        for (std::size_t below = i; below < rows_.size(); ++below) {
            std::vector<double>& row = rows_[below];
            const double first = row[i];
            row[i] = (c * first) + (s * row[i + 1]);
            row[i + 1] = (c * row[i + 1]) - (s * first);
        }
        rows_[i].pop_back();  // zero by now
    }
}

void ActiveFactor::solve(std::span<double> v) const {
    assert(v.size() == size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t m = 0; m < i; ++m) {
            v[i] -= rows_[i][m] * v[m];
        }
        v[i] /= rows_[i][i];
    }
    for (std::size_t i = v.size(); i-- > 0;) {
        v[i] /= rows_[i][i];
        for (std::size_t m = 0; m < i; ++m) {
            v[m] -= rows_[i][m] * v[i];
        }
    }
}

}  // namespace sluice::baselines
