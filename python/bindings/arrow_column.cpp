// arrow_column.cpp -- reads each type of number that Arrow has, and transposes.
#include "arrow_column.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "sluice/error.hpp"

namespace sluice::python {

namespace {

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// ---- one function for each way in which numbers are stored

template <typename Stored>
const Stored* values_from(const ArrowColumn& column, std::size_t first) {
    return static_cast<const Stored*>(column.values) + column.offset + first;
}

template <typename Stored>
void read_numbers(const ArrowColumn& column, std::size_t first, std::size_t count, double* out) {
    const Stored* const values = values_from<Stored>(column, first);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = static_cast<double>(values[i]);  // rounded to the nearest double, as numpy does
    }
}

void read_nulls(const ArrowColumn& /*column*/, std::size_t /*first*/, std::size_t count, double* out) {
    std::fill_n(out, count, kMissing);
}

void read_bits(const ArrowColumn& column, std::size_t first, std::size_t count, double* out) {
    const auto* const bits = static_cast<const std::uint8_t*>(column.values);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = bit(bits, column.offset + first + i) ? 1.0 : 0.0;
    }
}

// IEEE 754 half: sign, 5 bits of exponent, 10 bits of fraction.
double from_half(std::uint16_t half) {
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    double size = 0.0;
    if (exponent == 31) {
        size = fraction == 0 ? std::numeric_limits<double>::infinity() : kMissing;
    } else if (exponent == 0) {
        size = std::ldexp(fraction, -24);
    } else {
        size = std::ldexp(1024 + fraction, exponent - 25);
    }
    return (half & 0x8000) != 0 ? -size : size;
}

void read_halves(const ArrowColumn& column, std::size_t first, std::size_t count, double* out) {
    std::transform(values_from<std::uint16_t>(column, first), values_from<std::uint16_t>(column, first + count), out,
                   from_half);
}

// digits * 10^-scale, correctly rounded.
double from_decimal(Int128 digits, int scale) {
    constexpr Int128 kExact = Int128{1} << 53;  // and powers of ten up to 10^22: one rounding, by the division
    if (scale >= 0 && scale <= 22 && digits <= kExact && digits >= -kExact) {
        double power = 1.0;
        for (int i = 0; i < scale; ++i) {
            power *= 10.0;
        }
        return static_cast<double>(digits) / power;
    }
    std::array<char, 64> text = {};  // at most 39 digits, "e" and an exponent
    char* const end = text.data() + text.size();
    char* first = end;
    const auto [exponent_end, error] = std::to_chars(text.data(), end, -scale);
    const auto exponent_size = static_cast<std::size_t>(exponent_end - text.data());
    first -= exponent_size;
    std::memmove(first, text.data(), exponent_size);
    *--first = 'e';
    UnsignedInt128 left = digits < 0 ? -static_cast<UnsignedInt128>(digits) : static_cast<UnsignedInt128>(digits);
    do {
        *--first = static_cast<char>('0' + static_cast<int>(left % 10));
        left /= 10;
    } while (left != 0);
    double size = 0.0;
    if (std::from_chars(first, end, size).ec == std::errc::result_out_of_range) {
        size = scale > 0 ? 0.0 : std::numeric_limits<double>::infinity();
    }
    return digits < 0 ? -size : size;
}

template <typename Stored>
void read_decimals(const ArrowColumn& column, std::size_t first, std::size_t count, double* out) {
    const char* const values = static_cast<const char*>(column.values) + ((column.offset + first) * sizeof(Stored));
    for (std::size_t i = 0; i < count; ++i) {
        Stored digits = 0;
        std::memcpy(&digits, values + (i * sizeof(Stored)), sizeof(Stored));  // 16 bytes may lie at multiples of 8
        out[i] = from_decimal(digits, column.type->scale);
    }
}

// NaN where the bit is 0; eight values at once where none is.
void set_missing(const std::uint8_t* valid, std::size_t first, std::size_t count, double* values) {
    for (std::size_t i = 0; i < count;) {
        if ((first + i) % 8 == 0 && count - i >= 8 && valid[(first + i) / 8] == 0xFF) {
            i += 8;
            continue;
        }
        values[i] = bit(valid, first + i) ? values[i] : kMissing;
        ++i;
    }
}

