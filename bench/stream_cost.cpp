// Question   What does `sluice stream` cost beyond reading the rows and learning from them?
// Ours       the whole job: reading, learning, scoring, one NDJSON record per row, and none
// Peers      open_rows() alone over the same file, and StreamModel::learn alone over the same rows in memory
// Data       60 columns: the paper's switching stream, default options
// Reports    medians over five rounds in which all take turns; times: the job over the sum of the other two
//
//     ninja -C build/release stream_cost_bench && build/release/bench/stream_cost_bench
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "disk.hpp"
#include "row_reader.hpp"
#include "sluice/model.hpp"
#include "sluice/simulate.hpp"
#include "stream_job.hpp"

namespace {

constexpr std::size_t kRows = 30'000;
constexpr std::size_t kRounds = 5;

double seconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> times) {
    std::ranges::sort(times);
    return times[times.size() / 2];
}

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() / ("sluice-bench-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    const std::string input = (folder / "in.csv").string();
    std::vector<double> x;
    std::vector<double> y;
    {
        sluice::PaperStream stream(sluice::PaperStream::Kind::switching, 1);
        std::ofstream file(input);
        file.precision(17);
        for (std::size_t i = 1; i <= sluice::PaperStream::inputs; ++i) {
            file << 'x' << i << ',';
        }
        file << "y\n";
        for (std::size_t row = 0; row < kRows; ++row) {
            const auto now = stream.next();
            for (const double value : now.x) {
                file << value << ',';
            }
            file << now.y << '\n';
            x.insert(x.end(), now.x.begin(), now.x.end());
            y.push_back(now.y);
        }
    }
    const auto read = [&] {
        auto reader = sluice::io::open_rows(sluice::io::open_source(input), {});
        std::vector<std::size_t> wanted(reader->columns().size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = i;
        }
        reader->want(wanted, {});
        sluice::io::Row row;
        while (reader->next(row)) {
        }
    };
    const auto learn = [&] {
        sluice::StreamModel model(sluice::PaperStream::inputs, 1);
        model.learn_many({x, sluice::PaperStream::inputs}, {y, 1});
    };
    const auto stream = [&](const std::string& out) {
        sluice::job::StreamSettings settings;
        settings.input = input;
        settings.roles.targets = {"y"};
        settings.options.tuning = sluice::Tuning::off();  // as the model alone
        settings.out = out;
        sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, [](const sluice::job::Message&) {});
        (void)job.run();
    };
    std::vector<double> reading;
    std::vector<double> learning;
    std::vector<double> without;
    std::vector<double> with;
    for (std::size_t round = 0; round < kRounds; ++round) {
        reading.push_back(seconds(read));
        learning.push_back(seconds(learn));
        without.push_back(seconds([&] { stream(""); }));
        with.push_back(seconds([&] { stream((folder / "out.ndjson").string()); }));
    }
    std::filesystem::remove_all(folder);
    const double both = median(reading) + median(learning);
    const auto tell = [&](const char* what, double time) {
        std::printf("%-28s %8.2f us a row %8.2f times\n", what, 1e6 * time / kRows, time / both);
    };
    tell("reading", median(reading));
    tell("learning", median(learning));
    tell("stream, no records", median(without));
    tell("stream, a record per row", median(with));
    return 0;
}
