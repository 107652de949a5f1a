#!/usr/bin/env bash
# `sluice stream` on a live feed: rotated inputs, signals, checkpoints while idle, locks, and outputs that are no plain
# files. feed_test.sh TOOL
set -uo pipefail
sluice=$1
source "$(dirname "$0")/expect.sh"
work=$(mktemp -d)
children=()
trap 'for child in "${children[@]}"; do kill -KILL "$child" 2>/dev/null; done; rm -rf "$work"' EXIT
cd "$work" || exit 1

lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }
# wait_for WHAT CONDITION... : until the condition holds, ten seconds at most
wait_for() {
    local what=$1
    shift
    for _ in $(seq 200); do "$@" && return 0; sleep 0.05; done
    fail "$what"
    return 1
}
has_lines() { [ "$(lines "$1")" -ge "$2" ]; }
# start WORDS... : sluice in the background as $child
start() {
    : >err  # what the one before has said is no answer of this one
    "$sluice" "$@" >out 2>err </dev/null &
    child=$!
    children+=("$child")
}
# end SIGNAL CODE
end() {
    kill -"$1" "$child"
    wait "$child"
    local got=$?
    [ "$got" -eq "$2" ] || { fail "SIG$1: exit code $got, not $2"; cat err >&2; }
}

expect 0 simulate switching --rows 300 --seed 3 --out all.csv
header=$(head -1 all.csv)
rows() { sed -n "$(($1 + 1)),$(($2 + 1))p" all.csv; }
expect 0 stream all.csv -t y1 --paper --out all.ndjson

# --- rotation by renaming, then by copying and emptying; the records are those of one file
(echo "$header"; rows 1 100) >in.csv
start stream in.csv -t y1 --paper --follow --out log.ndjson --checkpoint in.sluice --checkpoint-every 1000
wait_for "the first file" has_lines log.ndjson 100
mv in.csv in.csv.1
rows 101 110 >>in.csv.1
(echo "$header"; rows 111 150) >in.csv
wait_for "renamed" has_lines log.ndjson 150
cp in.csv in.csv.1
: >in.csv
(echo "$header"; rows 151 200) >>in.csv
wait_for "emptied" has_lines log.ndjson 200
(echo "$header"; rows 201 250) >new.csv
mv new.csv in.csv
wait_for "replaced" has_lines log.ndjson 250
end TERM 130
has err "interrupted after row 250"
rows 251 260 >>in.csv
mv in.csv in.csv.1
(echo "$header"; rows 261 300) >in.csv
start stream in.csv -t y1 --follow --out log.ndjson --checkpoint in.sluice --resume
wait_for "rotated while nothing ran" has_lines log.ndjson 300
end INT 130
cmp -s log.ndjson all.ndjson || fail "rotation: other records than of one file"

# --- a new file with other columns: new ones are ignored, absent ones count as missing, also while nothing ran
without_x1() { cut -d, -f"$(echo "$header" | tr , '\n' | grep -vnx x1 | cut -d: -f1 | paste -sd,)"; }
(echo "$header"; rows 1 100) >cols.csv
start stream cols.csv -t y1 --paper --follow --out cols.ndjson --checkpoint cols.sluice --checkpoint-every 7
wait_for "the first file" has_lines cols.ndjson 100
mv cols.csv cols.csv.1
(echo "$header,extra"; rows 101 150 | sed 's/$/,7/') >cols.csv
wait_for "a new column" has_lines cols.ndjson 150
has err "row 101: there is a field that the first row did not have: extra. It is ignored"
end KILL 137
mv cols.csv cols.csv.1
(echo "$header"; rows 151 200) | without_x1 >cols.csv
start stream cols.csv -t y1 --follow --out cols.ndjson --checkpoint cols.sluice --checkpoint-every 7 --resume
wait_for "a column less" has_lines cols.ndjson 200
has err "row 151: column x1 is not in the header of the new file: it counts as missing"
end TERM 130
expect 3 stream cols.csv -t y1 --follow --out cols.ndjson --checkpoint cols.sluice --resume --strict-columns
has err "missing: x1"
mv cols.csv cols.csv.1
(echo "$header"; rows 201 250) >cols.csv
start stream cols.csv -t y1 --follow --out cols.ndjson --checkpoint cols.sluice --resume
wait_for "all columns again" has_lines cols.ndjson 250
has err "row 208: column x1 has values again"
end TERM 130
[ "$(grep -c '"row":' cols.ndjson)" -eq 250 ] || fail "other columns: not one record for each row"
[ "$(grep -c column_new cols.ndjson)" -eq 1 ] || fail "a new column is not announced once"
cmp -s <(head -100 cols.ndjson) <(head -100 all.ndjson) || fail "other columns: other records before them"

# --- a file that is not there yet
start stream later.csv -t y1 --follow --out later.ndjson
wait_for "says that it waits" grep -q "does not exist yet" err
(echo "$header"; rows 1 10) >later.csv
wait_for "a file that comes later" has_lines later.ndjson 10
end TERM 130
start stream never.csv -t y1 --follow
wait_for "says that it waits" grep -q "does not exist yet" err
end TERM 130

# --- another file at the same path
(echo "$header"; rows 1 50) >in.csv
expect 0 stream in.csv -t y1 --checkpoint other.sluice --quiet
(echo "$header"; rows 101 200) >in.csv
expect 2 stream in.csv -t y1 --checkpoint other.sluice --resume
has err "in.csv is not the file that the checkpoint was written for: its first "
has err "Add --from-here to learn every row of the input, or --from-start to read it from its beginning"
expect 0 stream in.csv -t y1 --checkpoint other.sluice --resume --from-start --summary -
has out '"rows": 150'