// ---- types by the format strings of the specification

// "d:10,2" or "d:10,2,64": digits, those after the point, bits.
ArrowType decimal_type(std::string_view format) {
    std::array<int, 3> numbers = {0, 0, 128};
    const char* at = format.data() + 1;
    const char* const end = format.data() + format.size();
    std::size_t read = 0;
    for (; read < numbers.size() && at < end; ++read) {
        const auto [rest, error] = std::from_chars(at + 1, end, numbers.at(read));
        if (error != std::errc()) {
            return {};
        }
        at = rest;
    }
    const auto [digits, scale, bits] = numbers;
    if (read < 2 || at != end || std::abs(scale) > 1000) {
        return {};
    }
    switch (bits) {
        case 32:
            return {.read = read_decimals<std::int32_t>, .scale = scale};
        case 64:
            return {.read = read_decimals<std::int64_t>, .scale = scale};
        case 128:
            return {.read = read_decimals<Int128>, .scale = scale};
        default:
            return {};
    }
}

ArrowType number_type(std::string_view format) {
    if (format.starts_with("d:")) {
        return decimal_type(format);
    }
    switch (format.size() == 1 ? format.front() : ' ') {
        case 'n':
            return {.read = read_nulls, .buffers = 0};
        case 'b':
            return {.read = read_bits};
        case 'c':
            return {.read = read_numbers<std::int8_t>};
        case 'C':
            return {.read = read_numbers<std::uint8_t>};
        case 's':
            return {.read = read_numbers<std::int16_t>};
        case 'S':
            return {.read = read_numbers<std::uint16_t>};
        case 'i':
            return {.read = read_numbers<std::int32_t>};
        case 'I':
            return {.read = read_numbers<std::uint32_t>};
        case 'l':
            return {.read = read_numbers<std::int64_t>};
        case 'L':
            return {.read = read_numbers<std::uint64_t>};
        case 'e':
            return {.read = read_halves};
        case 'f':
            return {.read = read_numbers<float>};
        case 'g':
            return {.read = read_numbers<double>, .is_double = true};
        default:
            return {};
    }
}

struct Unread {
    std::string_view start;  ///< of the format string
    std::string_view name;
    std::string_view remedy;
};

constexpr std::string_view kText = "turn the texts into numbers or leave the column out";
constexpr std::string_view kTime = "turn it into a number, such as seconds since a start, or leave the column out";
constexpr std::string_view kNested = "give each number a column of its own or leave the column out";
constexpr std::string_view kOther = "turn it into float64 or leave the column out";

constexpr auto kUnread = std::to_array<Unread>({
    {"u", "string", kText},        {"U", "large_string", kText},
    {"vu", "string_view", kText},  {"z", "binary", kText},
    {"Z", "large_binary", kText},  {"vz", "binary_view", kText},
    {"w:", "binary", kText},       {"td", "date", kTime},
    {"tt", "time", kTime},         {"ts", "timestamp", kTime},
    {"tD", "duration", kTime},     {"ti", "interval", kTime},
    {"+l", "list", kNested},       {"+L", "large_list", kNested},
    {"+vl", "list_view", kNested}, {"+w", "list", kNested},
    {"+s", "struct", kNested},     {"+m", "map", kNested},
    {"+u", "union", kNested},      {"+r", "run_end_encoded", kOther},
    {"d:", "decimal256", kOther},
});

[[noreturn]] void refuse(std::string_view format, const std::string& column) {
    for (const Unread& unread : kUnread) {
        if (format.starts_with(unread.start)) {
            throw DataError(column + " has the type " + std::string(unread.name) + ": " + std::string(unread.remedy));
        }
    }
    throw DataError(column + " has the Arrow type \"" + std::string(format) + "\": " + std::string(kOther));
}

