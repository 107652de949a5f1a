// current_block.hpp -- the entries of C among the few inputs in use, up to date with every row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "packed_matrix.hpp"
#include "resident.hpp"

namespace sluice::core {

/// What products need where they are asked for at few inputs. No bit depends on which inputs it holds.
class CurrentBlock {
  public:
    /// `room`: inputs at most; 0 for none.
    CurrentBlock(const PackedMatrix<double>& C, std::size_t inputs, std::size_t room);
    [[nodiscard]] static std::size_t bytes_for(std::size_t groups, std::size_t room);

    /// Brings all these inputs into the block. False where there is no room for so many.
    [[nodiscard]] bool take(std::span<const std::size_t> inputs, const PackedMatrix<double>& C);
    [[nodiscard]] bool has_all(std::span<const std::size_t> inputs) const;

    /// C gained the row g.
    void add_row(const double* g, const PackedMatrix<double>& C);
    /// C and the rows that pend were multiplied by the factor and its root.
    void scale(double factor);
    void clear() { resident_.clear(); }

    /// Of inputs in the block.
    [[nodiscard]] double entry(std::size_t i, std::size_t j) const {
        return C_[(resident_.place(j) * stride_) + resident_.place(i)];
    }
    /// out_i = (C v)_i for the given inputs, where v has coefficient[s] at support[s]; all are in the block.
    void multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<const std::size_t> inputs, std::span<double> out) const;
    [[nodiscard]] std::size_t bytes() const { return C_.bytes() + rows_.bytes(); }

  private:
    struct Member {
        std::size_t group;
        std::size_t within;  // its place in the group
    };
    void start(std::size_t j, const PackedMatrix<double>& C);

    std::size_t stride_;
    Resident resident_;
    std::vector<Member> members_;  // by place
    Buffer<double> C_;             // both halves, by columns
    Buffer<double> rows_;          // the rows that pend at these inputs, in the order of PendingRows
    Buffer<double> row_;           // the newest
    Buffer<double> zeros_;
    Buffer<double> sum_;    // scratch: the entries of a newcomer
    Buffer<double> lacks_;  // scratch: the rows that each of them lacks
    mutable std::vector<std::size_t> places_;
    mutable Buffer<double> product_;
};

}  // namespace sluice::core
