#!/usr/bin/env bash
# Builds the page (apps/server/web) as one file, built/page.html, which is committed and compiled into the tool. Needs
# node 20.19 or later, and npm.
#   --check      whether the committed file is what the sources give: by their hash; where node is, by building it again
#   --packages   only installs what package-lock.json names
set -euo pipefail
cd "$(dirname "$0")/.."
web=apps/server/web
built=$web/built/page.html

# As vite.config.js computes it.
sources_hash() {
    (
        cd "$web"
        for file in index.html package.json package-lock.json tsconfig.json vite.config.js \
            $(find src -maxdepth 1 -type f | LC_ALL=C sort); do
            printf '%s\0' "$file"
            cat "$file"
            printf '\0'
        done | sha256sum | cut -d ' ' -f 1
    )
}
has_node() {
    command -v npm >/dev/null && command -v node >/dev/null &&
        node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}
# Two tests at once take turns.
install_packages() {
    mkdir -p build
    exec 8>build/.page.lock
    flock 8
    if ! cmp -s "$web/package-lock.json" "$web/node_modules/.installed"; then
        (cd "$web" && npm ci --silent --no-fund --no-audit >&2) || return 1
        cp "$web/package-lock.json" "$web/node_modules/.installed"
    fi
    flock -u 8
}
# build FOLDER
build() {
    (cd "$web" && npx tsc --noEmit && npx vite build --logLevel warn --outDir "$1" --emptyOutDir)
}

case ${1:-build} in
    build)
        has_node || { echo "node 20.19 or later and npm are needed to build the page" >&2; exit 1; }
        install_packages
        build built
        echo "$built: $(stat -c %s "$built") bytes"
        ;;
    --packages)
        has_node || { echo "node 20.19 or later and npm are not here" >&2; exit 77; }
        install_packages || { echo "npm could not install the packages of $web" >&2; exit 77; }
        ;;
    --check)
        if ! grep -qF "<meta name=\"sources\" content=\"$(sources_hash)\">" "$built"; then
            echo "$built is not built from its present sources: run scripts/page.sh, and commit the file" >&2
            exit 1
        fi
        echo "$built has the hash of its sources"
        if ! has_node || ! install_packages; then
            echo "not built again: node 20.19 or later, npm and the packages are not here"
            exit 0
        fi
        fresh=$(mktemp -d)
        trap 'rm -rf "$fresh"' EXIT
        build "$fresh"
        cmp "$fresh/page.html" "$built" ||
            { echo "$built is not what its sources give: run scripts/page.sh, and commit the file" >&2; exit 1; }
        echo "$built is what its sources give"
        ;;
    *)
        echo "usage: scripts/page.sh [--check | --packages]" >&2
        exit 2
        ;;
esac
