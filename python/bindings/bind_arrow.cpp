// bind_arrow.cpp -- tables of any library with the Arrow PyCapsule interface become rows of doubles.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "arrays.hpp"
#include "arrow_column.hpp"
#include "bind.hpp"
#include "sluice/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

// Memory of malloc: where it grows, the pages of large arrays are moved, not copied.
class GrowingRows {
  public:
    explicit GrowingRows(std::size_t width) : width_(width) {}
    ~GrowingRows() { std::free(values_); }
    GrowingRows(const GrowingRows&) = delete;
    GrowingRows& operator=(const GrowingRows&) = delete;

    // Where that many further rows go.
    [[nodiscard]] double* append(std::size_t count) {
        const std::size_t most = std::numeric_limits<std::size_t>::max() / (4 * sizeof(double) * std::max(width_, 1UL));
        if (count > most - std::min(most, rows_)) {
            throw std::bad_alloc();
        }
        if (rows_ + count > capacity_) {
            reserve(capacity_ == 0 ? count : std::max(rows_ + count, rows_ + (rows_ / 2)));
        }
        double* const at = values_ + (rows_ * width_);
        rows_ += count;
        return at;
    }
    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

    // A column: one dimension.
    [[nodiscard]] NewArray release(bool column) {
        reserve(rows_);
        const nb::capsule owner(values_, [](void* memory) noexcept { std::free(memory); });
        double* const values = std::exchange(values_, nullptr);
        return column ? NewArray(values, {rows_}, owner) : NewArray(values, {rows_, width_}, owner);
    }

  private:
    void reserve(std::size_t rows) {
        if (rows == capacity_ && values_ != nullptr) {
            return;
        }
        void* const memory = std::realloc(values_, std::max<std::size_t>(rows * width_, 1) * sizeof(double));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        values_ = static_cast<double*>(memory);
        capacity_ = rows;
        ask_for_large_pages();
    }

    // As numpy does: half of the time of large tables went into the first use of small pages.
    void ask_for_large_pages() const {
#ifdef MADV_HUGEPAGE
        constexpr std::uintptr_t kLarge = std::uintptr_t{1} << 22;
        constexpr std::uintptr_t kPage = 4096;
        const auto start = (reinterpret_cast<std::uintptr_t>(values_) + kPage - 1) / kPage * kPage;
        const std::size_t size = capacity_ * width_ * sizeof(double);
        if (size >= kLarge) {
            madvise(reinterpret_cast<void*>(start), size - kPage, MADV_HUGEPAGE);  // refused: as without it
        }
#endif
    }

    std::size_t width_;
    std::size_t rows_ = 0;
    std::size_t capacity_ = 0;
    double* values_ = nullptr;
};

template <typename Structure>
bool all_given(Structure* const* children, std::int64_t count) {
    return count == 0 || (children != nullptr && std::none_of(children, children + count,
                                                              [](const Structure* child) { return child == nullptr; }));
}

// The chunks of one object, all of one schema.
class ArrowReader {
  public:
    ArrowReader(const ArrowSchema& schema, std::string what) : what_(std::move(what)) {
        is_table_ = schema.format != nullptr && std::string_view(schema.format) == "+s" && schema.dictionary == nullptr;
        if (!is_table_) {
            columns_.push_back(schema.name == nullptr ? "" : schema.name);
            texts_.push_back(what_);
            types_.push_back(arrow_type(schema, what_));
            return;
        }
        if (schema.n_children < 0 || !all_given(schema.children, schema.n_children)) {
            throw DataError(what_ + ": its Arrow schema is damaged (an error of the library that made it)");
        }
        for (std::int64_t j = 0; j < schema.n_children; ++j) {
            const ArrowSchema& child = *schema.children[j];
            columns_.push_back(child.name == nullptr ? "" : child.name);
            texts_.push_back("column '" + columns_.back() + "' of " + what_);
            types_.push_back(arrow_type(child, texts_.back()));
        }
    }

    [[nodiscard]] bool is_table() const noexcept { return is_table_; }
    [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }

