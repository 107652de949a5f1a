#!/usr/bin/env bash
# `pip install .` without the libraries that the build needs says which ones are missing, and only those.
# usage: missing_packages_test.sh PYTHON
set -euo pipefail
python=$1
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses SENTENCE cmake.define... : the build stops with this sentence
refuses() {
    local sentence=$1 settings=() definition
    shift
    for definition in "$@"; do
        settings+=(--config-settings "cmake.define.$definition")
    done
    rm -rf "$work/build"
    if "$python" -m pip wheel --no-build-isolation --no-deps --no-index --wheel-dir "$work" --config-settings "build-dir=$work/build" \
        "${settings[@]}" . >"$work/log" 2>&1; then
        echo "missing packages: the wheel was built all the same, with $*" >&2
        exit 1
    fi
    # CMake breaks long lines.
    if ! tr -s ' \n' ' ' <"$work/log" | grep -qF "$sentence"; then
        cat "$work/log"
        echo "missing packages: the log does not say: $sentence" >&2
        exit 1
    fi
}

refuses "Sluice needs Eigen 3.4. On Debian and Ubuntu: apt-get install libeigen3-dev " \
    CMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
# All libraries of the system are hidden; the compiler and the builder are not.
refuses "Sluice needs Eigen 3.4, Highway, Spectra, xxHash, zstd, fmt, fast_float. On Debian and Ubuntu: apt-get install libeigen3-dev libhwy-dev libspectra-dev libxxhash-dev libzstd-dev libfmt-dev libfast-float-dev" \
    "CMAKE_IGNORE_PREFIX_PATH=/usr;/usr/local;/" "CMAKE_MAKE_PROGRAM=$(command -v ninja)" "CMAKE_CXX_COMPILER=$(command -v "${CXX:-c++}")"
echo "   without Eigen, Highway, Spectra, xxHash and fmt, pip says which packages to install"
