// The server from outside: what it must do, and what it must not let anybody do. Each limit is tried by somebody who tries to
// get in.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/http_client.hpp"
#include "support/scratch.hpp"

namespace sluice::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kCsv = "Content-Type: text/csv\r\n";
constexpr const char* kPlant = R"({"targets":["y"]})";

std::vector<std::string> words(std::vector<std::string> more) {
    std::vector<std::string> out = {SLUICE_TOOL, "serve", "--port", "0"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string some_rows(int rows, int from = 0) {
    std::string out = "a,b,y\n";
    for (int i = from; i < from + rows; ++i) {
        out += std::to_string(i % 17) + "," + std::to_string(i % 5) + "," + std::to_string((3 * (i % 17)) - (i % 5)) +
               "\n";
    }
    return out;
}

class Serve : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(std::filesystem::path(SLUICE_TOOL).parent_path() / "sluice-serve")) {
            GTEST_SKIP() << "sluice-serve was not built: Boost.Beast is missing";
        }
    }
    void start(std::vector<std::string> more = {}) {
        server_.reset();
        server_ = std::make_unique<ServerProcess>(words(std::move(more)), scratch_.path("log"));
        ASSERT_NE(server_->port(), 0) << content(scratch_.path("log"));
    }
    HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = {},
                   const std::string& headers = "Content-Type: application/json\r\n") {
        return HttpConnection(server_->port()).ask(method, target, body, headers);
    }
    HttpAnswer raw(const std::string& text) {
        HttpConnection connection(server_->port());
        connection.send(text);
        return connection.answer();
    }
    /// The exit code of a server that does not start, and what it says.
    std::pair<int, std::string> refused(std::vector<std::string> more) {
        std::filesystem::remove(scratch_.path("refused"));
        ServerProcess server(words(std::move(more)), scratch_.path("refused"));
        if (server.port() != 0) {
            return {0, "it serves"};
        }
        const int code = server.wait();
        return {code, content(scratch_.path("refused"))};
    }
    void works() { EXPECT_EQ(ask("GET", "/healthz").status, 200); }

    Scratch scratch_;
    std::unique_ptr<ServerProcess> server_;
};

TEST_F(Serve, ListensOnLoopbackAndNowhereElse) {
    start();
    char local[32];
    std::snprintf(local, sizeof(local), "0100007F:%04X", server_->port());
    char anywhere[32];
    std::snprintf(anywhere, sizeof(anywhere), "00000000:%04X", server_->port());
    const std::string sockets = content("/proc/net/tcp");
    EXPECT_TRUE(has(sockets, local));
    EXPECT_FALSE(has(sockets, anywhere));
}

TEST_F(Serve, AnAddressThatOthersReachNeedsATokenAndConsentToUseNoTls) {
    auto [code, said] = refused({"--listen", "0.0.0.0"});
    EXPECT_EQ(code, 2);
    EXPECT_TRUE(has(said, "--token-file")) << said;
    std::tie(code, said) = refused({"--listen", "0.0.0.0", "--token-file", scratch_.path("token")});
    EXPECT_EQ(code, 2);
    EXPECT_TRUE(has(said, "--insecure")) << said;
    std::tie(code, said) = refused({"--listen", "::", "--insecure"});
    EXPECT_EQ(code, 2);
    start({"--listen", "0.0.0.0", "--token-file", scratch_.path("token"), "--insecure", "--host", "localhost"});
    EXPECT_EQ(ask("GET", "/v1/models").status, 401);
    EXPECT_TRUE(has(content(scratch_.path("log")), "nothing is encrypted"));
}

