"""Kills a fleet on Spark: every row is answered once, with the bits that an undisturbed run gives.

examples/spark/fleet.py runs as users run it, on files whose rows are shuffled. The driver (Python and its Java machine)
and executors are ended by SIGKILL, at random moments while batches are processed, and the job is started again at once.
What the sink committed is then compared, all columns, with `sluice stream --by` on the same rows in their order, and
with the block function on the rows of each key in one go.

usage: build/python/spark/bin/python tests/campaigns/spark_kills.py build/release/sluice [--keys 50] [--rows 100000]
           [--inputs 20] [--files 25] [--driver-kills 3] [--executor-kills 1] [--master local-cluster[2,1,1024]] [--seed N]
           [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from sluice import fleet

JOB = Path(__file__).resolve().parents[2] / "examples" / "spark" / "fleet.py"
CONFIG = {"key": "machine", "sequence": "n", "targets": ["y"]}


def fail(sentence: str) -> None:
    sys.exit(f"spark_kills: {sentence}")


# ---- rows


def make_rows(keys: int, rows: int, inputs: int, seed: int) -> pa.Table:
    """In the middle of the stream, other inputs begin to matter. Some values are missing."""
    rng = np.random.default_rng(seed)
    n = np.arange(rows) // keys
    X = rng.normal(size=(rows, inputs))
    y = 2 * np.where(n < n[-1] // 2, X[:, 0], X[:, 5]) - X[:, 1] + 0.1 * rng.normal(size=rows)
    X[rng.random(X.shape) < 0.01] = np.nan
    columns = {"machine": [f"machine {i % keys}" for i in range(rows)], "n": n, "y": y}
    columns |= {f"x{j}": pa.array(np.ascontiguousarray(X[:, j]), from_pandas=True) for j in range(inputs)}
    return pa.table(columns)


def write_files(table: pa.Table, folder: Path, files: int, seed: int) -> None:
    """The rows of a file are shuffled; files have times one second apart."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    for number, places in enumerate(np.array_split(np.arange(table.num_rows), files)):
        path = folder / f"{number:04}.parquet"
        pq.write_table(table.take(rng.permutation(places)), path)
        os.utime(path, (1_000_000_000 + number,) * 2)


# ---- processes


def children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        found.setdefault(parent, []).append(int(stat.parent.name))
    return found


def descendants(root: int) -> list[int]:
    below = children()
    found = [root]
    for process in found:
        found += below.get(process, [])
    return found[1:]


def command_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def is_executor(process: int) -> bool:
    return "CoarseGrainedExecutorBackend" in command_of(process)


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Job:
    """One run of the driver."""

    def __init__(self, folder: Path, master: str) -> None:
        self._log = (folder / "log.txt").open("ab")
        self._checkpoint = folder / "checkpoint"
        arguments = [f"--{name}={folder / name}" for name in ("input", "output", "checkpoint")]
        command = [sys.executable, str(JOB), *arguments, f"--config={folder / 'fleet.json'}", f"--master={master}"]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log, start_new_session=True)
        self._seen: set[int] = set()

    def batches_done(self) -> int:
        self._seen.update(descendants(self._process.pid))
        return len([file for file in (self._checkpoint / "commits").glob("[0-9]*")])

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self) -> int:
        return self._process.wait()

    def kill_driver(self) -> int:
        """Python and its Java machine, not the executors: they find out by themselves. Returns how many they are."""
        processes = descendants(self._process.pid)
        executors = [process for process in processes if is_executor(process)]
        drivers = [process for process in processes if "SparkSubmit" in command_of(process)]
        if not drivers:
            fail("no Java machine of a driver was found")
        for process in (self._process.pid, *drivers):
            kill(process)
        self._process.wait()
        return len(executors)

    def kill_executor(self, choose: random.Random) -> None:
        executors = [process for process in descendants(self._process.pid) if is_executor(process)]
        if not executors:
            fail("no executor was found")
        kill(choose.choice(executors))

    def clean_up(self) -> None:
        """What is still there of what this run started."""
        for process in self._seen:
            if "spark" in command_of(process):
                kill(process)
        self._log.close()


# ---- what the sink committed


def committed(output: Path) -> pa.Table:
    """By the log of Spark's file sink; files that are not in it do not count."""
    paths = set()
    for log in (output / "_spark_metadata").iterdir():
        if not log.name.startswith("."):
            entries = log.read_text().splitlines()[1:]
            paths |= {unquote(urlparse(json.loads(entry)["path"]).path) for entry in entries}
    return pa.concat_tables(pq.read_table(path) for path in sorted(paths))


