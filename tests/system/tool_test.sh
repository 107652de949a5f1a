#!/usr/bin/env bash
# The tool as people use it: commands, exit codes, messages, pipes and signals. tool_test.sh TOOL
set -uo pipefail
sluice=$1
source "$(dirname "$0")/expect.sh"
corpus=$(cd "$(dirname "$0")/../job/corpus" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

expect 0 simulate switching --rows 900 --seed 3
cp out switching.csv
[ "$(wc -l <switching.csv)" -eq 901 ] || fail "simulate: rows"
[ "$(head -1 switching.csv | tr ',' '\n' | tail -1)" = y1 ] || fail "simulate: header"
expect 0 simulate factors --inputs 30 --outputs 2 --groups 5 --rows 300 --drift 0.02 --missing 0.05 --out factors.csv
grep -q ',,' factors.csv || fail "simulate factors: no missing cell"
expect 0 simulate market --rows 20 --seed 5 --out market.csv
[ "$(wc -l <market.csv)" -eq 22 ] || fail "simulate market: rows"
[ "$(head -1 market.csv | tr ',' '\n' | wc -l)" -eq 326 ] || fail "simulate market: columns"
expect 0 simulate selection --inputs 12 --drivers 2 --drivers-after 1 --change-at 40 --rows 60 --out few.csv
[ "$(wc -l <few.csv)" -eq 61 ] || fail "simulate selection: rows"
[ "$(head -1 few.csv)" = x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,y1 ] || fail "simulate selection: header"
has err "rows 1 to 40: y1 = "
has err "rows 41 to 60: y1 = "
expect 0 simulate selection --drivers 0
[ "$(wc -l <out)" -eq 901 ] || fail "simulate selection: usual rows"
has err "rows 451 to 900: y1 = noise of variance 1"
expect 2 simulate selection --correlation 1
has err "correlation: must be from 0 to below 1"
expect 2 simulate factors --groups 0
has err "groups: must be 1 to the number of inputs"

# --- the main job
expect 0 stream switching.csv --targets y1 --paper --out log.ndjson --summary summary.json --checkpoint model.sluice
has out "one step ahead"
has summary.json '"targets": {"y1": {"r2": '
has out "  the last value  "
has out "  the mean  "
lacks out "better than the model"
lacks out "counted since"
has summary.json '"scored": 899, "compared": {"rows": 899, "since_row": 1, "model": {"r2": '
has summary.json '}, "last_value": {"r2": '
has summary.json '"best_fixed": '
[ "$(wc -l <log.ndjson)" -eq 900 ] || fail "stream: records"
expect 0 stream switching.csv -t y1 --quiet --summary -
has out '"rows": 900'
[ ! -s err ] || fail "quiet: something on standard error"
expect 0 stream switching.csv -t y1 --out - --out-format csv
has out "row,predicted_y1,observed_y1,selected,entered,left,forgetting,explained_covariance,names,shrinkage,last_value_share,decisions,outcome,events"
has err "one step ahead"
expect 0 stream switching.csv -t y1 --components 2 --keep 20 --out - --out-format csv
has out "row,predicted_y1,observed_y1,selected_1,selected_2,entered"
has out "selected_2,entered,left,forgetting,explained_covariance,names,shrinkage,last_value_share,decisions,outcome,events"
expect 0 stream few.csv -t y1 --out few.ndjson --summary few.json --checkpoint few.sluice
has out "selected, by importance"
has out "  the best fixed setting  "
has few.json '"selected": [{"name": "x'
has few.json '"best_fixed": {"setting": "forgetting '
has few.ndjson '"last_value_share":'
has few.ndjson '"decisions":[{"row":'
has few.ndjson '"setting":"entered","input":"x'
expect 0 inspect few.sluice
has out "how the forecast is mixed"
has out "selected, by importance"
has out "since row"
lacks out " component "
expect 0 inspect few.sluice --json
has out '"selected": [{"name": "x'
has out '"shares": {"memories": [{"value": '
lacks out '"components": ['
expect 0 diff few.sluice few.ndjson:60
has out " in both, 0 only in the first, 0 only in the second"
expect 0 picture few.ndjson --out few.svg
expect 0 stream few.csv -t y1 --names 3 --number most --out most.ndjson
tail -1 most.ndjson | grep -q '"names":3,' || fail "--number most: other than 3 names"
expect 0 stream few.csv -t y1 --names all
expect 0 stream few.csv -t y1 --components auto --keep auto --names auto --number found --out auto.ndjson
cmp -s few.ndjson auto.ndjson || fail "auto: other records than with nothing given"
expect 2 stream few.csv -t y1 --names all --number most
has err "names = all contradicts number = most"
expect 2 stream few.csv -t y1 --keep 2 --number most
has err "number = most: must be left out unless the variables are found one by one"
expect 2 stream few.csv -t y1 --names 0
has err "names = 0: must be at least 1"
for gone in keep_rule components-rule keep-min keep_max share-low share_high dwell; do
    expect 2 stream few.csv -t y1 --$gone 5
    has err "sluice: ${gone//-/_} is gone: "
done
expect 2 stream few.csv -t y1 --keep-max=5 --json
has err '"kind":"usage","message":"keep_max is gone: use names, the most variables in all'
expect 0 stream few.csv -t y1 --interval 0.8 --out interval.ndjson --summary interval.json --checkpoint interval.sluice
has out "interval, 0.8 asked"
tail -1 interval.ndjson | grep -qE '"predicted":\{"y1":[^}]+\},"low":\{"y1":[-0-9.e]+\},"high":\{"y1":[-0-9.e]+\},' || fail "--interval: no ends in the records"
has interval.json '"intervals": {"asked": 0.8, "targets": {"y1": {"coverage": 0.'
expect 0 picture interval.ndjson --out interval.svg
expect 0 stream few.csv -t y1 --interval 0.8 --horizon 2 --out - --out-format csv
has out "row,predicted_y1,low_y1,high_y1,observed_y1,forecast_y1,forecast_low_y1,forecast_high_y1,selected"
expect 2 stream few.csv -t y1 --interval 0.9 --checkpoint interval.sluice --resume
has err "0.9 contradicts the checkpoint, which has 0.8"
for share in 80 0.05 1 often; do
    expect 2 stream few.csv -t y1 --interval $share
    has err "--interval $share: give the share of outputs that the intervals shall contain, 0.1 to 0.999"
done
expect 2 stream switching.csv -t y1 --forgetting often
has err "forgetting"
expect 2 fit switching.csv -t y1 --model fit.sluice --forgetting auto
has err "tunes nothing"
expect 2 fit switching.csv -t y1 --model fit.sluice --components auto
has err "components: auto: this command tunes nothing"
expect 2 fit switching.csv -t y1 --model fit.sluice --names all
has err 'names: "all" is not a whole number'
expect 2 stream switching.csv -t y1 --out - --summary -

# --- the same rows in other clothes give the same records
gzip -k switching.csv
expect 0 stream switching.csv.gz -t y1 --paper --out gz.ndjson
cmp -s log.ndjson gz.ndjson || fail "gzip: other records"
zstd -q switching.csv -o switching.csv.zst
expect 0 stream switching.csv.zst -t y1 --paper --out zst.ndjson
cmp -s log.ndjson zst.ndjson || fail "zstd: other records"
(printf '\xEF\xBB\xBF'; sed 's/,/;/g; s/\./,/g; s/$/\r/' switching.csv) >german.csv
expect 0 stream german.csv -t y1 --decimal , --paper --out german.ndjson
cmp -s log.ndjson german.ndjson || fail "semicolons and decimal commas: other records"
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) name[i] = $i; next}
    {line = "{"; for (i = 1; i <= NF; i++) line = line (i > 1 ? "," : "") "\"" name[i] "\":" $i; print line "}"}' switching.csv >switching.ndjson
