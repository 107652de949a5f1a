// A month in minutes: `sluice stream --follow` on a file that grows and is rotated, by renaming and by copying and emptying,
// with bad rows and faults in it, torn lines, logs that are renamed with SIGHUP, and a tool that is killed again and again
// and resumed. At the end every row that was written must be in the records or in the rejects, exactly once, and the
// memory must not have grown.
//
//     soak TOOL SECONDS KILLS [SEED] [columns] [labels]
//
// With `columns`, a new file has sometimes one column less: the tool must take a column that vanished as missing.
// With `labels`, the label of a row comes three rows later: each must be learnt exactly once.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using sluice::test::content;
namespace fs = std::filesystem;

constexpr int kOldest = 9;  // files with a higher number are not found by the tool
constexpr int kInputs = 6;
constexpr std::uint64_t kLabelDelay = 3;  // rows

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string numbered(const std::string& path, int number) {
    return number == 0 ? path : path + "." + std::to_string(number);
}

// FILE.1 becomes FILE.2 and so on. The oldest goes to FILE.old.N, where the tool does not look for it.
void shift(const std::string& path, int& archived) {
    if (fs::exists(numbered(path, kOldest))) {
        fs::rename(numbered(path, kOldest), path + ".old." + std::to_string(archived++));
    }
    for (int number = kOldest - 1; number > 0; --number) {
        if (fs::exists(numbered(path, number))) {
            fs::rename(numbered(path, number), numbered(path, number + 1));
        }
    }
}

std::vector<std::string> oldest_first(const std::string& path, int archived) {
    std::vector<std::string> files;
    for (int number = 0; number < archived; ++number) {
        files.push_back(path + ".old." + std::to_string(number));
    }
    for (int number = kOldest; number >= 0; --number) {
        files.push_back(numbered(path, number));
    }
    return files;
}

// Writes the input and rotates it. Row n has n as its time; a bad row has one cell too many, "badn".
class Feeder {
  public:
    Feeder(std::string path, std::uint64_t seed, bool columns, bool labels)
        : path_(std::move(path)), random_(seed), columns_(columns), labels_(labels) {
        open_new();
    }

    void write_rows(std::size_t count) {
        std::string text = rest_;
        rest_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            text += row();
        }
        if (random_() % 8 == 0) {  // the line is torn: its rest comes later
            const std::size_t kept = 1 + (random_() % 10);
            rest_ = text.substr(text.size() - std::min(kept, text.size()));
            text.resize(text.size() - rest_.size());
        }
        file_ << text << std::flush;
    }

    void rotate() {
        file_ << rest_ << std::flush;
        rest_.clear();
        shift(path_, archived_);
        if (++rotations_ % 2 == 0) {
            fs::copy_file(path_, path_ + ".1");
            fs::resize_file(path_, 0);
            header();
        } else {
            fs::rename(path_, path_ + ".1");
            for (int i = 0; i < 3; ++i) {  // whoever writes learns of it later
                file_ << row();
            }
            file_.flush();
            open_new();
        }
    }

    [[nodiscard]] std::uint64_t rows() const { return written_; }
    [[nodiscard]] std::uint64_t bad_rows() const { return bad_; }
    [[nodiscard]] int rotations() const { return rotations_; }
    [[nodiscard]] bool is_bad(std::uint64_t row) const { return row % 97 == 13; }
    // Whether a label of this row comes later and is learnt.
    [[nodiscard]] bool has_late_label(std::uint64_t row) const {
        const std::uint64_t brings = row + kLabelDelay;
        return labels_ && brings <= written_ && !is_bad(row) && !is_bad(brings) && !lacks_output(brings);
    }

    void finish() {
        file_ << rest_ << std::flush;
        rest_.clear();
    }

  private:
    [[nodiscard]] static bool lacks_output(std::uint64_t row) { return row % 61 == 9; }

    void open_new() {
        file_ = std::ofstream(path_, std::ios::binary | std::ios::app);
        header();
    }

    void header() {
        inputs_ = columns_ && random_() % 3 == 0 ? kInputs - 1 : kInputs;
        std::string text = "n";
        for (int i = 1; i <= inputs_; ++i) {
            text.append(",x").append(std::to_string(i));
        }
        text += labels_ ? ",of,y\n" : ",y\n";
        const std::size_t torn = random_() % text.size();
        file_ << text.substr(0, torn) << std::flush;
        file_ << text.substr(torn) << std::flush;
    }

    std::string row() {
        const std::uint64_t n = ++written_;
        std::string text = std::to_string(n);
        double y = 0.1 * normal_(random_);
        for (int i = 1; i <= inputs_; ++i) {
            double x = normal_(random_);
            y += i <= 2 ? x : 0.0;
            x = n % 501 == 7 ? 1e4 * x : x;  // a spike
            text += ',';
            const bool fails = n > 2000 && n % 307 == 11 && i == 4;  // a sensor that says so: it counts as missing
            text += n % 53 == 5 && i == 3 ? std::string() : fails ? std::string("ERR") : std::to_string(x);
        }
        if (labels_) {
            text += ',';
            text += n > kLabelDelay ? std::to_string(n - kLabelDelay) : std::string("0");
        }
        if (is_bad(n)) {
            ++bad_;
            return text.append(",0,bad").append(std::to_string(n)).append("\n");
        }
        y = n % 701 == 3 ? 1e4 * y : y;  // a wrong label
        text += ',';
        text += lacks_output(n) ? std::string() : std::to_string(y);
        return text + (n % 211 == 0 ? "\n\n" : "\n");
    }

    std::string path_;
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
    bool columns_;
    bool labels_;
    std::ofstream file_;
    std::string rest_;
    int inputs_ = kInputs;
    int archived_ = 0;
    int rotations_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t bad_ = 0;
};

