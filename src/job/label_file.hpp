// label_file.hpp -- labels in a file or stream of their own: the time of a row and the targets of that row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "roles.hpp"
#include "row_reader.hpp"

namespace sluice::job {

/// What the user asks for. Labels come late where `file` or `time` is given.
struct LabelSettings {
    std::string file;  ///< labels of their own; empty: they are in the rows
    /// Column with the time that a label belongs to. Empty: with a file, the column that is the time of the rows.
    std::string time;
    std::size_t window = 1000;  ///< rows that are kept for their labels, and labels that are kept for their rows
    std::size_t delay = 0;      ///< with a file: a label is learnt at the earliest that many rows after its own

    [[nodiscard]] bool any() const noexcept { return !file.empty() || !time.empty(); }
    friend bool operator==(const LabelSettings&, const LabelSettings&) = default;
};

class LabelFile {
  public:
    /// With `follow` reading does not wait: next() is false where there is no label now. Only `decimal` and `missing` are
    /// taken from the dialect of the rows. Throws as io::open_rows().
    LabelFile(const std::string& path, const io::Dialect& rows, bool follow, int stop_descriptor);

    [[nodiscard]] const std::vector<std::string>& columns() const { return reader_->columns(); }
    /// Which column is the time, and the targets in the order of the model. Throws ColumnError where one is missing.
    void want(const std::string& time, const std::vector<std::string>& targets);

    /// The next label: its time is texts[0], its outputs are the numbers. Throws io::RowError.
    [[nodiscard]] bool next(io::Row& label) { return reader_->next(label); }
    [[nodiscard]] std::string_view row_text() const { return reader_->row_text(); }
    [[nodiscard]] io::Position position() const { return reader_->position(); }
    void skip_to(io::Position position) { reader_->skip_to(position); }

  private:
    std::unique_ptr<io::RowReader> reader_;
};

/// Roles of the columns of rows that have no targets: these are in the file of the labels, all of its columns but the
/// time where none are named. A column that both files have is not an input. Throws UsageError.
[[nodiscard]] Roles assign_roles_with_labels(const std::vector<std::string>& columns,
                                             const std::vector<std::string>& label_columns,
                                             const std::string& label_time, const RoleRequest& request,
                                             const RowLayout& layout);

/// The places of the columns of such rows: without targets.
[[nodiscard]] Places find_places_without_targets(const std::vector<std::string>& columns, const Roles& roles,
                                                 std::vector<std::string> ignore);

}  // namespace sluice::job
