#include "time_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "usage.hpp"

namespace sluice::job {

namespace {

class JoinedReader final : public io::RowReader {
  public:
    JoinedReader(std::unique_ptr<io::RowReader> reader, std::vector<std::size_t> parts, std::string name)
        : reader_(std::move(reader)), parts_(std::move(parts)), columns_(reader_->columns()) {
        columns_.push_back(std::move(name));
    }

    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

    void want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) override {
        const std::size_t joined = columns_.size() - 1;
        if (std::ranges::find(numbers, joined) != numbers.end()) {
            throw UsageError({"time"}, fmt::format("{} is no number", columns_.back()));
        }
        places_ = texts;
        std::erase(texts, joined);
        first_part_ = texts.size();
        texts.insert(texts.end(), parts_.begin(), parts_.end());
        reader_->want(std::move(numbers), std::move(texts));
    }

    [[nodiscard]] bool next(io::Row& row) override {
        if (!reader_->next(inner_)) {
            return false;
        }
        std::swap(row.numbers, inner_.numbers);
        row.at = inner_.at;
        row.texts.resize(places_.size());
        std::size_t from = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i] == columns_.size() - 1) {
                join(row.texts[i]);
            } else {
                row.texts[i].assign(inner_.texts[from++]);
            }
        }
        return true;
    }

    [[nodiscard]] io::Position position() const override { return reader_->position(); }
    void skip_to(io::Position position) override { reader_->skip_to(position); }
    [[nodiscard]] const io::ByteSource& source() const override { return reader_->source(); }

  private:
    void join(std::string& text) const {
        text.clear();
        for (std::size_t k = first_part_; k < inner_.texts.size(); ++k) {
            if (!inner_.texts[k].empty()) {
                text += text.empty() ? "" : " ";
                text += inner_.texts[k];
            }
        }
    }

    std::unique_ptr<io::RowReader> reader_;
    std::vector<std::size_t> parts_;
    std::vector<std::string> columns_;
    std::vector<std::size_t> places_;  // of the columns wanted as text
    std::size_t first_part_ = 0;       // in the texts of inner_
    io::Row inner_;
};

std::string joined_name(const std::vector<std::string>& columns, const std::vector<std::size_t>& parts) {
    std::string name;
    for (const std::size_t part : parts) {
        name += name.empty() ? columns[part] : " " + columns[part];
    }
    return name;
}

bool has(const std::vector<std::string>& columns, const std::string& name) {
    return std::ranges::find(columns, name) != columns.end();
}

std::vector<std::size_t> parts_asked_for(const std::vector<std::string>& columns, const std::string& time) {
    std::vector<std::size_t> parts;
    for (std::size_t from = 0; from < time.size();) {
        const std::size_t comma = std::min(time.find(',', from), time.size());
        for (const std::size_t column : columns_meant(time.substr(from, comma - from), columns, "time")) {
            if (std::ranges::find(parts, column) == parts.end()) {
                parts.push_back(column);
            }
        }
        from = comma + 1;
    }
    return parts;
}

// The columns whose names, joined by blanks, are `name`: the longest name that fits comes first.
std::vector<std::size_t> parts_of(const std::vector<std::string>& columns, const std::string& name) {
    std::vector<std::size_t> parts;
    for (std::size_t from = 0; from < name.size();) {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t end = from + columns[i].size();
            const bool fits = !columns[i].empty() && name.compare(from, columns[i].size(), columns[i]) == 0 &&
                              (end == name.size() || name[end] == ' ');
            if (fits && (!best || columns[i].size() > columns[*best].size())) {
                best = i;
            }
        }
        if (!best) {
            return {};
        }
        parts.push_back(*best);
        from += columns[*best].size() + 1;
    }
    return parts;
}

}  // namespace

std::unique_ptr<io::RowReader> join_time_columns(std::unique_ptr<io::RowReader> reader, RoleRequest& request,
                                                 const std::string& known_time) {
    const std::vector<std::string> columns = reader->columns();
    if (request.time.find(',') != std::string::npos && !has(columns, request.time)) {
        std::vector<std::size_t> parts = parts_asked_for(columns, request.time);
        const std::string name = joined_name(columns, parts);
        if (parts.size() > 1 && has(columns, name)) {
            throw UsageError({"time"}, fmt::format("these columns would be called {} together, and there is a column "
                                                   "of that name: give it instead",
                                                   name));
        }
        request.time = name;
        if (parts.size() < 2) {
            return reader;
        }
        for (const std::size_t part : parts) {
            request.ignore.push_back(columns[part]);
        }
        return std::make_unique<JoinedReader>(std::move(reader), std::move(parts), name);
    }
    if (!known_time.empty() && !has(columns, known_time)) {
        if (std::vector<std::size_t> parts = parts_of(columns, known_time); parts.size() > 1) {
            return std::make_unique<JoinedReader>(std::move(reader), std::move(parts), known_time);
        }
    }
    return reader;
}

}  // namespace sluice::job