# --- compressed: the text counts, not the bytes of the file
(echo "$header"; rows 1 50) | gzip >in.csv.gz
expect 0 stream in.csv.gz -t y1 --paper --checkpoint gz.sluice --out gz.ndjson --quiet
gzip -c all.csv >in.csv.gz
expect 0 stream in.csv.gz -t y1 --checkpoint gz.sluice --out gz.ndjson --resume --quiet
cmp -s gz.ndjson all.ndjson || fail "compressed: other records after the resume"
(echo "$header"; rows 51 300) | gzip >in.csv.gz
expect 2 stream in.csv.gz -t y1 --checkpoint gz.sluice --resume

# --- checkpoints while idle
(echo "$header"; rows 1 50) >in.csv
start stream in.csv -t y1 --follow --checkpoint idle.sluice --checkpoint-every 1s
wait_for "a checkpoint while idle" test -s idle.sluice
wait_for "of all rows" sh -c "'$sluice' inspect idle.sluice | grep -q 'line 52'"

# --- one process at a time
expect 2 stream in.csv -t y1 --checkpoint idle.sluice --resume
has err "--checkpoint: idle.sluice is in use by process $child: stop it, or give another file"

# --- SIGHUP without an output to reopen ends the run; every end leaves a checkpoint
rows 51 60 >>in.csv
sleep 0.3
end HUP 130
"$sluice" inspect idle.sluice | grep -q 'line 62' || fail "SIGHUP: no checkpoint"
expect 0 stream in.csv -t y1 --checkpoint idle.sluice --resume
has err "continuing after row 60"

# --- SIGHUP reopens the outputs, on a pipe as well
mkfifo feed
for input in in.csv -; do
    rm -f log.ndjson log.ndjson.1 reopen.sluice
    (echo "$header"; rows 1 50) >in.csv
    if [ $input = - ]; then
        "$sluice" stream - -t y1 --paper --out log.ndjson --checkpoint reopen.sluice >out 2>err <feed &
        child=$!
        children+=("$child")
        exec 7>feed
        cat in.csv >&7
    else
        start stream in.csv -t y1 --paper --follow --out log.ndjson --checkpoint reopen.sluice
    fi
    wait_for "50 records" has_lines log.ndjson 50
    mv log.ndjson log.ndjson.1
    kill -HUP "$child"
    wait_for "a new log" test -e log.ndjson
    wait_for "a checkpoint at SIGHUP" test -s reopen.sluice
    if [ $input = - ]; then rows 51 100 >&7; else rows 51 100 >>in.csv; fi
    wait_for "50 more" has_lines log.ndjson 50
    end KILL 137
    exec 7>&-
    (echo "$header"; rows 1 100) >in.csv
    expect 0 stream in.csv -t y1 --resume --out log.ndjson --checkpoint reopen.sluice
    has err "continuing after row 50"
    cat log.ndjson.1 log.ndjson | cmp -s - <(head -100 all.ndjson) || fail "SIGHUP, $input: other records"
done

# --- outputs that are no plain files
null=/dev/null  # root could replace it, if the tool were wrong: root's test has a device of its own
if [ "$(id -u)" -eq 0 ]; then mknod null c 1 3 2>/dev/null && null=$work/null || null=; fi
if [ -n "$null" ]; then
    expect 2 stream all.csv -t y1 --checkpoint "$null"
    has err "--checkpoint: $null is a device, which is never replaced by a file: give the name of a file"
    expect 1 fit all.csv -t y1 --model "$null"
    has err "$null is a device, which is never replaced by a file"
    [ -c "$null" ] || fail "a device was replaced"
fi
ln -s real.sluice link.sluice
expect 0 stream all.csv -t y1 --checkpoint link.sluice --quiet
[ -L link.sluice ] && [ -s real.sluice ] || fail "a linked checkpoint: the link was replaced"
ln -s real-fit.sluice link-fit.sluice
expect 0 fit all.csv -t y1 --model link-fit.sluice --quiet
[ -L link-fit.sluice ] && [ -s real-fit.sluice ] || fail "a linked model: the link was replaced"
expect 0 stream all.csv -t y1 --out /dev/null --summary /dev/null --rejects /dev/null --quiet
ln -s real-log.ndjson link-log.ndjson
expect 0 stream all.csv -t y1 --paper --out link-log.ndjson --quiet
[ -L link-log.ndjson ] && cmp -s real-log.ndjson all.ndjson || fail "a linked log: the link was replaced"

# --- one file given twice
for pair in "--out a.json --summary a.json" "--rejects a.json --summary ./a.json" "--checkpoint a.json --summary a.json" \
    "--out link-log.ndjson --summary real-log.ndjson" "--summary all.csv"; do
    # shellcheck disable=SC2086
    expect 2 stream all.csv -t y1 $pair
    has err "both are the same file"
done
expect 2 fit all.csv -t y1 --model all.csv
expect 2 predict link.sluice all.csv --out link.sluice
expect 2 picture all.ndjson --out all.ndjson
[ "$(lines all.ndjson)" -eq 300 ] || fail "the log was written over"

# --- numbers that cannot be negative
for option in --warmup --skip; do
    expect 2 stream all.csv -t y1 $option -5
    has err "$option: must be a whole number from 0 on, and -5 is negative"
done

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
