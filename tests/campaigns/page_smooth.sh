#!/usr/bin/env bash
# Whether the page of a stream stays smooth: 1,000 rows a second and 2,000 inputs, for ten minutes by default.
# usage: page_smooth.sh SOURCE_DIR TOOL [SECONDS [ROWS_PER_SECOND [INPUTS]]]
set -euo pipefail
source_dir=$1
export SLUICE_TOOL=$2
SLUICE_CHROMIUM=$(command -v chromium)
"$source_dir/scripts/page.sh" --packages
SLUICE_WORK=$(mktemp -d)
trap 'rm -rf "$SLUICE_WORK"' EXIT
SLUICE_WEB=$source_dir/apps/server/web
export SLUICE_CHROMIUM SLUICE_WORK SLUICE_WEB
node "$source_dir/tests/page/smooth.mjs" "${3:-600}" "${4:-1000}" "${5:-2000}"
