#!/usr/bin/env python3
"""How many rows a second does a fleet process on one core, and how large are its states?

Question   What does Spark cost beside the block function, for 20 to 1,000 inputs, and which of its two interfaces is cheaper?
Ours       sluice.fleet.step, a call for each key and batch: the state is read, 100 rows are learnt, the state is written
Spark      sluice.spark.fleet on local-cluster, from Parquet files to no sink; one file is one batch
           --engine transform: the same function behind transformWithStateInPandas instead of applyInPandasWithState
Equal work The same rows with the same keys in the same batches. --check compares the predictions first, bit for bit.
Reports    bytes of a state after all rows; rows for each second of processor time, of all processes of Spark together,
           without the first batches; time is that of processors, because the machine may be busy
Not asked  latency; more than one machine

usage: bench/fleet_rate.py [block] [spark] [--inputs 20 60 300 1000] [--engine apply transform] [--rows 100] [--batches 12] [--warm-up 6]
Spark needs the environment of scripts/spark_venv.sh: build/spark/bin/python bench/fleet_rate.py block spark
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from sluice import fleet

KEYS = {20: 50, 60: 50, 300: 20, 1000: 10}
CONFIG = {"key": "machine", "sequence": "n", "targets": ["y"]}


def batch_of(inputs: int, keys: int, rows: int, number: int) -> pa.Table:
    """Batch `number`: `rows` rows of each key, the keys in turn. Of the inputs, four matter."""
    rng = np.random.default_rng(number)
    X = rng.normal(size=(keys * rows, inputs))
    y = 2 * X[:, 0] - X[:, 1] + X[:, 2] + 0.5 * X[:, 3] + 0.1 * rng.normal(size=len(X))
    columns = {
        "machine": [f"machine {i % keys}" for i in range(len(X))],
        "n": number * rows + np.arange(len(X)) // keys,
        "y": y,
    }
    return pa.table(columns | {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(inputs)})


def by_key(table: pa.Table) -> Iterator[tuple[str, pa.RecordBatch]]:
    names = table.column("machine").to_numpy()
    for key in dict.fromkeys(names):
        part = table.take(np.flatnonzero(names == key)).drop_columns(["machine"]).combine_chunks()
        yield key, part.to_batches()[0]


class ProcessorTime:
    """Of all processes that this one has started, also of those that have ended."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    def seconds(self) -> float:
        parents, seconds = {}, {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            process = int(stat.parent.name)
            parents[process] = int(fields[1])
            seconds[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        for process in parents:
            ancestor = process
            while ancestor not in (0, 1, os.getpid()) and ancestor not in self._seconds:
                ancestor = parents.get(ancestor, 0)
            if ancestor > 1 and process != os.getpid():
                self._seconds[process] = seconds[process]
        return sum(self._seconds.values())


def block(tables: list[pa.Table], config: fleet.Config, warm_up: int) -> dict[str, Any]:
    states: dict[str, bytes] = {}
    seconds = []
    for table in tables:
        blocks = list(by_key(table))
        start = time.process_time()
        for key, rows in blocks:
            states[key], _ = fleet.step(states.get(key), rows, config, key=key)
        seconds.append(time.process_time() - start)
    return {
        "rows/s": tables[0].num_rows / statistics.median(seconds[warm_up:]),
        "state bytes": int(statistics.mean(len(state) for state in states.values())),
    }


# ---- Spark


def session(cores: int, memory: int, settings: dict[str, str]) -> Any:
    from pyspark.sql import SparkSession

    from sluice.spark import STATE_STORE

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = "127.0.0.1"
    return (
        SparkSession.builder.master(f"local-cluster[{cores},1,{memory}]")
        .config(
            map={
                **STATE_STORE,
                "spark.executor.memory": f"{memory}m",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.log.level": "FATAL",
                "spark.sql.shuffle.partitions": str(cores),
                "spark.sql.files.openCostInBytes": "0",
                **settings,
            }
        )
        .getOrCreate()
    )


def transformed(df: Any, config: fleet.Config) -> Any:
    """sluice.spark.fleet behind the other interface: for this measurement only."""
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.streaming import StatefulProcessor
    from pyspark.sql.types import StructField, StructType

    from sluice.spark._fleet_columns import FleetColumns
    from sluice.spark._fleet_worker import KEY, BlockOfKey

    columns = FleetColumns(df, config)
    key = df.schema[config.key]
    schema = columns.answer_schema
    output = StructType([StructField(key.name, key.dataType), *from_arrow_schema(schema).fields])
    one_key = BlockOfKey(config, columns.layout, schema)

    class State:
        """The state variable of this interface, as that of the other one is used."""

        def __init__(self, variable: Any) -> None:
            self._variable = variable
            self._value = variable.get()

        @property
        def exists(self) -> bool:
            return self._value is not None

        @property
        def get(self) -> Any:
            return self._value

        def update(self, value: tuple[bytes]) -> None:
            self._variable.update(value)

    class Processor(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: Any) -> None:
            self._state = handle.getValueState("state", "state binary")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any = None) -> Any:
            return one_key.with_state(key, rows, State(self._state))  # type: ignore[arg-type]

        def close(self) -> None:
            pass

    return columns.pack().groupBy(KEY).transformWithStateInPandas(Processor(), output, "Append", "None")


def spark_rate(spark: Any, folder: Path, config: fleet.Config, engine: str, warm_up: int, check: list[pa.Table] | None) -> dict[str, Any]:
    from sluice.spark import fleet as spark_fleet

    schema = spark.read.parquet(str(folder / "in")).schema
    df = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    answers = spark_fleet(df, config) if engine == "apply" else transformed(df, config)
    checkpoint = tempfile.mkdtemp(dir=folder)
    writer = answers.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
    writer = writer.format("noop") if check is None else writer.format("parquet").option("path", f"{checkpoint}/out")
    query = writer.start()
    clock, warm, before = ProcessorTime(), 0, 0.0
    while not query.awaitTermination(0.1):
        now, done = clock.seconds(), query.lastProgress
        if not warm and done and done["batchId"] >= warm_up:
            warm, before = done["batchId"], now
    spent = clock.seconds() - before
    if check is not None:
        compare(pyarrow.parquet.read_table(f"{checkpoint}/out"), check, config)
    progress = [json.loads(p.json) if not isinstance(p, dict) else p for p in query.recentProgress]
    progress = [p for p in progress if p["numInputRows"]]
    timed = [p for p in progress if p["batchId"] > warm]
    files = [file for file in Path(checkpoint, "state").rglob("*") if file.is_file()]
    return {
        "rows/s": sum(p["numInputRows"] for p in timed) / spent,
        "batch ms": statistics.median(p["durationMs"]["addBatch"] for p in timed),
        "commit ms": statistics.median(p["stateOperators"][0]["commitTimeMs"] for p in timed),
        "state folder MB": sum(file.stat().st_size for file in files) / 1e6,
    }


def compare(out: pa.Table, tables: list[pa.Table], config: fleet.Config) -> None:
    found = {(k, n): p for k, n, p in zip(*(out.column(c).to_pylist() for c in ("machine", "sequence", "predicted.y")), strict=True)}
    for key, rows in by_key(pa.concat_tables(tables)):
        _, wanted = fleet.step(None, rows, config, key=key)
        for n, predicted in zip(wanted.column("sequence").to_pylist(), wanted.column("predicted.y").to_pylist(), strict=True):
            if found.pop((key, n)) != predicted:
                sys.exit(f"{key}, row {n}: Spark's prediction is not that of the block function")
    if found:
        sys.exit(f"{len(found)} answers of rows that were not given")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["block", "spark", []], default=["block"])
    parser.add_argument("--inputs", nargs="*", type=int, default=list(KEYS))
    parser.add_argument("--engine", nargs="*", choices=["apply", "transform"], default=["apply"])
    parser.add_argument("--rows", type=int, default=100, help="of a key in a batch")
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--warm-up", type=int, default=6, help="batches that are not timed: Java compiles while it runs")
    parser.add_argument("--cores", type=int, default=1, help="executors with one core each")
    parser.add_argument("--memory", type=int, default=1024, help="of an executor in MB")
    parser.add_argument("--check", action="store_true", help="compare the predictions")
    parser.add_argument("--set", nargs="*", default=[], help="settings of Spark, NAME=VALUE")
    given = parser.parse_args()
    config = fleet.Config(CONFIG)
    spark = session(given.cores, given.memory, dict(s.split("=", 1) for s in given.set)) if "spark" in given.what else None
    for inputs in given.inputs:
        keys = KEYS.get(inputs, 10)
        tables = [batch_of(inputs, keys, given.rows, number) for number in range(given.batches)]
        about = f"p = {inputs}, {keys} keys, {given.rows} rows a key and batch"
        if "block" in given.what:
            print(about, "| block function", report(block(tables, config, given.warm_up)), flush=True)
        for engine in given.engine if spark else []:
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "in").mkdir()
                for number, table in enumerate(tables):
                    pyarrow.parquet.write_table(table, f"{folder}/in/{number:03}.parquet", compression="none")
                    os.utime(f"{folder}/in/{number:03}.parquet", (1e9 + number, 1e9 + number))
                spark_rate_of = spark_rate(spark, Path(folder), config, engine, given.warm_up, tables if given.check else None)
                print(about, "| Spark,", engine, report(spark_rate_of), flush=True)
    if spark:
        spark.stop()


def report(figures: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:,.0f}" if value >= 10 else f"{name} {value:.2g}" for name, value in figures.items())


if __name__ == "__main__":
    main()
