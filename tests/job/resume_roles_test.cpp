// A resumed run with other columns than its checkpoint: before, the columns that were asked for were ignored without a
// word. The order of columns may change: StreamJob.TheOrderOfColumnsDoesNotMatterWhenResuming.
#include "resume_roles.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "remedy.hpp"
#include "usage.hpp"

namespace resume_roles_test {
namespace {

using sluice::Roles;
using sluice::job::RoleRequest;
using Names = std::vector<std::string>;

const Names kColumns = {"when", "y", "c", "b", "a", "extra"};

Roles known() {
    return {.inputs = {"a", "b"}, .targets = {"y"}, .ignored = {"c"}, .time = "when"};
}

std::string complaint(const RoleRequest& request, const Names& columns = kColumns) {
    try {
        sluice::job::check_roles_agree(columns, request, known(), {});
    } catch (const sluice::job::UsageError& error) {
        EXPECT_EQ(error.remedies(), sluice::io::Remedies{sluice::io::Remedy::not_resume});
        return error.what();
    }
    return "";
}

TEST(ResumeRoles, WhatTheCheckpointHasMayBeAskedForInAnyOrderOrNotAtAll) {
    EXPECT_EQ(complaint({}), "");
    EXPECT_EQ(complaint({.targets = {"y"}, .inputs = {"b", "a"}, .ignore = {"c"}, .time = "when"}), "");
    EXPECT_EQ(complaint({.targets = {}, .inputs = {}, .ignore = {"extra"}, .time = ""}), "") << "a new column";
}

TEST(ResumeRoles, AnInputThatIsToBeIgnoredIsRefused) {
    for (const Names& targets : {Names{}, Names{"y"}}) {
        EXPECT_EQ(complaint({.targets = targets, .inputs = {}, .ignore = {"b"}, .time = ""}),
                  "ignore: contradicts the checkpoint: it predicts from b");
    }
    EXPECT_EQ(complaint({.targets = {}, .inputs = {}, .ignore = {"[ab]*"}, .time = ""}),
              "ignore: contradicts the checkpoint: it predicts from a, b");
}

TEST(ResumeRoles, OtherInputsAreRefusedAndNamed) {
    EXPECT_EQ(complaint({.targets = {}, .inputs = {"a"}, .ignore = {}, .time = ""}),
              "inputs: contradicts the checkpoint: it also predicts from b");
    EXPECT_EQ(complaint({.targets = {"y"}, .inputs = {"a", "b", "c"}, .ignore = {}, .time = ""}),
              "inputs: contradicts the checkpoint: it does not predict from c");
    EXPECT_EQ(complaint({.targets = {"y"}, .inputs = {"a", "extra"}, .ignore = {}, .time = ""}),
              "inputs: contradicts the checkpoint: it does not predict from extra, and it also predicts from b");
}

TEST(ResumeRoles, AnotherTargetOrAnotherTimeIsRefused) {
    EXPECT_EQ(complaint({.targets = {"c"}, .inputs = {}, .ignore = {}, .time = ""}),
              "targets: c contradicts the checkpoint, which has y");
    EXPECT_EQ(complaint({.targets = {"y"}, .inputs = {}, .ignore = {}, .time = "c"}),
              "time: c contradicts the checkpoint, which has when");
}

TEST(ResumeRoles, ColumnsThatStayIgnoredAreNamedWhereTheyWereNotAskedToBe) {
    const auto note = [](const RoleRequest& request) {
        return sluice::job::ignored_as_before(kColumns, request, known());
    };
    EXPECT_EQ(note({.targets = {"y"}, .inputs = {}, .ignore = {}, .time = ""}), "c: ignored, as in the checkpoint");
    EXPECT_EQ(note({}), "");
    EXPECT_EQ(note({.targets = {"y"}, .inputs = {}, .ignore = {"c"}, .time = ""}), "");
    EXPECT_EQ(note({.targets = {"y"}, .inputs = {"a", "b"}, .ignore = {}, .time = ""}), "");
}

}  // namespace
}  // namespace resume_roles_test
