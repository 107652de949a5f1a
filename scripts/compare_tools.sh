#!/usr/bin/env bash
# Compares two builds of the tool bit for bit: records and model files on real and simulated streams, with many options.
#     scripts/compare_tools.sh OLD/sluice NEW/sluice [FOLDER ...]
# FOLDER: CSV files whose columns y1, y2, .. are the targets.
# Prints each stream on which they differ and exits with 1 where there is one.
set -euo pipefail
if [ $# -lt 2 ]; then
    sed -n '2,5s/^# \?//p' "$0" >&2
    exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 different=0

# compare NAME FILE OPTIONS...: the stream through both, with the same names of files in both folders
compare() {
    local name=$1 file=$2 tool folder
    shift 2
    for tool in old new; do
        folder=$work/$tool
        rm -rf "$folder" && mkdir "$folder"
        (cd "$folder" && "${!tool}" stream "$file" "$@" --out log.ndjson --checkpoint model.sluice --quiet \
            >/dev/null 2>messages) || { echo "$tool failed on $name $*:" >&2; cat "$folder/messages" >&2; exit 1; }
    done
    local differing
    differing=$(cd "$work/old" && for part in log.ndjson model.sluice; do cmp -s "$part" "../new/$part" || echo "$part"; done)
    if [ -z "$differing" ]; then
        same=$((same + 1))
    else
        different=$((different + 1))
        echo "differs: $name $* (${differing//$'\n'/ })"
    fi
}

options=(
    ""
    "--names 10"
    "--names 20 --hold-bonus 1"
    "--components 2 --keep 4 --forgetting 0.98 --shrinkage 5"
    "--components auto --keep 3 --shrinkage 1 --forgetting 0.99 --hold-bonus 0.25"
    "--paper"
    "--paper --components auto --forgetting auto"
    "--paper --keep auto"
    "--deflation project --components 3 --keep 5"
    "--horizon 2 --lags 0:1"
)
compare_all() {  # NAME FILE TARGETS
    local option
    for option in "${options[@]}"; do
        compare "$1" "$2" --targets "$3" $option
    done
}

for folder in "$@"; do
    folder=$(cd "$folder" && pwd)
    for file in "$folder"/*.csv; do
        name=$(basename "$file" .csv)
        outputs=$(head -1 "$file" | tr ',' '\n' | grep -x 'y[0-9]*' | paste -sd ,)
        compare_all "$name" "$file" "$outputs"
    done
done
"$new" simulate switching --seed 3 --rows 400 --out "$work/switching.csv"
compare_all switching "$work/switching.csv" y1
"$new" simulate factors --seed 5 --rows 400 --inputs 40 --outputs 3 --drift 0.02 --missing 0.05 --out "$work/gaps.csv"
compare_all gaps "$work/gaps.csv" y1,y2,y3
"$new" simulate factors --seed 4 --rows 600 --inputs 1000 --out "$work/wide.csv"
for option in "" "--paper" "--paper --engine screened" "--engine columns --components 4 --keep 5" "--paper --engine dense --threads 2"; do
    compare wide "$work/wide.csv" --targets y1 $option
done
echo "$same the same, $different different"
[ "$different" -eq 0 ]
