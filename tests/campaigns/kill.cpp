// Kills `sluice stream` with SIGKILL at random moments while it writes checkpoints, resumes it, kills it again perhaps,
// and compares what it leaves with a run that was never stopped: records, rejects and model, byte for byte.
//
//     kill_campaign TOOL KILLS [SEED]
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using sluice::test::content;

pid_t start(const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char*> arguments;
        for (const std::string& word : words) {
            arguments.push_back(const_cast<char*>(word.c_str()));
        }
        arguments.push_back(nullptr);
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    return child;
}

int ended(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

struct Run {
    std::string tool;
    std::string input;
    std::string base;  // of the files that it writes
    std::vector<std::string> model;
    std::string every;

    [[nodiscard]] std::vector<std::string> words(bool resume) const {
        std::vector<std::string> words = {tool,           "stream",         input,
                                          "--targets",    "y1,y2",          "--quiet",
                                          "--out",        base + ".ndjson", "--on-bad-row",
                                          "skip",         "--rejects",      base + ".rejects",
                                          "--checkpoint", base + ".sluice", "--checkpoint-every",
                                          every};
        words.insert(words.end(), model.begin(), model.end());
        if (resume) {
            words.emplace_back("--resume");
        }
        return words;
    }
    void clear() const {
        for (const char* end :
             {".ndjson", ".rejects", ".sluice", ".sluice.previous", ".sluice.new", ".sluice.previous.new"}) {
            std::filesystem::remove(base + end);
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: kill_campaign TOOL KILLS [SEED]\n");
        return 2;
    }
    const std::string tool = argv[1];
    const int wanted = std::atoi(argv[2]);
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    const sluice::test::Scratch scratch;

    const std::string input = scratch.path("in.csv");
    if (ended(start({tool, "simulate", "factors", "--inputs", "40", "--outputs", "2", "--rows", "600", "--drift",
                     "0.05", "--missing", "0.02", "--out", input})) != 0) {
        std::fprintf(stderr, "the stream could not be made\n");
        return 1;
    }
    std::string text = content(input);
    for (std::size_t at = text.find('\n', 9000); at != std::string::npos && at + 20000 < text.size();
         at = text.find('\n', at + 20000)) {
        text.insert(at + 1, "1,2,oops\n");
    }
    sluice::test::write_file(input, text);

    const std::vector<std::vector<std::string>> models = {
        {"--keep", "3"},
        {"--paper", "--keep", "5"},
        {"--keep", "2", "--lags", "0:4", "--engine", "columns", "--forgetting", "0.9"},
        {"--keep", "3", "--components", "2", "--deflation", "project", "--engine", "screened", "--forgetting", "0.9",
         "--horizon", "3"},
        {"--keep", "2", "--lags", "0:1", "--target-lags", "1:3", "--forgetting", "0.9"}};
    struct Whole {
        std::string records;
        std::string rejects;
        std::string model;
        double seconds;
    };
    std::vector<Whole> wholes;
    for (const auto& model : models) {
        const Run run{tool, input, scratch.path("whole"), model, "20"};
        run.clear();
        const auto begin = Clock::now();
        if (ended(start(run.words(false))) != 0) {
            std::fprintf(stderr, "the run never stopped failed\n");
            return 1;
        }
        wholes.push_back({content(run.base + ".ndjson"), content(run.base + ".rejects"), content(run.base + ".sluice"),
                          std::chrono::duration<double>(Clock::now() - begin).count()});
    }

    int killed = 0;
    int found_checkpoint = 0;
    int different = 0;
    int trials = 0;
    for (; killed < wanted && trials < 20 * wanted; ++trials) {  // some end before they are hit
        const std::size_t which = random() % models.size();
        const Run run{tool, input, scratch.path("part"), models[which], std::to_string(1 + (random() % 40))};
        run.clear();
        bool resume = false;
        for (;;) {
            const pid_t child = start(run.words(resume));
            if (random() % 4 != 0 || !resume) {  // the last of them runs to its end
                const double seconds = std::uniform_real_distribution<>(0.0, 1.1 * wholes[which].seconds)(random);
                std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                kill(child, SIGKILL);
            }
            const int status = ended(child);
            if (WIFEXITED(status)) {
                if (WEXITSTATUS(status) != 0) {
                    std::fprintf(stderr, "trial %d: exit code %d\n", trials, WEXITSTATUS(status));
                    ++different;
                }
                break;
            }
            ++killed;
            found_checkpoint += std::filesystem::exists(run.base + ".sluice") ? 1 : 0;
            resume = true;
        }
        if (content(run.base + ".ndjson") != wholes[which].records ||
            content(run.base + ".rejects") != wholes[which].rejects ||
            content(run.base + ".sluice") != wholes[which].model) {
            std::fprintf(stderr, "trial %d: the files differ\n", trials);
            ++different;
        }
    }
    std::printf("%d trials, %d kills, %d of them with a checkpoint to go on from: %d differences\n", trials, killed,
                found_checkpoint, different);
    if (killed < wanted || found_checkpoint == 0) {
        std::printf("too few kills hit a run at work\n");
        return 1;
    }
    return different == 0 ? 0 : 1;
}