    void add(const ArrowArray& chunk, GrowingRows& rows) {
        if (chunk.length < 0 || chunk.offset < 0) {
            throw DataError(what_ + " is a damaged Arrow array: its length is " + std::to_string(chunk.length) +
                            " (an error of the library that made it)");
        }
        const auto count = static_cast<std::size_t>(chunk.length);
        const auto offset = static_cast<std::size_t>(chunk.offset);
        views_.clear();
        if (!is_table_) {
            views_.push_back(arrow_column(chunk, types_[0], 0, count, texts_[0]));
        } else {
            if (chunk.n_children != static_cast<std::int64_t>(types_.size()) ||
                !all_given(chunk.children, chunk.n_children)) {
                throw DataError(what_ + ": a chunk has " + std::to_string(chunk.n_children) +
                                " columns, its Arrow schema " + std::to_string(types_.size()) +
                                " (an error of the library that made it)");
            }
            for (std::size_t j = 0; j < types_.size(); ++j) {
                views_.push_back(arrow_column(*chunk.children[j], types_[j], offset, offset + count, texts_[j]));
            }
        }
        double* const out = rows.append(count);
        copy_rows(views_, count, out);
        const std::uint8_t* const valid = is_table_ ? validity(chunk, what_) : nullptr;
        for (std::size_t row = 0; valid != nullptr && row < count; ++row) {
            if (!bit(valid, offset + row)) {
                std::fill_n(out + (row * types_.size()), types_.size(), std::numeric_limits<double>::quiet_NaN());
            }
        }
    }

  private:
    std::string what_;
    bool is_table_ = false;
    std::vector<std::string> columns_;
    std::vector<std::string> texts_;  // how errors name each column
    std::vector<ArrowType> types_;
    std::vector<ArrowColumn> views_;
};

void require_success(int code, ArrowArrayStream& stream, const std::string& what) {
    if (code != 0) {
        const char* const text = stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
        throw std::runtime_error("the Arrow stream of " + what +
                                 " failed: " + (text != nullptr ? text : "error " + std::to_string(code)));
    }
}

template <typename Structure>
Structure& in_capsule(nb::handle capsule, const char* name, const std::string& what) {
    auto* const structure = static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (structure == nullptr) {
        PyErr_Clear();
        throw nb::type_error(
            (what + ": its Arrow interface gave no capsule " + name + ": convert it to numpy").c_str());
    }
    if (structure->release == nullptr) {
        throw DataError(what + ": its Arrow data was read before: give it again");
    }
    return *structure;
}

nb::tuple result(const ArrowReader& reader, GrowingRows& rows) {
    nb::list names;
    for (const std::string& name : reader.columns()) {
        PyObject* const text = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), nullptr);
        if (text == nullptr) {
            PyErr_Clear();
            throw DataError("the name of column " + std::to_string(nb::len(names)) + " is not UTF-8: rename it");
        }
        names.append(nb::steal(text));
    }
    return nb::make_tuple(names, rows.release(!reader.is_table()), reader.is_table());
}

nb::tuple read_stream(nb::handle capsule, const std::string& what) {
    auto& held = in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream", what);
    std::optional<ArrowReader> reader;
    std::optional<GrowingRows> rows;
    {
        // Without the interpreter's lock: a producer may wait for a thread of its own that needs it.
        const nb::gil_scoped_release released;
        ArrowOwner<ArrowArrayStream> stream(held);
        ArrowOwner<ArrowSchema> schema;
        require_success(stream->get_schema(stream.get(), schema.reset()), *stream.get(), what);
        reader.emplace(*schema, what);
        rows.emplace(reader->columns().size());
        ArrowOwner<ArrowArray> chunk;
        while (true) {
            require_success(stream->get_next(stream.get(), chunk.reset()), *stream.get(), what);
            if (chunk.empty()) {  // the end
                break;
            }
            reader->add(*chunk, *rows);
        }
    }
    return result(*reader, *rows);
}

nb::tuple read_array(nb::handle pair, const std::string& what) {
    if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2) {
        throw nb::type_error((what + ".__arrow_c_array__() gave no schema and array: convert it to numpy").c_str());
    }
    const auto capsules = nb::borrow<nb::tuple>(pair);
    ArrowOwner<ArrowSchema> schema(in_capsule<ArrowSchema>(capsules[0], "arrow_schema", what));
    ArrowOwner<ArrowArray> array(in_capsule<ArrowArray>(capsules[1], "arrow_array", what));
    ArrowReader reader(*schema, what);
    GrowingRows rows(reader.columns().size());
    reader.add(*array, rows);
    return result(reader, rows);
}

nb::tuple read_arrow(nb::handle object, const std::string& what) {
    if (nb::hasattr(object, "__arrow_c_stream__")) {
        return read_stream(object.attr("__arrow_c_stream__")(), what);
    }
    if (nb::hasattr(object, "__arrow_c_array__")) {
        return read_array(object.attr("__arrow_c_array__")(), what);
    }
    throw nb::type_error((what + " has neither __arrow_c_stream__ nor __arrow_c_array__").c_str());
}

}  // namespace

void bind_arrow(nb::module_& module) {
    module.def("read_arrow", &read_arrow, "table"_a, "what"_a,
               "Names, values row by row and whether it is a table; else it is a single column.");
}

}  // namespace sluice::python
