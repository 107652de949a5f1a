#!/usr/bin/env bash
# clang-tidy on the library, all modules and the tool, as a finished build compiles them: most sources in groups, which takes
# a fraction of the time of one by one. `cmake --build build/lint --target lint_all` reads each source by itself.
#     scripts/lint.sh build/asan
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?the folder of a build is missing}
# weighed : "LINES SOURCE" for each source on standard input, with the lines of the .cpp files that it includes
weighed() {
    local source included
    while read -r source; do
        mapfile -t included < <(sed -n 's/^#include "\(.*\.cpp\)"$/\1/p' "$source")
        echo "$(cat "$source" "${included[@]}" 2>/dev/null | wc -l) $source"
    done
}
# The longest first, so that no core is without work while another one reads the last. A group includes .cpp files, which is meant.
grep -o '"file": "[^"]*"' "$build/compile_commands.json" | cut -d '"' -f 4 | sort -u |
    grep -E "^$PWD/($build/)?(src|apps|experiments)/" | weighed | sort -rn | cut -d ' ' -f 2- |
    xargs -P "$(nproc)" -n 1 clang-tidy-16 -p "$build" --quiet --checks=-bugprone-suspicious-include 2>&1 |
    sed '/warnings generated\.$/d'
