#!/usr/bin/env bash
# Checks that the OpenAPI description of the service is true: schemathesis sends what it allows and what it does not, and
# compares every answer with it.
#     scripts/serve_api_test.sh build/release/sluice-serve SCHEMATHESIS [EXAMPLES]
# SCHEMATHESIS is the program of that name; `scripts/python_test.sh install` puts it into build/python/schemathesis/bin.
# Skipped (77) where it is not there.
# /events is left out, because it does not end: tests/system/serve_test.py reads it. Not checked either: that all that the
# schema allows is accepted, because values of options have rules that a schema cannot have.
set -euo pipefail
server=$(realpath "$1")
schemathesis=$(realpath -m "$2")
if ! "$schemathesis" --version >/dev/null 2>&1; then
    echo "skipped: $schemathesis is missing; scripts/python_test.sh install needs the network to install it" >&2
    exit 77
fi
work=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
"$server" --port 0 --state "$work/state" --max-models 10000 --quiet >"$work/address" &
pid=$!
for _ in $(seq 100); do
    [ -s "$work/address" ] && break
    sleep 0.1
done
address=$(cat "$work/address")
address=${address%/}
curl -sSf -X PUT -H 'Content-Type: application/json' -d '{"targets":["y"]}' "$address/v1/models/plant" >/dev/null
printf 'a,b,y\n1,2,3\n2,3,4\n' |
    curl -sSf -H 'Content-Type: text/csv' --data-binary @- "$address/v1/models/plant/rows" >/dev/null
cd "$work"
cat >schemathesis.toml <<'CONFIG'
[parameters]
name = "plant"
[[operations]]
include-operation-id = "deleteModel"
parameters = { name = "other" }
[[operations]]
include-operation-id = "putModel"
parameters = { name = "other" }
CONFIG
"$schemathesis" run "$address/v1/openapi.json" --phases coverage,fuzzing --max-examples "${3:-20}" --seed 1 \
    --exclude-path-regex '/events$' --exclude-checks positive_data_acceptance --suppress-health-check all --warnings off
# It must still work.
curl -sSf "$address/healthz"
