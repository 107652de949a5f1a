// serve_load.cpp
// Question   How many rows per second does the service accept, and how late do those who listen learn of them?
// Ours       sluice-serve as a process of its own, on loopback: batches of 1000 rows, single rows on one connection, single
//            rows on eight; with and without a state folder
// Peer       sluice::AdaptiveModel in this process, on the same rows, already numbers
// Equal work The service's coefficients after the rows equal the model's to the last bit, or nothing is reported.
// Reports    rows per second; of 500 clients that listen, a tenth of which never reads: median and 99th percentile of the time
//            from the request with a row to the update that has it, memory of the server before and after
// Not asked  accuracy
//
//     serve_load SLUICE [STATE_FOLDER] [ROWS]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"
#include "support/http_client.hpp"

namespace {

using sluice::test::HttpAnswer;
using sluice::test::HttpConnection;
using sluice::test::ServerProcess;
using Clock = std::chrono::steady_clock;

constexpr const char* kRows = "Content-Type: application/x-ndjson\r\n";
constexpr const char* kSpec = R"({"targets":["y"]})";

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Rows {
    std::vector<sluice::PaperStream::Row> numbers;
    std::vector<std::string> lines;
};

// As the lines have them: what a text carries is what both learn.
Rows make_rows(std::size_t count) {
    Rows rows;
    sluice::PaperStream stream(sluice::PaperStream::Kind::switching, 1);
    for (std::size_t i = 0; i < count; ++i) {
        auto row = stream.next();
        std::string line = "{";
        const auto rounded = [](double& value) {
            const std::string text = fmt::format("{:.6g}", value);
            value = std::strtod(text.c_str(), nullptr);
            return text;
        };
        for (std::size_t j = 0; j < row.x.size(); ++j) {
            line += fmt::format("\"x{}\":{},", j + 1, rounded(row.x[j]));
        }
        line += fmt::format("\"y\":{}}}\n", rounded(row.y));
        rows.numbers.push_back(row);
        rows.lines.push_back(std::move(line));
    }
    return rows;
}

std::string joined(const Rows& rows, std::size_t from, std::size_t to) {
    std::string out;
    for (std::size_t i = from; i < std::min(to, rows.lines.size()); ++i) {
        out += rows.lines[i];
    }
    return out;
}

[[noreturn]] void fail(const std::string& why) {
    fmt::print(stderr, "serve_load: {}\n", why);
    std::_Exit(1);
}

void create(std::uint16_t port, const std::string& name) {
    if (HttpConnection(port).ask("PUT", "/v1/models/" + name, kSpec).status != 201) {
        fail("the model could not be created");
    }
}

void post(HttpConnection& connection, const std::string& name, const std::string& rows) {
    const HttpAnswer answer = connection.ask("POST", "/v1/models/" + name + "/rows", rows, kRows);
    if (answer.status != 200) {
        fail(fmt::format("rows were refused: {} {}", answer.status, answer.body));
    }
}

double memory_of(pid_t process) {
    std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", process).c_str(), "r");
    long pages = 0;
    long resident = 0;
    if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) {
        fail("no memory of the process");
    }
    std::fclose(file);
    return static_cast<double>(resident) * 4096e-6;
}

std::vector<std::string> words(const std::string& tool, const std::string& state) {
    std::vector<std::string> out = {tool, "serve", "--port", "0", "--quiet", "--max-rate", "1e9"};
    if (!state.empty()) {
        out.insert(out.end(), {"--state", state});
    }
    return out;
}

// The coefficient of x1 and so on, as the service writes them.
void check_equal(std::uint16_t port, const std::string& name, const sluice::AdaptiveModel& model) {
    const std::string body = HttpConnection(port).ask("GET", "/v1/models/" + name + "/coefficients").body;
    const auto coefficients = model.coefficients();
    for (std::size_t i = 0; i < model.inputs(); ++i) {
        if (coefficients(i, 0) != 0.0 &&
            body.find(fmt::format("\"x{}\":{}", i + 1, coefficients(i, 0))) == std::string::npos) {
            fail(fmt::format("the service has learnt something else: x{} is not {}", i + 1, coefficients(i, 0)));
        }
    }
}

