#!/usr/bin/env bash
# Tests the fleets on their engines. What is missing (Java, pyspark, a Kafka broker) is named, and its tests are skipped.
#     scripts/fleet_test.sh install   virtual environments and a broker; the first time with the network
#     scripts/fleet_test.sh test      with the wheels that scripts/python_test.sh has built, or one that is built now
set -euo pipefail
source "$(dirname "$0")/prepare.sh"
source scripts/python_find.sh
root=$PWD
work=$root/build/python
export SLUICE_LOCK_HELD=1 PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1
unset PYTHONPATH PYTHONHOME

# wheel_for ENVIRONMENT : the path of a wheel for its Python; that of scripts/python_test.sh where it is newer than the sources
wheel_for() {
    local environment=$1 folder
    folder=$work/wheel-$(version_of "$environment/bin/python")
    if ! ls "$folder"/*.whl >/dev/null 2>&1 || [ -n "$(find python/sluice python/bindings -newer "$folder" -type f -print -quit)" ]; then
        rm -rf "$folder"
        "$environment/bin/python" -m pip wheel --no-build-isolation --no-deps --no-index --wheel-dir "$folder" \
            --config-settings "cmake.define.SLUICE_LIBRARY=$root/build/release/src/libsluice.a" \
            --config-settings "build-dir=build/python/linked-{wheel_tag}" . >"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 1; }
    fi
    echo "$folder"/*.whl
}

# ---- Spark

spark_is_missing() {
    command -v java >/dev/null || { echo "   Spark: skipped, there is no java (apt-get install openjdk-17-jre-headless)"; return 0; }
    [ -e "$work/spark/made_of" ] || { echo "   Spark: skipped, there is no pyspark (scripts/fleet_test.sh install, with the network)"; return 0; }
    return 1
}

test_spark() {
    spark_is_missing && return
    local python=$work/spark/bin/python run=$work/run-spark wheel
    wheel=$(wheel_for "$work/spark")
    scripts/spark_venv.sh "$wheel"
    mkdir -p "$run" && cd "$run"
    "$python" -m pytest -q -p no:cacheprovider "$root"/python/tests/test_spark_*.py >tests.log 2>&1 || { cat tests.log; return 1; }
    echo "   Spark: $(tail -n 1 tests.log)"
    "$python" "$root/tests/campaigns/spark_kills.py" "$root/build/release/sluice" --keys 5 --rows 2000 --files 3 --driver-kills 1 --executor-kills 0 \
        --master "local[2]" >kills.log 2>&1 || { cat kills.log; return 1; }
    echo "   Spark: $(tail -n 1 kills.log)"
    cd "$root"
}

# ---- Kafka

kafka_is_missing() {
    command -v java >/dev/null || { echo "   Kafka: skipped, there is no java (apt-get install openjdk-17-jre-headless)"; return 0; }
    ls build/kafka/complete-* >/dev/null 2>&1 || { echo "   Kafka: skipped, there is no broker (scripts/kafka_broker.sh fetch, with the network)"; return 0; }
    [ -e "$work/env-3.11/made_of" ] || { echo "   Kafka: skipped, there is no environment (scripts/python_test.sh install)"; return 0; }
    return 1
}

test_kafka() {
    kafka_is_missing && return
    local python=$work/env-3.11/bin/python run=$work/run-kafka wheel
    wheel=$(wheel_for "$work/env-3.11")
    mkdir -p "$run" && cd "$run"
    "$python" -m pip install --quiet --force-reinstall --no-deps --no-index --no-compile "$wheel" >install.log 2>&1 || { cat install.log; return 1; }
    "$python" "$root/tests/campaigns/kafka_kills.py" --kills 3 --seconds 20 --rate 600 --keys 8 \
        --tool "$root/build/release/sluice" >kills.log 2>&1 || { cat kills.log; return 1; }
    echo "   Kafka: $(tail -n 1 kills.log | sed 's/^ *//')"
    cd "$root"
}

case ${1:-} in
    install)
        if command -v mvn >/dev/null; then
            scripts/kafka_broker.sh fetch || echo "   the Kafka broker could not be fetched: its tests will be skipped"
        fi
        if command -v java >/dev/null; then
            scripts/spark_venv.sh || echo "   pyspark could not be installed: its tests will be skipped"
        fi
        ;;
    test)
        test_spark
        test_kafka
        ;;
    *) sed -n '2,4s/^# \?//p' "$0" >&2; exit 2 ;;
esac
