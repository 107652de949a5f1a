#include "event_command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/scratch.hpp"
#include "usage.hpp"

namespace event_command_test {
namespace {

using sluice::job::command_words;
using sluice::job::Event;
using sluice::job::EventCommand;
using sluice::job::EventKind;
using namespace sluice::test;
using Words = std::vector<std::string>;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string script(const Scratch& scratch, const std::string& name, const std::string& lines) {
    const std::string path = scratch.path(name);
    write_file(path, "#!/bin/sh\n" + lines + "\n");
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
}

struct Messages {
    std::vector<std::string> texts;
    sluice::job::MessageHandler handler() {
        return [this](const sluice::job::Message& message) { texts.push_back(message.text); };
    }
};

TEST(EventCommand, WordsAreSeparatedByBlanksAndQuotesKeepBlanksTogether) {
    EXPECT_EQ(command_words("mail -s  'a b' \"c  'd'\" e''f g\\n $HOME *"),
              (Words{"mail", "-s", "a b", "c  'd'", "ef", "g\\n", "$HOME", "*"}));
    EXPECT_EQ(command_words("x ''"), (Words{"x", ""}));
    for (const char* bad : {"", "  ", "a 'b", "''"}) {
        EXPECT_THROW((void)command_words(bad), sluice::job::UsageError) << bad;
    }
}

TEST(EventCommand, GetsTheJsonOfEachEventInOrderOnItsStandardInput) {
    const Scratch scratch;
    Messages messages;
    const std::string got = scratch.path("got");
    EventCommand command({script(scratch, "take", "cat >>\"$1\"; sleep 0.02"), got}, messages.handler());
    std::string expected;
    for (std::uint64_t row = 1; row <= 5; ++row) {
        const Event event{.kind = EventKind::suspect, .row = row, .text = "odd"};
        command.add(event);
        expected += event_json(event) + "\n";
    }
    command.finish(seconds(20));
    EXPECT_EQ(content(got), expected);
    EXPECT_EQ(command.started(), 5U);
    EXPECT_EQ(command.dropped(), 0U);
    EXPECT_EQ(command.failed(), 0U);
    EXPECT_TRUE(messages.texts.empty());
}

TEST(EventCommand, TakesAnEventLargerThanAPipe) {
    const Scratch scratch;
    Messages messages;
    const std::string got = scratch.path("got");
    EventCommand command({script(scratch, "take", "sleep 0.05; cat >\"$1\""), got}, messages.handler());
    command.add({.kind = EventKind::drift, .text = std::string(1'000'000, 'x')});
    command.finish(seconds(20));
    EXPECT_GT(content(got).size(), 1'000'000U);
}

TEST(EventCommand, ASlowCommandBlocksNothingAndWhatDoesNotFitIsDroppedAndCounted) {
    const Scratch scratch;
    Messages messages;
    EventCommand command({script(scratch, "slow", "sleep 2")}, messages.handler());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
        command.add({.kind = EventKind::suspect});
        command.poll();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(1500));  // one command takes 2 s
    EXPECT_EQ(command.started(), 1U);
    EXPECT_EQ(command.dropped(), 1000U - 1U - EventCommand::kMostWaiting);
    ASSERT_EQ(messages.texts.size(), 1U);
    EXPECT_NE(messages.texts[0].find("dropped"), std::string::npos) << messages.texts[0];
    command.finish(milliseconds(10));
    EXPECT_EQ(command.dropped(), 999U);
}

TEST(EventCommand, AProgramThatDoesNotExistIsSaidOnce) {
    Messages messages;
    for (const char* name : {"/nowhere/sluice-no-such-program", "sluice-no-such-program"}) {
        messages.texts.clear();
        EventCommand command({name}, messages.handler());
        ASSERT_EQ(messages.texts.size(), 1U) << name;
        EXPECT_NE(messages.texts[0].find("cannot be started"), std::string::npos) << messages.texts[0];
        command.add({.kind = EventKind::suspect});
        command.add({.kind = EventKind::suspect});
        command.finish(seconds(20));
        EXPECT_EQ(messages.texts.size(), 1U);
        EXPECT_EQ(command.dropped(), 2U);
        EXPECT_EQ(command.started(), 0U);
    }
}

TEST(EventCommand, ACommandThatFailsIsCountedAndSaidOnce) {
    Messages messages;
    EventCommand command({"false"}, messages.handler());
    command.add({.kind = EventKind::suspect});
    command.add({.kind = EventKind::suspect});
    command.finish(seconds(20));
    EXPECT_EQ(command.failed(), 2U);
    ASSERT_EQ(messages.texts.size(), 1U);
    EXPECT_NE(messages.texts[0].find("ended with code 1"), std::string::npos) << messages.texts[0];
}

TEST(EventCommand, InheritsNoFileOfOursButStandardError) {
    const Scratch scratch;
    Messages messages;
    const std::string got = scratch.path("got");
    write_file(scratch.path("ours"), "x");
    const int ours = ::open(scratch.path("ours").c_str(), O_RDONLY);  // without O_CLOEXEC: it would be inherited
    ASSERT_GE(ours, 0);
    // The shell's own file descriptors are listed by a builtin: echo with a pattern. /proc/$$ is the shell.
    EventCommand command({script(scratch, "list", "for f in /proc/$$/fd/*; do readlink $f; done >\"$1\""), got},
                         messages.handler());
    command.add({.kind = EventKind::suspect});
    command.finish(seconds(20));
    ::close(ours);
    EXPECT_NE(content(got).find("sluice-event"), std::string::npos) << content(got);
    EXPECT_EQ(content(got).find("ours"), std::string::npos) << content(got);
}

std::string children() {
    return content("/proc/self/task/" + std::to_string(::getpid()) + "/children");
}

TEST(EventCommand, LeavesNoZombies) {
    Messages messages;
    const std::string before = children();  // commands of other tests that still run
    EventCommand command({"true"}, messages.handler());
    for (int i = 0; i < 3; ++i) {
        command.add({.kind = EventKind::suspect});
    }
    command.finish(seconds(20));
    EXPECT_EQ(command.started(), 3U);
    EXPECT_EQ(children(), before);
}

}  // namespace
}  // namespace event_command_test
