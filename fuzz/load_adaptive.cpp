// Bytes from anywhere, given to AdaptiveModel::load: refused with StateError, or a model that works and predicts finite numbers. The
// checksums are made right first, that of the whole and those of the memories within, so that the fuzzer gets past them.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"

namespace {

constexpr std::size_t kFrame = 20;  // magic, version, length
constexpr std::size_t kSum = sizeof(std::uint64_t);
constexpr std::array<char, 8> kMagic = {'S', 'L', 'U', 'I', 'C', 'E', '\n', '\0'};

void make_checksum_right(std::span<std::byte> framed) {
    const std::uint64_t length = framed.size() - kFrame - kSum;
    std::memcpy(framed.data() + 12, &length, sizeof(length));
    const std::uint64_t sum = XXH3_64bits(framed.data(), framed.size() - kSum);
    std::memcpy(framed.data() + framed.size() - kSum, &sum, sizeof(sum));
}

void make_checksums_right(std::span<std::byte> bytes) {
    if (bytes.size() < kFrame + kSum) {
        return;
    }
    for (std::size_t at = kFrame + kSum; at + kFrame + kSum < bytes.size(); ++at) {  // a frame within, after its length
        if (std::memcmp(bytes.data() + at, kMagic.data(), kMagic.size()) == 0) {
            std::uint64_t length = 0;
            std::memcpy(&length, bytes.data() + at - sizeof(length), sizeof(length));
            if (length >= kFrame + kSum && length <= bytes.size() - at) {
                make_checksum_right(bytes.subspan(at, length));
            }
        }
    }
    make_checksum_right(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> bytes(given.begin(), given.end());
    make_checksums_right(bytes);
    try {
        auto model = sluice::AdaptiveModel::load(bytes);
        std::vector<double> x(model.inputs(), 1.0);
        std::vector<double> y(model.outputs(), 1.0);
        for (int row = 0; row < 3; ++row) {
            for (const double predicted : model.learn(x, y).predicted) {
                if (!std::isfinite(predicted) && model.options().tuning.any()) {
                    std::abort();
                }
            }
            x.front() += 1.0;
            y.back() -= 2.0;
        }
        (void)model.current().coefficients();
        (void)model.coefficients();
        (void)model.intercept();
        (void)model.drift();
        (void)model.stability();
        (void)model.shares();
        for (std::size_t output = 0; output < model.outputs(); ++output) {
            (void)model.readings(output);
        }
        (void)model.save();
    } catch (const sluice::StateError&) {
        return -1;
    }
    return 0;
}