expect 0 stream switching.ndjson -t y1 --paper --out from-ndjson.ndjson
cmp -s log.ndjson from-ndjson.ndjson || fail "NDJSON: other records"
"$sluice" stream - -t y1 --paper --out piped.ndjson <switching.csv >/dev/null 2>&1 || fail "standard input"
cmp -s log.ndjson piped.ndjson || fail "standard input: other records"

# --- models
expect 0 inspect model.sluice
has out "component"
has out "one step ahead"
has out "  the last value  "
expect 0 inspect model.sluice --json
has out '"error_so_far": {"y1"'
has out '"last_value": {"r2"'
expect 0 predict model.sluice switching.csv --out predicted.csv
has predicted.csv "row,predicted_y1,observed_y1"
has err "900 rows predicted"
expect 0 diff log.ndjson:100 log.ndjson:380
has out "only in the first"
expect 0 picture log.ndjson --out selection.svg
has selection.svg "Inputs selected to predict y1"
has selection.svg ">x1<"
has selection.svg "</svg>"
expect 0 picture log.ndjson --most 1 --title 'a < b'
has out "<title>a &lt; b</title>"
[ "$(grep -c ' %</text>' out)" -eq 1 ] || fail "picture: more than one input shown"
"$sluice" picture - <log.ndjson >out 2>err || fail "picture: standard input"
cmp -s out selection.svg || fail "picture: another picture from standard input"
expect 3 picture switching.csv
has err "switching.csv, line 1: this is not a record of"
expect 1 picture nowhere.ndjson
expect 0 diff model.sluice model.sluice --json
has out '"only_first": []'
expect 0 fit factors.csv --targets y1 --ignore y2 --on-bad-row skip --components 2 --keep 4 --model fit.sluice
has out "in-sample R2"
for method in pls2 bridge pcr; do expect 0 fit switching.csv --targets y1 --method $method --components 2; done
expect 0 inspect fit.sluice
expect 0 predict fit.sluice factors.csv --ignore y2 --quiet
expect 4 stream factors.csv -t y1 --checkpoint fit.sluice --resume
has err "this is a fit"

