// Bytes from anywhere, read as NDJSON: rows or errors, the same ones whole, in pieces, and from the middle.
#include "reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < sluice::fuzz::kChoosing) {
        return -1;
    }
    return sluice::fuzz::read_both_ways(sluice::fuzz::chosen(data, size, sluice::io::Dialect::Kind::ndjson));
}
