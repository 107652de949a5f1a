#include "simple_forecasts.hpp"

#include <cmath>

#include "sluice/score.hpp"

namespace sluice::bench {

SimpleErrors measure_simple(const TaskRows& rows, std::size_t warmup) {
    SimpleErrors errors;
    for (std::size_t k = 0; k < rows.outputs; ++k) {
        Score of_last;
        Score of_mean;
        double last = 0.0;
        double mean = 0.0;
        double known = 0.0;
        for (std::size_t t = 0; t < rows.count(); ++t) {
            const double y = rows.y[(t * rows.outputs) + k];
            if (std::isnan(y)) {
                continue;
            }
            if (t >= warmup) {
                of_last.add(y, last);
                of_mean.add(y, mean);
            }
            last = y;
            known += 1.0;
            mean += (y - mean) / known;
        }
        errors.last_value += of_last.error_over_variance() / static_cast<double>(rows.outputs);
        errors.mean += of_mean.error_over_variance() / static_cast<double>(rows.outputs);
    }
    return errors;
}

}  // namespace sluice::bench
