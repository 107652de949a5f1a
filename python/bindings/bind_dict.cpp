// bind_dict.cpp -- river's way of rows: a dict of inputs and a number, or a dict of outputs, one row a call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "dict_row.hpp"
#include "sluice/error.hpp"
#include "stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

constexpr std::size_t kNumbersWithLock = 4096;  // fewer are learnt before another thread could take the lock

/// Dicts to rows of one stream. A new one is made when the stream gets further inputs.
class DictRows {
  public:
    /// No stream: values are checked, and nothing is known. No targets: the stream has one output, and y is a number.
    /// names: the keys of the outputs, in their order.
    DictRows(std::optional<nb::object> stream, const nb::dict& inputs, const std::optional<nb::dict>& targets,
             nb::list names, const nb::dict& input_texts, const nb::dict& target_texts)
        : owner_(stream ? std::move(*stream) : nb::object()),
          stream_(owner_.is_valid() ? nb::cast<Stream*>(owner_) : nullptr),
          x_("x", inputs, input_texts, stream_ != nullptr ? stream_->model().inputs() : 0),
          y_("y", targets ? *targets : nb::dict(), target_texts, stream_ != nullptr ? stream_->model().outputs() : 1),
          names_(std::move(names)),
          single_(!targets) {
        if (stream_ != nullptr && (single_ ? stream_->model().outputs() != 1 : names_.size() != y_.values().size())) {
            throw DataError("targets: " + std::to_string(single_ ? 1 : names_.size()) + " of them, the model has " +
                            std::to_string(stream_->model().outputs()) + " outputs");
        }
    }

    /// Whether the row was learnt; false where it has keys that the stream does not know.
    bool learn_one(nb::handle x, nb::handle y) {
        const InUse alone(users_, InUse::As::writer);
        const bool known = x_.read(as_dict(x, "x"), numbers_);
        if (single_) {
            y_.values()[0] = numbers_.read(y, {.table = "y"});
        } else if (const nb::object outputs = as_dict(y, "y"); !y_.read(outputs, numbers_) && stream_ != nullptr) {
            refuse_unknown(nb::list(outputs));
        }
        if (stream_ == nullptr || !known) {
            return false;
        }
        check_width();
        const InUse in_use(stream_->users(), InUse::As::writer);
        const Rows rows(x_.values(), x_.values().size());
        const Rows outputs(y_.values(), y_.values().size());
        if (x_.values().size() > kNumbersWithLock) {
            const nb::gil_scoped_release released;
            stream_->learn(rows, outputs, {});
        } else {
            stream_->learn(rows, outputs, {});
        }
        return true;
    }

    /// A number, or a dict; before any row was learnt: zero, or an empty dict.
    nb::object predict_one(nb::handle x) {
        const InUse alone(users_, InUse::As::writer);
        if (!predicted(x, false)) {
            return single_ ? nb::object(nb::float_(0.0)) : nb::object(nb::dict());
        }
        return answer([this](std::size_t k) { return nb::float_(predicted_[k]); });
    }

    /// (low, high), or a dict of such.
    nb::object predict_interval_one(nb::handle x) {
        const InUse alone(users_, InUse::As::writer);
        if (!predicted(x, true)) {
            constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
            return single_ ? nb::object(nb::make_tuple(kNone, kNone)) : nb::object(nb::dict());
        }
        return answer([this](std::size_t k) { return nb::make_tuple(low_[k], high_[k]); });
    }

    /// The keys of the row that have no column.
    nb::list new_keys(nb::handle x) {
        nb::list list;
        for (const nb::handle key : nb::list(as_dict(x, "x"))) {
            if (x_.find(key) == DictRow::kUnknown) {
                list.append(key);
            }
        }
        return list;
    }

    std::vector<Py_ssize_t> find_inputs(const nb::list& keys) const { return found(x_, keys); }
    std::vector<Py_ssize_t> find_targets(const nb::list& keys) const {
        std::vector<Py_ssize_t> columns = found(y_, keys);
        if (stream_ != nullptr && std::ranges::find(columns, -1) != columns.end()) {
            refuse_unknown(keys);
        }
        return columns;
    }

