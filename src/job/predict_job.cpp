#include "predict_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "good_rows.hpp"
#include "output_file.hpp"
#include "roles.hpp"
#include "row_stack.hpp"
#include "time_columns.hpp"

namespace sluice::job {

namespace {

// What was before the first row: the last rows of the stream that wrote the file, or nothing.
class Before {
  public:
    Before(const ModelFile& file, bool new_rows)
        : stream_(file.learner && file.resume_point && !new_rows ? &*file.learner : nullptr),
          horizon_(file.layout.horizon),
          farthest_(file.layout.lags.back()) {
        for (const std::size_t lag : file.layout.target_lags) {
            farthest_ = std::max(farthest_, file.layout.rows_back(lag));
        }
    }

    [[nodiscard]] bool continues() const { return stream_ != nullptr; }
    [[nodiscard]] const Learner& stream() const { return *stream_; }
    [[nodiscard]] bool has_lags() const { return farthest_ > 0; }
    /// Earlier rows that the lags of row `row` (from 0) need and that are not known. With a horizon they are those of the
    /// row that it is predicted from.
    [[nodiscard]] std::size_t missing_lags(std::uint64_t row) const {
        const std::uint64_t known = row + (stream_ != nullptr ? stream_->rows() : 0);
        const std::uint64_t needed = farthest_ + horizon_;
        return has_lags() && known < needed ? std::min<std::uint64_t>(farthest_, needed - known) : 0;
    }

  private:
    const Learner* stream_;
    std::size_t horizon_;
    std::size_t farthest_;
};

// Whether the targets of a row belong to another row: they are then not what is predicted for it.
bool has_labels_of_other_rows(const ModelFile& file, const std::vector<std::string>& columns) {
    return file.late_labels && !file.late_labels->in_own_file() &&
           file.late_labels->settings().time != file.roles.time &&
           std::ranges::find(columns, file.late_labels->settings().time) != columns.end();
}

}  // namespace

PredictResult run_predict(const PredictSettings& settings, io::Disk& disk) {
    const ModelFile file = read_model_file(settings.model);
    RoleRequest as_in_the_model;
    auto reader = join_time_columns(io::open_rows(io::open_source(settings.input), settings.dialect), as_in_the_model,
                                    file.roles.time);
    if (!file.layout.target_lags.empty()) {
        require_targets(reader->columns(), file.roles);
    }
    Places places = find_places(reader->columns(), file.roles, settings.ignore, false);
    if (has_labels_of_other_rows(file, reader->columns())) {
        places.targets.clear();
    }
    reader->want(places.numbers(), places.texts());

    const std::size_t p = places.inputs.size();
    const std::size_t q = file.roles.targets.size();
    const bool has_observed = !places.targets.empty();
    PredictResult result{.targets = file.roles.targets};
    result.scores.resize(has_observed ? q : 0);

    const Before before(file, settings.new_rows);
    const auto records = make_record_writer(settings.out_format, {.targets = file.roles.targets,
                                                                  .has_time = places.time.has_value(),
                                                                  .has_missing_lags = before.has_lags(),
                                                                  .has_observed = has_observed,
                                                                  .has_model = false});
    io::OutputFile out(disk, settings.out);
    records->begin(out.text());
    RowStack stack = before.continues() ? before.stream().stack() : RowStack(p, q, file.layout);
    const std::size_t horizon = file.layout.horizon;
    std::vector<double> forecasts((horizon + 1) * q, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t ahead = 1; before.continues() && ahead <= horizon; ++ahead) {
        std::ranges::copy(before.stream().forecast_made(ahead),
                          forecasts.begin() + static_cast<std::ptrdiff_t>((ahead % (horizon + 1)) * q));
    }
    io::Row row;
    const auto next = [&] {
        try {
            return next_good(*reader, row, settings.skip_bad_rows, result.skipped);
        } catch (const io::RowError&) {
            out.flush();  // the rows before it are good
            throw;
        }
    };
    while (next()) {
        const auto numbers = std::span<const double>(row.numbers);
        const auto observed = numbers.subspan(p);
        const auto x = stack.push(numbers.first(p), observed);
        // A ring: the slot written now is read `horizon` rows later, just before it is written again.
        const auto made = std::span(forecasts).subspan((result.rows % (horizon + 1)) * q, q);
        if (file.fitted) {
            std::ranges::copy(file.fitted->fit.predict(x), made.begin());
        } else {
            file.learner->model().predict(x, made);
        }
        const auto predicted = std::span(forecasts).subspan(((result.rows + 1) % (horizon + 1)) * q, q);
        for (std::size_t j = 0; j < observed.size(); ++j) {
            if (!std::isnan(predicted[j])) {
                result.scores[j].add(observed[j], predicted[j]);
            }
        }
        const std::size_t missing_lags = before.missing_lags(result.rows);
        result.without_lags += missing_lags > 0 ? 1U : 0U;
        ++result.rows;
        records->write(out.text(), {.row = result.rows,
                                    .time = places.time ? std::string_view(row.texts.front()) : std::string_view(),
                                    .missing_lags = missing_lags,
                                    .observed = observed,
                                    .step = {.predicted = predicted, .forecast = {}, .report = std::nullopt}});
        out.flush_if_large();
    }
    out.flush();
    return result;
}

}  // namespace sluice::job
