# Sourced by ./run and ./test: installs what is missing from scripts/packages.txt, and nothing when nothing is.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '\n== %s\n' "$*"; }

packages=$(sed 's/#.*//' scripts/packages.txt)

install_missing() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system: nothing is installed. Sluice needs what these Debian 12 packages hold:" >&2
        echo $packages >&2
        return
    fi
    local package missing=()
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

# build PRESET [TARGET...]
build() {
    local preset=$1
    shift
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
    if [ -t 1 ]; then
        cmake --build "build/$preset" ${@:+--target "$@"}
    else
        cmake --build "build/$preset" ${@:+--target "$@"} >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
    fi
}

mkdir -p build
if [ -z "${SLUICE_LOCK_HELD:-}" ]; then
    exec 9>build/.lock
    flock 9 # two runs at once take turns
fi
install_missing
