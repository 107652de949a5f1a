#!/usr/bin/env bash
# Files as people have them, and what the tool says of those that it cannot use: each case was once answered with a wrong
# code, a table of dashes or a message that did not help. odd_input_test.sh TOOL
set -uo pipefail
sluice=$1
source "$(dirname "$0")/expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# --- cells that look like a decimal comma or a missing value; what is suggested works
printf 'a;b;y\n1,5;2,5;3,5\n2,5;3,5;4,5\n' >comma.csv
expect 3 stream comma.csv -t y
has err 'value "1,5": is not a number with a decimal point. Use --decimal , to read numbers with a decimal comma'
expect 0 stream comma.csv -t y --decimal ,
printf 'a,b,y\n1,2,3\n?,2,3\n4,1,2\n' >question.csv
expect 3 stream question.csv -t y
has err "value \"?\": is not a number. Use --missing 'NA,?' if it stands for a missing value"
expect 0 stream question.csv -t y --missing 'NA,?'
awk 'BEGIN {print "a,b,y"; for (i = 1; i <= 60; i++) print (i % 7 ? i * 7 % 13 : -999) "," i * 5 % 11 "," i * 3 % 17}' >sign.csv
expect 0 stream sign.csv -t y --quiet
has err "-999 occurs 8 times in column a, far from its other values. Use --missing NA,-999 if it stands for a missing value"
expect 0 stream sign.csv -t y --quiet --missing NA,-999
[ ! -s err ] || fail "the sign is suggested again: $(cat err)"

# --- comments, line ends and letters of other programs
printf '# made by logger\n# v2\na,b,y\n1,2,3\n2,3,4\n# cleaned\n3,4,5\n' >comment.csv
expect 3 stream comment.csv -t y
has err "line 6 (byte 40): has 1 cell, the header has 3. Use --comment '#' if lines that begin with # are comments"
expect 0 stream comment.csv -t y --comment '#'
has out "3 rows, 2 inputs"
printf '# a b y\n1 2 3\n2 3 4\n' >numpy.txt
expect 0 stream numpy.txt -t y
printf 'a,b,y\r1,2,3\r2,3,4\r3,4,5\r' >mac.csv
expect 0 stream mac.csv -t y
has out "3 rows, 2 inputs"
printf 'Temp\xe9rature,b,y\n' >latin.csv
awk 'BEGIN {for (i = 1; i <= 60; i++) print i * 7 % 13 "," i * 5 % 11 "," 2 * (i * 7 % 13)}' >>latin.csv
expect 0 stream latin.csv -t y --inputs Température --out latin.ndjson --summary latin.json
has latin.ndjson '"selected":[["Température"]]'
has latin.json Température
for file in out latin.ndjson latin.json; do iconv -f UTF-8 -t UTF-8 $file >/dev/null 2>&1 || fail "$file is not UTF-8"; done
iconv -f UTF-8 -t UTF-16 question.csv >wide.csv
expect 3 stream wide.csv -t y
has err "wide.csv: is UTF-16, which cannot be read. Convert it first: iconv -f UTF-16 -t UTF-8 OLD.csv > NEW.csv"
iconv -f UTF-8 -t UTF-16LE question.csv >wide.csv
expect 3 fit wide.csv -t y
has err "iconv -f UTF-16LE"

# --- runs that have nothing to learn say why
printf 'a,b,y\n' >header.csv
"$sluice" fit question.csv -t y --missing '?' --model question.sluice --quiet
for command in "stream header.csv -t y" "fit header.csv -t y" "predict question.sluice header.csv" "track --prices header.csv --index y"; do
    expect 3 $command
    has err "header.csv: has a header and no rows"
    [ ! -s out ] || fail "sluice $command: a table of nothing"
done
awk 'BEGIN {print "a,b,y,z"; for (i = 1; i <= 50; i++) print i * 7 % 13 "," i * 5 % 11 ",4,"}' >still.csv
expect 3 stream still.csv -t z
has err "still.csv: there is no value of z in 50 rows: nothing was learnt"
expect 0 stream still.csv -t y --ignore z --quiet
has err "y is 4 in all 49 rows that were scored: R2 is not defined"
expect 0 stream still.csv -t y,z --quiet
has err "z has no value in 50 rows: it was not learnt"
expect 3 stream sign.csv -t y --horizon 60
has err "has 60 rows, and the horizon is 60 rows: no prediction could be compared with what came, and nothing was learnt"
expect 0 stream sign.csv -t y --horizon 60 --checkpoint later.sluice --quiet
has err "and the horizon is 60 rows"
expect 0 stream sign.csv -t y --horizon 3
has out "3 rows ahead"
lacks out "one step"
expect 0 stream sign.csv -t y --warmup 60 --quiet
has err "no row was scored: the warm-up has 60 rows, and the input has 60 rows"

