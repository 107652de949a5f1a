// bind.hpp -- the parts of the module sluice._core.
#pragma once

#include <nanobind/nanobind.h>

namespace sluice::python {

void bind_dict(nanobind::module_& module);
void bind_stream(nanobind::module_& module);
void bind_fit(nanobind::module_& module);
void bind_follow(nanobind::module_& module);
void bind_simulate(nanobind::module_& module);
void bind_arrow(nanobind::module_& module);
void bind_methods(nanobind::module_& module);
void bind_moments(nanobind::module_& module);
void bind_fleet(nanobind::module_& module);

}  // namespace sluice::python
