// Bytes from anywhere, given to StreamModel::load: refused with StateError, or a model that works. The checksum is made
// right first, so that the fuzzer gets past it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> bytes(given.begin(), given.end());
    if (size >= sizeof(std::uint64_t)) {
        const std::uint64_t checksum = XXH3_64bits(bytes.data(), size - sizeof(std::uint64_t));
        std::memcpy(bytes.data() + size - sizeof(checksum), &checksum, sizeof(checksum));
    }
    try {
        auto model = sluice::StreamModel::load(bytes);
        const std::vector<double> x(model.inputs(), 1.0);
        const std::vector<double> y(model.outputs(), 1.0);
        model.learn(x, y);
        (void)model.coefficients();
    } catch (const sluice::StateError&) {
        return -1;
    }
    return 0;
}
