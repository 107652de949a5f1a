// version.hpp -- read by CMake too: the one place where the version stands.
#pragma once

#define SLUICE_VERSION "0.1.0"
