// Any bytes, given to the jobs and to the library as a model file: refused with StateError, or a model that works. All
// checksums are corrected first, those of the sections, of the header, and of the model's own frame, so that the fuzzer
// gets past them.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "model_file.hpp"
#include "sluice/error.hpp"

namespace {

constexpr std::size_t kBegin = 16;  // magic, version, number of sections
constexpr std::size_t kEntry = 24;  // name, length, checksum
constexpr std::size_t kFrame = 20;  // of the model's own state: magic, version, length

template <typename T>
T get(const std::vector<std::byte>& bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
}

void put_checksum(std::vector<std::byte>& bytes, std::size_t at, std::size_t from, std::size_t length) {
    const std::uint64_t sum = XXH3_64bits(bytes.data() + from, length);
    std::memcpy(bytes.data() + at, &sum, sizeof(sum));
}

void correct_checksums(std::vector<std::byte>& bytes) {
    if (bytes.size() < kBegin + 8) {
        return;
    }
    const auto count = get<std::uint32_t>(bytes, 12);
    if (count > (bytes.size() - kBegin - 8) / kEntry) {
        return;
    }
    const std::size_t header = kBegin + (count * kEntry);
    std::size_t at = header + 8;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = kBegin + (i * kEntry);
        const auto length = get<std::uint64_t>(bytes, entry + 8);
        if (length > bytes.size() - at) {
            break;
        }
        if (std::memcmp(bytes.data() + entry, "model\0\0\0", 8) == 0 && length >= kFrame + 8) {
            const std::uint64_t payload = length - kFrame - 8;
            std::memcpy(bytes.data() + at + 12, &payload, sizeof(payload));
            put_checksum(bytes, at + length - 8, at, length - 8);
        }
        put_checksum(bytes, entry + 16, at, length);
        at += length;
    }
    put_checksum(bytes, header, 0, header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> bytes(given.begin(), given.end());
    correct_checksums(bytes);
    try {
        auto file = sluice::job::unpack(bytes);
        if (file.learner) {
            const std::vector<double> x(file.roles.inputs.size(), 1.0);
            const std::vector<double> y(file.roles.targets.size(), 1.0);
            const auto step = file.learner->step(x, y);
            if (file.tally) {
                file.tally->add(step, y);
                (void)file.tally->stays();
            }
            sluice::NamedModel named = sluice::unpack_model(bytes);
            (void)named.model.predict(std::vector<double>(named.input_names().size(), 1.0));
        } else {
            const sluice::Fit& fit = file.fitted->fit;
            const std::vector<double> x(file.input_names().size(), 1.0);
            (void)fit.predict(x);
            if (fit.score_coefficients.rows() > 0) {
                (void)fit.scores_of(x);
            }
        }
    } catch (const sluice::StateError&) {
        return -1;
    }
    return 0;
}
