#!/usr/bin/env bash
# `sluice compare` as people call it.  compare_test.sh TOOL
set -uo pipefail
sluice=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
source "$here/expect.sh"
# without_times FILE: the JSON of a comparison without what is measured by a clock
without_times() { sed 's/"microseconds_per_row": [0-9.e+-]*//g' "$1"; }

expect 0 simulate selection --inputs 12 --drivers 2 --drivers-after 1 --change-at 400 --rows 900 --out data.csv
expect 0 compare --list
has out "sluice                 selects  Sluice, self-tuning"
has out "rls                    dense    recursive least squares"
expect 0 compare data.csv -t y1 --warmup 50 --names 3 --methods sluice,rls,window_lars
has out "900 rows, 12 inputs, 1 target; predicted one step ahead, the first 50 rows not scored. Methods that select use at most 3 inputs."
has out "error over variance"
grep -qE '^\* sluice +selects +0\.[0-9]{4} +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ k?B$' out || { fail "the line of sluice"; cat out >&2; }
grep -qE '^  rls +dense ' out || { fail "the line of rls"; cat out >&2; }

# The same errors as of a stream, and the same bits whatever the threads.
expect 0 compare data.csv -t y1 --warmup 50 --names 3 --methods all --threads 1 --json
cp out one.json
expect 0 compare data.csv -t y1 --warmup 50 --names 3 --methods all --threads 2 --json
cmp -s <(without_times one.json) <(without_times out) || fail "other results on two threads"
expect 0 stream data.csv -t y1 --warmup 50 --names 3 --quiet --summary summary.json
error=$(sed -n 's/.*"targets": {"y1": {"r2": [^,]*, "error_over_variance": \([^,]*\),.*/\1/p' summary.json)
[ -n "$error" ] || fail "the summary has no error"
has one.json "\"name\": \"sluice\", \"title\": \"Sluice, self-tuning\""
has one.json "\"mean_error_over_variance\": $error,"

# Lags, horizon, missing values, bad rows, a pipe, compression.
expect 0 simulate factors --inputs 10 --outputs 2 --groups 5 --rows 300 --drift 0.02 --missing 0.05 --out factors.csv
sed -i '100i oops' factors.csv
expect 3 compare factors.csv -t 'y*' --methods rls
has err "--on-bad-row skip"
expect 0 compare factors.csv -t 'y*' --methods sluice,rls --lags 0:2 --target-lags 1 --horizon 2 --on-bad-row skip --out curves.csv
has out "300 rows, 1 bad ones skipped, 32 inputs, 2 targets; predicted 2 rows ahead"
[ "$(head -1 curves.csv)" = row,time,method,target,scored,error_over_variance,cumulated ] || fail "curves: header"
[ "$(grep -c ',sluice,y2,' curves.csv)" -eq 150 ] || fail "curves: windows"
gzip -k data.csv
"$sluice" compare - -t y1 --methods rls --json <data.csv.gz >piped.json || fail "compressed standard input"
has piped.json '"rows": 900'

# The page.
expect 0 compare data.csv -t y1 --warmup 50 --names 3 --report page.html --quiet
[ ! -s out ] || fail "--quiet prints something"
has page.html "<title>Methods compared on data.csv</title>"
has page.html "default-src 'none'"
has page.html "Error over time"
has page.html 'alt="Inputs that Sluice, self-tuning selected"'
lacks page.html "<script"
lacks page.html "http://www.w3.org/1999"
grep -oE '(src|href)="[a-z]+:' page.html | sort -u | grep -qv '^src="data:$' && fail "the page names something outside"
sed '1s/.*/<b>a\&<\/b>,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,<i>y<\/i>/' data.csv >odd.csv
expect 0 compare odd.csv -t 13 --methods sluice --report odd.html
lacks odd.html "<b>a"
lacks odd.html "<i>y"

# What cannot be.
expect 2 compare data.csv -t y1 --methods sluise
has err "--methods: there is no method sluise. Did you mean sluice?"
expect 2 compare data.csv -t y1 --methods sluice,sluice
expect 2 compare data.csv -t y1 --names 0
expect 2 compare data.csv -t nothing
expect 2 compare data.csv -t y1 --labels late.csv
has err "unknown option --labels"
expect 2 compare data.csv -t y1 --out - --json
expect 2 compare data.csv -t y1 --out data.csv
expect 1 compare nowhere.csv -t y1
expect 1 compare data.csv -t y1 --methods sluice --most-seconds 0.0000001
has err "every method failed"
expect 0 compare data.csv -t y1 --methods sluice,rls --most-seconds 0.01
expect 2 compare data.csv -t y1 --methods sluise --json
has err '{"error":{"kind":"usage"'

# An interrupt shows what there is so far.
mkfifo pipe
"$sluice" compare pipe -t y1 --methods rls >out 2>err &
child=$!
exec 3<>pipe
cat data.csv >&3
sleep 1
kill -TERM "$child"
wait "$child"
[ $? -eq 130 ] || fail "interrupted: exit code"
exec 3>&-
has out "error over variance"
has err "interrupted after row"

cp "$sluice" alone
./alone compare data.csv -t y1 >out 2>err && fail "compare without its program: exit code 0"
has err "--target sluice-compare"
[ "$failures" -eq 0 ] && echo "sluice compare: all as expected"
exit "$((failures > 0))"
