#!/usr/bin/env bash
# Runs every command of docs/tracking.md, in order and in one folder, and compares errors over variance with what stands there, to 0.02: other
# vector instructions round differently, and a name may then change a week later. Commands that need $SLUICE_DATA run where it is set.
# tracking_test.sh SOURCE_DIR TOOL
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/folder"
ln -s "$2" "$work/bin/sluice"
PATH=$work/bin:$PATH
awk -v folder="$work" '
    /^```sh$/   { kind = "sh"; n = sprintf("%02d", n + 1); next }
    /^```text$/ { kind = "text"; next }
    /^```/      { kind = kind == "" ? "other" : ""; next }
    kind == "sh" || kind == "text" { print > (folder "/" n "." kind) }
' "$1/docs/tracking.md"
cd "$work/folder"
ran=0
for command in "$work"/*.sh; do
    if grep -q SLUICE_DATA "$command" && [ -z "${SLUICE_DATA:-}" ]; then
        echo "left out, SLUICE_DATA is not set: $(cat "$command")"
        continue
    fi
    bash -euo pipefail "$command" >"$work/printed" 2>"$work/errors" || { cat "$command" "$work/errors"; exit 1; }
    ran=$((ran + 1))
    text=${command%.sh}.text
    [ -f "$text" ] || continue
    # Strategies stand in the same order for each index: the n-th line of a name is compared with its n-th line.
    awk 'NR == FNR { want[$1, ++wanted[$1]] = $2; next }
         NF > 10 && ($1 in wanted) && $NF + 0 == $NF {
             n = ++seen[$1]; off = $2 - want[$1, n]; if (off < 0) off = -off
             if (n > wanted[$1] || off > 0.02) { print "docs/tracking.md says " $1 " " want[$1, n] ", the command says " $2; bad = 1 } }
         END { for (name in wanted) if (seen[name] != wanted[name]) { print name ": " seen[name] + 0 " lines, not " wanted[name]; bad = 1 }
               exit bad }' "$text" "$work/printed" || { cat "$command" "$work/printed"; exit 1; }
done
for file in holdings.csv figures.json back-test.html; do [ -s "$file" ] || { echo "no $file"; exit 1; }; done
grep -q '"index1, return in %"' back-test.html || { echo "the page has not the index's returns"; exit 1; }
grep -q '"kind":"rebalanced"' back-test.html || { echo "the page has no trades"; exit 1; }
[ "$ran" -ge 3 ] || { echo "only $ran commands ran"; exit 1; }
echo "$ran commands ran"
