#!/usr/bin/env bash
# `sluice report` and `sluice stream --report` as people call them.  report_test.sh TOOL
set -uo pipefail
sluice=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
source "$here/expect.sh"
# data PAGE: the data inside a page, without the name of its source and the number of inputs, which a log does not have
data() { sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' "$1" | sed 's/"source":"[^"]*","inputs":[0-9]*//'; }

expect 0 simulate selection --inputs 12 --drivers 2 --drivers-after 1 --change-at 400 --rows 900 --out data.csv
expect 0 stream data.csv -t y1 --interval 0.9 --warmup 50 --weights --out log.ndjson --checkpoint model.sluice \
    --report live.html --quiet
expect 0 report log.ndjson --warmup 50 -o own.html
[ "$(data own.html | wc -c)" -gt 10000 ] || fail "the page has no data"
[ "$(data own.html)" = "$(data live.html)" ] || fail "a log with weights and the running stream: other data"
expect 0 report log.ndjson --model model.sluice -o with-model.html
has with-model.html '"inputs":12'
[ "$(data own.html)" = "$(data with-model.html)" ] || fail "the warm-up of the model is that of the stream"
expect 0 report log.ndjson --warmup 50 -o again.html
cmp -s own.html again.html || fail "the same log gives other bytes"
gzip -k log.ndjson
expect 0 report log.ndjson.gz --warmup 50 -o zipped.html
[ "$(data own.html)" = "$(data zipped.html)" ] || fail "a compressed log: other data"
"$sluice" report - -o - --warmup 50 <log.ndjson >piped.html || fail "standard input and output"
[ "$(data own.html)" = "$(data piped.html)" ] || fail "a log from standard input: other data"
has own.html "Content-Security-Policy"
expect 0 stream data.csv -t y1 --paper --keep 4 --weights --out paper.csv --report paper-live.html --quiet
expect 0 report paper.csv -o paper.html --title "Two <components> & more"
has paper.html 'Two \u003ccomponents\u003e \u0026 more'
expect 0 stream data.csv -t y1 --out plain.csv --quiet
lacks plain.csv "weights"
expect 0 report plain.csv -o plain.html
has plain.html '"has_weights":false'
expect 0 report plain.csv --model model.sluice -o plain-model.html
has plain-model.html '"has_weights":false'

expect 0 stream data.csv -t y1 --horizon 5 --out ahead.csv --report ahead-live.html --quiet
expect 0 report ahead.csv -o ahead.html
has ahead.html '"horizon":5,'
has ahead-live.html '"horizon":5,'

# --- what people get wrong
expect 2 report log.ndjson
has err "--out is required"
expect 2 report log.ndjson -o log.ndjson
has err "log.ndjson"
expect 3 report data.csv -o x.html
has err "data.csv: these are not records of \`sluice stream --out\`: the columns row, predicted_*, observed_* and selected are not all there"
[ ! -e x.html ] || fail "a page without data was written"
cat log.ndjson log.ndjson >twice.ndjson
expect 3 report twice.ndjson -o x.html
has err "twice.ndjson, line 901: row 1 comes after row 900: give the records of one run, in their order"
: >empty
expect 3 report empty -o x.html
has err "empty: there is no record in it. \`sluice stream --out FILE\` writes one per row"
expect 1 report nowhere.ndjson -o x.html
has err "nowhere.ndjson"
sed '1s/y1/z1/' data.csv >other.csv
expect 0 stream other.csv -t z1 --checkpoint other.sluice --quiet
expect 2 report log.ndjson --model other.sluice -o x.html
has err "--model: other.sluice predicts z1, and the log has y1: give the model of this stream"
expect 0 fit data.csv -t y1 --model fit.sluice --quiet
expect 2 report log.ndjson --model fit.sluice -o x.html
has err "--model: fit.sluice is a fit of all rows at once"
expect 2 stream data.csv -t y1 --weights
has err "--weights adds to the records, and there are none: give their file with --out FILE"
expect 2 stream data.csv -t y1 --out - --report -
has err "--report - cannot go to standard output"
expect 2 stream data.csv -t y1 --out a.html --report a.html
has err "a.html"
expect 0 report --help
has out "sluice report log.ndjson --out own.html"
expect 0 completion bash
has out report

[ "$failures" -eq 0 ] && echo "all as expected"
exit "$((failures > 0))"
