#include "roles.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "usage.hpp"

namespace roles_test {
namespace {

using sluice::Roles;
using sluice::job::assign_roles;
using sluice::job::find_places;
using Names = std::vector<std::string>;

const Names kColumns = {"Date", "temp", "PT08_1", "PT08_2", "CO", "NOx"};

TEST(Roles, WhatHasNoOtherRoleIsAnInput) {
    const Roles roles = assign_roles(kColumns, {.targets = {"CO"}, .inputs = {}, .ignore = {"NOx"}, .time = "Date"});
    EXPECT_EQ(roles.targets, Names{"CO"});
    EXPECT_EQ(roles.inputs, (Names{"temp", "PT08_1", "PT08_2"}));
    EXPECT_EQ(roles.ignored, Names{"NOx"});
    EXPECT_EQ(roles.time, "Date");
}

TEST(Roles, ColumnsAreNamedByNumberRangeAndPatternToo) {
    const Roles roles = assign_roles(kColumns, {.targets = {"6"}, .inputs = {"PT08*", "2"}, .ignore = {}, .time = ""});
    EXPECT_EQ(roles.targets, Names{"NOx"});
    EXPECT_EQ(roles.inputs, (Names{"PT08_1", "PT08_2", "temp"}));
    EXPECT_EQ(roles.ignored, (Names{"Date", "CO"}));
    EXPECT_EQ(assign_roles(kColumns, {.targets = {"CO"}, .inputs = {"2:6"}, .ignore = {}, .time = ""}).inputs,
              (Names{"temp", "PT08_1", "PT08_2", "NOx"}));
    // A column that is called like a number is meant by its name.
    EXPECT_EQ(assign_roles({"2", "7"}, {.targets = {"2"}, .inputs = {}, .ignore = {}, .time = ""}).inputs, Names{"7"});
}

TEST(Roles, TheNameOfAnObjectMeansAllItsFieldsThatHaveNoOtherRole) {
    const Roles roles =
        assign_roles({"o.y", "o.a", "o.b.c", "other"}, {.targets = {"o.y"}, .inputs = {}, .ignore = {"o"}, .time = ""});
    EXPECT_EQ(roles.targets, Names{"o.y"});
    EXPECT_EQ(roles.ignored, (Names{"o.a", "o.b.c"}));
    EXPECT_EQ(roles.inputs, Names{"other"});
}

std::string complaint(const sluice::job::RoleRequest& request) {
    try {
        (void)assign_roles(kColumns, request);
    } catch (const sluice::job::UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Roles, AMisspeltColumnIsAnsweredWithTheNearest) {
    EXPECT_EQ(
        complaint({.targets = {"NOX_"}, .inputs = {}, .ignore = {}, .time = ""}),
        "targets: there is no column NOX_. Did you mean NOx? The columns are Date, temp, PT08_1, PT08_2, CO, NOx");
    EXPECT_NE(complaint({.targets = {}, .inputs = {}, .ignore = {}, .time = ""}).find("no targets are given"),
              std::string::npos);
    EXPECT_EQ(complaint({.targets = {"CO"}, .inputs = {"CO"}, .ignore = {}, .time = ""}),
              "column CO cannot be a target and an input");
    EXPECT_NE(complaint({.targets = {"1:6"}, .inputs = {}, .ignore = {}, .time = ""}).find("no column is left"),
              std::string::npos);
}

TEST(Roles, PlacesAreFoundByNameInAnyOrder) {
    const Roles roles{.inputs = {"a", "b"}, .targets = {"y"}, .ignored = {"z"}, .time = ""};
    const auto places = find_places({"y", "b", "a"}, roles, {}, true);
    EXPECT_EQ(places.inputs, (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(places.targets, std::vector<std::size_t>{0});
    EXPECT_TRUE(find_places({"b", "a"}, roles, {}, false).targets.empty());
    EXPECT_THROW((void)find_places({"b", "a"}, roles, {}, true), sluice::DataError);
    try {
        (void)find_places({"b", "a", "y", "c"}, roles, {}, true);
        FAIL();
    } catch (const sluice::job::ColumnError& error) {
        EXPECT_NE(std::string(error.what()).find("new:     c"), std::string::npos) << error.what();
        EXPECT_EQ(error.remedies(), sluice::io::Remedies{sluice::io::Remedy::ignore_new_columns});
    }
    EXPECT_NO_THROW((void)find_places({"b", "a", "y", "c", "z"}, roles, {"c"}, true));
}

}  // namespace
}  // namespace roles_test