TEST_F(Serve, WithoutTheTokenNothingIsShownAndNothingChanges) {
    start({"--token-file", scratch_.path("token"), "--log"});
    std::string token = content(scratch_.path("token"));
    token.pop_back();
    struct stat about {};
    ASSERT_EQ(::stat(scratch_.path("token").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U);
    const std::string with = "Content-Type: application/json\r\nAuthorization: Bearer " + token + "\r\n";
    EXPECT_EQ(ask("PUT", "/v1/models/plant", kPlant).status, 401);
    EXPECT_EQ(ask("PUT", "/v1/models/plant?token=" + token, kPlant).status, 401);
    EXPECT_EQ(ask("GET", "/v1/models").headers["www-authenticate"], "Bearer");
    EXPECT_EQ(ask("PUT", "/v1/models/plant", kPlant, with).status, 201);
    std::this_thread::sleep_for(1s);  // wrong tokens are slowed down
    EXPECT_EQ(ask("DELETE", "/v1/models/plant").status, 401);
    EXPECT_EQ(ask("GET", "/metrics").status, 401);
    EXPECT_EQ(ask("GET", "/v1/models/plant/events").status, 401);
    EXPECT_EQ(ask("GET", "/v1/models/plant", {}, with).status, 200);
    int last = 0;
    for (int i = 0; i < 30; ++i) {
        last = ask("GET", "/v1/models", {}, "Authorization: Bearer guess\r\n").status;
    }
    EXPECT_EQ(last, 429);
    server_->end();
    const std::string log = content(scratch_.path("log"));
    EXPECT_TRUE(has(log, "PUT /v1/models/plant 201")) << log;
    EXPECT_FALSE(has(log, token));  // no secret in a log
    EXPECT_FALSE(has(log, "guess"));
}

TEST_F(Serve, ATokenFileThatOthersReadIsRefused) {
    write_file(scratch_.path("token"), std::string(64, 'x'));
    ::chmod(scratch_.path("token").c_str(), 0644);
    const auto [code, said] = refused({"--token-file", scratch_.path("token")});
    EXPECT_EQ(code, 2);
    EXPECT_TRUE(has(said, "chmod 600")) << said;
}

TEST_F(Serve, RequestsByAnotherNameOrFromAnotherSiteAreRefused) {
    start();
    EXPECT_EQ(raw("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
    EXPECT_EQ(raw("GET /v1/models HTTP/1.1\r\n\r\n").status, 403);
    EXPECT_EQ(raw("GET /v1/models HTTP/1.1\r\nHost: localhost:1\r\n\r\n").status, 403);
    EXPECT_EQ(raw("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n").status, 400);
    EXPECT_EQ(ask("GET", "/v1/models", {}, "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(ask("POST", "/v1/models", R"({"name":"x","targets":["y"]})",
                  "Origin: null\r\nContent-Type: application/json\r\n")
                  .status,
              403);
    const HttpAnswer preflight =
        ask("OPTIONS", "/v1/models", {}, "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n");
    EXPECT_EQ(preflight.status, 403);
    for (const HttpAnswer& answer : {preflight, ask("GET", "/v1/models"), ask("OPTIONS", "/v1/models")}) {
        for (const auto& [name, value] : answer.headers) {
            EXPECT_FALSE(name.starts_with("access-control")) << name;
        }
    }
    // A form of another site can send text/plain without asking first.
    EXPECT_EQ(ask("POST", "/v1/models", R"({"name":"x","targets":["y"]})", "Content-Type: text/plain\r\n").status, 415);
    EXPECT_TRUE(has(ask("GET", "/v1/models").body, "[]"));
}

TEST_F(Serve, EveryAnswerForbidsForeignScriptsFramesAndGuessing) {
    start();
    for (const char* path : {"/", "/healthz", "/nothing", "/v1/models", "/metrics"}) {
        const HttpAnswer answer = ask("GET", path);
        EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff") << path;
        EXPECT_TRUE(answer.headers.at("content-security-policy").starts_with("default-src 'self';")) << path;
        EXPECT_FALSE(has(answer.headers.at("content-security-policy"), "unsafe")) << path;
        EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY") << path;
    }
    EXPECT_FALSE(has(ask("GET", "/").body, "<script>"));
}

TEST_F(Serve, LongHeadsAndBodiesAreRefused) {
    start({"--max-body", "1"});
    EXPECT_EQ(ask("GET", "/healthz", {}, "X: " + std::string(17000, 'x') + "\r\n").status, 431);
    EXPECT_EQ(ask("GET", "/" + std::string(17000, 'x')).status, 431);
    ASSERT_EQ(ask("PUT", "/v1/models/plant", kPlant).status, 201);
    const std::string big(3U << 20U, '1');
    EXPECT_EQ(ask("POST", "/v1/models/plant/rows", big, kCsv).status, 413);
    EXPECT_EQ(raw("POST /v1/models/plant/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                  "Content-Length: 99999999999999999\r\n\r\n")
                  .status,
              413);
    HttpConnection chunked(server_->port());
    chunked.send(
        "POST /v1/models/plant/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 40; ++i) {
        chunked.send("10000\r\n" + std::string(65536, '1') + "\r\n");
    }
    EXPECT_EQ(chunked.answer().status, 413);
    works();
}

TEST_F(Serve, WhoeverIsSlowIsCut) {
    start({"--head-time", "0.5", "--body-time", "0.5"});
    ASSERT_EQ(ask("PUT", "/v1/models/plant", kPlant).status, 201);
    HttpConnection silent(server_->port());
    HttpConnection head(server_->port());
    HttpConnection body(server_->port());
    body.send(
        "POST /v1/models/plant/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
        "Content-Length: 100\r\n\r\n");
    bool head_sends = true;
    bool body_sends = true;
    for (int i = 0; i < 20; ++i) {  // a byte now and then keeps nothing open
        head_sends = head_sends && head.send(i == 0 ? "GET / HT" : "x") && !head.closed_within(0.05);
        body_sends = body_sends && body.send("1") && !body.closed_within(0.05);
    }
    EXPECT_FALSE(head_sends);
    EXPECT_FALSE(body_sends);
    EXPECT_TRUE(silent.closed_within(2.0));
    works();
}

TEST_F(Serve, MoreConnectionsThanAllowedAreRefusedAndFreedOnesAreUsedAgain) {
    start({"--max-connections", "5"});
    {
        std::vector<std::unique_ptr<HttpConnection>> open;
        for (int i = 0; i < 5; ++i) {
            open.push_back(std::make_unique<HttpConnection>(server_->port()));
            EXPECT_EQ(open.back()->ask("GET", "/healthz").status, 200);
        }
        HttpConnection more(server_->port());
        EXPECT_EQ(more.ask("GET", "/healthz").status, 0);
        EXPECT_EQ(open.front()->ask("GET", "/healthz").status, 200);
    }
    std::this_thread::sleep_for(200ms);
    works();
}

TEST_F(Serve, TooManyRequestsFromOneAddressAreRefused) {
    start({"--max-rate", "10"});
    HttpConnection connection(server_->port());
    int refusals = 0;
    for (int i = 0; i < 50; ++i) {
        const HttpAnswer answer = connection.ask("GET", "/healthz");
        refusals += answer.status == 429 ? 1 : 0;
        EXPECT_TRUE(answer.status == 200 || answer.status == 429);
    }
    EXPECT_GT(refusals, 20);
    std::this_thread::sleep_for(1s);
    works();
}

TEST_F(Serve, WhatIsNoHttpIsRefusedAndTheServerGoesOn) {
    start();
    for (const std::string& text : std::vector<std::string>{
             "hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
             "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nA\x01: b\r\n\r\n",
             "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
             "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: "
             "chunked\r\n\r\n0\r\n\r\n",
             "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
             "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
             "chunked\r\n\r\nzz\r\n",
             std::string("\0\0\0\0\r\n\r\n", 8), "\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n"}) {
        const int status = raw(text).status;
        EXPECT_EQ(status, 400) << text;
    }
    HttpConnection(server_->port()).send("GET / HT");  // and goes
    works();
}

TEST_F(Serve, PathsLeadNowhereOutsideOfTheStateFolder) {
    start({"--state", scratch_.path("state/inner")});
    for (const char* path :
         {"/../../etc/passwd", "/v1/models/../../../escaped", "/v1/models/%2e%2e%2fescaped", "/v1/models/..",
          "/v1/models/.new-x", "/v1/models/a/../../escaped", "/page/../../../etc/passwd", "//etc/passwd"}) {
        EXPECT_GE(ask("GET", path).status, 400) << path;
        EXPECT_GE(ask("PUT", path, kPlant).status, 400) << path;
        EXPECT_GE(ask("DELETE", path).status, 400) << path;
    }
    EXPECT_GE(ask("POST", "/v1/models", R"({"name":"../escaped","targets":["y"]})").status, 400);
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.path("state/inner/models")));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("state/escaped")));
    EXPECT_EQ(std::filesystem::status(scratch_.path("state/inner")).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(Serve, OneServerAtATimeHasAStateFolder) {
    start({"--state", scratch_.path("state")});
    const auto [code, said] = refused({"--state", scratch_.path("state")});
    EXPECT_EQ(code, 2);
    EXPECT_TRUE(has(said, "in use by process")) << said;
}

TEST_F(Serve, WhatWasAcknowledgedIsThereAfterTheServerWasEndedOrKilled) {
    for (const int signal : {SIGTERM, SIGKILL}) {
        const std::string state = scratch_.path("state" + std::to_string(signal));
        start({"--state", state});
        ASSERT_EQ(ask("PUT", "/v1/models/plant", kPlant).status, 201);
        for (int i = 0; i < 5; ++i) {
            const std::string path = "/v1/models/plant/rows?seq=" + std::to_string(i + 1);
            EXPECT_EQ(ask("POST", path, some_rows(10, 10 * i), kCsv).status, 200);
        }
        const std::string coefficients = ask("GET", "/v1/models/plant/coefficients").body;
        EXPECT_EQ(server_->end(signal), signal == SIGTERM ? 0 : 128 + SIGKILL);
        start({"--state", state});
        while (ask("GET", "/v1/models/plant").status == 503) {
            std::this_thread::sleep_for(5ms);
        }
        EXPECT_TRUE(has(ask("GET", "/v1/models/plant").body, "\"rows\":50,"));
        EXPECT_EQ(ask("GET", "/v1/models/plant/coefficients").body, coefficients);
        const HttpAnswer again = ask("POST", "/v1/models/plant/rows?seq=5", some_rows(10, 40), kCsv);
        EXPECT_TRUE(has(again.body, "\"repeated\":true")) << again.body;
        EXPECT_TRUE(has(ask("GET", "/v1/models/plant").body, "\"rows\":50,"));
    }
}

TEST_F(Serve, ClientsThatListenGetUpdatesAndOneThatDoesNotReadIsCut) {
    start({"--write-time", "1"});
    ASSERT_EQ(ask("PUT", "/v1/models/plant", R"({"targets":["y"],"options":{"names":"all"}})").status, 201);
    HttpConnection stalled(server_->port(), 4096);
    HttpConnection reader(server_->port());
    for (HttpConnection* one : {&stalled, &reader}) {
        one->send(HttpConnection::request("GET", "/v1/models/plant/events"));
    }
    // Wide rows make long updates: the one who does not read has soon as much as the kernel keeps for it.
    std::string header;
    std::string values;
    for (int j = 0; j < 400; ++j) {
        header += "a_column_with_a_long_name_" + std::to_string(j) + ",";
        values += std::to_string(j % 7) + ",";
    }
    HttpConnection poster(server_->port());
    bool cut = false;
    for (int i = 0; i < 400 && !cut; ++i) {
        std::string rows = header + "y\n";
        for (int k = 0; k < 20; ++k) {
            rows += values + std::to_string(((i * 20) + k) % 13) + "\n";
        }
        ASSERT_EQ(poster.ask("POST", "/v1/models/plant/rows", rows, kCsv).status, 200);
        while (reader.receive(0.0)) {
        }
        cut = i % 10 == 9 && has(ask("GET", "/metrics").body, "sluice_event_clients_cut_total 1\n");
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(cut);
    EXPECT_FALSE(reader.ended());
    EXPECT_TRUE(has(reader.received(), "event: state\n"));
    EXPECT_TRUE(has(reader.received(), "event: update\n"));
    EXPECT_TRUE(has(reader.received(), "\"history\":{"));
    EXPECT_EQ(ask("DELETE", "/v1/models/plant").status, 204);
    EXPECT_TRUE(reader.closed_within(5.0));
    EXPECT_TRUE(has(reader.received(), "event: end\n"));
    works();
}

TEST_F(Serve, ANameThatLooksLikeHtmlIsData) {
    start();
    ASSERT_EQ(ask("PUT", "/v1/models/plant", kPlant).status, 201);
    const std::string name = "<img src=x onerror=alert(1)>";
    EXPECT_EQ(
        ask("POST", "/v1/models/plant/rows", "{\"" + name + "\":1,\"y\":2}\n", "Content-Type: application/x-ndjson\r\n")
            .status,
        200);
    const HttpAnswer state = ask("GET", "/v1/models/plant/history");
    EXPECT_EQ(state.headers.at("content-type"), "application/json");
}

TEST_F(Serve, SeveralRequestsMayShareAConnectionAndHeadHasNoBody) {
    start();
    HttpConnection connection(server_->port());
    connection.send(HttpConnection::request("GET", "/healthz") + HttpConnection::request("HEAD", "/healthz") +
                    HttpConnection::request("GET", "/nothing") + HttpConnection::request("GET", "/v1/models"));
    EXPECT_EQ(connection.answer().status, 200);
    std::size_t head = 0;
    while ((head = connection.received().find("\r\n\r\n")) == std::string::npos) {
        ASSERT_TRUE(connection.receive());
    }
    EXPECT_TRUE(has(connection.received().substr(0, head), "Content-Length: "));
    connection.received().erase(0, head + 4);
    EXPECT_EQ(connection.answer().status, 404);
    EXPECT_EQ(connection.answer().status, 200);
    HttpConnection asks_first(server_->port());
    const std::string spec = kPlant;
    asks_first.send(
        "PUT /v1/models/plant HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: "
        "100-continue\r\nContent-Length: " +
        std::to_string(spec.size()) + "\r\n\r\n");
    ASSERT_TRUE(asks_first.receive());
    EXPECT_TRUE(asks_first.received().starts_with("HTTP/1.1 100")) << asks_first.received();
    asks_first.send(spec);
    EXPECT_EQ(asks_first.answer().status, 201);
}

TEST_F(Serve, TheBuiltInStreamPlays) {
    start({"--play", "switching", "--rate", "2000"});
    bool many = false;
    for (int i = 0; i < 100 && !many; ++i) {
        std::this_thread::sleep_for(50ms);
        const std::string body = ask("GET", "/v1/models").body;
        const std::size_t at = body.find("\"rows\":");
        many = at != std::string::npos && std::atoi(body.c_str() + at + 7) > 500;
    }
    EXPECT_TRUE(many);
}

}  // namespace
}  // namespace sluice::test
