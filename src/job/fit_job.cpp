#include "fit_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "good_rows.hpp"
#include "groups.hpp"
#include "row_stack.hpp"
#include "sluice/error.hpp"
#include "time_columns.hpp"

namespace sluice::job {

FitResult run_fit(const FitSettings& settings) {
    RoleRequest request = settings.roles;
    auto reader = join_time_columns(io::open_rows(io::open_source(settings.input), settings.dialect), request);
    FitResult result;
    ModelFile& file = result.file;
    file.layout = {.lags = settings.lags, .horizon = settings.horizon, .target_lags = settings.target_lags};
    file.roles = assign_roles(reader->columns(), request, file.layout);
    const Places places = find_places(reader->columns(), file.roles, {}, true);
    reader->want(places.numbers(), {});

    const std::size_t p = places.inputs.size();
    const std::size_t q = places.targets.size();
    RowStack stack(p, q, file.layout);
    const std::size_t width = file.layout.width(p, q);
    std::vector<double> x;
    std::vector<double> y;
    std::size_t rows = 0;
    io::Row row;
    while (next_good(*reader, row, settings.skip_bad_rows, result.skipped)) {
        const auto numbers = std::span<const double>(row.numbers);
        const auto outputs = numbers.subspan(p);
        const auto stacked = stack.push(numbers.first(p), outputs);
        x.insert(x.end(), stacked.begin(), stacked.end());
        if (rows >= settings.horizon) {
            y.insert(y.end(), outputs.begin(), outputs.end());
        }
        ++rows;
    }
    if (rows <= settings.horizon) {
        throw DataError(rows == 0 ? settings.input + ": has a header and no rows"
                                  : fmt::format("{}: has {} rows, too few for a fit with horizon {}", settings.input,
                                                rows, settings.horizon));
    }
    x.resize((rows - settings.horizon) * width);  // the outputs of the last rows are not known yet

    FittedModel fitted{.options = settings.options, .rows = rows - settings.horizon};
    if (settings.options.penalty == Penalty::group_lasso && settings.options.groups.empty()) {
        fitted.options.groups = groups_for(file.roles, file.layout, settings.group_file);
    }
    const Rows inputs(x, width);
    const Rows outputs(y, q);
    fitted.fit = fit(settings.method, inputs, outputs, fitted.options);
    result.scores.resize(q);
    for (std::size_t i = 0; i < inputs.count(); ++i) {
        const std::vector<double> predicted = fitted.fit.predict(inputs[i]);
        for (std::size_t j = 0; j < q; ++j) {
            result.scores[j].add(outputs[i][j], predicted[j]);
        }
    }
    fitted.fit.scores = Matrix();
    file.fitted = std::move(fitted);
    return result;
}

}  // namespace sluice::job
