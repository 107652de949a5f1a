#include "symmetric_state.hpp"

#include <bit>
#include <cstdint>
#include <span>

#include "state.hpp"

namespace sluice::core {

void save_symmetric(StateWriter& out, const double* C, std::size_t size, std::size_t stride) {
    auto bits = [&](std::size_t i, std::size_t j) { return std::bit_cast<std::uint64_t>(C[(j * stride) + i]); };
    bool alike = true;
    for (std::size_t j = 0; j < size; ++j) {
        out.put_all(std::span<const double>(C + (j * stride), j + 1));
        for (std::size_t i = 0; i < j && alike; ++i) {
            alike = bits(i, j) == bits(j, i);
        }
    }
    out.put(static_cast<unsigned char>(alike));
    for (std::size_t j = 0; j < size && !alike; ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            out.put_near(C[(i * stride) + j], C[(j * stride) + i]);
        }
    }
}

void load_symmetric(StateReader& in, double* C, std::size_t size, std::size_t stride) {
    for (std::size_t j = 0; j < size; ++j) {
        in.get_all(std::span(C + (j * stride), j + 1));
    }
    const bool alike = in.get_flag();
    for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            const double other = C[(j * stride) + i];
            C[(i * stride) + j] = alike ? other : in.get_near(other);
        }
    }
}

}  // namespace sluice::core
