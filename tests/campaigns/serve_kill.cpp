// Kills the server with SIGKILL at random moments while clients send batches, starts it again on the same folder, and lets the
// clients go on with the batches that were not acknowledged. At the end every model must be the same, byte for byte, as that
// of a server that was never stopped: nothing acknowledged is lost, nothing is learnt twice.
//
//     serve_kill SLUICE KILLS [SEED]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/http_client.hpp"
#include "support/scratch.hpp"

namespace {

using sluice::test::HttpAnswer;
using sluice::test::HttpConnection;
using sluice::test::ServerProcess;
using namespace std::chrono_literals;

struct Client {
    std::string model;
    std::string spec;
    int rows_per_batch;
    std::uint64_t seed;

    [[nodiscard]] std::string batch(std::uint64_t seq) const {
        std::mt19937_64 random((seed * 1'000'003) + seq);
        const auto number = [&] { return static_cast<double>(random() % 20001) / 10000.0 - 1.0; };
        std::string out;
        for (int i = 0; i < rows_per_batch; ++i) {
            double y = 0.0;
            out += "{";
            for (int j = 0; j < 12; ++j) {
                const double x = number();
                y += j < 3 ? x * static_cast<double>(j + 1) : 0.0;
                out += "\"x" + std::to_string(j) + "\":" + std::to_string(x) + ",";
            }
            out += "\"y\":" + std::to_string(y + (0.1 * number())) + "}\n";
        }
        return out;
    }
};

constexpr const char* kRows = "Content-Type: application/x-ndjson\r\n";

std::vector<std::string> words(const std::string& tool, const std::string& state) {
    return {tool, "serve", "--port", "0", "--state", state, "--quiet", "--checkpoint-time", "0.1"};
}

bool create(std::uint16_t port, const std::vector<Client>& clients) {
    for (const Client& client : clients) {
        const HttpAnswer answer = HttpConnection(port).ask("PUT", "/v1/models/" + client.model, client.spec);
        if (answer.status != 201 && answer.status != 200) {
            return false;
        }
    }
    return true;
}

std::string model_file(std::uint16_t port, const std::string& model) {
    for (;;) {
        const HttpAnswer answer = HttpConnection(port).ask("GET", "/v1/models/" + model + "/file");
        if (answer.status != 503) {
            return answer.body;
        }
        std::this_thread::sleep_for(5ms);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: serve_kill SLUICE KILLS [SEED]\n");
        return 2;
    }
    const std::string tool = argv[1];
    const int kills = std::atoi(argv[2]);
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    const sluice::test::Scratch scratch;
    const std::vector<Client> clients = {
        {"tuned", R"({"targets":["y"],"interval":0.9})", 3, 1},
        {"plain", R"({"targets":["y"],"paper":true,"options":{"keep":3},"lags":"0:2"})", 20, 2},
        {"ahead", R"({"targets":["y"],"horizon":2,"target_lags":"1:2"})", 1, 3}};

    std::atomic<std::uint16_t> port{0};
    std::atomic<bool> ending{false};
    std::atomic<int> unexpected{0};
    std::atomic<std::uint64_t> repeated{0};
    std::vector<std::uint64_t> acknowledged(clients.size(), 0);
    auto server = std::make_unique<ServerProcess>(words(tool, scratch.path("killed")));
    port = server->port();
    if (port == 0 || !create(port, clients)) {
        std::fprintf(stderr, "the server does not start\n");
        return 1;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < clients.size(); ++i) {
        threads.emplace_back([&, i] {
            std::unique_ptr<HttpConnection> connection;
            while (!ending) {
                if (!connection) {
                    connection = std::make_unique<HttpConnection>(port.load());
                }
                const std::uint64_t seq = acknowledged[i] + 1;
                const HttpAnswer answer =
                    connection->ask("POST", "/v1/models/" + clients[i].model + "/rows?seq=" + std::to_string(seq),
                                    clients[i].batch(seq), kRows);
                if (answer.status == 200) {
                    acknowledged[i] = seq;
                    repeated += answer.body.find("\"repeated\":true") != std::string::npos ? 1 : 0;
                } else {
                    if (answer.status != 0 && answer.status != 503) {
                        std::fprintf(stderr, "%s: %d %s\n", clients[i].model.c_str(), answer.status,
                                     answer.body.c_str());
                        ++unexpected;
                    }
                    connection.reset();
                    std::this_thread::sleep_for(2ms);
                }
            }
        });
    }
    for (int i = 0; i < kills; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + (random() % 400)));
        server->end(SIGKILL);
        server = std::make_unique<ServerProcess>(words(tool, scratch.path("killed")));
        port = server->port();
        if (port == 0) {
            std::fprintf(stderr, "the server does not start again after %d kills\n", i + 1);
            std::_Exit(1);
        }
    }
    std::this_thread::sleep_for(200ms);
    ending = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::vector<std::string> files;
    for (const Client& client : clients) {
        files.push_back(model_file(port, client.model));
    }
    const int code = server->end(SIGTERM);

    int different = unexpected + (code == 0 ? 0 : 1);
    std::uint64_t batches = 0;
    ServerProcess whole(words(tool, scratch.path("whole")));
    if (!create(whole.port(), clients)) {
        return 1;
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
        HttpConnection connection(whole.port());
        for (std::uint64_t seq = 1; seq <= acknowledged[i]; ++seq) {
            if (connection
                    .ask("POST", "/v1/models/" + clients[i].model + "/rows?seq=" + std::to_string(seq),
                         clients[i].batch(seq), kRows)
                    .status != 200) {
                ++different;
            }
        }
        batches += acknowledged[i];
        if (model_file(whole.port(), clients[i].model) != files[i]) {
            std::fprintf(stderr, "%s: the model differs from one that was never stopped\n", clients[i].model.c_str());
            ++different;
        }
    }
    std::printf(
        "%d kills, %llu batches acknowledged, %llu of them had been stored before the answer was lost: %d "
        "differences\n",
        kills, static_cast<unsigned long long>(batches), static_cast<unsigned long long>(repeated.load()), different);
    return different == 0 && batches > static_cast<std::uint64_t>(kills) ? 0 : 1;
}
