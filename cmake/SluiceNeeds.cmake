# What the library itself is built from. All that is missing is said at once, with the Debian packages that have it.
find_package(Eigen3 3.4 QUIET NO_MODULE)
find_package(hwy QUIET)
find_path(SPECTRA_INCLUDE_DIR Spectra/SymEigsSolver.h)
find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY zstd)
if(SLUICE_PYTHON)
    find_package(fmt QUIET)
endif()

set(missing)
set(packages)
macro(sluice_needs found name package)
    if(NOT ${found})
        list(APPEND missing "${name}")
        list(APPEND packages ${package})
    endif()
endmacro()
sluice_needs(Eigen3_FOUND "Eigen 3.4" libeigen3-dev)
sluice_needs(hwy_FOUND "Highway" libhwy-dev)
sluice_needs(SPECTRA_INCLUDE_DIR "Spectra" libspectra-dev)
sluice_needs(XXHASH_INCLUDE_DIR "xxHash" libxxhash-dev)
sluice_needs(ZSTD_LIBRARY "zstd" libzstd-dev)
if(SLUICE_PYTHON)
    sluice_needs(fmt_FOUND "fmt" libfmt-dev)
endif()
if(missing)
    list(JOIN missing ", " missing)
    list(JOIN packages " " packages)
    message(FATAL_ERROR "Sluice needs ${missing}. On Debian and Ubuntu: apt-get install ${packages}")
endif()

# Third-party headers are private to the rooms, and their warnings are not ours.
add_library(sluice_algebra INTERFACE)
target_include_directories(sluice_algebra SYSTEM INTERFACE
    $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES> ${SPECTRA_INCLUDE_DIR})
target_compile_definitions(sluice_algebra INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)

# Compression of saved state. By its name, so that what is installed holds no path of this machine.
add_library(sluice_zstd INTERFACE)
target_include_directories(sluice_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR})

# Text of the rooms beside the library. A wheel must not need the shared library of fmt where it is installed.
if(SLUICE_DEVELOPER)
    set(SLUICE_FMT fmt::fmt)
else()
    set(SLUICE_FMT fmt::fmt-header-only)
endif()
