#include "time_key.hpp"

#include <gtest/gtest.h>

namespace time_key_test {
namespace {

using sluice::job::TimeKey;
using Order = sluice::job::TimeKey::Order;

Order order(const char* a, const char* b) {
    return TimeKey::order(TimeKey(a), TimeKey(b));
}

TEST(TimeKey, IsTheSameForTheSameTextAndForTheSameNumber) {
    for (const auto& [a, b] : {std::pair{"7", "7.0"}, std::pair{"1e3", "1000"}, std::pair{"-0", "0"},
                               std::pair{"day 7", "day 7"}, std::pair{"", ""}}) {
        EXPECT_EQ(TimeKey(a), TimeKey(b)) << a << " " << b;
        EXPECT_EQ(TimeKey(a).hash(), TimeKey(b).hash());
    }
    for (const auto& [a, b] : {std::pair{"7", "8"}, std::pair{"day 7", "day 07"}, std::pair{"7", "7 "},
                               std::pair{"2024-01-01", "2024-1-1"}, std::pair{"nan", "0"}, std::pair{"inf", "INF"}}) {
        EXPECT_FALSE(TimeKey(a) == TimeKey(b)) << a << " " << b;
    }
}

// As doubles these two nanoseconds are the same number.
TEST(TimeKey, OfANumberWithMoreThanFifteenDigitsIsItsText) {
    EXPECT_EQ(1700000000000000001.0, 1700000000000000002.0);
    EXPECT_FALSE(TimeKey("1700000000000000001") == TimeKey("1700000000000000002"));
    EXPECT_FALSE(TimeKey("1700000000.123456789") == TimeKey("1700000000.123456788"));
    EXPECT_EQ(TimeKey("1700000000.123"), TimeKey("1700000000.1230"));
}

TEST(TimeKey, HasAnOrderWhereItIsANumberOrBeginsWithAYearFirstDate) {
    EXPECT_EQ(order("9", "10"), Order::before);
    EXPECT_EQ(order("10.5", "10"), Order::after);
    EXPECT_EQ(order("2024-01-31 23:00", "2024-02-01"), Order::before);
    EXPECT_EQ(order("2024/02/01T10:00", "2024/02/01T09:59"), Order::after);
    EXPECT_EQ(order("x", "x"), Order::same);
    for (const auto& [a, b] :
         {std::pair{"day 9", "day 10"}, std::pair{"31.01.2024", "01.02.2024"}, std::pair{"2024-1-31", "2024-10-1"},
          std::pair{"2024-01-31", "2024/02/01"}, std::pair{"7", "2024-01-31"}, std::pair{"", "1"}}) {
        EXPECT_EQ(order(a, b), Order::unknown) << a << " " << b;
    }
}

}  // namespace
}  // namespace time_key_test
