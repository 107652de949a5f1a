#!/usr/bin/env bash
# Runs the commands of README.md in a clean copy of the tree, in the order in which they stand, as a reader would, and
# compares what they print with what README says they print. ./run configures, links and runs as in any clean copy; only
# the objects are copied from the build that is being tested.
# usage: readme_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1
export SLUICE_FIRST_BUILD=$2
export CMAKE_CXX_COMPILER_LAUNCHER=$source_dir/tests/system/take_object.sh
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT

# What git would clone, with changes that are not committed yet; or everything but the builds.
mkdir "$HOME/clone"
cd "$source_dir"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
else
    find . -path ./build -prune -o -type f -print0
fi | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    tar --create --null --files-from=- | tar --extract --directory "$HOME/clone"
cd "$HOME/clone"

# README's blocks in order: a ```sh block is commands, a ```text block right after it what they print. What ```python
# blocks print is compared by python/tests/test_docs.py.
awk '
    /^```sh$/     { kind = "sh"; python = 0; ++n; next }
    /^```python$/ { kind = ""; python = 1; next }
    /^```text$/   { kind = python ? "" : "text"; next }
    /^```cpp$/    { kind = "cpp"; next }
    /^```/        { kind = ""; next }
    kind != ""  { print > (ENVIRON["HOME"] "/" (kind == "cpp" ? "program" : sprintf("%03d", n)) "." kind) }
' README.md

commands=0
for block in "$HOME"/*.sh; do
    expected=${block%.sh}.text
    printed=${block%.sh}.printed
    : >"$printed"
    while read -r line; do
        case $line in
            "" | ./test*) ;; # ./test is what runs this
            *)
                commands=$((commands + 1))
                eval "$line" >"$HOME/last" 2>"$HOME/errors" </dev/null ||
                    { echo "README command failed: $line"; cat "$HOME/last" "$HOME/errors"; exit 1; }
                cat "$HOME/last" >>"$printed"
                ;;
        esac
    done <"$block"
    if [ -e "$expected" ]; then
        # The build's own lines come before what the command prints.
        tail -n "$(wc -l <"$expected")" "$printed" | diff - "$expected" ||
            { echo "README shows another output for $(cat "$block")"; exit 1; }
    fi
done
[ "$commands" -ge 3 ] || { echo "only $commands commands found in README.md"; exit 1; }
[ "$(head -1 "$HOME/001.sh")" = ./run ] || { echo "README does not begin with ./run"; exit 1; }

# The program in README is the one that is built.
diff "$HOME/program.cpp" examples/outside/main.cpp || { echo "README shows another program than examples/outside/main.cpp"; exit 1; }
echo "$commands commands of README ran"
