#!/usr/bin/env bash
# The virtual environment for sluice.spark: build/python/spark, with the packages of python/tests/spark_requirements.txt.
# Made once, with the network (450 MB); again only where the interpreter or the requirements have changed.
#     scripts/spark_venv.sh           the environment
#     scripts/spark_venv.sh WHEEL     and this wheel of the package in it
set -euo pipefail
source "$(dirname "$0")/prepare.sh"
source scripts/python_find.sh
folder=$PWD/build/python/spark
requirements=python/tests/spark_requirements.txt
export PYTHONNOUSERSITE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONPATH PYTHONHOME

read -r python _ <<<"${SLUICE_PYTHONS:-$(find_pythons)}"
[ -n "$python" ] || { echo "no Python that can build the package" >&2; exit 1; }
mkdir -p build/python
wanted=$("$python" --version; "$python" -c 'import sys; print(sys.executable)'; sha256sum <"$requirements")
if [ "$(cat "$folder/made_of" 2>/dev/null)" != "$wanted" ] || ! "$folder/bin/python" -c '' 2>/dev/null; then
    echo "   installing $requirements for $("$python" --version)"
    rm -rf "$folder"
    # pyspark has no wheel: pip packs one.
    if ! { "$python" -m venv "$folder" &&
        "$folder/bin/python" -m pip install --quiet --no-compile --prefer-binary -r "$requirements"; } >"$folder.log" 2>&1; then
        cat "$folder.log" >&2
        echo "The packages of $requirements could not be installed: see above. The first run needs the network." >&2
        rm -rf "$folder"
        exit 1
    fi
    echo "$wanted" >"$folder/made_of"
fi
if [ $# -gt 0 ]; then
    "$folder/bin/python" -m pip install --quiet --force-reinstall --no-deps --no-index --no-compile "$1"
fi