# --- a time in several columns
printf 'Date,Time,a,y\n2024-01-01,10:00,1,2\n2024-01-01,11:00,3,4\n2024-01-02,12:00,5,7\n' >times.csv
expect 0 stream times.csv -t y --time Date,Time --checkpoint times.sluice --quiet --out -
has out '"row":3,"time":"2024-01-02 12:00"'
expect 0 predict times.sluice times.csv --quiet
has out '"time":"2024-01-02 12:00"'
expect 2 stream times.csv -t y --time Date --checkpoint times.sluice --resume
has err "--time: Date contradicts the checkpoint, which has Date Time"

# --- a resume with other columns
expect 0 stream sign.csv -t y --missing -999 --checkpoint two.sluice --quiet
expect 2 stream sign.csv -t y --ignore b --checkpoint two.sluice --resume
has err "--ignore: contradicts the checkpoint: it predicts from b. Leave it out, or start again without --resume"
expect 2 stream sign.csv --inputs a --checkpoint two.sluice --resume
has err "--inputs: contradicts the checkpoint: it also predicts from b"
awk -F, '{print $3 "," $2 "," $1}' sign.csv >turned.csv
expect 0 stream turned.csv -t y --missing -999 --checkpoint two.sluice --resume
has err "continuing after row 60"

# --- memory in the unit given
expect 2 stream sign.csv -t y --lags 0:20 --memory-limit 1K
has err "memory_limit = 1K: must be enough for one engine (dense "
lacks err GB
expect 2 stream sign.csv -t y --memory-limit 100
has err "memory_limit = 100 bytes: must be enough"

# --- help: the most used options first, each under one spelling
for command in stream fit track; do
    expect 0 $command --help
    [ "$(grep -nE '^[A-Z].*:$' out | sed -n 's/^\([0-9]*\):\(.*\)/\2/p' | grep -v Positionals | head -1)" = "Most used:" ] ||
        fail "$command --help: the most used options are not first"
    [ "$(sed -n '/^Most used:/,/^$/p' out | grep -cE '^ +-' )" -eq 11 ] || fail "$command --help: not ten options and --help"
    ! grep -qE -- '--[a-z]+_[a-z]+' out || fail "$command --help: an underscore: $(grep -E -- '--[a-z]+_[a-z]+' out)"
done
expect 0 man
! grep -qE 'scale_inputs' out || fail "man: --scale_inputs"
expect 0 stream sign.csv -t y --scale_inputs no --quiet

# --- track: splits, cash, period returns, limits
"$sluice" simulate market --rows 150 --seed 3 --out prices.csv 2>/dev/null
awk -F, 'BEGIN {OFS = ","} NR > 80 && $10 != "" {$10 = $10 / 2} {print}' prices.csv >split.csv
expect 0 track --prices split.csv --index index1 --names 5 --strategies sluice --quiet
has err "index1.7 2020-07-10: -4"
has err "% looks like a split of 2 for 1 for which the file is not adjusted: the return counts as missing"
has err "use --splits adjust to adjust for splits, or --splits keep where these were true moves"
expect 0 track --prices split.csv --index index1 --names 5 --strategies sluice --quiet --splits adjust
has err "the return is adjusted for it"
expect 0 track --prices prices.csv --index index1 --names 5 --strategies sluice --quiet
[ ! -s err ] || fail "track: a warning on good prices: $(cat err)"
expect 0 track --prices prices.csv --index index1 --names 5 --max-weight 0.1 --strategies sluice,equal --out held.csv --out-returns earned.csv
has err "max_weight = 0.1 with names = 5: at most 50 % of the portfolio can be invested, the rest is cash. 10 names of that weight would be needed"
grep -qE '^cash +index1 +50\.0$' out || fail "track: no line of cash in what to hold next"
[ "$(grep -c '^sluice,.*,cash,0.5' held.csv)" -ge 90 ] || fail "track: cash in the holdings"
has earned.csv "strategy,date,index,net,gross,index_return,target_return,traded,cash"
[ "$(wc -l <earned.csv)" -eq 197 ] || fail "track: lines of period returns"
expect 2 track --prices prices.csv --index index1 --out - --out-returns -
has err "only one of --out, --out-returns, --json and --report can go to standard output"

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
