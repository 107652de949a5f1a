#!/usr/bin/env bash
# Runs every command of docs/recipes.md on the real data and compares R2 with what stands there, to 0.02: other vector
# instructions round differently, and a decision of the tuner may then fall otherwise.  recipes_test.sh SOURCE_DIR TOOL
set -euo pipefail
if [ -z "${SLUICE_DATA:-}" ]; then
    echo "skipped: SLUICE_DATA is not set"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$2" "$work/bin/sluice"
PATH=$work/bin:$PATH
awk -v folder="$work" '
    /^```sh$/   { kind = "sh"; ++n; next }
    /^```text$/ { kind = "text"; next }
    /^```$/     { kind = ""; next }
    kind != ""  { print > (folder "/" n "." kind) }
' "$1/docs/recipes.md"
recipes=0
for command in "$work"/*.sh; do
    bash -euo pipefail "$command" >"$work/printed"
    while read -r name r2 _ scored; do
        [ "$name" = one ] && continue
        awk -v name="$name" -v r2="$r2" -v scored="$scored" '
            $1 == name && NF == 4 && $4 == scored { found = 1; off = $2 - r2; far = off > 0.02 || off < -0.02 }
            END { exit far || !found }' "$work/printed" || {
            echo "docs/recipes.md says $name $r2 $scored, the command says:"
            cat "$work/printed"
            exit 1
        }
    done <"${command%.sh}.text"
    recipes=$((recipes + 1))
done
[ "$recipes" -ge 5 ] || { echo "only $recipes recipes were found"; exit 1; }
echo "$recipes recipes ran"
