#include "api.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>

#include "model_file.hpp"
#include "rows.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace sluice::serve {
namespace {

using test::ask;
using test::has;

bool is_json(const std::string& text) {
    simdjson::dom::parser parser;
    simdjson::dom::element whole;
    return parser.parse(text).get(whole) == simdjson::SUCCESS;
}

class ApiTest : public ::testing::Test {
  protected:
    ServerCounts counts_;
    Registry registry_{{}, io::real_disk()};
    Api api_{registry_, counts_, "<p>the page"};
    test::RowSource source_;

    void make(const std::string& name = "plant") {
        ASSERT_EQ(ask(api_, "PUT", "/v1/models/" + name, test::kSpec).status, 201);
    }
    Response rows(const std::string& text, const std::string& type = "text/csv", const std::string& query = "") {
        return ask(api_, "POST", "/v1/models/plant/rows" + query, text, type);
    }
};

TEST_F(ApiTest, CreatesListsAndDeletesModels) {
    EXPECT_EQ(ask(api_, "GET", "/v1/models").body, "{\"models\":[]}\n");
    make("b");
    make("a");
    EXPECT_EQ(ask(api_, "PUT", "/v1/models/a", test::kSpec).status, 200);
    EXPECT_EQ(ask(api_, "PUT", "/v1/models/a", R"({"targets":["z"]})").status, 409);
    EXPECT_EQ(ask(api_, "POST", "/v1/models", R"({"name":"c","targets":["y"]})").status, 201);
    const std::string list = ask(api_, "GET", "/v1/models").body;
    EXPECT_LT(list.find("\"a\""), list.find("\"b\""));
    EXPECT_EQ(ask(api_, "DELETE", "/v1/models/a").status, 204);
    EXPECT_EQ(ask(api_, "DELETE", "/v1/models/a").status, 404);
    EXPECT_EQ(ask(api_, "GET", "/v1/models/a").status, 404);
    EXPECT_EQ(ask(api_, "GET", "/v1/models/b").status, 200);
}

TEST_F(ApiTest, AnswersRowsWithWhatWasPredictedBeforeTheyWereLearnt) {
    make();
    for (const char* type : {"text/csv", "text/csv; charset=utf-8", "TEXT/CSV"}) {
        EXPECT_EQ(rows(source_.csv(20), type).status, 200) << type;
    }
    EXPECT_EQ(rows(source_.ndjson(20), "application/x-ndjson").status, 200);
    const Response one = rows(R"({"t":"x","a":1,"b":1,"c":1,"y":1})", "application/json");
    EXPECT_TRUE(has(one.body, R"("first_row":81,"rows":1)")) << one.body;
    const Response two =
        rows("[\n {\"t\":\"x\",\"a\":1,\"b\":1,\"c\":1,\"y\":1},\n {\"t\":\"x\",\"a\":1,\"b\":1,\"c\":1}]",
             "application/json");
    EXPECT_TRUE(has(two.body, R"("first_row":82,"rows":2)")) << two.body;
    EXPECT_TRUE(is_json(two.body));
    EXPECT_TRUE(has(two.body, R"("time":"x")"));
}

TEST_F(ApiTest, AHistoryIsOfTheWholeStreamOrOfItsLatestRows) {
    make();
    ASSERT_EQ(rows(source_.csv(5000)).status, 200);
    const Response whole = ask(api_, "GET", "/v1/models/plant/history");
    EXPECT_TRUE(has(whole.body, "\"first_row\":1,\"last_row\":5000,\"rows_per_bin\":2,"));
    EXPECT_EQ(ask(api_, "GET", "/v1/models/plant/history?span=whole").body, whole.body);
    const Response latest = ask(api_, "GET", "/v1/models/plant/history?span=latest");
    EXPECT_TRUE(has(latest.body, "\"last_row\":5000,\"rows_per_bin\":1,"));
    EXPECT_TRUE(is_json(latest.body));
    for (const char* wrong : {"span=all", "span=", "span=latest&x=1", "x"}) {
        EXPECT_EQ(ask(api_, "GET", std::string("/v1/models/plant/history?") + wrong).status, 400) << wrong;
        EXPECT_EQ(ask(api_, "GET", std::string("/v1/models/plant/events?") + wrong).status, 400) << wrong;
    }
}

TEST_F(ApiTest, ShowsStateSelectedCoefficientsHistoryAndTheModelFile) {
    make();
    for (const char* view : {"coefficients", "history", "file"}) {
        EXPECT_EQ(ask(api_, "GET", std::string("/v1/models/plant/") + view).status, 409) << view;
    }
    ASSERT_EQ(rows(source_.csv(200)).status, 200);
    for (const char* view : {"", "/selected", "/coefficients", "/history"}) {
        const Response response = ask(api_, "GET", std::string("/v1/models/plant") + view);
        EXPECT_EQ(response.status, 200) << view;
        EXPECT_TRUE(is_json(response.body)) << view;
        EXPECT_TRUE(has(response.body, "\"rows\":")) << view;
    }
    EXPECT_TRUE(has(ask(api_, "GET", "/v1/models/plant").body, "\"rows\":200"));
    EXPECT_TRUE(has(ask(api_, "GET", "/v1/models/plant/selected").body, "{\"name\":\"a\""));
    const Response file = ask(api_, "GET", "/v1/models/plant/file");
    EXPECT_EQ(file.content_type, "application/octet-stream");
    const job::ModelFile model = job::unpack(std::as_bytes(std::span(file.body)));
    EXPECT_EQ(model.tally->rows(), 200U);
    EXPECT_EQ(model.roles.targets, std::vector<std::string>{"y"});
}

TEST_F(ApiTest, RefusesWithTheSentenceOfTheCore) {
    make();
    ASSERT_EQ(rows(source_.csv(5)).status, 200);
    const struct {
        const char* body;
        const char* type;
        const char* query;
        int status;
        const char* sentence;
    } wrong[] = {
        {"t,a,b,c,y\nd,1,x,3,4\n", "text/csv", "", 400, "line 2 (byte 10), column b, value \\\"x\\\": is not a number"},
        {"t,a,b,c,y\nd,1,inf,3,4\n", "text/csv", "", 400, "inf"},
        {"t,a,b,c,y\nd,1,1e999,3,4\n", "text/csv", "", 400, "column b"},
        {"t,a,b,c,y\nd,1\n", "text/csv", "", 400, "line 2"},
        {"t,a,b,c,y\n", "text/csv", "", 400, "no row"},
        {"{\"a\":1", "application/x-ndjson", "", 400, "line 1"},
        {"{\"a\":[1],\"b\":1,\"c\":1,\"y\":1,\"t\":1}", "application/x-ndjson", "", 400, "column a"},
        {"{\"a\":NaN}", "application/json", "", 400, "not JSON"},
        {"7", "application/json", "", 400, "object"},
        {"[[1]]", "application/json", "", 400, "object"},
        {"", "text/csv", "", 400, "none"},
        {"p,q\n1,2\n", "text/csv", "", 400, "the columns are not those that the model knows"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/plain", "", 415, "text/csv"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "", "", 415, "text/csv"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=0", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=-1", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=1x", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=1&seq=2", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=99999999999999999999", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?sequence=1", 400, "seq"},
        {"t,a,b,c,y\nd,1,2,3,4\n", "text/csv", "?seq=7", 409, "the next batch must be 1"},
    };
    for (const auto& one : wrong) {
        const Response response = rows(one.body, one.type, one.query);
        EXPECT_EQ(response.status, one.status) << one.body << response.body;
        EXPECT_TRUE(has(response.body, one.sentence)) << one.body << response.body;
        EXPECT_TRUE(is_json(response.body)) << response.body;
    }
    EXPECT_TRUE(has(ask(api_, "GET", "/v1/models/plant").body, "\"rows\":5"));
}

TEST_F(ApiTest, AWrongPathIs404AndAWrongMethod405WithThoseAllowed) {
    make();
    for (const char* path :
         {"/v1", "/v1/", "/v1/models/", "/v1/models/plant/", "/v1/models/plant/rows/1", "/x", "", "//", "http://evil/",
          "/v1/models/../../etc/passwd", "/v1/models/..%2f..%2fetc", "/v1/models/no", "/page/9.js", "*"}) {
        EXPECT_EQ(ask(api_, "GET", path).status, 404) << path;
    }
    const Response response = ask(api_, "PATCH", "/v1/models/plant");
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.headers.front(), (std::pair<std::string, std::string>("Allow", "GET, HEAD, PUT, DELETE")));
    for (const char* method : {"GET", "PUT", "DELETE", "OPTIONS", "TRACE", "WHATEVER", ""}) {
        EXPECT_EQ(ask(api_, method, "/v1/models/plant/rows").status, 405) << method;
    }
    EXPECT_EQ(ask(api_, "POST", "/v1/models/plant/history").status, 405);
    EXPECT_EQ(ask(api_, "GET", "/healthz?x").status, 400);
}

TEST_F(ApiTest, NamesThatAreNoFoldersAreRefused) {
    for (const char* name : {"..", ".", ".hidden", "a%2fb", "a.b", "-x"}) {
        const int status = ask(api_, "PUT", std::string("/v1/models/") + name, test::kSpec).status;
        EXPECT_EQ(status, 400) << name;
    }
    EXPECT_EQ(ask(api_, "POST", "/v1/models", R"({"name":"../x","targets":["y"]})").status, 400);
    EXPECT_EQ(ask(api_, "POST", "/v1/models", R"({"targets":["y"]})").status, 400);
    EXPECT_EQ(ask(api_, "PUT", "/v1/models/x", test::kSpec, "text/plain").status, 415);
}

TEST_F(ApiTest, NoMoreModelsThanAllowed) {
    Registry few({.state = {}, .most_models = 2, .limits = {}}, io::real_disk());
    Api api(few, counts_, "<p>");
    EXPECT_EQ(ask(api, "PUT", "/v1/models/a", test::kSpec).status, 201);
    EXPECT_EQ(ask(api, "PUT", "/v1/models/b", test::kSpec).status, 201);
    EXPECT_EQ(ask(api, "PUT", "/v1/models/c", test::kSpec).status, 409);
}

TEST_F(ApiTest, AFullQueueIsToldAndNothingOfItIsLearnt) {
    Registry busy({.state = {}, .most_models = 2, .limits = {.waiting = 2}}, io::real_disk());
    Api api(busy, counts_, "<p>");
    ASSERT_EQ(ask(api, "PUT", "/v1/models/plant", test::kSpec).status, 201);
    std::atomic<int> accepted{0};
    std::atomic<int> refused{0};
    constexpr int kRequests = 300;
    const std::string text = source_.csv(50);
    for (int i = 0; i < kRequests; ++i) {
        api.handle({.head = {.method = "POST",
                             .target = "/v1/models/plant/rows",
                             .host = {},
                             .origin = {},
                             .fetch_site = {},
                             .authorization = {},
                             .content_type = "text/csv",
                             .peer = {}},
                    .body = text},
                   [&](const Response& response) { ++(response.status == 200 ? accepted : refused); });
    }
    while (accepted + refused < kRequests) {
        std::this_thread::yield();
    }
    EXPECT_GT(refused, 0);
    EXPECT_TRUE(has(ask(api, "GET", "/v1/models/plant").body, fmt::format("\"rows\":{},", 50 * accepted)));
}

TEST_F(ApiTest, MetricsHaveNoLabelForAVariable) {
    make();
    ASSERT_EQ(rows(source_.csv(100)).status, 200);
    const std::string text = ask(api_, "GET", "/metrics").body;
    EXPECT_TRUE(has(text, "sluice_rows_total{model=\"plant\"} 100\n")) << text;
    EXPECT_TRUE(has(text, "sluice_scored_rows_total{model=\"plant\",target=\"y\"} 99\n")) << text;
    EXPECT_TRUE(has(text, "sluice_rows_request_seconds_bucket{model=\"plant\",le=\"+Inf\"} 1\n")) << text;
    EXPECT_FALSE(has(text, "\"a\""));
    EXPECT_EQ(text.find("# HELP sluice_rows_total"), text.rfind("# HELP sluice_rows_total"));
}

TEST_F(ApiTest, TheDescriptionIsJsonAndNamesEveryOption) {
    const std::string text = ask(api_, "GET", "/v1/openapi.json").body;
    EXPECT_TRUE(is_json(text));
    EXPECT_FALSE(has(text, "@"));
    for (const AdaptiveField& field : adaptive_fields()) {
        EXPECT_TRUE(has(text, fmt::format("\"{}\":", field.name))) << field.name;
    }
}

TEST_F(ApiTest, ModelsOfAStateFolderAreThereAgain) {
    const test::Scratch scratch;
    const Registry::Settings settings{.state = scratch.path("state"), .most_models = 8, .limits = {}};
    {
        Registry registry(settings, io::real_disk());
        Api api(registry, counts_, "<p>");
        ASSERT_EQ(ask(api, "PUT", "/v1/models/plant", test::kSpec).status, 201);
        ASSERT_EQ(ask(api, "PUT", "/v1/models/gone", test::kSpec).status, 201);
        ASSERT_EQ(ask(api, "POST", "/v1/models/plant/rows", source_.csv(30), "text/csv").status, 200);
        ASSERT_EQ(ask(api, "DELETE", "/v1/models/gone").status, 204);
        EXPECT_THROW(Registry(settings, io::real_disk()), job::UsageError);  // one process at a time
    }
    std::filesystem::create_directories(scratch.path("state/models/.new-half"));
    Registry registry(settings, io::real_disk());
    Api api(registry, counts_, "<p>");
    while (ask(api, "GET", "/v1/models/plant").status == 503) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(has(ask(api, "GET", "/v1/models/plant").body, "\"rows\":30"));
    EXPECT_EQ(ask(api, "GET", "/v1/models/gone").status, 404);
    EXPECT_FALSE(std::filesystem::exists(scratch.path("state/models/.new-half")));
    EXPECT_EQ(std::filesystem::status(scratch.path("state")).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(ApiTest, ADamagedModelIsToldAndOthersWork) {
    const test::Scratch scratch;
    const Registry::Settings settings{.state = scratch.path("state"), .most_models = 8, .limits = {}};
    {
        Registry registry(settings, io::real_disk());
        Api api(registry, counts_, "<p>");
        for (const char* name : {"good", "bad"}) {
            ASSERT_EQ(ask(api, "PUT", std::string("/v1/models/") + name, test::kSpec).status, 201);
            ASSERT_EQ(ask(api, "POST", fmt::format("/v1/models/{}/rows", name), source_.csv(30), "text/csv").status,
                      200);
        }
    }
    test::write_file(scratch.path("state/models/bad/model"), "SLUICEMF and then nothing");
    Registry registry(settings, io::real_disk());
    Api api(registry, counts_, "<p>");
    EXPECT_EQ(ask(api, "POST", "/v1/models/bad/rows", source_.csv(1), "text/csv").status, 503);
    EXPECT_EQ(ask(api, "GET", "/v1/models/bad").status, 503);
    EXPECT_EQ(ask(api, "POST", "/v1/models/good/rows", source_.csv(1), "text/csv").status, 200);
    EXPECT_TRUE(has(ask(api, "GET", "/healthz").body, "\"status\":\"degraded\""));
}

}  // namespace
}  // namespace sluice::serve