  private:
    static std::vector<Py_ssize_t> found(const DictRow& row, const nb::list& keys) {
        std::vector<Py_ssize_t> columns;
        for (const nb::handle key : keys) {
            const std::size_t column = row.find(key);
            columns.push_back(column == DictRow::kUnknown ? -1 : static_cast<Py_ssize_t>(column));
        }
        return columns;
    }

    // Whether there is a stream to ask.
    bool predicted(nb::handle x, bool interval) {
        x_.read(as_dict(x, "x"), numbers_);
        if (stream_ == nullptr) {
            return false;
        }
        check_width();
        const std::size_t q = y_.values().size();
        predicted_.resize(q);
        low_.resize(q);
        high_.resize(q);
        const InUse in_use(stream_->users(), InUse::As::reader);
        stream_->predict({x_.values(), x_.values().size()}, {.predicted = predicted_.data(),
                                                             .low = interval ? low_.data() : nullptr,
                                                             .high = interval ? high_.data() : nullptr});
        return true;
    }

    template <typename Value>
    nb::object answer(Value value) const {
        if (single_) {
            return value(0);
        }
        nb::dict dict;
        for (std::size_t k = 0; k < names_.size(); ++k) {
            dict[names_[k]] = value(k);
        }
        return dict;
    }

    // Another thread gives it further inputs at this moment.
    void check_width() const {
        if (stream_->model().inputs() != x_.values().size()) {
            throw std::runtime_error(kAnotherThread);
        }
    }

    [[noreturn]] void refuse_unknown(const nb::list& keys) const {
        std::string unknown;
        for (const nb::handle key : keys) {
            if (y_.find(key) == DictRow::kUnknown) {
                unknown += (unknown.empty() ? "" : ", ") + quoted(key);
            }
        }
        std::string known;
        for (const nb::handle key : names_) {
            known += (known.empty() ? "" : ", ") + quoted(key);
        }
        throw DataError("y has unknown targets " + unknown + ": those of the first row that was learnt are " + known);
    }

    nb::object owner_;
    Stream* stream_;
    Numbers numbers_;
    DictRow x_;
    DictRow y_;
    nb::list names_;
    bool single_;
    std::vector<double> predicted_;
    std::vector<double> low_;
    std::vector<double> high_;
    std::atomic<int> users_ = 0;
};

// A column of any objects, by the rules for the values of a dict.
NewArray numbers(const nb::list& values, const std::string& place) {
    Numbers reader;
    Filled filled(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const nb::object value = values[i];
        filled.data()[i] = reader.read(value, {.table = place.c_str()});
    }
    return filled.release({values.size()});
}

}  // namespace

void bind_dict(nb::module_& module) {
    nb::class_<DictRows>(module, "DictRows", "Dicts to rows of one stream.")
        .def(nb::init<std::optional<nb::object>, const nb::dict&, const std::optional<nb::dict>&, nb::list,
                      const nb::dict&, const nb::dict&>(),
             "stream"_a.none(), "inputs"_a, "targets"_a.none(), "names"_a, "input_texts"_a, "target_texts"_a)
        .def("learn_one", &DictRows::learn_one, "x"_a.none(), "y"_a.none(),
             "Whether the row was learnt; not where it has keys that the stream does not know.")
        .def("predict_one", &DictRows::predict_one, "x"_a.none())
        .def("predict_interval_one", &DictRows::predict_interval_one, "x"_a.none())
        .def("new_keys", &DictRows::new_keys, "x"_a)
        .def("find_inputs", &DictRows::find_inputs, "keys"_a, "The column of each key; -1: none.")
        .def("find_targets", &DictRows::find_targets, "keys"_a, "The same; an unknown target is an error.");
    module.def("numbers", &numbers, "values"_a, "place"_a,
               "Numbers of any objects, by the rules for the values of a dict.");
}

}  // namespace sluice::python
