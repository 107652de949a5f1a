# Sourced by python_test.sh: which Pythons of this machine can build and test the package.

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# can_build PYTHON : released, with the interpreter's lock, with headers, and able to make a virtual environment
can_build() {
    "$1" - 2>/dev/null <<'END'
import ensurepip, os, sys, sysconfig, venv
has_headers = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
has_lock = not sysconfig.get_config_var("Py_GIL_DISABLED")
sys.exit(not (has_headers and has_lock and sys.version_info.releaselevel == "final"))
END
}

# all_pythons : "MINOR PATH" by name, the newest first; of equal ones that of Debian first
all_pythons() {
    local place candidate
    local -a places
    IFS=: read -r -a places <<<"/usr/bin:$PATH"
    for place in "${places[@]}" "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/*/bin; do
        for candidate in "$place"/python3.[0-9] "$place"/python3.[0-9][0-9]; do
            if [ -x "$candidate" ]; then
                echo "${candidate##*python3.} $candidate"
            fi
        done
    done | sort -s -n -r -k 1,1
}

# find_pythons : Python 3.11, then the newest from 3.12 on; what there is of the two
find_pythons() {
    local minor candidate older='' newest=''
    while read -r minor candidate; do
        if [ "$minor" -ge 12 ] && [ -z "$newest" ] && can_build "$candidate"; then
            newest=$candidate
        elif [ "$minor" -eq 11 ] && [ -z "$older" ] && can_build "$candidate"; then
            older=$candidate
        fi
    done < <(all_pythons)
    [ -n "$older" ] || echo "   no Python 3.11 that can build (apt-get install python3-dev python3-venv)" >&2
    [ -n "$newest" ] || echo "   no Python 3.12 or later on this machine: the stable-ABI wheel is not tested" >&2
    echo $older $newest
}
