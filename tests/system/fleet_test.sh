#!/usr/bin/env bash
# `sluice stream --by` from outside: killed and resumed byte for byte, errors in sentences, one bad key among good ones.
#     fleet_test.sh TOOL
set -euo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*" >&2; exit 1; }

# 40 keys in a mixed order; y = 2 a - b of its own key.
awk 'BEGIN {
    srand(7); print "unit,n,a,b,c,y"
    for (i = 0; i < 8000; ++i) {
        k = int(rand() * 40); a = rand() - 0.5; b = rand() - 0.5; c = rand() - 0.5
        printf "U%d,%d,%.6f,%.6f,%.6f,%.6f\n", k, ++n[k], a, b, c, (2 + k / 40) * a - b + 0.01 * (rand() - 0.5)
    }
}' >rows.csv
cat >fleet.yaml <<'Y'
key: unit
sequence: n
targets: [y]
Y

"$tool" stream rows.csv --by fleet.yaml --out whole.ndjson >said.txt
grep -q "8,000 rows of 40 keys" said.txt || fail "does not say what it saw: $(cat said.txt)"
[ "$(wc -l <whole.ndjson)" = 8000 ] || fail "a record for each row"
"$tool" stream rows.csv --by unit --sequence n -t y --threads 2 --out flags.ndjson -q
cmp whole.ndjson flags.ndjson || fail "options give another fleet than the file"

echo "-- killed at any moment and resumed: the same bytes"
run=("$tool" stream rows.csv --by fleet.yaml --state states --checkpoint-every 200 --resume --out killed.ndjson --fleet-memory 0.005 -q)
kills=0
for wait in 0.02 0.05 0.08 0.11 0.15 0.2 0.1 0.05; do
    "${run[@]}" &
    job=$!
    sleep "$wait"
    kill -KILL "$job" 2>/dev/null && kills=$((kills + 1))
    wait "$job" 2>/dev/null || true
done
"${run[@]}"
cmp whole.ndjson killed.ndjson || fail "resumed after $kills kills, the records differ"
[ "$kills" -ge 1 ] || fail "it was never killed"

echo "-- one bad key, one bad row, and the others go on"
{ cat rows.csv; echo "U1,9999,oops,1,2,3"; echo ",1,1,2,3,4"; echo "U2,3,1,1,1,1"; echo "NEW,1,text,1,1,1"; echo "U3,9999,1,2"; } >bad.csv
"$tool" stream bad.csv --by fleet.yaml --out bad.ndjson -q
head -n 8000 bad.ndjson | cmp - whole.ndjson || fail "bad rows at the end changed the rows before"
tail -n 5 bad.ndjson >last.txt
sed -n 1p last.txt | grep -q '"key":"U1".*column_vanished' || fail "a text in a known column: $(sed -n 1p last.txt)"
sed -n 2p last.txt | grep -q '"key":null.*row_refused.*no key' || fail "a row without key: $(sed -n 2p last.txt)"
sed -n 3p last.txt | grep -q '"key":"U2".*"repeated".*sequence_back' || fail "a number that goes back: $(sed -n 3p last.txt)"
sed -n 4p last.txt | grep -q '"key":"NEW".*row_refused' || fail "a new key with a bad row: $(sed -n 4p last.txt)"
sed -n 5p last.txt | grep -q 'row_refused.*line 8006' || fail "a line that cannot be read: $(sed -n 5p last.txt)"

echo "-- mistakes"
refused() { # CODE WORDS COMMAND...
    local code=$1 words=$2 got=0
    shift 2
    "$@" >out.txt 2>&1 || got=$?
    [ "$got" = "$code" ] || fail "exit code $got instead of $code: $* -- $(cat out.txt)"
    grep -q -- "$words" out.txt || fail "does not say \"$words\": $(cat out.txt)"
}
refused 2 "Did you mean unit?" "$tool" stream rows.csv --by unti -t y
refused 2 "--resume" "$tool" stream rows.csv --by fleet.yaml --state states
refused 2 "change the file" "$tool" stream rows.csv --by fleet.yaml -t y
refused 2 "a fleet (--by) does not have: --warmup" "$tool" stream rows.csv --by fleet.yaml --warmup 5
refused 2 "--by COLUMN" "$tool" stream rows.csv -t y --state states
printf 'kee: unit\ntargets: [y]\nhorizon: -1\n' >broken.yaml
refused 2 "Did you mean key" "$tool" stream rows.csv --by broken.yaml
grep -q "horizon: must be" out.txt || fail "not every broken rule is named"
printf 'key: unit\nsequence: n\ntargets: [y]\ninterval: 0.9\n' >other.yaml
refused 4 "another config" "$tool" stream rows.csv --by other.yaml --state states --resume
echo "-- all as it should be"
