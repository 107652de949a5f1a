// column_update.cpp -- adds the rows that columns of C have not got yet, several rows and columns at once.
//
//     C_ij += sum_b weight_b h_bj h_bi          for each column j, over the rows b that it lacks          eq. (15)
//
// Each column is then read and written once for all its rows. Four columns share the rows that are read; a column that
// lacks fewer rows than the others of its four has a share of 0 in the earlier ones. Rows are added one by one in the
// order in which they came, so that the bits do not depend on when a column gets them.
#include "column_update.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kUpdatePiece = 512;     // inputs at once: eight rows of them are 32 kB, the nearest cache
constexpr std::size_t kColumnsPerBatch = 64;  // their shares of 64 rows are 32 kB
constexpr std::size_t kGroup = kernels::kColumnsAtOnce;

}  // namespace

ColumnUpdate::ColumnUpdate(std::size_t inputs) : inputs_(inputs), shares_(kColumnsPerBatch * RowList::kMost) {}

void ColumnUpdate::run(std::span<LaggingColumn> columns, const RowList& rows, Workers& workers) {
    std::ranges::sort(columns, [](const LaggingColumn& a, const LaggingColumn& b) {
        return a.lacks != b.lacks ? a.lacks < b.lacks : a.place < b.place;
    });
    for (std::size_t done = 0; done < columns.size(); done += kColumnsPerBatch) {
        const auto batch = columns.subspan(done, std::min(kColumnsPerBatch, columns.size() - done));
        const std::size_t most = batch.back().lacks;
        const double* const* h = rows.rows.data() + (rows.count - most);
        const double* weights = rows.weights.data() + (rows.count - most);
        for (std::size_t c = 0; c < batch.size(); ++c) {
            double* shares = shares_.data() + (c / kGroup * RowList::kMost * kGroup) + (c % kGroup);
            for (std::size_t b = 0; b < most; ++b) {
                shares[b * kGroup] = b + batch[c].lacks >= most ? weights[b] * h[b][batch[c].input] : 0.0;
            }
        }
        // With more than eight rows, a piece of fewer inputs fits the nearest cache.
        const std::size_t piece = kUpdatePiece / std::bit_ceil(std::max(most / RowBuffer::kMost, std::size_t{1}));
        const std::size_t pieces = (padded(inputs_) + piece - 1) / piece;
        workers.share(pieces, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
            for (std::size_t first = from * piece; first < std::min(to * piece, padded(inputs_)); first += piece) {
                const std::size_t last = std::min(first + piece, padded(inputs_));
                for (std::size_t c = 0; c < batch.size(); c += kGroup) {
                    const auto group = batch.subspan(c, std::min(kGroup, batch.size() - c));
                    std::array<double*, kGroup> into{};
                    std::ranges::transform(group, into.begin(), [](const LaggingColumn& one) { return one.column; });
                    const std::size_t skip = most - group.back().lacks;
                    kernels::add_rows(h + skip, shares_.data() + (((c / kGroup * RowList::kMost) + skip) * kGroup),
                                      most - skip, first, last, into.data(), group.size());
                }
            }
        });
    }
}

}  // namespace sluice::core
