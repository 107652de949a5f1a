// step_text.cpp -- the cost of a row as a line of a table and as JSON.
#include "step_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "caches.hpp"
#include "sluice/version.hpp"

namespace sluice::bench {

namespace {

std::string processor() {
    std::string name = "unknown processor";
    if (std::FILE* file = std::fopen("/proc/cpuinfo", "r")) {
        std::array<char, 256> line{};
        while (std::fgets(line.data(), line.size(), file) != nullptr) {
            const std::string text(line.data());
            if (text.starts_with("model name")) {
                name = text.substr(text.find(':') + 2);
                name.pop_back();
                break;
            }
        }
        (void)std::fclose(file);
    }
    return name;
}

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

std::string times_json(const Times& times) {
    return fmt::format(R"({{"mean":{:.3f},"median":{:.3f},"p99":{:.3f},"p999":{:.3f},"max":{:.3f},"rows":{}}})",
                       times.mean, times.median, times.p99, times.p999, times.most, times.rows);
}

std::string deflation_name(const StepCase& what) {
    return what.options.deflation == Deflation::project ? "project" : "refit";
}

std::string data_name(const StepCase& what) {
    return what.data == Data::separated ? "separated" : "adverse";
}

// "C 8.0 MB L3, history 15 MB L3, M 40 kB L2": where each array is while the stream runs.
std::string placement(const StepCost& cost) {
    const Caches caches = Caches::of_this_machine();
    const auto one = [&](const char* name, std::size_t bytes) {
        return fmt::format("{} {} {}", name, size_text(bytes), caches.holding(bytes));
    };
    std::string text = one("C", cost.C_bytes);
    text += ", " + (cost.history_bytes > 0 ? one("history", cost.history_bytes) : std::string("no history"));
    return text + ", " + one("M", cost.M_bytes) + ", " + one("model", cost.bytes);
}

}  // namespace

std::string step_heading() {
    return fmt::format(
        "{}, {}, {}\n"
        "   inputs   q  R  keep  deflation  data       engine        mean   median      p99    p99.9      max    plain "
        " "
        "   ratio  p99 /   x floor  entered\n"
        "                                                           us a row                                     mean  "
        "of means  median             a row\n",
        processor(), Caches::of_this_machine().text(), compiler());
}

std::string as_line(const StepCase& what, const StepCost& cost, const std::string& verdict) {
    return fmt::format(
        "{:9} {:3} {:2} {:5}  {:9}  {:9}  {:9} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:>8} {:>9} {:7.1f} {:9.2f} "
        "{:8.2f}  {}\n{:10}{}; {} rows timed\n",
        what.inputs, what.outputs, what.options.components_for(what.inputs), what.options.keep_for(0, what.inputs),
        deflation_name(what), data_name(what), cost.engine, cost.ours.mean, cost.ours.median, cost.ours.p99,
        cost.ours.p999, cost.ours.most, cost.plain ? fmt::format("{:.0f}", cost.plain->mean) : "-",
        cost.plain ? fmt::format("{:.1f}", cost.ratio) : "-", cost.ours.tail(), cost.ours.mean / cost.floor_us,
        cost.entered_per_row, verdict, "", placement(cost), cost.ours.rows);
}

std::string as_json(const StepCase& what, const StepCost& cost) {
    const Caches caches = Caches::of_this_machine();
    return fmt::format(
        R"({{"inputs":{},"outputs":{},"components":{},"keep":{},"forgetting":{},"deflation":"{}","data":"{}","threads":{},)"
        R"("engine":"{}","sluice_us":{},"plain_us":{},"ratio":{},"ratio_of_medians":{},"p99_over_median":{:.3f},)"
        R"("floor_us":{:.3f},"times_floor":{:.3f},"max_difference":{:.3g},"compared_rows":{},"bytes":{},"C_bytes":{},)"
        R"("history_bytes":{},"M_bytes":{},"L2":{},"L3":{},"allocations_per_row":{:.4g},"entered_per_row":{:.3f},)"
        R"("unscreened_share":{:.4f},"read_gb_s":{:.2f},"update_gb_s":{:.2f},"processor":"{}","compiler":"{}","version":"{}"}})",
        what.inputs, what.outputs, what.options.components_for(what.inputs), what.options.keep_for(0, what.inputs),
        what.options.forgetting, deflation_name(what), data_name(what), what.options.threads, cost.engine,
        times_json(cost.ours), cost.plain ? times_json(*cost.plain) : "null",
        cost.plain ? fmt::format("{:.2f}", cost.ratio) : "null",
        cost.plain ? fmt::format("{:.2f}", cost.ratio_of_medians) : "null", cost.ours.tail(), cost.floor_us,
        cost.ours.mean / cost.floor_us, cost.max_difference, cost.compared_rows, cost.bytes, cost.C_bytes,
        cost.history_bytes, cost.M_bytes, caches.L2, caches.L3, cost.allocations_per_row, cost.entered_per_row,
        cost.unscreened_share, cost.read_gb_s, cost.update_gb_s, processor(), compiler(), SLUICE_VERSION);
}

}  // namespace sluice::bench