// The tool as a process.
class Tool {
  public:
    Tool(std::vector<std::string> words, std::string errors) : words_(std::move(words)), errors_(std::move(errors)) {}

    void start(const std::string& every) {
        child_ = fork();
        if (child_ == 0) {
            std::vector<std::string> words = words_;
            words.insert(words.end(), {"--checkpoint-every", every});
            std::vector<char*> arguments;
            for (std::string& word : words) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            const int errors = open(errors_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
            dup2(errors, STDOUT_FILENO);
            dup2(errors, STDERR_FILENO);
            execv(arguments[0], arguments.data());
            _exit(127);
        }
        started_ = Clock::now();
    }
    // False where it has ended by itself.
    [[nodiscard]] bool runs() {
        int status = 0;
        if (child_ > 0 && waitpid(child_, &status, WNOHANG) == child_) {
            std::fprintf(stderr, "the tool ended by itself, status %d:\n%s\n", status, content(errors_).c_str());
            child_ = -1;
        }
        return child_ > 0;
    }
    void send(int signal) const {
        if (child_ > 0) {
            kill(child_, signal);
        }
    }
    // False where it was asked to end and failed.
    [[nodiscard]] bool end(int signal) {
        kill(child_, signal);
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        const bool as_told = signal == SIGKILL ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 130;
        if (!as_told && !(signal == SIGTERM && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) {
            std::fprintf(stderr, "signal %d: status %d\n%s\n", signal, status, content(errors_).c_str());
            return false;
        }
        return true;
    }
    [[nodiscard]] double age() const { return seconds_since(started_); }
    [[nodiscard]] long resident_kilobytes() const {
        std::ifstream status("/proc/" + std::to_string(child_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) {
                return std::atol(line.c_str() + 6);
            }
        }
        return 0;
    }

  private:
    std::vector<std::string> words_;
    std::string errors_;
    pid_t child_ = -1;
    Clock::time_point started_;
};

struct Logs {
    std::string path;
    int archived = 0;

    void rotate() {
        shift(path, archived);
        if (fs::exists(path)) {
            fs::rename(path, path + ".1");
        }
    }
};

// The number after the first occurrence of `key` in the line; 0 where it does not occur.
std::uint64_t number_after(const std::string& line, const std::string& key) {
    const std::size_t at = line.find(key);
    return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at + key.size(), nullptr, 10);
}

// How many rows are not exactly once in the logs, or in another order.
std::uint64_t wrong_rows(const Feeder& feeder, const Logs& records, const Logs& rejects) {
    std::uint64_t wrong = 0;
    const auto report = [&](const char* what, std::uint64_t row, const std::string& file) {
        if (++wrong <= 20) {
            std::fprintf(stderr, "%s: row %llu, %s\n", what, static_cast<unsigned long long>(row), file.c_str());
        }
    };
    for (const bool bad : {false, true}) {
        const Logs& logs = bad ? rejects : records;
        std::uint64_t expected = 1;
        const auto to_next = [&] {
            while (expected <= feeder.rows() && feeder.is_bad(expected) != bad) {
                ++expected;
            }
        };
        std::uint64_t last_record = 0;
        std::uint64_t label = 1;
        const auto to_next_label = [&] {
            while (label <= feeder.rows() && !feeder.has_late_label(label)) {
                ++label;
            }
        };
        for (const std::string& file : oldest_first(logs.path, logs.archived)) {
            std::ifstream lines(file);
            for (std::string line; std::getline(lines, line);) {
                const std::uint64_t row = number_after(line, bad ? ",bad" : "\"time\":\"");
                if (bad && row == 0) {
                    if (!line.starts_with("line,")) {
                        report(line.c_str(), row, file);
                    }
                    continue;
                }
                if (line.find("\"label_of\":") != std::string::npos) {
                    to_next_label();
                    if (row != label++) {
                        report("another label than the next", row, file);
                    }
                    continue;
                }
                to_next();
                if (row < expected) {
                    report("twice", row, file);
                    continue;
                }
                for (; expected < row; ++expected, to_next()) {
                    report("not there", expected, file);
                }
                ++expected;
                if (!bad && number_after(line, "\"row\":") != ++last_record) {
                    report("counted otherwise", row, file);
                }
            }
        }
        if (to_next_label(); !bad && label <= feeder.rows()) {
            report("its label is not there at the end", label, logs.path);
        }
        for (to_next(); expected <= feeder.rows(); ++expected, to_next()) {
            report("not there at the end", expected, logs.path);
        }
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: soak TOOL SECONDS KILLS [SEED] [columns] [labels]\n");
        return 2;
    }
    const double seconds = std::atof(argv[2]);
    const int kills = std::atoi(argv[3]);
    std::mt19937_64 random(argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
    const sluice::test::Scratch scratch;
    const auto asked = [&](const std::string& word) { return std::find(argv + 4, argv + argc, word) != argv + argc; };
    Feeder feeder(scratch.path("in.csv"), random(), asked("columns"), asked("labels"));
    Logs records{.path = scratch.path("log.ndjson")};
    Logs rejects{.path = scratch.path("rejects.csv")};
    std::vector<std::string> words = {argv[1],
                                      "stream",
                                      scratch.path("in.csv"),
                                      "-t",
                                      "y",
                                      "--time",
                                      "n",
                                      "--follow",
                                      "--paper",
                                      "--components",
                                      "1",
                                      "--keep",
                                      "2",
                                      "--out",
                                      records.path,
                                      "--rejects",
                                      rejects.path,
                                      "--on-bad-row",
                                      "skip",
                                      "--checkpoint",
                                      scratch.path("model.sluice"),
                                      "--resume",
                                      "--quiet"};
    if (asked("labels")) {
        words.insert(words.end(), {"--label-time", "of"});
    }
    Tool tool(std::move(words), scratch.path("errors"));
    const auto chance = [&](double share) { return std::uniform_real_distribution<>(0.0, 1.0)(random) < share; };
    const auto between = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
    const auto every = [&] { return chance(0.5) ? std::to_string(1 + (random() % 500)) : std::string("0.3s"); };

    // The tool is killed during the first four fifths; during the last one its memory is measured.
    const double killing = 0.8 * seconds;
    const double between_kills = killing / std::max(kills, 1);
    const double between_rotations = std::clamp(seconds / 60.0, 1.0, 60.0);
    double next_rotation = between_rotations;
    double next_log_rotation = between_rotations;
    double next_hangup = -1.0;
    double next_kill = between_kills;
    long early_memory = 0;
    long late_memory = 0;
    int killed = 0;
    int ended = 0;
    const auto begin = Clock::now();
    tool.start(every());
    for (double now = 0.0; now < seconds; now = seconds_since(begin)) {
        if (!tool.runs()) {
            return 1;
        }
        feeder.write_rows(random() % 12);
        if (now > next_rotation) {
            feeder.rotate();
            next_rotation = now + (between_rotations * between(0.5, 1.5));
        }
        if (now > next_log_rotation && next_hangup < 0.0 && fs::exists(scratch.path("model.sluice"))) {
            records.rotate();
            rejects.rotate();
            next_hangup = now + (chance(0.5) ? 0.0 : between(0.0, 0.3));
        }
        if (next_hangup >= 0.0 && now >= next_hangup && tool.age() > 0.5) {  // before that it has no handler yet
            tool.send(SIGHUP);
            next_hangup = -1.0;
            next_log_rotation = now + (between_rotations * between(0.5, 1.5));
        }
        if (now > next_kill && now < killing) {
            const bool hard = chance(0.85);
            if (!tool.end(hard ? SIGKILL : SIGTERM)) {
                return 1;
            }
            ++(hard ? killed : ended);
            if (chance(0.3)) {
                feeder.write_rows(50);
                feeder.rotate();
            }
            tool.start(every());
            next_kill = now + (between_kills * between(0.5, 1.5));
        }
        if (now > killing) {
            const bool early = now < killing + (0.25 * (seconds - killing));
            long& most = early ? early_memory : late_memory;
            most = std::max(most, tool.resident_kilobytes());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    feeder.finish();
    const auto done = Clock::now();
    std::string last = "\"time\":\"" + std::to_string(feeder.rows());
    last += feeder.is_bad(feeder.rows()) ? "never" : "\"";
    while (seconds_since(done) < 20.0 && content(records.path).find(last) == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (!tool.runs() || !tool.end(SIGTERM)) {
        return 1;
    }
    const std::uint64_t wrong = wrong_rows(feeder, records, rejects);
    constexpr long kSlack = 4096;  // kB: buffers reach their size when a row of the usual length is late
    const bool flat = late_memory <= early_memory + kSlack;
    std::printf(
        "%.0f s: %llu rows, %llu of them bad, %d rotations, %d kills, %d ends: %llu rows wrong; memory %ld kB, "
        "later %ld kB\n",
        seconds_since(begin), static_cast<unsigned long long>(feeder.rows()),
        static_cast<unsigned long long>(feeder.bad_rows()), feeder.rotations(), killed, ended,
        static_cast<unsigned long long>(wrong), early_memory, late_memory);
    if (wrong > 0) {
        std::fprintf(stderr, "%s\n", content(scratch.path("errors")).c_str());
    }
    return wrong == 0 && flat && early_memory > 0 ? 0 : 1;
}
