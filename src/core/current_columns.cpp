// current_columns.cpp -- copies of the columns of C in use that are up to date with every row.
#include "current_columns.hpp"

#include <algorithm>
#include <array>

#include "kernels.hpp"

namespace sluice::core {

namespace {

// Rows after which a column that was not requested is released: about what it costs to start it again.
constexpr std::uint64_t kMostIdle = 16;
constexpr std::size_t kColumnPiece = 1024;  // inputs of one piece of a column

}  // namespace

CurrentColumns::CurrentColumns(std::size_t inputs, std::size_t length, std::size_t room)
    : inputs_(inputs), stride_(column_stride(length)), resident_(inputs, room), columns_(room * stride_) {}

std::size_t CurrentColumns::bytes_for(std::size_t length, std::size_t room) {
    return room * column_stride(length) * sizeof(double);
}

void CurrentColumns::add_row(const double* g, Workers& workers) {
    resident_.next_row();
    resident_.release_unused(kMostIdle);
    workers.share((padded(inputs_) + kColumnPiece - 1) / kColumnPiece,
                  [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
                      add_row_at(g, first * kColumnPiece, std::min(last * kColumnPiece, padded(inputs_)));
                  });
}

// The same at the places first .. last of each column.
void CurrentColumns::add_row_at(const double* g, std::size_t first, std::size_t last) {
    std::array<double*, kernels::kColumnsAtOnce> to{};
    std::array<double, kernels::kColumnsAtOnce> factors{};
    std::size_t count = 0;
    const auto add = [&] { kernels::add_rows(&g, factors.data(), 1, first, last, to.data(), count); };
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        if (resident_.is_free(place)) {
            continue;
        }
        to[count] = at(place);
        factors[count] = g[resident_.input(place)];
        if (++count == kernels::kColumnsAtOnce) {
            add();
            count = 0;
        }
    }
    if (count > 0) {
        add();
    }
}

}  // namespace sluice::core
