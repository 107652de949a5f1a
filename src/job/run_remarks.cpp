#include "run_remarks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sluice/score.hpp"

namespace sluice::job {

namespace {

std::string rows_in_words(std::uint64_t rows) {
    return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

// Why nothing was learnt; empty where something was.
std::string nothing_learnt(const std::string& input, const Roles& roles, const Learner& learner, const Tally& tally) {
    const std::string name = input == "-" ? "standard input" : input;
    const std::uint64_t rows = tally.rows();
    const std::size_t horizon = learner.layout().horizon;
    if (rows == 0 && tally.skipped() == 0) {
        return fmt::format("{}: has a header and no rows", name);
    }
    if (rows == 0) {
        return tally.skipped() == 1 ? fmt::format("{}: its only row cannot be read", name)
                                    : fmt::format("{}: none of its {} rows can be read", name, tally.skipped());
    }
    if (tally.learned() > 0 || learner.model().rows_met() > rows) {  // or a program's model, which had learnt before
        return {};
    }
    if (rows <= horizon) {
        return fmt::format(
            "{}: has {}, and the horizon is {}: no prediction could be compared with what came, and nothing was learnt",
            name, rows_in_words(rows), rows_in_words(horizon));
    }
    return fmt::format("{}: there is no value of {} in {}: nothing was learnt", name,
                       fmt::format("{}", fmt::join(roles.targets, ", ")), rows_in_words(rows));
}

}  // namespace

RunRemarks remarks_on(const std::string& input, const Roles& roles, const Learner& learner, const Tally& tally) {
    RunRemarks out{.nothing_learnt = nothing_learnt(input, roles, learner, tally)};
    if (!out.nothing_learnt.empty()) {
        return out;
    }
    for (std::size_t j = 0; j < roles.targets.size(); ++j) {
        const Score& score = tally.scores()[j];
        const std::uint64_t observed = tally.comparison().observed()[j];
        if (observed == 0 && tally.compared_since() == 1) {
            out.remarks.push_back(
                fmt::format("{} has no value in {}: it was not learnt", roles.targets[j], rows_in_words(tally.rows())));
        } else if (score.count() > 1 && score.sums().spread == 0.0) {
            out.remarks.push_back(fmt::format("{} is {} in all {} that were scored: R2 is not defined",
                                              roles.targets[j], std::ldexp(score.sums().mean, score.sums().exponent),
                                              rows_in_words(score.count())));
        }
    }
    if (tally.rows() <= tally.warmup()) {
        out.remarks.push_back(fmt::format("no row was scored: the warm-up has {}, and the input has {}",
                                          rows_in_words(tally.warmup()), rows_in_words(tally.rows())));
    }
    return out;
}

}  // namespace sluice::job
