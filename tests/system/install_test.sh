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

# A checkpoint of the tool, loaded by a program that continues to learn, and taken back by the tool.
cmake -S "$source_dir/examples/checkpoint" -B "$work/checkpoint" -D CMAKE_PREFIX_PATH="$work/prefix" -D CMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$work/checkpoint" >/dev/null
sluice=$work/prefix/bin/sluice
"$sluice" simulate factors --inputs 6 --outputs 1 --groups 3 --rows 200 --seed 5 --out "$work/all.csv"
head -n 101 "$work/all.csv" >"$work/first.csv"
(head -n 1 "$work/all.csv"; tail -n 100 "$work/all.csv") >"$work/rest.csv"
"$sluice" stream "$work/first.csv" --targets y1 --lags 0:1 --target-lags 1:2 --checkpoint "$work/plant.sluice" --quiet
"$work/checkpoint/checkpoint" "$work/plant.sluice" <"$work/rest.csv" | tee "$work/continued"
grep -q '^100 rows learnt before; inputs: x1 x1@-1 x2 x2@-1 .* y1@-1 y1@-2$' "$work/continued"
"$sluice" inspect "$work/plant.sluice" | grep '200 rows seen, 200 learnt'
"$sluice" predict "$work/plant.sluice" "$work/rest.csv" --quiet --out "$work/predicted.csv"

# Every public header stands on its own, and needs nothing but the standard library.
for header in "$work"/prefix/include/sluice/*.hpp; do
    echo "#include <sluice/$(basename "$header")>" |
        "$cxx" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/prefix/include" -x c++ -
done

"$work/prefix/bin/sluice" --version
