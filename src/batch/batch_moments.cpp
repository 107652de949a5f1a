// batch_moments.cpp -- the public interface of moments: checks, blocks of rows, bytes.
//
// Rows are collected until a block is full and added to the factor together. A copy takes the rows that are left over,
// where all rows are asked for, so that asking changes nothing.
#include "batch_moments.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "byte_text.hpp"
#include "counted_rows.hpp"
#include "moments_table.hpp"
#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "text.hpp"

namespace sluice {

namespace {

using batch::MomentColumn;
using batch::RowMoments;

std::size_t bytes_for(std::size_t columns, std::size_t gaps) {
    // In long double, since the product of the caller's numbers may be beyond size_t.
    constexpr auto rows = static_cast<long double>(batch::block_rows);
    const auto values = static_cast<long double>(columns);
    const long double width = values + static_cast<long double>(gaps);
    const long double numbers = (width * width) + ((rows + 1) * width) + (rows * values);
    const long double most = 0x1p62L;
    return static_cast<std::size_t>(std::min(numbers * sizeof(double), most));
}

void require_memory(std::size_t inputs, std::size_t outputs, std::size_t gaps, std::size_t limit) {
    const std::size_t bytes = bytes_for(inputs + outputs, gaps);
    if (bytes > limit) {
        const unsigned unit = core::byte_unit(limit);
        throw OptionError(
            {"memory_limit = " + core::byte_text_in(limit, unit) + ": the moments of " + core::text(inputs) +
             " inputs" + (gaps == 0 ? "" : ", of which " + core::text(gaps) + " have missing values,") + " and " +
             core::text(outputs) + " outputs need " + core::byte_text_in(bytes, unit) +
             "; give a larger memory_limit or fewer inputs" + (gaps == 0 ? "" : ", or fill in their missing values") +
             ", or fit rows, as fit() does: it needs no matrix of inputs x inputs"});
    }
}

}  // namespace

BatchMoments::Impl::Impl(std::size_t input_count, std::size_t output_count, std::size_t limit)
    : inputs(input_count), outputs(output_count), memory_limit(limit), total(0) {
    if (inputs == 0 || outputs == 0) {
        throw OptionError({core::text(inputs) + " inputs and " + core::text(outputs) +
                           " outputs: there must be at least one of each"});
    }
    require_memory(inputs, outputs, 0, memory_limit);
    total = RowMoments(inputs + outputs);
}

void BatchMoments::Impl::add_block(RowMoments& to) const {
    if (!pending.empty()) {
        batch::merge_block(to, batch::moments_of_block(Rows(pending, inputs + outputs)));
    }
}

RowMoments BatchMoments::Impl::all() const {
    RowMoments moments = total;
    add_block(moments);
    return moments;
}

std::vector<std::size_t> BatchMoments::Impl::gaps_of(const Rows& x, const std::vector<std::size_t>& counted) {
    std::vector<bool> missing(x.width(), false);
    for (const std::size_t row : counted) {
        for (std::size_t j = 0; j < x.width(); ++j) {
            if (std::isnan(x[row][j])) {
                missing[j] = true;
            }
        }
    }
    std::vector<std::size_t> gaps;
    for (std::size_t j = 0; j < x.width(); ++j) {
        if (missing[j]) {
            gaps.push_back(j);
        }
    }
    return gaps;
}

BatchMoments::BatchMoments(std::size_t inputs, std::size_t outputs, std::size_t memory_limit)
    : impl_(std::make_unique<Impl>(inputs, outputs, memory_limit)) {}
BatchMoments::~BatchMoments() = default;
BatchMoments::BatchMoments(const BatchMoments& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
BatchMoments& BatchMoments::operator=(const BatchMoments& other) {
    if (this != &other) {
        impl_ = std::make_unique<Impl>(*other.impl_);
    }
    return *this;
}
BatchMoments::BatchMoments(BatchMoments&& other) noexcept = default;
BatchMoments& BatchMoments::operator=(BatchMoments&& other) noexcept = default;

void BatchMoments::add(const Rows& x, const Rows& y) {
    Impl& impl = *impl_;
    if (x.width() != impl.inputs || y.width() != impl.outputs) {
        throw DataError("rows of " + core::text(x.width()) + " inputs and " + core::text(y.width()) +
                        " outputs: must be " + core::text(impl.inputs) + " and " + core::text(impl.outputs) +
                        ", as these moments have");
    }
    const std::vector<std::size_t> counted = batch::counted_rows(x, y);
    impl.allow_gaps(Impl::gaps_of(x, counted));
    const std::size_t width = impl.inputs + impl.outputs;
    for (const std::size_t row : counted) {
        impl.pending.insert(impl.pending.end(), x[row].begin(), x[row].end());
        impl.pending.insert(impl.pending.end(), y[row].begin(), y[row].end());
        if (impl.pending.size() == batch::block_rows * width) {
            impl.add_block(impl.total);
            impl.pending.clear();
        }
    }
}

void BatchMoments::merge(const BatchMoments& other) {
    Impl& impl = *impl_;
    if (other.inputs() != inputs() || other.outputs() != outputs()) {
        throw DataError("moments of " + core::text(other.inputs()) + " inputs and " + core::text(other.outputs()) +
                        " outputs: must be " + core::text(inputs()) + " and " + core::text(outputs()) +
                        ", as those that they are merged into");
    }
    const RowMoments all_of_other = other.impl_->all();
    impl.allow_gaps(all_of_other.gaps);
    impl.add_block(impl.total);
    impl.pending.clear();
    batch::merge(impl.total, all_of_other);
}

void BatchMoments::Impl::allow_gaps(const std::vector<std::size_t>& more) {
    std::vector<std::size_t> united;
    std::ranges::set_union(gaps, more, std::back_inserter(united));
    require_memory(inputs, outputs, united.size(), memory_limit);
    gaps = std::move(united);
}

std::size_t BatchMoments::inputs() const noexcept {
    return impl_->inputs;
}
std::size_t BatchMoments::outputs() const noexcept {
    return impl_->outputs;
}
std::uint64_t BatchMoments::rows() const noexcept {
    return impl_->total.rows + (impl_->pending.size() / (impl_->inputs + impl_->outputs));
}
std::size_t BatchMoments::bytes() const noexcept {
    return bytes_for(impl_->inputs + impl_->outputs, impl_->gaps.size());
}

std::vector<double> BatchMoments::input_means() const {
    const RowMoments moments = impl_->all();
    std::vector<double> means;
    for (std::size_t j = 0; j < inputs(); ++j) {
        const MomentColumn& column = moments.columns[j];
        const double mean = batch::mean_of_present(column, moments.rows);
        means.push_back(mean == 0.0 ? 0.0 : std::ldexp(mean, column.exponent));
    }
    return means;
}

std::vector<std::byte> BatchMoments::save() const {
    const RowMoments moments = impl_->all();
    core::StateWriter out;
    out.put(std::uint64_t{core::kMomentsMark});
    out.put(static_cast<std::uint64_t>(inputs()));
    out.put(static_cast<std::uint64_t>(outputs()));
    out.put(moments.rows);
    for (const MomentColumn& column : moments.columns) {
        out.put(column.exponent);
        out.put(column.mean);
        out.put(column.rest);
        out.put(column.fill);
        out.put(column.missing);
    }
    for (batch::Index j = 0; j < moments.R.cols(); ++j) {
        out.put_all(std::span<const double>(moments.R.col(j).data(), static_cast<std::size_t>(j + 1)));
    }
    return out.framed();
}

BatchMoments BatchMoments::load(std::span<const std::byte> saved, std::size_t memory_limit) {
    core::StateReader in = core::StateReader::of_moments(saved);
    constexpr std::size_t column_bytes = sizeof(int) + (3 * sizeof(double)) + sizeof(std::uint64_t);
    std::uint64_t mark = 0;
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    in.get(mark);
    in.get(inputs);
    in.get(outputs);
    const std::size_t most = in.left() / column_bytes;
    in.require(inputs >= 1 && outputs >= 1 && inputs <= most && outputs <= most - inputs,
               "it has fewer columns than it says");
    BatchMoments made(inputs, outputs, memory_limit);
    RowMoments& moments = made.impl_->total;
    in.get(moments.rows);
    for (std::size_t j = 0; j < moments.columns.size(); ++j) {
        MomentColumn& column = moments.columns[j];
        in.get(column.exponent);
        in.get(column.mean);
        in.get(column.rest);
        in.get(column.fill);
        in.get(column.missing);
        in.require(column.exponent == MomentColumn::kUnknown || (column.exponent >= -1074 && column.exponent <= 1023),
                   "the unit of a column is out of range");
        in.require(column.missing <= moments.rows && (column.missing == 0 || j < inputs),
                   "a column has more missing values than rows");
        if (column.missing > 0) {
            moments.gaps.push_back(j);
        }
    }
    const std::size_t width = moments.width();
    in.require(in.left() == width * (width + 1) / 2 * sizeof(double), "its moments are not as many as its columns");
    made.impl_->allow_gaps(moments.gaps);
    moments.R = batch::MatrixXd::Zero(static_cast<batch::Index>(width), static_cast<batch::Index>(width));
    for (batch::Index j = 0; j < moments.R.cols(); ++j) {
        in.get_all(std::span<double>(moments.R.col(j).data(), static_cast<std::size_t>(j + 1)));
    }
    return made;
}

}  // namespace sluice
