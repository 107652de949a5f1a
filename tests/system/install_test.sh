#!/usr/bin/env bash
# Installs a build, then builds the outside project against the installed copy by find_package and by pkg-config.
# usage: install_test.sh SOURCE_DIR BUILD_DIR CXX
set -euo pipefail
source_dir=$1
build_dir=$2
cxx=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null

cmake -S "$source_dir/examples/outside" -B "$work/outside" -D CMAKE_PREFIX_PATH="$work/prefix" -D CMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$work/outside" >/dev/null
"$work/outside/outside" | tee "$work/by_cmake"
grep -q 'row 600: selected 2 7' "$work/by_cmake"

export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
flags=$(pkg-config --cflags --libs sluice)
# shellcheck disable=SC2086
"$cxx" -std=c++20 "$source_dir/examples/outside/main.cpp" $flags -o "$work/by_pkg_config"
"$work/by_pkg_config" | diff - "$work/by_cmake"

# Every public header stands on its own, and needs nothing but the standard library.
for header in "$work"/prefix/include/sluice/*.hpp; do
    echo "#include <sluice/$(basename "$header")>" |
        "$cxx" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/prefix/include" -x c++ -
done

"$work/prefix/bin/sluice" --version