# --- a model that a program wrote with the library's pack_model()
cp "$corpus/v1-library.sluice" library.sluice
expect 0 inspect library.sluice
has out "written by a program: no position in an input"
printf 'a,b,y\n1,2,3\n4,5,6\n' >ab.csv
expect 0 predict library.sluice ab.csv
has out '{"row":1,"predicted":{"y":'
expect 0 diff library.sluice library.sluice
expect 4 stream ab.csv -t y --checkpoint library.sluice --resume
has err "Add --from-here to learn every row of the input"
expect 0 stream ab.csv -t y --checkpoint library.sluice --resume --from-here
has err "has learnt 4 rows before"
expect 0 stream ab.csv -t y --checkpoint library.sluice --resume
has err "continuing after row 2"
expect 4 inspect "$corpus/../../file/corpus/state-3-adaptive"
has err "this is the state of an AdaptiveModel"

# --- the targets' own lags
awk 'BEGIN {srand(1); print "x1,x2,y1,y2"; for (t = 1; t <= 300; t++) {a = rand(); u = 0.9 * u + a - 0.5; v = 0.8 * v + rand() - 0.5
    printf "%.5f,%.5f,%.5f,%.5f\n", a, rand(), u, v}}' >past.csv
expect 0 stream past.csv -t y1,y2 --lags 0:1 --target-lags 1:2 --checkpoint past.sluice --out past.ndjson --summary past.json
has past.json '"inputs": 8'
grep -q '"y1@-1"' past.ndjson || fail "target lags: y1@-1 is never selected"
expect 0 inspect past.sluice
has out "8 inputs (2 columns at 2 lags, 2 targets at target lags 1,2), targets y1, y2"
expect 0 inspect past.sluice --json
has out '"y1@-1", "y1@-2", "y2@-1", "y2@-2"]'
expect 0 predict past.sluice past.csv --out past-predicted.csv
has err "300 rows predicted"
cut -d, -f1,2,3 past.csv >without.csv
expect 3 predict past.sluice without.csv
has err "the model predicts from earlier values of its targets, and the input has no column y2. Add the columns of the targets to the input, with empty cells where a value is not known, or learn a model without --target-lags"
expect 2 stream past.csv -t y1,y2 --target-lags 1:3 --checkpoint past.sluice --resume
has err "--target-lags: 1,2,3 contradicts the checkpoint, which has 1,2"
expect 2 stream past.csv -t y1,y2 --target-lags 0:5
has err "--target-lags: 0:5 has 0, the value to predict, which is not known yet. Begin at 1, the newest known value, such as 1:5"
expect 2 fit past.csv -t y1 --target-lags 0
has err "--target-lags: 0 has 0, the value to predict"
expect 0 fit past.csv -t y1 --ignore y2 --target-lags 1:3 --horizon 2 --model past-fit.sluice --components 2 --keep 2
expect 0 predict past-fit.sluice past.csv --quiet
expect 2 stream past.csv -t y1 --ignore 'x*,y2'
has err "no column is left as an input; the columns are x1, x2, y1, y2. Predict from the targets' own earlier values with --target-lags 1:5"
expect 0 stream past.csv -t y1 --ignore 'x*,y2' --target-lags 1:5 --summary -
has out '"y1@-1"'
expect 0 stream past.csv -t y1,y2 --paper --keep 2 --penalty group_lasso --target-lags 1:2 --out -
has out '["y1@-1","y1@-2"]'

