#!/usr/bin/env bash
# Runs the commands of README.md, as a reader would, and compares what they print with what README says they print.
# usage: readme_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"
export SLUICE_LOCK_HELD=1 # ./test, which runs us, holds the lock on the build folder
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT

# README's blocks in order: a ```sh block is commands, a ```text block right after it what they print.
awk '
    /^```sh$/   { kind = "sh";   ++n; next }
    /^```text$/ { kind = "text"; next }
    /^```cpp$/  { kind = "cpp";  next }
    /^```$/     { kind = "";     next }
    kind != ""  { print > (ENVIRON["HOME"] "/" (kind == "cpp" ? "program" : n) "." kind) }
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
                eval "$line" >"$HOME/last" 2>"$HOME/errors" || { echo "README command failed: $line"; cat "$HOME/last" "$HOME/errors"; exit 1; }
                cat "$HOME/last" >>"$printed"
                ;;
        esac
    done <"$block"
    if [ -e "$expected" ]; then
        # The build's own lines come before what the command prints.
        tail -n "$(wc -l <"$expected")" "$printed" | diff - "$expected" || { echo "README shows another output for $(cat "$block")"; exit 1; }
    fi
done
[ "$commands" -ge 3 ] || { echo "only $commands commands found in README.md"; exit 1; }

# The program in README is the one that is built.
diff "$HOME/program.cpp" examples/outside/main.cpp || { echo "README shows another program than examples/outside/main.cpp"; exit 1; }
echo "$commands commands of README ran"
