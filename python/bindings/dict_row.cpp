// dict_row.cpp -- keys to columns, values to numbers. Every call of Python code (a key's comparison, a value's conversion)
// may change the dict, so that what it is called with is owned.
#include "dict_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sluice/error.hpp"

namespace nb = nanobind;

namespace sluice::python {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string text_of(nb::handle object) {
    return utf8(nb::str(object));
}

[[noreturn]] void refuse_infinite(double value, const Place& place) {
    throw DataError(place.text() + " is " + (value > 0.0 ? "inf" : "-inf") + ": must be finite, or NaN where missing");
}

double finite_or_missing(double value, const Place& place) {
    if (std::isinf(value)) {
        refuse_infinite(value, place);
    }
    return value;
}

std::size_t checked_column(nb::handle value, std::size_t width, const char* table) {
    std::size_t column = 0;
    if (!nb::try_cast(value, column) || column >= width) {
        throw DataError(std::string(table) + ": a key has the column " + quoted(value) + " of " +
                        std::to_string(width));
    }
    return column;
}

// The number of the column; kUnknown where the key is not there.
std::size_t column_in(const nb::dict& columns, nb::handle key) {
    PyObject* const found = PyDict_GetItemWithError(columns.ptr(), key.ptr());  // borrowed
    if (found != nullptr) {
        return PyLong_AsSize_t(found);
    }
    if (PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return DictRow::kUnknown;
}

nb::dict copied(const nb::dict& dict) {
    return nb::steal<nb::dict>(PyDict_Copy(dict.ptr()));
}

}  // namespace

std::string utf8(const nb::str& text) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) {
        throw nb::python_error();
    }
    return {bytes, static_cast<std::size_t>(size)};
}

std::string quoted(nb::handle object) {
    return utf8(nb::repr(object));
}

std::string Place::text() const {
    return key.is_valid() ? std::string(table) + "[" + quoted(key) + "]" : std::string(table);
}

Numbers::Numbers() {
    const nb::object numpy = nb::module_::import_("numpy");
    numpy_ = nb::make_tuple(numpy.attr("floating"), numpy.attr("integer"), numpy.attr("bool_"));
    span_of_time_ = numpy.attr("timedelta64");
}

double Numbers::read(nb::handle value, const Place& place) {
    if (PyFloat_Check(value.ptr())) {
        return finite_or_missing(PyFloat_AsDouble(value.ptr()), place);
    }
    if (value.is_none()) {
        return kMissing;
    }
    return read_other(value, place);
}

double Numbers::read_other(nb::handle value, const Place& place) {
    const nb::object owned = nb::borrow(value);
    if (PyLong_Check(value.ptr())) {
        const double number = PyLong_AsDouble(value.ptr());
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw DataError(place.text() + " is too large for a number: must be finite, or NaN where missing");
        }
        return number;
    }
    const nb::handle type = value.type();
    if (!last_numpy_type_.is(type)) {
        const int is_numpy = PyObject_IsInstance(value.ptr(), numpy_.ptr());
        const int is_time = is_numpy > 0 ? PyObject_IsInstance(value.ptr(), span_of_time_.ptr()) : 0;
        if (is_numpy < 0 || is_time < 0) {
            throw nb::python_error();
        }
        if (is_numpy == 0 || is_time > 0) {
            const std::string name = text_of(nb::getattr(type, "__name__"));
            if (name == "NAType" && text_of(nb::getattr(type, "__module__")).starts_with("pandas.")) {
                return kMissing;
            }
            const std::string message =
                place.text() + " is of type " + name + ": must be a number, or None or NaN where missing";
            throw nb::type_error(message.c_str());
        }
        last_numpy_type_ = nb::borrow(type);
    }
    const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
    if (!number.is_valid()) {
        throw nb::python_error();
    }
    return finite_or_missing(PyFloat_AsDouble(number.ptr()), place);
}

DictRow::DictRow(const char* table, const nb::dict& columns, const nb::dict& texts, std::size_t width)
    : table_(table), columns_(copied(columns)), texts_(copied(texts)), values_(width), met_(width), last_(width) {
    for (const auto& named : {columns_, texts_}) {
        for (const auto& item : named) {
            static_cast<void>(checked_column(item.second, width, table));
        }
    }
}

std::size_t DictRow::find(nb::handle key) const {
    const std::size_t column = column_in(columns_, key);
    if (column != kUnknown || texts_.size() == 0) {
        return column;
    }
    return column_in(texts_, nb::str(key));
}

std::size_t DictRow::look_up(nb::handle key, std::size_t at) {
    const std::size_t column = find(key);
    if (column == kUnknown) {
        return kUnknown;
    }
    if (at < last_.size()) {
        last_[at] = {.key = nb::borrow(key), .column = column};
    }
    return column;
}

void DictRow::put(std::size_t column, double value, nb::handle key) {
    if (std::exchange(met_[column], rows_) == rows_) {
        throw DataError(std::string(table_) + " has two keys with the text " + quoted(nb::str(key)) +
                        ": names of columns are texts, so rename one of them");
    }
    values_[column] = value;
}

bool DictRow::read(nb::handle row, Numbers& numbers) {
    std::fill(values_.begin(), values_.end(), kMissing);
    ++rows_;
    bool all_known = true;
    Py_ssize_t position = 0;
    PyObject* borrowed_key = nullptr;
    PyObject* borrowed_value = nullptr;
    for (std::size_t at = 0; PyDict_Next(row.ptr(), &position, &borrowed_key, &borrowed_value) != 0; ++at) {
        if (at < last_.size() && last_[at].key.ptr() == borrowed_key && PyFloat_Check(borrowed_value)) {
            const double value = PyFloat_AsDouble(borrowed_value);
            if (std::isinf(value)) {
                refuse_infinite(value, {.table = table_, .key = borrowed_key});
            }
            put(last_[at].column, value, borrowed_key);
            continue;
        }
        const nb::object key = nb::borrow(borrowed_key);
        const nb::object value = nb::borrow(borrowed_value);
        const bool same = at < last_.size() && last_[at].key.is(key);
        const std::size_t column = same ? last_[at].column : look_up(key, at);
        const double number = numbers.read(value, {.table = table_, .key = key});
        if (column == kUnknown) {
            all_known = false;
        } else {
            put(column, number, key);
        }
    }
    return all_known;
}

nb::object as_dict(nb::handle row, const char* table) {
    if (PyDict_Check(row.ptr())) {
        return nb::borrow(row);
    }
    if (!nb::hasattr(row, "keys")) {
        const std::string message = std::string(table) + " is of type " + text_of(nb::getattr(row.type(), "__name__")) +
                                    ": must be a dict, from names to numbers";
        throw nb::type_error(message.c_str());
    }
    nb::dict copy;
    if (PyDict_Update(copy.ptr(), row.ptr()) != 0) {
        throw nb::python_error();
    }
    return copy;
}

}  // namespace sluice::python