void measure_rows(const std::string& tool, const std::string& state, const Rows& rows) {
    const std::size_t count = rows.lines.size();
    sluice::AdaptiveModel model(sluice::PaperStream::inputs, 1);
    auto begin = Clock::now();
    for (const auto& row : rows.numbers) {
        model.learn(row.x, {&row.y, 1});
    }
    const double plain = static_cast<double>(count) / seconds_since(begin);
    fmt::print("{:<44} {:>10.0f} rows/s\n", "the library, in one process", plain);
    const std::string kept = state.empty() ? "no state folder" : "durable";
    ServerProcess server(words(tool, state));
    const auto report = [&](const std::string& what, std::size_t done, double seconds) {
        const double rate = static_cast<double>(done) / seconds;
        fmt::print("{:<44} {:>10.0f} rows/s   {:.2f} of the library\n", fmt::format("{}, {}", what, kept), rate,
                   rate / plain);
    };
    {
        create(server.port(), "batches");
        std::vector<std::string> batches;
        for (std::size_t i = 0; i < count; i += 1000) {
            batches.push_back(joined(rows, i, i + 1000));
        }
        HttpConnection connection(server.port());
        begin = Clock::now();
        for (const std::string& batch : batches) {
            post(connection, "batches", batch);
        }
        report("batches of 1000", count, seconds_since(begin));
        check_equal(server.port(), "batches", model);
    }
    {
        create(server.port(), "singly");
        HttpConnection connection(server.port());
        const std::size_t some = std::min<std::size_t>(count, 5000);
        begin = Clock::now();
        for (std::size_t i = 0; i < some; ++i) {
            post(connection, "singly", rows.lines[i]);
        }
        report("single rows, one connection", some, seconds_since(begin));
    }
    {
        create(server.port(), "eight");
        const std::size_t some = std::min<std::size_t>(count, 10000);
        std::atomic<std::size_t> next{0};
        std::vector<std::thread> threads;
        begin = Clock::now();
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                HttpConnection connection(server.port());
                for (std::size_t i = next++; i < some; i = next++) {
                    post(connection, "eight", rows.lines[i]);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        report("single rows, eight connections", some, seconds_since(begin));
    }
    (void)server.end();
}

// 500 clients, 50 of which never read; a batch of 10 rows every 100 ms for 20 s.
void measure_events(const std::string& tool, const Rows& rows) {
    constexpr std::size_t kClients = 500;
    constexpr std::size_t kStalled = 50;
    constexpr std::size_t kUpdates = 200;
    ServerProcess server(words(tool, ""));
    create(server.port(), "watched");
    HttpConnection poster(server.port());
    post(poster, "watched", joined(rows, 0, 1000));
    const double before = memory_of(server.process());
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(server.port(), i < kStalled ? 4096 : 0));
        if (!clients.back()->send(HttpConnection::request("GET", "/v1/models/watched/events?span=latest"))) {
            fail("a client could not listen");
        }
    }
    std::vector<std::atomic<Clock::rep>> sent(2000);  // by update, when its rows were sent
    std::atomic<std::uint64_t> rows_sent{1000};
    std::atomic<bool> ended{false};
    std::thread sender([&] {
        for (std::size_t u = 0; u < kUpdates; ++u) {
            const auto next = Clock::now() + std::chrono::milliseconds(100);
            sent[u] = Clock::now().time_since_epoch().count();
            post(poster, "watched", joined(rows, 1000 + (10 * u), 1010 + (10 * u)));
            rows_sent += 10;
            std::this_thread::sleep_until(next);
        }
        ended = true;
    });
    std::vector<double> delays;
    std::vector<pollfd> waits;
    for (std::size_t i = kStalled; i < kClients; ++i) {
        waits.push_back({.fd = clients[i]->socket(), .events = POLLIN, .revents = 0});
    }
    double most_memory = 0.0;
    const auto end_of = [&] { return Clock::now(); };
    auto last = end_of();
    while (!ended || seconds_since(last) < 1.0) {
        if (::poll(waits.data(), waits.size(), 100) <= 0) {
            continue;
        }
        for (std::size_t i = 0; i < waits.size(); ++i) {
            if ((waits[i].revents & POLLIN) == 0) {
                continue;
            }
            HttpConnection& client = *clients[kStalled + i];
            if (!client.receive(0.0)) {
                fail("a client that reads was cut");
            }
            const auto now = Clock::now().time_since_epoch();
            std::string& text = client.received();
            for (std::size_t at = text.find("event: update\nid: "); at != std::string::npos;
                 at = text.find("event: update\nid: ", at + 1)) {
                const std::uint64_t row = std::strtoull(text.c_str() + at + 18, nullptr, 10);
                if (row > 1000 && (row - 1000) % 10 == 0) {
                    const std::size_t update = ((row - 1000) / 10) - 1;
                    delays.push_back(1e-6 * static_cast<double>(now.count() - sent[update].load()));
                }
            }
            const std::size_t keep = text.rfind("\n\n");
            text.erase(0, keep == std::string::npos ? 0 : keep + 2);
        }
        last = ended ? last : Clock::now();
        most_memory = std::max(most_memory, memory_of(server.process()));
    }
    sender.join();
    std::ranges::sort(delays);
    const std::string metrics = HttpConnection(server.port()).ask("GET", "/metrics").body;
    const std::string cut = "\nsluice_event_clients_cut_total ";
    fmt::print(
        "{} clients, {} of them never read: {} updates taken of {}; median {:.1f} ms, 99th percentile {:.1f} ms, "
        "longest {:.1f} ms\n",
        kClients, kStalled, delays.size(), kUpdates * (kClients - kStalled), delays[delays.size() / 2],
        delays[delays.size() * 99 / 100], delays.back());
    fmt::print("memory of the server: {:.1f} MB before, at most {:.1f} MB; clients cut: {}\n", before, most_memory,
               std::atoi(metrics.c_str() + metrics.find(cut) + cut.size()));
    (void)server.end();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: serve_load SLUICE [STATE_FOLDER] [ROWS]\n");
        return 2;
    }
    const std::string tool = argv[1];
    const std::string state = argc > 2 ? argv[2] : "";
    const Rows rows = make_rows(argc > 3 ? static_cast<std::size_t>(std::atol(argv[3])) : 20000);
    measure_rows(tool, "", rows);
    if (!state.empty()) {
        measure_rows(tool, state, rows);
    }
    measure_events(tool, rows);
    return 0;
}
