// remedy.hpp -- what the user can do about an error, as data. Whoever shows the error says it in its own words: the tool
// names its flags, a server its fields.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::io {

enum class Remedy : std::uint8_t {
    correct_row,         ///< edit the row that is reported
    skip_bad_rows,       ///< skip rows that cannot be read
    mark_missing,        ///< list the value among those that mean "missing"
    use_decimal_comma,   ///< read numbers with a decimal comma
    use_decimal_point,   ///< read numbers with a decimal point
    skip_comments,       ///< skip lines that begin with #
    ignore_column,       ///< leave out the column that is reported
    ignore_new_columns,  ///< leave out the columns that the model does not know
    name_time_column,    ///< say that the column is the time of the records
    name_date_column,    ///< say which column holds the dates, or that there is none
    name_targets,        ///< say which columns to predict
    name_indices,        ///< say which columns are indices
    give_as_prices,      ///< say that the file holds prices
    give_as_returns,     ///< say that the file holds returns
    name_checkpoint,     ///< say which file is the checkpoint
    resume,              ///< continue from the checkpoint
    not_resume,          ///< leave the setting out, or start again without the checkpoint
    read_from_start,     ///< read the input from its beginning as another series, with what was learnt
    new_outputs,         ///< start the outputs as new files
    learn_every_row,     ///< continue from the checkpoint and learn all rows of the input
    use_target_lags,     ///< predict from the targets' own earlier values
    add_target_columns,  ///< add the columns of the targets to the input; a cell may be empty
    no_target_lags,      ///< make a model that does not predict from its targets' earlier values
    name_row_time,       ///< say which column is the time of the rows
    name_label_time,     ///< say which column is the time that a label belongs to, or which file has the labels
    choose_group_lasso,  ///< choose the penalty that the setting belongs to
};

using Remedies = std::vector<Remedy>;

/// Part of an error that has remedies: the error derives from its own kind and from this.
class Remedied {
  public:
    /// `column` is the one that ignore_column and name_time_column mean.
    explicit Remedied(Remedies remedies, std::string column = {})
        : remedies_(std::move(remedies)), column_(std::move(column)) {}
    virtual ~Remedied() = default;
    Remedied(const Remedied&) = default;
    Remedied& operator=(const Remedied&) = default;
    Remedied(Remedied&&) = default;
    Remedied& operator=(Remedied&&) = default;

    [[nodiscard]] const Remedies& remedies() const noexcept { return remedies_; }
    [[nodiscard]] const std::string& remedied_column() const noexcept { return column_; }

  private:
    Remedies remedies_;
    std::string column_;
};

/// An error of another module with remedies added: throw WithRemedies<DataError>("...", {Remedy::give_as_prices}).
template <typename Error>
class WithRemedies : public Error, public Remedied {
  public:
    template <typename What>
    WithRemedies(What&& what, Remedies remedies, std::string column = {})
        : Error(std::forward<What>(what)), Remedied(std::move(remedies), std::move(column)) {}
};

}  // namespace sluice::io
