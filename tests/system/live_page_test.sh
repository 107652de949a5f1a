#!/usr/bin/env bash
# The page of a running server in Debian's Chromium. Skipped where node 20, its packages or chromium are not here.
# usage: live_page_test.sh SOURCE_DIR TOOL
set -uo pipefail
source_dir=$1
export SLUICE_TOOL=$2
SLUICE_CHROMIUM=$(command -v chromium) || { echo "SKIPPED: there is no chromium"; exit 77; }
"$source_dir/scripts/page.sh" --packages || { echo "SKIPPED: node or playwright-core is not here"; exit 77; }
SLUICE_WORK=$(mktemp -d)
trap 'rm -rf "$SLUICE_WORK"' EXIT
SLUICE_WEB=$source_dir/apps/server/web
export SLUICE_CHROMIUM SLUICE_WORK SLUICE_WEB
node --test --test-concurrency=1 "$source_dir/tests/page/live_test.mjs"
