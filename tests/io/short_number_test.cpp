#include "short_number.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "reading.hpp"

namespace sluice::test::short_number_test {
namespace {

struct Got {
    std::size_t length = std::string::npos;  ///< none: not a number of this sort
    double value = 0.0;
};

Got got(const std::string& text, char decimal = '.') {
    const std::string padded = text + std::string(io::kShortNumberReach, '\0');
    Got out;
    if (const char* end = io::read_short_number(padded.data(), decimal, out.value); end != nullptr) {
        out.length = static_cast<std::size_t>(end - padded.data());
    }
    return out;
}

TEST(ShortNumber, EndsWhereTheDigitsEnd) {
    EXPECT_EQ(got("12.5,3").length, 4U);
    EXPECT_EQ(got("12.5,3").value, 12.5);
    EXPECT_EQ(got("12,5;3", ',').length, 4U);
    EXPECT_EQ(got("-7\n").value, -7.0);
    EXPECT_EQ(got(".5").value, 0.5);
    EXPECT_EQ(got("5.").length, 2U);
    EXPECT_TRUE(same(got("-0.0").value, -0.0));
}

TEST(ShortNumber, LeavesToOthersWhatIsNotOfItsSort) {
    for (const char* text : {"", "-", ".", "-.", "x", ",1", "+1", "1.2345678901234567890", "0.00000000000000000001"}) {
        EXPECT_EQ(got(text).length, std::string::npos) << text;
    }
    EXPECT_EQ(got("123456789").length, 8U);  // and a digit follows, which the caller sees
}

TEST(ShortNumber, IsTheNearestDoubleForAnyDigits) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 300'000; ++i) {
        const std::size_t before = random() % 8;
        const std::size_t behind = random() % (20 - before);
        if (before + behind == 0) {
            continue;
        }
        std::string text = random() % 2 == 0 ? "-" : "";
        for (std::size_t k = 0; k < before + behind; ++k) {
            text += k == before ? "." : "";
            text += static_cast<char>('0' + (random() % 4 == 0 ? random() % 2 * 9 : random() % 10));
        }
        const Got number = got(text);
        ASSERT_EQ(number.length, text.size()) << text;
        ASSERT_TRUE(same(number.value, std::strtod(text.c_str(), nullptr))) << text;
    }
}

TEST(ShortNumber, RoundsHalvesToEven) {
    for (const char* text : {"9007199254740993", "900719925474.0993", "4503599627370496.5", "4503599627370497.5",
                             "2251799813685248.25", "2251799813685248.75", "1125899906842624.125"}) {
        const Got number = got(text);
        if (number.length == std::string(text).size()) {
            EXPECT_TRUE(same(number.value, std::strtod(text, nullptr))) << text;
        }
        const Reading reading = reading_of("a\n" + std::string(text) + "\n");
        EXPECT_TRUE(numbers_are(reading, {{std::strtod(text, nullptr)}})) << text;
    }
}

}  // namespace
}  // namespace sluice::test::short_number_test
