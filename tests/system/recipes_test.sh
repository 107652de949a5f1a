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
recipes=0
for command in "$work"/*.sh; do
    (cd "$work/folder" && bash -euo pipefail "$command") >"$work/printed"
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
