#include "remedy_words.hpp"

#include <algorithm>
#include <cctype>

namespace sluice::cli {

namespace {

// A word as a shell takes it.
std::string quoted(const std::string& word) {
    const bool plain = std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ',' || c == '/';
    });
    return plain ? word : "'" + word + "'";
}

std::string words(io::Remedy remedy, const std::string& column, const std::string& value) {
    const std::string of_column = column.empty() ? "" : " " + quoted(column);
    switch (remedy) {
        case io::Remedy::correct_row:
            return "correct the row";
        case io::Remedy::skip_bad_rows:
            return "skip such rows with --on-bad-row skip";
        case io::Remedy::mark_missing:
            if (value.empty() || value.find_first_of(",'") != std::string::npos) {
                return "list it as a missing value with --missing";
            }
            return "use --missing " + quoted("NA," + value) + " if it stands for a missing value";
        case io::Remedy::use_decimal_comma:
            return "use --decimal , to read numbers with a decimal comma";
        case io::Remedy::use_decimal_point:
            return "use --decimal . to read numbers with a decimal point";
        case io::Remedy::skip_comments:
            return "use --comment '#' if lines that begin with # are comments";
        case io::Remedy::ignore_column:
            return "leave the column out with --ignore" + of_column;
        case io::Remedy::ignore_new_columns:
            return "leave the new columns out with --ignore";
        case io::Remedy::name_time_column:
            return "keep it as the time with --time" + of_column;
        case io::Remedy::name_date_column:
            return "name the column of the dates with --date NAME (--date none: there is none)";
        case io::Remedy::name_targets:
            return "give them with --targets NAME[,NAME...]";
        case io::Remedy::name_indices:
            return "give one with --index NAME[,NAME...]";
        case io::Remedy::give_as_prices:
            return "give the file with --prices";
        case io::Remedy::give_as_returns:
            return "give the file with --returns";
        case io::Remedy::name_checkpoint:
            return "name it with --checkpoint FILE";
        case io::Remedy::resume:
            return "to continue from it, use --resume";
        case io::Remedy::not_resume:
            return "leave it out, or start again without --resume";
        case io::Remedy::learn_every_row:
            return "add --from-here to learn every row of the input";
        case io::Remedy::read_from_start:
            return "--from-start to read it from its beginning as another series";
        case io::Remedy::new_outputs:
            return "start new files for the rows from here on with --new-out";
        case io::Remedy::use_target_lags:
            return "predict from the targets' own earlier values with --target-lags 1:5";
        case io::Remedy::add_target_columns:
            return "add the columns of the targets to the input, with empty cells where a value is not known";
        case io::Remedy::no_target_lags:
            return "learn a model without --target-lags";
        case io::Remedy::name_row_time:
            return "name the column of their time with --time COL";
        case io::Remedy::name_label_time:
            return "name the column of a label's time with --label-time COL, or the file of the labels with --labels "
                   "FILE";
        case io::Remedy::choose_group_lasso:
            return "add --penalty group_lasso";
    }
    return {};
}

}  // namespace

std::string remedy_sentence(const io::Remedies& remedies, const std::string& column, const std::string& value) {
    std::string out;
    for (std::size_t i = 0; i < remedies.size(); ++i) {
        out += i == 0 ? "" : i + 1 == remedies.size() ? ", or " : ", ";
        out += words(remedies[i], column, value);
    }
    if (out.empty()) {
        return out;
    }
    out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
    return ". " + out;
}

std::string usage_sentence(const job::UsageError& error) {
    std::vector<std::string> flags;
    for (std::string setting : error.settings()) {
        std::ranges::replace(setting, '_', '-');
        flags.push_back(setting == "input" ? "the input" : "--" + setting);
    }
    return job::UsageError::message(flags, error.reason());
}

}  // namespace sluice::cli
