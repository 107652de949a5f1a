#!/usr/bin/env bash
# Formats every C++ file of ours; with --check only says which ones would change.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find . -path ./build -prune -o -name "*.[ch]pp" -print | sort)
if [ "${1:-}" = --check ]; then
    clang-format-16 --dry-run --Werror "${files[@]}" && echo "${#files[@]} files are formatted"
else
    clang-format-16 -i "${files[@]}"
fi
