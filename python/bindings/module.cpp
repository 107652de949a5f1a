// module.cpp -- sluice._core, private to the Python package.
#include <nanobind/nanobind.h>

#include "bind.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/version.hpp"

NB_MODULE(_core, module) {
    // Errors of options and data are std::invalid_argument, which nanobind makes a ValueError. So is damaged state.
    nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const sluice::StateError& state) {
            PyErr_SetString(PyExc_ValueError, state.what());
        }
    });
    module.attr("__version__") = SLUICE_VERSION;
    sluice::python::bind_options(module);
    sluice::python::bind_stream(module);
    sluice::python::bind_moments(module);
    sluice::python::bind_fit(module);
    sluice::python::bind_follow(module);
    sluice::python::bind_simulate(module);
    sluice::python::bind_arrow(module);
    sluice::python::bind_dict(module);
    sluice::python::bind_methods(module);
    sluice::python::bind_fleet(module);
}
