# Sourced by ./run and ./test: installing, configuring and building. Two runs at once take turns.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '\n== %s\n' "$*"; }

# install_missing LIST... : the packages of these lists that are not installed yet
install_missing() {
    local packages package missing=()
    packages=$(sed 's/#.*//' "$@")
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system: nothing is installed. Sluice needs what these Debian 12 packages contain:" >&2
        echo $packages >&2
        return
    fi
    for package in $packages; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "installing ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        command -v sudo >/dev/null || { echo "Not root and no sudo. As root: apt-get install ${missing[*]}" >&2; exit 1; }
    fi
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# configure PRESET [cmake options...]
configure() {
    cmake --preset "$@" >"build/$1.log" 2>&1 || { cat "build/$1.log"; return 1; }
}

# build PRESET TARGET... : ninja's own line on a terminal, else a line after each tenth of the work
build() {
    local preset=$1
    shift
    if [ -t 1 ]; then
        cmake --build "build/$preset" --target "$@"
        return
    fi
    NINJA_STATUS='[%f/%t %e] ' cmake --build "build/$preset" --target "$@" 2>&1 | tee "build/$preset.log" | awk -F '[][/ ]' '
        /^\[[0-9]+\/[0-9]+ / {
            tenth = int(10 * $2 / $3)
            if (tenth > shown) { printf "   %d of %d built, %.0f s\n", $2, $3, $4; fflush() }
            if (tenth > shown) shown = tenth
        }' || { cat "build/$preset.log"; return 1; }
}

mkdir -p build
if [ -z "${SLUICE_LOCK_HELD:-}" ]; then
    exec 9>build/.lock
    flock 9
fi
