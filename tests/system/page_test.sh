#!/usr/bin/env bash
# The report in Debian's Chromium, driven by playwright-core. Skipped where node 20, its packages or chromium are not here.
# usage: page_test.sh SOURCE_DIR TOOL
set -uo pipefail
source_dir=$1
sluice=$2
SLUICE_CHROMIUM=$(command -v chromium) || { echo "SKIPPED: there is no chromium"; exit 77; }
"$source_dir/scripts/page.sh" --packages || { echo "SKIPPED: node or playwright-core is not here"; exit 77; }
SLUICE_WORK=$(mktemp -d)
trap 'rm -rf "$SLUICE_WORK"' EXIT
SLUICE_WEB=$source_dir/apps/server/web
export SLUICE_CHROMIUM SLUICE_WORK SLUICE_WEB
cd "$SLUICE_WORK" || exit 1
set -e

"$sluice" simulate selection --inputs 12 --drivers 2 --drivers-after 1 --change-at 400 --rows 900 --out data.csv 2>/dev/null
"$sluice" stream data.csv --targets y1 --interval 0.9 --warmup 20 --report change.html --summary summary.json --quiet
awk -F, 'NR == 1 { print "day," $0; next } { print strftime("%Y-%m-%d", 1672574400 + 86400 * (NR - 2), 1) "," $0 }' data.csv >dated.csv
"$sluice" stream dated.csv --targets y1 --time day --lags 0:3 --weights --out dated.csv.ndjson --quiet
"$sluice" report dated.csv.ndjson --out dated.html
"$sluice" simulate factors --inputs 12 --outputs 2 --groups 3 --rows 400 --seed 2 --out two.csv 2>/dev/null
"$sluice" stream two.csv --targets y1,y2 --report two.html --quiet
hostile='</script><img src=x onerror=window.hacked=1>'
sed "1s|x10|=$hostile|; 1s|y1|y$hostile|" data.csv >hostile.csv
"$sluice" stream hostile.csv --targets "y$hostile" --report hostile.html --quiet
awk -F, -v OFS=, 'NR == 501 { $NF = 1e7 } 1' data.csv >wrong.csv
"$sluice" stream wrong.csv --targets y1 --report wrong.html --quiet
awk 'BEGIN { for (t = 1; t <= 4000; t++) { list = ""
    for (k = 0; k < 10; k++) { n = (int(t / 20) * 10 + k) % 2000; list = list (k ? "," : "") "\"n" n "\"" }
    printf "{\"row\":%d,\"predicted\":{\"y\":1},\"observed\":{\"y\":%d},\"selected\":[[%s]],\"forgetting\":0.99}\n", t, t % 7, list } }' |
    "$sluice" report - --out wide.html

node --test --test-concurrency=1 "$source_dir/tests/page/page_test.mjs"
