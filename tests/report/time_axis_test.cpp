#include "time_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace sluice::report::time_axis_test {
namespace {

TimeAxis axis_of(std::initializer_list<const char*> texts) {
    TimeAxis axis;
    std::size_t bin = 0;
    for (const char* text : texts) {
        axis.add(bin++, text);
    }
    return axis;
}

TEST(TimeAxis, ReadsDatesAsPeopleWriteThem) {
    for (const char* text :
         {"2004-03-10 18:00:00", "2004/03/10 18.00.00", "2004-03-10T18:00Z", "2004-03-10T18:00:00+01:00",
          "10.03.2004 18:00", "1078941600", "1078941600000", "1078941600000000000"}) {
        const TimeAxis axis = axis_of({text});
        EXPECT_EQ(axis.kind(), TimeAxis::Kind::date) << text;
        EXPECT_EQ(axis.values(1)[0], 1078941600.0) << text;
    }
    EXPECT_EQ(axis_of({"20040310"}).values(1)[0], 1078876800.0);
}

TEST(TimeAxis, ALaterRowSaysWhetherTheDayOrTheMonthComesFirst) {
    EXPECT_EQ(axis_of({"10/03/2004", "25/03/2004"}).values(2)[0], 1078876800.0);  // 10 March
    EXPECT_EQ(axis_of({"10/03/2004", "10/25/2004"}).values(2)[0], 1096761600.0);  // 3 October
    EXPECT_EQ(axis_of({"01/02/2004", "02/01/2004"}).values(2)[0], 1073001600.0);  // 2 January: time runs forwards
}

TEST(TimeAxis, NumbersAreNoDatesUnlessTheyCountFrom1970) {
    EXPECT_EQ(axis_of({"1", "2.5", "7"}).kind(), TimeAxis::Kind::number);
    EXPECT_EQ(axis_of({"1", "2.5", "7"}).values(3)[1], 2.5);
}

TEST(TimeAxis, WhatRunsBackwardsOrHasNoMeaningIsText) {
    EXPECT_EQ(axis_of({"2004-03-10", "2004-03-09"}).kind(), TimeAxis::Kind::text);
    EXPECT_EQ(axis_of({"Monday", "Tuesday"}).kind(), TimeAxis::Kind::text);
    EXPECT_EQ(axis_of({"2004-02-30"}).kind(), TimeAxis::Kind::text);
    EXPECT_EQ(axis_of({"Monday", "Tuesday"}).first_text(1), "Tuesday");
}

TEST(TimeAxis, WithoutATimeThereIsNone) {
    EXPECT_EQ(axis_of({"", ""}).kind(), TimeAxis::Kind::none);
    const TimeAxis gap = axis_of({"2004-03-10", "", "2004-03-12"});
    EXPECT_EQ(gap.kind(), TimeAxis::Kind::date);
    EXPECT_TRUE(std::isnan(gap.values(3)[1]));
}

}  // namespace
}  // namespace sluice::report::time_axis_test
