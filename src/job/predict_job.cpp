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

PredictResult run_predict(const PredictSettings& settings, io::Disk& disk) {
    const ModelFile file = read_model_file(settings.model);
    RoleRequest as_in_the_model;
    auto reader = join_time_columns(io::open_rows(io::open_source(settings.input), settings.dialect), as_in_the_model,
                                    file.roles.time);
    if (!file.layout.target_lags.empty()) {
        require_targets(reader->columns(), file.roles);
    }
    const Places places = find_places(reader->columns(), file.roles, settings.ignore, false);
    reader->want(places.numbers(), places.texts());

    const std::size_t p = places.inputs.size();
    const std::size_t q = file.roles.targets.size();
    const bool has_observed = !places.targets.empty();
    PredictResult result{.targets = file.roles.targets};
    result.scores.resize(has_observed ? q : 0);

    const auto records = make_record_writer(settings.out_format, {.targets = file.roles.targets,
                                                                  .has_time = places.time.has_value(),
                                                                  .has_observed = has_observed,
                                                                  .has_model = false});
    io::OutputFile out(disk, settings.out);
    records->begin(out.text());
    RowStack stack(p, q, file.layout);
    const std::size_t horizon = file.layout.horizon;
    std::vector<double> forecasts((horizon + 1) * q, std::numeric_limits<double>::quiet_NaN());
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
        ++result.rows;
        records->write(out.text(), {.row = result.rows,
                                    .time = places.time ? std::string_view(row.texts.front()) : std::string_view(),
                                    .observed = observed,
                                    .step = {.predicted = predicted, .forecast = {}, .report = std::nullopt}});
        out.flush_if_large();
    }
    out.flush();
    return result;
}

}  // namespace sluice::job
