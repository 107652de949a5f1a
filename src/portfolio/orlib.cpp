#include "orlib.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

#include "row_reader.hpp"
#include "sluice/error.hpp"

namespace sluice::portfolio {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string all_of(io::ByteSource& source) {
    std::string text;
    std::array<char, std::size_t{1} << 16U> room{};
    for (std::size_t bytes = source.read(room); bytes > 0; bytes = source.read(room)) {
        text.append(room.data(), bytes);
    }
    return text;
}

// Word by word, with the place of each.
class Words {
  public:
    Words(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    [[nodiscard]] bool next(double& value) {
        const std::size_t from = text_.find_first_not_of(kBlanks, at_);
        for (std::size_t i = at_; i < std::min(from, text_.size()); ++i) {
            if (text_[i] == '\n') {
                ++line_;
                line_begins_ = i + 1;
            }
        }
        at_ = from;
        if (from == std::string_view::npos) {
            at_ = text_.size();
            return false;
        }
        const std::size_t to = std::min(text_.find_first_of(kBlanks, from), text_.size());
        const char* const last = text_.data() + to;
        const auto [end, problem] = fast_float::from_chars(text_.data() + from, last, value);
        if (problem != std::errc() || end != last || !std::isfinite(value)) {
            refuse("is not a number: an OR-Library file has only numbers. It is damaged, or another kind of file");
        }
        at_ = to;
        return true;
    }

    [[noreturn]] void refuse(const std::string& reason) const {
        constexpr std::size_t kShown = 40;
        const std::size_t to = std::min(text_.find_first_of(kBlanks, at_), text_.size());
        throw io::RowError(source_, {.line = line_, .byte = at_}, fmt::format("{}", at_ - line_begins_ + 1),
                           std::string(text_.substr(at_, std::min(to - at_, kShown))), reason);
    }

  private:
    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 1;
    std::size_t line_begins_ = 0;
};

// indtrack4 of some/folder/indtrack4.txt.gz.
std::string stem_of(const std::filesystem::path& path) {
    const bool packed = path.extension() == ".gz" || path.extension() == ".zst";
    return (packed ? path.stem() : path).stem().string();
}

struct Header {
    std::size_t stocks = 0;
    std::size_t periods = 0;
};

Header read_header(Words& words, const std::string& source) {
    constexpr double kMost = 10'000'000.0;
    std::array<double, 2> number{};
    for (double& value : number) {
        if (!words.next(value)) {
            throw DataError(fmt::format("{}: ends before its header: the numbers of stocks and of periods", source));
        }
        if (value < 1.0 || value > kMost || value != std::floor(value)) {
            throw DataError(
                fmt::format("{}: {:g} cannot be the number of {}. An OR-Library file begins with two whole numbers: "
                            "stocks, periods",
                            source, value, &value == number.data() ? "stocks" : "periods"));
        }
    }
    return {.stocks = static_cast<std::size_t>(number[0]), .periods = static_cast<std::size_t>(number[1])};
}

}  // namespace

bool looks_like_orlib(std::string_view beginning) {
    for (int word = 0; word < 2; ++word) {
        beginning.remove_prefix(std::min(beginning.find_first_not_of(kBlanks), beginning.size()));
        const std::size_t length = std::min(beginning.find_first_of(kBlanks), beginning.size());
        const std::string_view digits = beginning.substr(0, length);
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
            return false;
        }
        beginning.remove_prefix(length);
    }
    return true;
}

Sheet read_orlib(io::ByteSource& source) {
    const std::string text = all_of(source);
    Words words(text, source.name());
    const Header header = read_header(words, source.name());
    const std::size_t length = header.periods + 1;
    const std::size_t announced = header.stocks + 1;
    std::vector<double> numbers;
    numbers.reserve(std::min(announced * length, text.size() / 2));
    for (double value = 0.0; words.next(value);) {
        numbers.push_back(value);
    }
    const std::size_t series = numbers.size() / length;
    if (series < announced || numbers.size() % length != 0) {
        throw DataError(fmt::format(
            "{}: the header says {} stocks and {} periods, so {} series of {} prices (the index first) must follow: {} "
            "numbers. There are {}, which is {} series and {} numbers. The file is cut short or damaged: fetch it "
            "again",
            source.name(), header.stocks, header.periods, announced, length, announced * length, numbers.size(), series,
            numbers.size() % length));
    }
    const std::string stem = stem_of(source.name());
    Sheet sheet{.source = source.name(), .quote = Quote::prices, .calendar = Calendar::none, .indices = {stem}};
    if (series > announced) {
        sheet.notes.push_back(fmt::format(
            "{}: the header says {} stocks and the file has {} series besides the index: the last {} left out",
            source.name(), header.stocks, series - 1,
            series - announced == 1 ? "is" : fmt::format("{} are", series - announced)));
    }
    sheet.names.push_back(stem);
    for (std::size_t i = 1; i < announced; ++i) {
        sheet.names.push_back(fmt::format("{}.{}", stem, i));
    }
    sheet.values = Matrix(announced, length);
    for (std::size_t i = 0; i < announced; ++i) {
        for (std::size_t t = 0; t < length; ++t) {
            sheet.values(i, t) = numbers[(i * length) + t];
        }
    }
    return sheet;
}

}  // namespace sluice::portfolio