# --- the paper's experiments
expect 0 reproduce static switching --runs 2 --threads 2 --out report --json curves.ndjson
has out "The report: report/report.html"
[ "$(wc -l <curves.ndjson)" -eq 2 ] || fail "reproduce: one line of JSON for each name"
has curves.ndjson '{"figure":"switching","runs":2,"rows":400,"settings":{"seed":1,'
for file in report.html static.svg static.csv switching.svg switching.csv; do [ -s report/$file ] || fail "reproduce: no $file"; done
[ "$(find report | wc -l)" -eq 6 ] || fail "reproduce: something else is left in the folder"
expect 0 reproduce static switching --runs 2 --threads 1 --json - --quiet
cmp -s out curves.ndjson || fail "reproduce: other numbers with one thread"
[ ! -e sluice-report ] || fail "reproduce: a report that nobody asked for"
expect 0 reproduce single --third-phase text --json -
has out '"third_phase":"text"'
SLUICE_DATA="" expect 0 reproduce static-portfolio tracking --portfolios 3 --json markets.ndjson
has out "OR-Library publishes it"
[ "$(grep -c '"data":"synthetic"' markets.ndjson)" -eq 2 ] || fail "reproduce: no synthetic market in its place"
expect 0 reproduce selection --runs 1 --json - --quiet
has out '{"figure":"selection","runs":1,"rows":900,'
expect 2 reproduce tracking --portfolios 0
expect 2 reproduce --runs 0
has err "--runs 0: must be 1 to"
expect 2 reproduce --runs -3
expect 2 reproduce --threads 0
expect 2 reproduce swiching --out other
has err "there is no experiment swiching. Did you mean switching?"
expect 2 reproduce --third-phase both
expect 1 reproduce single --out /proc/report
has err "/proc/report: cannot create the folder"
expect 1 reproduce single --json /proc/nowhere/curves.ndjson
for signal in TERM INT; do
    (set -m; exec "$sluice" reproduce all --runs 100000 --out cut/short --json cut.ndjson >out 2>err) &
    child=$!
    for _ in $(seq 100); do [ -d cut/short ] && break; sleep 0.05; done
    sleep 0.3
    kill -$signal $child
    wait $child
    code=$?
    [ $code -eq 130 ] || fail "reproduce, SIG$signal: exit code $code"
    has err "nothing was written"
    [ ! -e cut ] && [ ! -e cut.ndjson ] || fail "reproduce, SIG$signal: something was left behind"
done

# --- errors: codes, and messages that name the place and the remedy
expect 1 stream nowhere.csv -t y1
has err "nowhere.csv"
expect 2 stream switching.csv
has err "--targets"
expect 2 stream switching.csv -t Y
has err "there is no column Y"
expect 2 stream switching.csv -t y1 --forgeting 0.9
has err "unknown option --forgeting. Did you mean --forgetting?"
expect 2 steam switching.csv
has err "unknown command steam. Did you mean stream?"
expect 2 stream switching.csv -t y1 --forgetting 1.5
has err "forgetting = 1.5: must be above 0 and at most 1"
expect 2 stream switching.csv -t y1 --engine fast
has err "is not one of automatic, dense, screened, columns"
printf 'a,b,y\n1,2,3\n4,five,6\n7,8,9\n' >bad.csv
expect 3 stream bad.csv -t y
has err "bad.csv, line 3 (byte 12), column b, value \"five\": is not a number. Leave the column out with --ignore b, keep it as the time with --time b, or use --missing NA,five if it stands for a missing value"
expect 3 stream bad.csv -t y --json
has err '"exit_code":3'
has err '"line":3'
expect 0 stream bad.csv -t y --on-bad-row skip --rejects rejects.csv
has out "1 bad ones skipped"
has rejects.csv "3,12,b,five,"
head -c 5000 switching.csv.gz >cut.csv.gz
expect 3 stream cut.csv.gz -t y1
has err "cut.csv.gz"
head -c 300 model.sluice >cut.sluice
expect 4 inspect cut.sluice
has err "cut short"
expect 4 predict switching.csv switching.csv
has err "not written by Sluice"
expect 1 inspect nowhere.sluice
expect 3 predict model.sluice bad.csv
has err "Leave the new columns out with --ignore"
cut -d, -f1-59,61 switching.csv >fewer.csv
expect 3 predict model.sluice fewer.csv
has err "missing: x60"
: >empty.csv
expect 3 stream empty.csv -t y
expect 1 stream switching.csv -t y1 --out /dev/full
has err "No space left on device"
expect 1 stream switching.csv -t y1 --checkpoint /proc/model.sluice --checkpoint-every 300
has err "no checkpoint was written at row 300"
has err "The stream continues"

