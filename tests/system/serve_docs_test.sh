#!/usr/bin/env bash
# The commands of docs/serve.md do what it says, and the Grafana dashboard asks for metrics that there are.
#     serve_docs_test.sh SOURCE_DIR TOOL
set -uo pipefail
command -v curl >/dev/null || { echo "curl is missing"; exit 77; }
[ -x "$(dirname "$2")/sluice-serve" ] || { echo "sluice-serve was not built"; exit 77; }
work=$(mktemp -d)
pid=
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$2" "$work/bin/sluice"
PATH=$work/bin:$PATH
source_dir=$1
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }

awk '/^```sh$/ {kind = "sh"; next} /^```text$/ {kind = "text"; next} /^```$/ {kind = ""} kind != "" {print > "page." kind}' \
    "$source_dir/docs/serve.md"
grep -q '^sluice serve --state models --quiet &$' page.sh || fail "docs/serve.md starts the server in another way"
sluice serve --state models --quiet --port 0 >address &
pid=$!
for _ in $(seq 100); do
    [ -s address ] && break
    sleep 0.1
done
port=$(sed 's|.*:\([0-9]*\)/|\1|' address)
grep -v '^sluice serve' page.sh | sed "s/8765/$port/g" >commands.sh
bash -euo pipefail commands.sh >page.out 2>page.err || { fail "a command of docs/serve.md"; cat page.err >&2; }
cmp -s page.text page.out || { fail "docs/serve.md says another output"; diff page.text page.out >&2; }

curl -s -X PUT "http://localhost:$port/v1/models/m" -H 'Content-Type: application/json' -d '{"targets": ["y"]}' >/dev/null
printf 'a,y\n1,2\n2,3\n3,4\n' | curl -s "http://localhost:$port/v1/models/m/rows" -H 'Content-Type: text/csv' --data-binary @- >/dev/null
curl -s "http://localhost:$port/metrics" >metrics
for metric in $(grep -o 'sluice_[a-z_]*' "$source_dir/examples/grafana/sluice.json" | sort -u); do
    grep -q "^$metric[{ ]" metrics || fail "the dashboard asks for $metric, which there is not"
done
[ "$failures" -eq 0 ]
