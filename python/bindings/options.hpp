// options.hpp -- keyword arguments to options: the names and the sentences are the core's.
#pragma once

#include <nanobind/nanobind.h>

#include "sluice/tuning.hpp"

namespace sluice::python {

/// Throws OptionError: every value that cannot be read, at once.
[[nodiscard]] AdaptiveOptions adaptive_options(const nanobind::dict& values);
[[nodiscard]] StreamOptions stream_options(const nanobind::dict& values);

void bind_options(nanobind::module_& module);

}  // namespace sluice::python
