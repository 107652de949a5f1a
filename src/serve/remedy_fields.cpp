#include "remedy_fields.hpp"

#include <vector>

#include "json_text.hpp"

namespace sluice::serve {

namespace {

// Empty for a remedy that a client of the service does not have.
std::string words(io::Remedy remedy, const std::string& column, const std::string& value) {
    switch (remedy) {
        case io::Remedy::correct_row:
            return "correct the row";
        case io::Remedy::skip_bad_rows:
            return "create the model with \"on_bad_row\": \"skip\"";
        case io::Remedy::mark_missing:
            return "create the model with \"missing\": [\"NA\", " + (value.empty() ? "..." : io::json(value)) +
                   "] if it stands for a missing value";
        case io::Remedy::use_decimal_comma:
            return "create the model with \"decimal\": \",\"";
        case io::Remedy::use_decimal_point:
            return "create the model with \"decimal\": \".\"";
        case io::Remedy::ignore_column:
            return "create the model with \"ignore\": [" + (column.empty() ? "..." : io::json(column)) + "]";
        case io::Remedy::ignore_new_columns:
            return "leave the new columns out, or create the model with them in \"ignore\"";
        case io::Remedy::name_time_column:
            return "create the model with \"time\": " + (column.empty() ? "\"...\"" : io::json(column));
        case io::Remedy::name_targets:
            return "create the model with \"targets\": [\"...\"]";
        case io::Remedy::use_target_lags:
            return "create the model with \"target_lags\": \"1:5\"";
        case io::Remedy::add_target_columns:
            return "send the columns of the targets too, with empty cells where a value is not known";
        case io::Remedy::no_target_lags:
            return "create the model without \"target_lags\"";
        case io::Remedy::choose_group_lasso:
            return "give the option \"penalty\": \"group_lasso\"";
        default:
            return {};
    }
}

}  // namespace

std::string remedy_text(const io::Remedies& remedies, const std::string& column, const std::string& value) {
    std::vector<std::string> texts;
    for (const io::Remedy remedy : remedies) {
        if (std::string text = words(remedy, column, value); !text.empty()) {
            texts.push_back(std::move(text));
        }
    }
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        out += i == 0 ? "" : i + 1 == texts.size() ? ", or " : ", ";
        out += texts[i];
    }
    return out;
}

}  // namespace sluice::serve