cp switching.csv precious.csv
expect 2 stream precious.csv -t y1 --out precious.csv
has err "the input and --out: both are the same file"
cmp -s switching.csv precious.csv || fail "the input was written over"
expect 2 stream switching.csv -t y1 --out a.log --rejects a.log
expect 1 stream switching.csv -t y1 --summary nowhere/summary.json
expect 2 stream switching.csv -t y1 --resume
has err "--resume: there is no checkpoint to continue from. Name it with --checkpoint FILE"
expect 2 stream switching.csv -t y1 --checkpoint x.sluice --checkpoint-every soon
has err "--checkpoint-every soon"

# --- groups: of a file, and of lags
awk 'BEGIN {for (i = 1; i <= 60; i++) print "x" i ",g" int((i - 1) / 20)}' >groups.csv
expect 0 stream switching.csv -t y1 --penalty group_lasso --group-file groups.csv --components 2 --keep 20 --out groups.ndjson
tail -1 groups.ndjson | grep -q '"x20"\],\["x21"' || fail "groups: not whole"
expect 0 stream switching.csv -t y1 --inputs x1,x2,x21 --penalty group_lasso --lags 0:2 --components 1 --keep 3 --out -
has out '["x1","x1@-1","x1@-2"]'
echo x61,g4 >>groups.csv
expect 2 stream switching.csv -t y1 --penalty group_lasso --group-file groups.csv --keep 20
has err "there is no input x61"

# --- a forecast that needs no model and is better is named; an old checkpoint knows none of the rows before
awk 'BEGIN {print "x,y"; for (i = 1; i <= 300; i++) {y += sin(i * i); printf("%.6f,%.6f\n", cos(i * i), y)}}' >walk.csv
expect 0 stream walk.csv -t y --paper --components 1 --keep 1
has out "The last value predicts y better than the model: its rmse is "
lacks out "The mean predicts"
expect 0 stream walk.csv -t y --paper --components 1 --keep 1 --horizon 12
has out "12 rows ahead"
awk 'BEGIN {print "x,y"; for (i = 1; i <= 300; i++) printf("%.6f,%.6f\n", cos(i * i), sin(7 * i * i))}' >noise.csv
expect 0 stream noise.csv -t y --paper --components 1 --keep 1 --forgetting 0.5
has out "The mean predicts y better than the model: its rmse is "
lacks out "The last value predicts"
cp "$corpus/v1-dense.sluice" old.sluice
expect 0 simulate factors --inputs 12 --outputs 2 --groups 3 --rows 20 --seed 6 --out more.csv
expect 0 stream more.csv -t y1,y2 --checkpoint old.sluice --resume --from-here
has out "  the same rows as below  "
has out "The last value and the mean of earlier rows are not known: they are counted since row 81."

