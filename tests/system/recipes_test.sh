#!/usr/bin/env bash
# Runs every command of docs/recipes.md on the real data and compares R2 with the numbers there, to 0.02: other vector
# instructions round differently, and a decision of the tuner may then differ. The picture that they draw must show nearly
# the same names as docs/selection.svg.  recipes_test.sh SOURCE_DIR TOOL
set -euo pipefail
if [ -z "${SLUICE_DATA:-}" ]; then
    echo "skipped: SLUICE_DATA is not set"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/folder"
ln -s "$2" "$work/bin/sluice"
PATH=$work/bin:$PATH
awk -v folder="$work" '
    /^```sh$/   { kind = "sh"; ++n; next }
    /^```text$/ { kind = "text"; next }
    /^```$/     { kind = ""; next }
    kind != ""  { print > (folder "/" n "." kind) }
' "$1/docs/recipes.md"
# The lines of a table as "target|line|R2|rows": a line that is indented belongs to the target above it.
table() {
    awk 'NF >= 5 && $NF ~ /^[0-9,]+$/ && $(NF - 3) ~ /^(-|-?[0-9.]+)$/ {
            name = $1
            for (i = 2; i <= NF - 4; i++) name = name " " $i
            if ($0 !~ /^ /) target = name
            print target "|" name "|" $(NF - 3) "|" $NF
        }' "$1"
}
recipes=0
for command in "$work"/*.sh; do
    (cd "$work/folder" && bash -euo pipefail "$command") >"$work/printed"
    table "$work/printed" >"$work/measured"
    table "${command%.sh}.text" >"$work/said"
    [ "$(grep -c '|the last value|' "$work/said")" -ge 1 ] || { echo "docs/recipes.md: a recipe without the last value"; exit 1; }
    while IFS='|' read -r target name r2 scored; do
        awk -F'|' -v target="$target" -v name="$name" -v r2="$r2" -v scored="$scored" '
            $1 == target && $2 == name && $4 == scored { found = 1; off = $3 - r2; far = off > 0.02 || off < -0.02 }
            END { exit far || !found }' "$work/measured" || {
            echo "docs/recipes.md says of $target: $name $r2 $scored, the command says:"
            cat "$work/printed"
            exit 1
        }
    done <"$work/said"
    recipes=$((recipes + 1))
done
[ "$recipes" -ge 5 ] || { echo "only $recipes recipes were found"; exit 1; }

names() { sed -n 's/.*text-anchor="end">\([^<]*\)<.*/\1/p' "$1" | sort; }
names "$1/docs/selection.svg" >"$work/shown"
names "$work/folder/selection.svg" >"$work/drawn"
shown=$(wc -l <"$work/shown")
same=$(comm -12 "$work/shown" "$work/drawn" | wc -l)
[ "$shown" -ge 30 ] && [ "$same" -ge $((shown - 6)) ] || {
    echo "docs/selection.svg is not what its recipe draws: $same of $shown names are the same"
    exit 1
}
grep -q "$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$1/docs/selection.svg")" "$work/folder/selection.svg" || {
    echo "docs/selection.svg has another title than its recipe gives"
    exit 1
}
echo "$recipes recipes ran"
