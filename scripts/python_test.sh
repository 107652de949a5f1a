#!/usr/bin/env bash
# Tests the Python package as users get it: builds wheels, checks and installs them, and runs the tests without the source
# folder on the path; with Python 3.11 and the newest Python of this machine.
#     scripts/python_test.sh install          virtual environments with the packages of python/tests/requirements.txt, and
#                                             one with schemathesis for scripts/serve_api_test.sh
#     scripts/python_test.sh test [--quick]   --quick: Python 3.11 only, with the library of build/release, without slow
#                                             tests and types
#     scripts/python_test.sh record           records the type stub of sluice._core after a change that is meant
# SLUICE_PYTHONS="python3.10 python3.12": these interpreters instead.
set -euo pipefail
source "$(dirname "$0")/prepare.sh"
source scripts/python_find.sh
root=$PWD
work=$root/build/python
requirements=python/tests/requirements.txt
export PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONPATH PYTHONHOME

environment() { echo "$work/env-$(version_of "$1")"; }
# show_on_failure LOG COMMAND... : what a command printed, where it fails
show_on_failure() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
}

wait_for_all() {
    local job failed=0
    for job in "$@"; do wait "$job" || failed=1; done
    return $failed
}

# make_environment PYTHON : only where the interpreter or the requirements have changed, so that later runs need no network
make_environment() {
    local python=$1 folder wanted
    folder=$(environment "$python")
    wanted=$("$python" --version; "$python" -c 'import sys; print(sys.executable)'; sha256sum <"$requirements")
    [ "$(cat "$folder/made_of" 2>/dev/null)" = "$wanted" ] && "$folder/bin/python" -c '' 2>/dev/null && return
    echo "   installing python/tests/requirements.txt for $("$python" --version)"
    rm -rf "$folder"
    if ! show_on_failure "$folder.log" "$python" -m venv "$folder" ||
        ! show_on_failure "$folder.log" "$folder/bin/python" -m pip install --quiet --no-compile --only-binary :all: -r "$requirements"; then
        echo "The packages of $requirements could not be installed for $python: see above. The first run needs the network." >&2
        return 1
    fi
    echo "$wanted" >"$folder/made_of"
}

# Schemathesis has an environment of its own: its requirements must not decide the versions of those of the package. The test
# that needs it is skipped where it cannot be installed.
install_schemathesis() {
    local folder=$work/schemathesis wanted="schemathesis>=4.32,<5"
    [ "$(cat "$folder/made_of" 2>/dev/null)" = "$wanted" ] && "$folder/bin/schemathesis" --version >/dev/null 2>&1 && return
    rm -rf "$folder"
    if "${pythons[0]}" -m venv "$folder" >"$folder.log" 2>&1 &&
        "$folder/bin/python" -m pip install --quiet --no-compile --only-binary :all: "$wanted" >>"$folder.log" 2>&1; then
        echo "$wanted" >"$folder/made_of"
    else
        echo "   schemathesis could not be installed ($folder.log): its test will be skipped"
    fi
}

install_packages() {
    local python jobs=()
    install_schemathesis &
    jobs+=($!)
    for python in "${pythons[@]}"; do
        make_environment "$python" &
        jobs+=($!)
    done
    wait_for_all "${jobs[@]}"
}

# build_wheel PYTHON [cmake definition] : prints the path of the wheel
build_wheel() {
    local folder wheels settings=()
    folder=$(environment "$1") wheels=$work/wheel-$(version_of "$1")
    if [ $# -gt 1 ]; then
        settings=(--config-settings "cmake.define.$2" --config-settings "build-dir=build/python/linked-{wheel_tag}")
    fi
    rm -rf "$wheels"
    show_on_failure "$wheels.log" "$folder/bin/python" -m pip wheel --verbose --no-build-isolation --no-deps --no-index \
        --wheel-dir "$wheels" "${settings[@]}" . >&2 || return 1
    echo "$wheels"/*.whl
}

# test_wheel PYTHON WHEEL [pytest options...] : in a folder without sources
test_wheel() {
    local python=$1 wheel=$2 folder run
    shift 2
    folder=$(environment "$python") run=$work/run-$(version_of "$python")
    mkdir -p "$run" && cd "$run"
    show_on_failure install.log "$folder/bin/python" -m pip install --quiet --force-reinstall --no-deps --no-index --no-compile "$wheel"
    export SLUICE_TOOL=$root/build/release/sluice
    export SCIPY_ARRAY_API=1  # read when scipy is imported; without it scikit-learn skips a check
    export MPLBACKEND=Agg MPLCONFIGDIR=$run JUPYTER_PLATFORM_DIRS=1
    show_on_failure tests.log "$folder/bin/python" -m pytest -q -p no:cacheprovider --durations=10 "$@" "$root/python/tests"
    show_on_failure examples.log "$folder/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules --pyargs sluice
    echo "   $("$python" --version), ${wheel##*/}: $(tail -n 1 tests.log); examples in docstrings: $(tail -n 1 examples.log)"
}

# check_types PYTHON : the installed package, and all examples that users read
check_types() {
    local folder run
    folder=$(environment "$1") run=$work/types
    rm -rf "$run/examples" && mkdir -p "$run/examples" && cd "$run"
    "$folder/bin/python" "$root/scripts/python_examples.py" "$root" examples
    local mypy=("$folder/bin/python" -m mypy --config-file "$root/python/mypy.ini" --cache-dir "$run/cache")
    show_on_failure package.log "${mypy[@]}" -p sluice
    show_on_failure examples.log "${mypy[@]}" --disable-error-code union-attr examples
    echo "   types of the package: $(tail -n 1 package.log); of the examples: $(tail -n 1 examples.log)"
}

test_package() {
    local library=SLUICE_LIBRARY=$root/build/release/src/libsluice.a
    local python wheel i wheels=() jobs=() first=() options=()
    if [ "${1:-}" = --quick ]; then
        pythons=("${pythons[0]}")
        first=("$library")
        options=(-m "not slow")
    fi
    # The first wheel compiles the library, as `pip install .` does. The others need not do it again.
    for python in "${pythons[@]}"; do
        wheel=$(build_wheel "$python" "${first[@]}")
        "$(environment "$python")/bin/python" scripts/python_wheel.py "$wheel"
        wheels+=("$wheel")
        first=("$library")
    done
    for i in "${!pythons[@]}"; do
        (test_wheel "${pythons[i]}" "${wheels[i]}" "${options[@]}") &
        jobs+=($!)
    done
    wait_for_all "${jobs[@]}"
    if [ "${1:-}" != --quick ]; then
        (check_types "${pythons[-1]}") &
        jobs=($!)
        python/tests/missing_packages_test.sh "$(environment "${pythons[0]}")/bin/python" &
        wait_for_all "${jobs[@]}" $!
    fi
}

mkdir -p "$work"
read -r -a pythons <<<"${SLUICE_PYTHONS:-$(find_pythons)}"
[ ${#pythons[@]} -gt 0 ] || { echo "no Python that can build the package" >&2; exit 1; }
case ${1:-} in
    install) install_packages ;;
    test) test_package "${@:2}" ;;
    record)
        install_packages
        wheel=$(build_wheel "${pythons[-1]}")
        "$(environment "${pythons[-1]}")/bin/python" scripts/python_wheel.py --record "$wheel"
        ;;
    *) sed -n '2,9s/^# \?//p' "$0" >&2; exit 2 ;;
esac
