#!/usr/bin/env bash
# clang-tidy on the library, all modules and the tool, as a finished build compiles them: most sources in groups, which takes
# a fraction of the time of one by one. `cmake --build build/lint --target lint_all` reads each source by itself.
#     scripts/lint.sh build/asan
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?the folder of a build is missing}
# A group includes .cpp files, which is meant.
grep -o '"file": "[^"]*"' "$build/compile_commands.json" | cut -d '"' -f 4 | sort -u |
    grep -E "^$PWD/($build/)?(src|apps|experiments)/" |
    xargs -P "$(nproc)" -n 1 clang-tidy-16 -p "$build" --quiet --checks=-bugprone-suspicious-include 2>&1 |
    sed '/warnings generated\.$/d'
