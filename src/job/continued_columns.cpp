#include "continued_columns.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "roles.hpp"

namespace sluice::job {

namespace {

class ContinuedReader final : public io::RowReader {
  public:
    struct Difference {
        std::vector<std::size_t> known;   // places in the file
        std::vector<std::string> absent;  // names
        std::vector<std::string> added;
    };

    ContinuedReader(std::unique_ptr<io::RowReader> reader, Difference difference)
        : reader_(std::move(reader)), known_(std::move(difference.known)), fields_(std::move(difference.added)) {
        for (const std::size_t place : known_) {
            columns_.push_back(reader_->columns()[place]);
        }
        columns_.insert(columns_.end(), difference.absent.begin(), difference.absent.end());
        std::erase_if(fields_, [](const std::string& name) { return name.size() > kLongestFieldName; });
        fields_.resize(std::min(fields_.size(), kMostNewFields));
        header_fields_ = fields_.size();
    }

    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

    void want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) override {
        absent_.clear();
        outer_.clear();
        inner_place_.assign(numbers.size(), kNone);
        std::vector<std::size_t> inner_numbers;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] < known_.size()) {
                inner_place_[i] = inner_numbers.size();
                inner_numbers.push_back(known_[numbers[i]]);
                outer_.push_back(i);
            } else {
                absent_.push_back(i);
            }
        }
        for (std::size_t& text : texts) {
            if (text >= known_.size()) {
                throw ColumnError("the input has no column " + columns_[text], {});
            }
            text = known_[text];
        }
        reader_->want(std::move(inner_numbers), std::move(texts));
    }

    [[nodiscard]] bool next(io::Row& row) override {
        if (!reader_->next(inner_)) {
            return false;
        }
        row.numbers.assign(inner_place_.size(), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < outer_.size(); ++i) {
            row.numbers[outer_[i]] = inner_.numbers[i];
        }
        row.unreadable.clear();
        for (const std::size_t place : inner_.unreadable) {
            row.unreadable.push_back(outer_[place]);
        }
        std::swap(row.unreadable_value, inner_.unreadable_value);
        std::swap(row.texts, inner_.texts);
        row.at = inner_.at;
        return true;
    }

    void tolerate(std::size_t number) override {
        if (inner_place_[number] != kNone) {
            reader_->tolerate(inner_place_[number]);
        }
    }
    [[nodiscard]] std::span<const std::string> new_fields() const override {
        const auto met = reader_->new_fields();  // in the rows
        const std::size_t seen = fields_.size() - header_fields_;
        for (std::size_t i = seen; i < met.size() && fields_.size() < kMostNewFields; ++i) {
            fields_.push_back(met[i]);
        }
        return fields_;
    }
    [[nodiscard]] std::span<const std::size_t> absent() const override { return absent_; }
    [[nodiscard]] std::string_view row_text() const override { return reader_->row_text(); }
    [[nodiscard]] io::Position position() const override { return reader_->position(); }
    [[nodiscard]] io::TextMark mark() const override { return reader_->mark(); }
    void skip_to(io::Position position, std::uint64_t tail) override { reader_->skip_to(position, tail); }
    [[nodiscard]] const io::ByteSource& source() const override { return reader_->source(); }

  private:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    std::unique_ptr<io::RowReader> reader_;
    std::vector<std::size_t> known_;  // places in the file of the first columns
    std::vector<std::string> columns_;
    mutable std::vector<std::string> fields_;  // those of the header, then those that rows have
    std::size_t header_fields_ = 0;
    std::vector<std::size_t> absent_;       // places in Row::numbers
    std::vector<std::size_t> outer_;        // place in Row::numbers of each number that the file has
    std::vector<std::size_t> inner_place_;  // the reverse; kNone: absent
    io::Row inner_;
};

}  // namespace

std::unique_ptr<io::RowReader> continue_columns(std::unique_ptr<io::RowReader> reader, const StreamColumns& stream) {
    const Roles& roles = stream.roles;
    const std::vector<std::string>& columns = reader->columns();
    const std::unordered_set<std::string_view> here(columns.begin(), columns.end());
    ContinuedReader::Difference difference;
    std::size_t used = 0;
    std::unordered_set<std::string_view> known = {roles.time};
    known.insert(roles.ignored.begin(), roles.ignored.end());
    for (const auto* names : {&roles.inputs, &roles.targets}) {
        known.insert(names->begin(), names->end());
        for (const std::string& name : *names) {
            if (names == &roles.targets && stream.without_targets) {
                continue;
            }
            here.contains(name) ? static_cast<void>(++used) : difference.absent.push_back(name);
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool may_be_new = std::ranges::any_of(
            stream.ignore, [&](const std::string& word) { return fnmatch(word.c_str(), columns[i].c_str(), 0) == 0; });
        if (known.contains(columns[i]) || may_be_new) {
            difference.known.push_back(i);
        } else {
            difference.added.push_back(columns[i]);
        }
    }
    if (used == 0 || (difference.absent.empty() && difference.added.empty())) {
        return reader;
    }
    return std::make_unique<ContinuedReader>(std::move(reader), std::move(difference));
}

}  // namespace sluice::job