def of_the_tool(tool: Path, table: pa.Table, folder: Path) -> pa.Table:
    """The records of sluice stream --by, as answers."""
    csv.write_csv(table, folder / "rows.csv")
    command = [tool, "stream", folder / "rows.csv", "--by", folder / "fleet.json", "--state", folder / "state", "--out", "-", "--quiet"]
    records = [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]

    def as_text(value: object) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    return pa.table(
        {
            "machine": [record["key"] for record in records],
            "sequence": [record["sequence"] for record in records],
            "row": [record["row"] for record in records],
            "predicted.y": pa.array([record["predicted"]["y"] for record in records], pa.float64()),
            "outcome": [record["outcome"] for record in records],
            "selected": [as_text(record.get("selected")) for record in records],
            "events": pa.array([as_text(record.get("events")) for record in records], pa.string()),
        }
    )


def of_the_block_function(table: pa.Table) -> pa.Table:
    config = fleet.Config(CONFIG)
    names = np.asarray(table.column("machine"))
    parts = []
    for key in dict.fromkeys(names.tolist()):
        rows = table.take(np.flatnonzero(names == key)).drop_columns(["machine"]).combine_chunks().to_batches()[0]
        answers = pa.Table.from_batches([fleet.step(None, rows, config, key=key)[1]])
        parts.append(answers.add_column(0, "machine", pa.repeat(key, len(answers))))
    return pa.concat_tables(parts)


def compare(found: pa.Table, wanted: pa.Table) -> None:
    order = [("machine", "ascending"), ("sequence", "ascending")]
    found, wanted = found.sort_by(order), wanted.sort_by(order)
    if len(found) != len(wanted):
        fail(f"{len(found)} answers were committed for {len(wanted)} rows")
    for name in wanted.column_names:
        got, want = found.column(name).combine_chunks(), wanted.column(name).combine_chunks()
        if pa.types.is_floating(want.type):  # bits, not values
            got, want = (pa.array(column.fill_null(np.nan).to_numpy(zero_copy_only=False).view(np.int64)) for column in (got, want))
        if not got.equals(want):
            place = next(i for i in range(len(want)) if got[i] != want[i])
            row = {column: wanted.column(column)[place].as_py() for column in ("machine", "sequence", name)}
            fail(f"column {name} differs, first at {row}: committed was {found.column(name)[place].as_py()!r}")


def run(given: argparse.Namespace, folder: Path) -> None:
    choose = random.Random(given.seed)
    table = make_rows(given.keys, given.rows, given.inputs, given.seed)
    write_files(table, folder / "input", given.files, given.seed)
    (folder / "fleet.json").write_text(json.dumps(CONFIG))
    # Each kill after a number of batches, and up to a second later.
    kills = ["driver"] * given.driver_kills + ["executor"] * given.executor_kills
    choose.shuffle(kills)
    last = given.files - 1 - len(kills)  # after the last kill there is still a batch to do
    moments = sorted(choose.sample(range(1, max(last, len(kills)) + 1), len(kills)))
    jobs = [Job(folder, given.master)]
    start = time.monotonic()
    try:
        for what, moment in zip(kills, moments, strict=True):
            while jobs[-1].batches_done() < moment and not jobs[-1].has_ended():
                time.sleep(0.2)
            time.sleep(choose.uniform(0.0, given.delay))
            if jobs[-1].has_ended():
                fail(f"the job ended before it was to be killed: see {folder / 'log.txt'}, with --folder")
            done = jobs[-1].batches_done()
            if what == "executor":
                jobs[-1].kill_executor(choose)
                print(f"{time.monotonic() - start:.0f} s: an executor killed after {done} batches", flush=True)
            else:
                left = jobs[-1].kill_driver()
                print(f"{time.monotonic() - start:.0f} s: the driver killed after {done} batches, {left} executors left", flush=True)
                jobs.append(Job(folder, given.master))
        if (status := jobs[-1].wait()) != 0:
            sys.stderr.write((folder / "log.txt").read_text()[-5000:])
            fail(f"the last run of the job ended with {status}")
    finally:
        for job in jobs:
            job.batches_done()
            job.clean_up()
    seconds = time.monotonic() - start
    answers = committed(folder / "output")
    compare(answers, of_the_block_function(table))
    compare(answers, of_the_tool(given.tool, table, folder))
    print(
        f"{given.rows} rows of {given.keys} keys, {given.driver_kills} kills of the driver and {given.executor_kills} of an "
        f"executor, {seconds:.0f} s: every row is answered once, equal to sluice stream --by to the bit"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=Path)
    parser.add_argument("--keys", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--inputs", type=int, default=20)
    parser.add_argument("--files", type=int, default=25)
    parser.add_argument("--driver-kills", type=int, default=3)
    parser.add_argument("--executor-kills", type=int, default=1)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds after a batch, at most")
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", type=Path, help="keep everything here")
    given = parser.parse_args()
    if given.files < 2 * (given.driver_kills + given.executor_kills) + 1:
        parser.error("--files must be more than twice the number of kills")
    print(f"seed {given.seed}", flush=True)
    if given.folder:
        given.folder.mkdir(parents=True)
        run(given, given.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        run(given, Path(folder))


if __name__ == "__main__":
    main()
