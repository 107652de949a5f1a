"""A fit of ten million rows of 100 inputs on two executors, beside one process.

Question   Is the fit from merged moments that of one process, what does it take, and does an executor's memory grow with the rows?
Data       simulated in blocks of 10,000 rows from a seed, on the executors and in the one process alike: no file is needed
Equal      coefficients of PLS-2, Bridge and sparse Bridge PLS within 1e-9 of the largest, the same inputs selected; with
           one million rows also beside the fit of the rows themselves
Reports    seconds, rows a second, the largest difference, peak resident memory of Python workers and of executors' Java
           machines at each number of rows
Not asked  reading files, networks between machines

    python tests/campaigns/spark_fit.py [--rows 1000000 5000000 10000000] [--inputs 100] [--master 'local-cluster[2,1,1024]']

It ends with status 1 where the coefficients differ, or where a worker's memory grows by more than a tenth.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sluice
import sluice.spark

BLOCK = 10_000
MODELS = {
    "pls2": sluice.PLS2(components=4),
    "bridge": sluice.BridgePLS(components=4),
    "sparse-bridge": sluice.SparseBridgePLS(components=4, keep=5),
}


def block(number: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of one block: inputs that share three factors, one in ten with a mean of 1e6, and an output of ten of them."""
    rng = np.random.default_rng([19, number])
    loadings = np.random.default_rng(19).normal(size=(inputs, 3))
    X = rng.standard_normal(size=(inputs, BLOCK)) + loadings @ rng.standard_normal(size=(3, BLOCK))
    y = 0.2 * (np.arange(1, 11) @ X[:10]) + rng.standard_normal(BLOCK)
    X[::10] += 1e6
    return X, y


def simulated(session: Any, blocks: int, inputs: int, partitions: int) -> Any:
    import pyarrow as pa

    names = [*(f"x{j}" for j in range(inputs)), "y"]

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                X, y = block(number, inputs)
                yield pa.RecordBatch.from_arrays([*(pa.array(column) for column in X), pa.array(y)], names=names)

    return session.range(0, blocks, 1, partitions).mapInArrow(rows, ", ".join(f"{name} double" for name in names))


class PeakMemory:
    """The largest resident memory of this process's descendants by what they are, in MB, watched twice a second."""

    def __init__(self) -> None:
        self.peak = {"python": 0.0, "java": 0.0}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            parents, seen = {}, {}
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
                    command = (folder / "cmdline").read_bytes()
                except (OSError, ValueError):
                    continue
                pid = int(folder.name)
                parents[pid] = int(status["PPid"])
                kind = "python" if b"pyspark" in command and b"daemon" in command else "java" if b"ExecutorBackend" in command else ""
                if kind and "VmHWM" in status:
                    seen[pid] = kind, int(status["VmHWM"].split()[0]) / 1024
            for pid, (kind, size) in seen.items():
                above = pid
                while above > 1 and above != os.getpid():
                    above = parents.get(above, 0)
                if above == os.getpid():
                    self.peak[kind] = max(self.peak[kind], size)


def on_spark(rows: int, inputs: int, master: str, partitions: int) -> tuple[dict[str, Any], float, dict[str, float]]:
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR"}
    session = SparkSession.builder.master(master).appName("fit").config(map=settings).getOrCreate()
    try:
        session.range(2).mapInArrow(lambda batches: batches, "id long").collect()  # executors and workers have started
        df = simulated(session, rows // BLOCK, inputs, partitions)
        with PeakMemory() as memory:
            start = time.perf_counter()
            moments = sluice.spark.moments(df, "y")
            fits = {name: type(model)(**model.get_params()).fit_moments(moments) for name, model in MODELS.items()}
            seconds = time.perf_counter() - start
        assert moments.rows == rows
        return fits, seconds, memory.peak
    finally:
        session.stop()


def in_one_process(rows: int, inputs: int) -> tuple[dict[str, Any], float, float]:
    moments = sluice.BatchMoments([f"x{j}" for j in range(inputs)], ["y"])
    start, made = time.perf_counter(), 0.0
    for number in range(rows // BLOCK):
        before = time.perf_counter()
        X, y = block(number, inputs)
        table = np.ascontiguousarray(X.T)
        made += time.perf_counter() - before
        moments.add(table, y)
    fits = {name: type(model)(**model.get_params()).fit_moments(moments) for name, model in MODELS.items()}
    return fits, time.perf_counter() - start, made


def of_rows(rows: int, inputs: int) -> dict[str, Any]:
    blocks = [block(number, inputs) for number in range(rows // BLOCK)]
    X, y = np.concatenate([X.T for X, _ in blocks]), np.concatenate([y for _, y in blocks])
    return {name: type(model)(**model.get_params()).fit(X, y) for name, model in MODELS.items()}


def difference(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The largest of all coefficients, relative to the largest coefficient of its fit. Infinite where selections differ."""
    largest = 0.0
    for name in MODELS:
        a, b = one[name], other[name]
        if not np.array_equal(a.selected_, b.selected_):
            return float("inf")
        largest = max(largest, float(np.abs(a.coef_ - b.coef_).max() / np.abs(b.coef_).max()))
    return largest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 5_000_000, 10_000_000])
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--partitions", type=int, default=20)
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--fit-rows", type=int, default=1_000_000, help="fit the rows themselves too, up to this number")
    given = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = "127.0.0.1"
    bad, workers = False, []
    for rows in given.rows:
        fits, seconds, peak = on_spark(rows, given.inputs, given.master, given.partitions)
        one, alone, made = in_one_process(rows, given.inputs)
        differences = {"one process": difference(fits, one)}
        if rows <= given.fit_rows:
            differences["fit of the rows"] = difference(fits, of_rows(rows, given.inputs))
        print(
            f"{rows} rows of {given.inputs} inputs: Spark {seconds:.1f} s ({rows / seconds:.0f} rows/s), one process {alone:.1f} s, "
            f"{made:.1f} s of it for making the rows; difference "
            + ", ".join(f"{value:.1e} from {name}" for name, value in differences.items())
            + f"; peak memory: Python worker {peak['python']:.0f} MB, executor's Java {peak['java']:.0f} MB",
            flush=True,
        )
        bad = bad or not max(differences.values()) <= 1e-9
        workers.append(peak["python"])
    if max(workers) > 1.1 * workers[0]:
        print(f"FAILED: the memory of a Python worker grows with the rows: {workers} MB")
        return 1
    print("FAILED: the fits differ" if bad else "all fits agree to 1e-9, and memory does not grow with the rows")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
