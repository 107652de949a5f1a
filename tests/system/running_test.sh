#!/usr/bin/env bash
# A stream that runs for long, as people use it: events in every form, commands, metrics, columns that change; and the
# commands of docs/running.md.  running_test.sh SOURCE_DIR TOOL
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$2" "$work/bin/sluice"
PATH=$work/bin:$PATH
docs=$1/docs/running.md
cd "$work" || exit 1
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
# expect CODE WORDS... : runs `sluice WORDS`, keeps out and err, wants that exit code
expect() {
    local code=$1
    shift
    sluice "$@" >out 2>err </dev/null
    local got=$?
    [ "$got" -eq "$code" ] || { fail "sluice $*: exit code $got, not $code"; cat err >&2; }
}
has() { grep -qF -- "$2" "$1" || { fail "$1 does not say: $2"; cat "$1" >&2; }; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 says: $2"; }

# --- the page
awk '/^```sh$/ {kind = "sh"; next} /^```text$/ {kind = "text"; next} /^```$/ {kind = ""} kind != "" {print > "page." kind}' "$docs"
bash -euo pipefail page.sh >page.out 2>page.err || { fail "a command of docs/running.md"; cat page.err >&2; }
# Other vector instructions round differently: a change may be seen a row earlier or later.
sed 's/row":[0-9]*,"since":[0-9]*/row":N,"since":N/; s/row [0-9]*/row N/' page.text >said
sed 's/row":[0-9]*,"since":[0-9]*/row":N,"since":N/; s/row [0-9]*/row N/' page.out >printed
cmp -s said printed || { fail "docs/running.md says another output"; diff said printed >&2; }

# --- one form for all events: a line, records of both formats, the summary, the table
expect 0 stream data.csv -t y1 --out log.ndjson --summary summary.json
has err "the relation changed suddenly at about row"
has out "events: 1 drift"
has summary.json '"events": {"drift": 1, "suspect": '
has log.ndjson '"events":[{"event":"drift","row":'
expect 0 stream data.csv -t y1 --out log.csv
has log.csv '"[{""event"":""drift"",""row"":'
has log.csv '""by"":""error"",""entered"":[""x'
expect 0 stream data.csv -t y1 --quiet
[ ! -s err ] || fail "quiet: a drift on standard error"

# --- the help of --paper is true
expect 0 stream --help
has out "Report where the relation changes suddenly [yes; with --paper no]"
awk 'BEGIN {print "a,b,y"; for (i = 1; i <= 900; i++) {a = sin(i * 1.7); b = cos(i * 2.9); printf "%f,%f,%f\n", a, b, (i > 450 ? 5 * a + 10 : b) + sin(i * i) / 20}}' >jump.csv
expect 0 stream jump.csv -t y --paper --components 1 --keep 1 --summary summary.json
has summary.json '"drift": 0'
expect 0 stream jump.csv -t y --paper --components 1 --keep 1 --alarms yes --summary summary.json
lacks summary.json '"drift": 0'

# --- columns of NDJSON
awk 'BEGIN {for (i = 1; i <= 200; i++) {
    a = sin(i * 1.7); b = cos(i * 2.9)
    printf "{\"t\":\"d%d\",\"a\":%f%s,\"y\":%f%s}\n", i, a, (i > 100 && i <= 150 ? "" : sprintf(",\"o\":{\"b\":%f}", b)), a - b, (i > 50 ? ",\"wind\":1" : "")
}}' >rows.ndjson
expect 0 stream rows.ndjson -t y --time t --quiet --robust no --out log.ndjson --summary summary.json
has summary.json '"rows": 200, "skipped": 0'
has summary.json '"column_vanished": 1, "column_returned": 1, "column_new": 1'
has err "row 51, d51: there is a field that the first row did not have: wind"
has err "row 116, d116: column o.b has no value in the last 16 rows"
has err "row 158, d158: column o.b has values again"
[ "$(wc -l <err)" -eq 3 ] || { fail "an event is said more than once"; cat err >&2; }
expect 3 stream rows.ndjson -t y --time t --strict-columns
has err "is a list or an object, and a number is needed"
expect 0 stream rows.ndjson -t y --ignore t,o --quiet
expect 3 stream rows.ndjson -t y --ignore t,o --strict-columns
has err "is a key that the first row does not have"

# --- a column of CSV that turns to text; rows that are rejected
awk 'BEGIN {print "a,b,y"; for (i = 1; i <= 60; i++) printf "%s,%f,%f\n", (i > 30 ? "ERR" : sin(i)), cos(i), cos(i)}' >text.csv
expect 0 stream text.csv -t y --quiet --summary -
has out '"rows": 60, "skipped": 0'
has err 'row 31: column a holds no number but "ERR": it counts as missing'
[ "$(wc -l <err)" -eq 1 ] || fail "a column of text is said more than once"
expect 3 stream text.csv -t y --strict-columns
has err 'column a, value "ERR": is not a number'
printf 'a,y\n1,2\n"x ""y""",3\n4\n5,6\n' >bad.csv
expect 0 stream bad.csv -t y --on-bad-row skip --rejects rejects.csv
has rejects.csv 'line,byte,column,value,reason,text'
has rejects.csv '3,8,a,"x ""y""",is not a number,"""x """"y"""""",3"'
has rejects.csv '4,20,,,"has 1 cell, the header has 2",4'

# --- the command for events
expect 0 stream data.csv -t y1 --on-event "no-such-program-here" --metrics none.prom
[ "$(grep -c "no-such-program-here" err)" -eq 1 ] || { fail "a command that does not exist is not said once"; cat err >&2; }
lacks none.prom 'sluice_dropped_events_total{stream="none"} 0'
expect 2 stream data.csv -t y1 --on-event "mail 'ops"
has err "a quote (') does not end"
expect 0 stream rows.ndjson -t y --time t --quiet --robust no --on-event "/bin/sh -c 'cat >>\"a b\"; echo to nobody'" --out - --metrics plant.prom
[ "$(wc -l <"a b")" -eq 3 ] || fail "--on-event: $(cat "a b")"
has "a b" '{"event":"column_new","row":51,"time":"d51","columns":["wind"],"count":1,"text":"'
lacks out "to nobody"
has plant.prom 'sluice_rows_total{stream="plant"} 200'
has plant.prom 'sluice_commands_total{stream="plant"} 3'
if command -v promtool >/dev/null; then promtool check metrics <plant.prom || fail "promtool"; fi
# A command that never ends does not hold up the stream.
start=$(date +%s)
expect 0 stream rows.ndjson -t y --time t --quiet --robust no --on-event "sleep 30" --out slow.ndjson
[ $(($(date +%s) - start)) -lt 15 ] || fail "--on-event: the stream waited for its command"
has err "were not given to the command for events"
cmp -s log.ndjson slow.ndjson || fail "--on-event: other records"
expect 2 stream data.csv -t y1 --metrics /dev/null
[ -c /dev/null ] || fail "--metrics replaced /dev/null"
expect 2 stream data.csv -t y1 --metrics log.x --out log.x

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