# --- one row, one column, one output, constant columns: a defined result
printf 'x,y\n1,2\n' >one.csv
expect 0 stream one.csv -t y --summary -
has out '"r2": null'
printf 'x,c,y\n1,5,2\n2,5,4\n3,5,6\n4,5,8\n' >constant.csv
expect 0 stream constant.csv -t y --out -
lacks out nan
printf 'x,a,b,c,d\n1,5,,2e-150,-3e150\n2,5,,4e-150,1e150\n3,5,,1e-150,2e150\n4,5,,3e-150,-1e150\n' >odd.csv
expect 0 stream odd.csv -t a,b,c,d --paper --components 1 --keep 1 --summary odd.json
for file in out odd.json; do lacks $file nan; lacks $file inf; done
grep -qE '^  the last value .* 2\.38e-150 +3$' out || { fail "the last value of a small unit"; cat out >&2; }
grep -qE '^  the last value .* 2\.944e\+150 +3$' out || { fail "the last value of a large unit"; cat out >&2; }
grep -qE '^b +- +- +- +0$' out || { fail "an output that is never observed"; cat out >&2; }

# --- help, manual, completion
for command in "" stream compare fit predict inspect diff picture report track simulate reproduce bench completion man; do
    expect 0 $command --help
    has out "Usage"
done
# sluice bench starts a program that stands beside the tool, and says how to build it where it does not.
expect 0 bench step --inputs 20 --rows 50 --repeats 1 --peer-seconds 0 --json -
has out '"inputs":20'
expect 2 bench step --inputs many
expect 0 bench intervals --help
has out "--others"
cp "$sluice" alone
./alone bench suite >out 2>err && fail "bench without its program: exit code 0"
has err "--target sluice-bench"
expect 0 man
has out ".SS \"sluice stream\""
if command -v groff >/dev/null; then groff -man -ww -Tascii out >/dev/null 2>groff.err; [ ! -s groff.err ] || fail "man page: $(head -1 groff.err)"; fi
expect 0 completion bash
cp out completion.bash
bash -n completion.bash || fail "bash completion"
offered=$(bash -c 'source ./completion.bash; COMP_WORDS=(sluice stream --forg); COMP_CWORD=2; _sluice; echo "${COMPREPLY[@]}"')
[ "$offered" = --forgetting ] || fail "bash completion offers '$offered' for --forg"
offered=$(bash -c 'source ./completion.bash; COMP_WORDS=(sluice stream --engine s); COMP_CWORD=3; _sluice; echo "${COMPREPLY[@]}"')
[ "$offered" = screened ] || fail "bash completion offers '$offered' for --engine s"
expect 0 completion zsh
if command -v zsh >/dev/null; then zsh -n out || fail "zsh completion"; fi
expect 0 completion fish
if command -v fish >/dev/null; then fish --no-execute out || fail "fish completion"; fi

# --- signals: the row is finished, the checkpoint written, and a resume goes on
for signal in TERM INT; do
    rm -f live.sluice live.ndjson
    mkfifo feed 2>/dev/null
    (set -m; exec "$sluice" stream - -t y1 --paper --checkpoint live.sluice --out live.ndjson <feed >out 2>err) &
    child=$!
    exec 7>feed
    head -301 switching.csv >&7
    for _ in $(seq 100); do [ "$(wc -l <live.ndjson 2>/dev/null || echo 0)" -ge 300 ] && break; sleep 0.05; done
    [ "$(wc -l <live.ndjson)" -eq 300 ] || fail "a live pipe: records are not handed on while it waits"
    kill -$signal $child
    wait $child
    code=$?
    exec 7>&-
    [ $code -eq 130 ] || fail "SIG$signal: exit code $code"
    has err "interrupted after row 300"
    expect 0 stream switching.csv -t y1 --checkpoint live.sluice --resume --out live.ndjson
    has err "continuing after row 300"
    cmp -s log.ndjson live.ndjson || fail "SIG$signal: other records after the resume"
done

# --- a growing file
head -401 switching.csv >growing.csv
: >growing.ndjson
"$sluice" stream growing.csv -t y1 --paper --follow --out growing.ndjson >out 2>err &
child=$!
for _ in $(seq 100); do [ "$(wc -l <growing.ndjson)" -ge 400 ] && break; sleep 0.05; done
tail -n +402 switching.csv >>growing.csv
for _ in $(seq 100); do [ "$(wc -l <growing.ndjson)" -ge 900 ] && break; sleep 0.05; done
kill -TERM $child
wait $child
[ $? -eq 130 ] || fail "--follow: exit code"
cmp -s log.ndjson growing.ndjson || fail "--follow: other records"

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