[[noreturn]] void damaged(const std::string& column, const std::string& what) {
    throw DataError(column + " is a damaged Arrow array: " + what + " (an error of the library that made it)");
}

}  // namespace

ArrowType arrow_type(const ArrowSchema& schema, const std::string& column) {
    if (schema.dictionary != nullptr) {
        throw DataError(column +
                        " has the type dictionary (categories): turn the categories into numbers, such as one column "
                        "of 0 and 1 for each of them, or leave the column out");
    }
    const std::string_view format = schema.format == nullptr ? "" : schema.format;
    const ArrowType type = number_type(format);
    if (type.read == nullptr) {
        refuse(format, column);
    }
    return type;
}

const std::uint8_t* validity(const ArrowArray& array, const std::string& column) {
    const void* const bits = array.n_buffers > 0 && array.buffers != nullptr ? array.buffers[0] : nullptr;
    if (bits == nullptr && array.null_count > 0) {
        damaged(column, "it has nulls and no validity bits");
    }
    return array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(bits);
}

ArrowColumn arrow_column(const ArrowArray& array, const ArrowType& type, std::size_t start, std::size_t end,
                         const std::string& column) {
    constexpr std::int64_t kMost = std::int64_t{1} << 58;  // numbers of 16 bytes, in 64 bits
    if (array.length < 0 || array.offset < 0 || array.length > kMost || array.offset > kMost ||
        start > static_cast<std::size_t>(kMost)) {
        damaged(column,
                "its length is " + std::to_string(array.length) + ", its offset " + std::to_string(array.offset));
    }
    if (end > static_cast<std::size_t>(array.length)) {
        damaged(column, "it has " + std::to_string(array.length) + " values, " + std::to_string(end) + " are needed");
    }
    if (array.n_buffers != type.buffers || (type.buffers > 0 && array.buffers == nullptr)) {
        damaged(column, "it has " + std::to_string(array.n_buffers) + " buffers, its type needs " +
                            std::to_string(type.buffers));
    }
    ArrowColumn made{.type = &type, .offset = static_cast<std::size_t>(array.offset) + start};
    if (type.buffers > 0) {
        made.values = array.buffers[1];
        made.valid = validity(array, column);
        if (made.values == nullptr && end > start) {
            damaged(column, "its values are missing");
        }
    }
    return made;
}

// Tiles of 8 columns: the 8 doubles of a row are one cache line of the result. 256 rows: what is read stays in the
// first cache (64 to 512 rows cost about the same).
void copy_rows(const std::vector<ArrowColumn>& columns, std::size_t rows, double* out) {
    constexpr std::size_t kColumns = 8;
    constexpr std::size_t kRows = 256;
    std::array<std::array<double, kRows>, kColumns> tile;
    std::array<const double*, kColumns> from = {};
    const std::size_t p = columns.size();
    for (std::size_t row = 0; row < rows; row += kRows) {
        const std::size_t count = std::min(kRows, rows - row);
        for (std::size_t j = 0; j < p; j += kColumns) {
            const std::size_t width = std::min(kColumns, p - j);
            for (std::size_t c = 0; c < width; ++c) {
                const ArrowColumn& column = columns[j + c];
                if (column.type->is_double && column.valid == nullptr) {
                    from.at(c) = values_from<double>(column, row);
                    continue;
                }
                double* const values = tile.at(c).data();
                column.type->read(column, row, count, values);
                if (column.valid != nullptr) {
                    set_missing(column.valid, column.offset + row, count, values);
                }
                from.at(c) = values;
            }
            double* const corner = out + (row * p) + j;
            if (width == kColumns) {
                for (std::size_t i = 0; i < count; ++i) {
                    for (std::size_t c = 0; c < kColumns; ++c) {
                        corner[(i * p) + c] = from[c][i];
                    }
                }
            } else {
                for (std::size_t i = 0; i < count; ++i) {
                    for (std::size_t c = 0; c < width; ++c) {
                        corner[(i * p) + c] = from[c][i];
                    }
                }
            }
        }
    }
}

}  // namespace sluice::python
