#include "guard.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/scratch.hpp"
#include "token.hpp"
#include "usage.hpp"

namespace sluice::serve::guard_test {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

Guard::Settings settings(const std::string& token = {}) {
    Guard::Settings out;
    out.hosts = {"localhost", "127.0.0.1", "[::1]"};
    out.port = 8765;
    out.token = token;
    return out;
}

RequestHead head(const std::string& host = "localhost:8765") {
    RequestHead out;
    out.method = "GET";
    out.target = "/v1/models";
    out.host = host;
    out.peer = "127.0.0.1";
    return out;
}

int status(Guard& guard, const RequestHead& of) {
    const auto refused = guard.refusal(of);
    return refused ? refused->status : 200;
}

TEST(Guard, OnlyItsOwnHostsAreAnswered) {
    Guard guard(settings());
    for (const char* own : {"localhost:8765", "LOCALHOST:8765", "127.0.0.1:8765", "[::1]:8765", "localhost"}) {
        EXPECT_EQ(status(guard, head(own)), 200) << own;
    }
    for (const char* other : {"", "evil.example", "localhost:1", "localhost.evil.example:8765", "evil:8765", "[::1",
                              "127.0.0.1.nip.io:8765", "localhost:8765:8765", "localhost:"}) {
        EXPECT_EQ(status(guard, head(other)), std::string(other) == "localhost:" ? 200 : 403) << other;
    }
}

TEST(Guard, PagesOfOtherSitesAreRefused) {
    Guard guard(settings());
    for (const char* own : {"http://localhost:8765", "https://localhost:8765", "http://127.0.0.1:8765"}) {
        RequestHead request = head();
        request.origin = own;
        EXPECT_EQ(status(guard, request), 200) << own;
    }
    for (const char* other : {"null", "http://evil.example", "http://localhost:1", "file://", "localhost:8765"}) {
        RequestHead request = head();
        request.origin = other;
        EXPECT_EQ(status(guard, request), 403) << other;
    }
    for (const char* site : {"cross-site", "same-site"}) {
        RequestHead request = head();
        request.fetch_site = site;
        EXPECT_EQ(status(guard, request), 403) << site;
    }
}

TEST(Guard, WithATokenNothingOfTheModelsIsShownWithoutIt) {
    Guard guard(settings(kToken));
    RequestHead request = head();
    EXPECT_EQ(status(guard, request), 401);
    const std::vector<std::string> wrong = {
        "Bearer", "Bearer ", "Basic " + kToken, kToken, "Bearer " + kToken + "0", "Bearer " + kToken.substr(1)};
    auto now = RateLimit::Clock::now();
    for (const std::string& given : wrong) {
        request.authorization = given;
        now += std::chrono::seconds(1);
        EXPECT_EQ(guard.refusal(request, now)->status, 401) << given;
    }
    request.authorization = "Bearer " + kToken;
    EXPECT_EQ(status(guard, request), 200);
    for (const char* open : {"/", "/healthz", "/page/1.js", "/v1/openapi.json"}) {
        RequestHead page = head();
        page.target = open;
        EXPECT_EQ(status(guard, page), 200) << open;
    }
    RequestHead metrics = head();
    metrics.target = "/metrics";
    EXPECT_EQ(status(guard, metrics), 401);
    EXPECT_EQ(guard.refusal(metrics)->body.find(kToken), std::string::npos);
}

TEST(Guard, WrongTokensAreSlowedDownAndTheRightOneStillWorks) {
    Guard guard(settings(kToken));
    const auto now = RateLimit::Clock::now();
    RequestHead request = head();
    request.authorization = "Bearer guess";
    int last = 0;
    for (int i = 0; i < 20; ++i) {
        last = guard.refusal(request, now)->status;
    }
    EXPECT_EQ(last, 429);
    request.authorization = "Bearer " + kToken;
    EXPECT_FALSE(guard.refusal(request, now));
}

TEST(Guard, OneAddressDoesNotExhaustTheOthers) {
    RateLimit limit(10);
    const auto now = RateLimit::Clock::now();
    int allowed = 0;
    for (int i = 0; i < 100; ++i) {
        allowed += limit.allows("a", now) ? 1 : 0;
    }
    EXPECT_EQ(allowed, 10);
    EXPECT_TRUE(limit.allows("b", now));
    EXPECT_TRUE(limit.allows("a", now + std::chrono::seconds(1)));
    for (std::size_t i = 0; i < 3 * RateLimit::kMostPeers; ++i) {  // bounded memory
        (void)limit.allows(std::to_string(i), now);
    }
}

TEST(Token, IsComparedWholeAndOnlyEqualIsEqual) {
    EXPECT_TRUE(equal_in_constant_time(kToken, kToken));
    EXPECT_FALSE(equal_in_constant_time(kToken + kToken, kToken));
    EXPECT_FALSE(equal_in_constant_time("", kToken));
    EXPECT_FALSE(equal_in_constant_time("", ""));
    EXPECT_FALSE(equal_in_constant_time(kToken.substr(0, 31), kToken));
}

TEST(Token, IsMadeWith256BitsForItsOwnerAlone) {
    const test::Scratch scratch;
    bool made = false;
    const std::string token = token_of_file(scratch.path("token"), made);
    EXPECT_TRUE(made);
    EXPECT_EQ(token.size(), 64U);
    struct stat about {};
    ASSERT_EQ(::stat(scratch.path("token").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U);
    EXPECT_EQ(token_of_file(scratch.path("token"), made), token);
    EXPECT_FALSE(made);
    EXPECT_NE(token_of_file(scratch.path("other"), made), token);
}

TEST(Token, AFileThatOthersReadOrThatIsShortIsRefused) {
    const test::Scratch scratch;
    bool made = false;
    test::write_file(scratch.path("open"), kToken);
    ASSERT_EQ(::chmod(scratch.path("open").c_str(), 0640), 0);
    EXPECT_THROW((void)token_of_file(scratch.path("open"), made), job::UsageError);
    test::write_file(scratch.path("short"), "secret\n");
    ASSERT_EQ(::chmod(scratch.path("short").c_str(), 0600), 0);
    EXPECT_THROW((void)token_of_file(scratch.path("short"), made), job::UsageError);
    EXPECT_ANY_THROW((void)token_of_file(scratch.path("."), made));
}

}  // namespace
}  // namespace sluice::serve::guard_test
