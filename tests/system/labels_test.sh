#!/usr/bin/env bash
# Labels that come late, as people give them: in the rows, in a file, in a file that grows, through a named pipe. A
# followed run is killed and resumed: no record is lost or written twice.  labels_test.sh TOOL
set -uo pipefail
sluice=$1
work=$(mktemp -d)
trap 'kill -KILL ${child:-} 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
has() { grep -qF -- "$2" "$1" || { fail "$1 does not say: $2"; cat "$1" >&2; }; }
# wait_for LINES FILE: until the file has that many lines
wait_for() {
    for _ in $(seq 200); do
        [ "$(cat "$2" 2>/dev/null | wc -l)" -ge "$1" ] && return
        sleep 0.05
    done
    fail "$2 does not have $1 lines"
}

# One row in ten has a label, which comes six rows late.
"$sluice" simulate factors --inputs 12 --outputs 1 --groups 3 --rows 400 --seed 2 --out table.csv || fail simulate
awk -F, 'NR == 1 { print $0 ",when,of" > "in-rows.csv"; sub(/,y1$/, ""); print $0 ",when" > "rows.csv"; print "when,y1" > "labels.csv"; next }
    { t = NR - 2; y[t] = $NF; x = $0; sub(/,[^,]*$/, "", x); print x "," t > "rows.csv"
      if (t % 10 == 0) print t "," y[t] > "labels.csv"
      if (t >= 6 && (t - 6) % 10 == 0) print x "," y[t - 6] "," t "," (t - 6) > "in-rows.csv"
      else print x ",," t "," > "in-rows.csv" }' table.csv
"$sluice" stream in-rows.csv -t y1 --time when --label-time of --out in-rows.ndjson --checkpoint in-rows.sluice >out 2>err ||
    fail "--label-time"
has out "labels: 40 learnt, 0 late (no row of their time among the last 1,000)"
has out "before the label came"
"$sluice" stream rows.csv --time when --labels labels.csv --label-delay 6 --out own-file.ndjson --summary summary.json >out 2>err ||
    fail "--labels"
cmp -s in-rows.ndjson own-file.ndjson || fail "--label-time and --labels with the same delay: other records"
has summary.json '"labels": {"learned": 40, "late": 0, "repeated": 0, "waiting": 0, "window": 1000}'
[ "$(grep -c '"label_of"' own-file.ndjson)" -eq 40 ] || fail "records of labels"
[ "$(grep -vc '"label_of"' own-file.ndjson)" -eq 400 ] || fail "records of rows"
"$sluice" inspect in-rows.sluice >out || fail "inspect"
has out "labels: 40 learnt"
"$sluice" picture own-file.ndjson --out picture.svg 2>err || fail "picture"
"$sluice" diff own-file.ndjson:100 own-file.ndjson:400 >out || fail "diff"
"$sluice" stream rows.csv --labels labels.csv >out 2>err
[ $? -eq 2 ] || fail "--labels without --time: exit code"
has err "--labels: a label is matched by the time of its row, and the rows have no time. Name the column of their time with --time COL"
"$sluice" stream in-rows.csv -t y1 --time when --label-time of --horizon 3 >out 2>err
[ $? -eq 2 ] || fail "--label-time with --horizon: exit code"
has err "--label-time and --horizon: a late label is learnt with the inputs of its own time"

# --- both files grow; killed in between
follow() {
    "$sluice" stream live.csv -t y1 --time when --labels "$1" --follow --resume --checkpoint live.sluice \
        --checkpoint-every 25 --out live.ndjson >out 2>err &
    child=$!
}
head -201 rows.csv >live.csv
head -11 labels.csv >live-labels.csv
follow live-labels.csv
wait_for 210 live.ndjson
sed -n 12,16p labels.csv >>live-labels.csv
sed -n 202,251p rows.csv >>live.csv
wait_for 265 live.ndjson
kill -KILL $child
wait $child 2>/dev/null
sed -n 252,301p rows.csv >>live.csv
follow live-labels.csv
wait_for 315 live.ndjson
tail -n +17 labels.csv >>live-labels.csv
tail -n +302 rows.csv >>live.csv
wait_for 440 live.ndjson
kill -TERM $child
wait $child
[ $? -eq 130 ] || fail "--follow: exit code"
"$sluice" inspect live.sluice >out
has out "labels: 40 learnt, 0 late"
grep -o '^{"row":[0-9]*,"time":"[0-9]*","predicted"' live.ndjson | sort | uniq -d | grep -q . && fail "a row has two records"
[ "$(grep -vc '"label_of"' live.ndjson)" -eq 400 ] || fail "--follow: records of rows"
[ "$(grep -o '"label_of":[0-9]*' live.ndjson | sort -u | wc -l)" -eq 40 ] || fail "--follow: records of labels"
[ "$(grep -c '"label_of"' live.ndjson)" -eq 40 ] || fail "--follow: a label has two records"

# --- labels through a named pipe
rm -f live.sluice* live.ndjson
cp rows.csv live.csv
mkfifo pipe
exec 3<>pipe
head -21 labels.csv >&3
follow pipe
wait_for 420 live.ndjson
kill -TERM $child
wait $child
[ "$(grep -c '"label_of"' live.ndjson)" -eq 20 ] || fail "a named pipe: records of labels"
exec 3>&-

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
