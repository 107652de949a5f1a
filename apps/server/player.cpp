#include "player.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>
#include <string>

#include "format_to.hpp"
#include "sluice/simulate.hpp"

namespace sluice::server {

namespace {

constexpr double kBatchesPerSecond = 20.0;

std::string line_of(const PaperStream::Row& row) {
    std::string out = "{";
    for (std::size_t j = 0; j < row.x.size(); ++j) {
        fmt::format_to(std::back_inserter(out), "\"x{}\":{:.6g},", j + 1, row.x[j]);
    }
    return out + fmt::format("\"y\":{:.6g}}}\n", row.y);
}

}  // namespace

Player::Player(serve::Registry& registry, double rows_per_second)
    : registry_(registry), rows_per_second_(rows_per_second) {
    (void)registry_.create(kModel, serve::parse_spec(R"({"targets":["y"],"interval":0.9})"));
    thread_ = std::thread([this] { play(); });
}

Player::~Player() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Player::play() {
    using Clock = std::chrono::steady_clock;
    PaperStream stream(PaperStream::Kind::switching, 1);
    const double batches = std::min(kBatchesPerSecond, rows_per_second_);
    const auto pause = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1.0 / batches));
    auto next = Clock::now();
    double owed = 0.0;
    std::unique_lock lock(mutex_);
    while (!ending_) {
        owed += rows_per_second_ / batches;
        std::string rows;
        for (; owed >= 1.0; owed -= 1.0) {
            rows += line_of(stream.next());
        }
        if (!rows.empty()) {
            try {
                registry_.find(kModel)->post_rows(
                    {.seq = 0, .format = serve::RowFormat::ndjson, .text = std::move(rows)},
                    [](const serve::Response&) {});
            } catch (const std::exception&) {
                return;  // somebody has deleted the model
            }
        }
        next = std::max(next + pause, Clock::now());
        wake_.wait_until(lock, next, [this] { return ending_; });
    }
}

}  // namespace sluice::server
