// files.hpp -- files that go away with the test, and their compressed forms.
#pragma once

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::test {

class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view content = {}) {
        static std::atomic<int> count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("sluice_io_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count));
        write(content, std::ios::trunc);
    }
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    void append(std::string_view more) { write(more, std::ios::app); }
    void replace(std::string_view content) { write(content, std::ios::trunc); }

  private:
    void write(std::string_view content, std::ios::openmode mode) {
        std::ofstream file(path_, std::ios::binary | mode);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
    }

    std::filesystem::path path_;
};

inline std::string gzipped(std::string_view plain) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string packed(deflateBound(&stream, plain.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        throw std::runtime_error("deflate");
    }
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

inline std::string zstandard(std::string_view plain) {
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
    return packed;
}

}  // namespace sluice::test
