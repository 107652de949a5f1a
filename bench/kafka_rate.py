#!/usr/bin/env python3
"""Question   How many rows a second does one worker of a fleet on Kafka learn, beside the block function alone?
Ours       sluice-kafka as a process of its own, one shard, a real broker on this machine
Peer       sluice.fleet.step in a loop, on rows that are Arrow batches already: what the worker cannot beat
Equal work Both learn the same rows in batches of 500 of one key; the predictions are compared bit for bit.
Reports    Rows a second, wall time: the worker's from its first to its last transaction, the function's before and after it
           (mean). Processor time a row of both, where other programs disturb the wall time. Bytes of a state.
Not asked  the start of a worker; latency (that is --commit-every)

    bench/kafka_rate.py [--inputs 20,60,300] [--seconds 10] [--commit-batches 4]

Needs the installed package with its extra `kafka`, and the broker's files (scripts/kafka_broker.sh fetch).
--commit-batches: how many batches of 500 rows of a key are in one transaction.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from kafka_fleet import Broker, WorkerProcess, wait_until  # noqa: E402

from sluice import fleet  # noqa: E402

BATCH = 500
KEYS = 4
CONFIG = {"key": "unit", "sequence": "n", "targets": ["y"]}


def make_rows(inputs: int, rows: int) -> dict[str, pa.RecordBatch]:
    """For each key its rows; the relevant input changes half-way."""
    out = {}
    for key in range(KEYS):
        rng = np.random.default_rng(key)
        x = rng.normal(size=(rows, inputs)).round(4)  # as sensors send them
        relevant = np.where(np.arange(rows) < rows // 2, x[:, 3], x[:, 7])
        y = (2.0 * relevant - x[:, 5] + 0.1 * rng.normal(size=rows)).round(4)
        columns: dict[str, Any] = {"unit": [f"unit-{key}"] * rows, "n": np.arange(rows)}
        columns |= {f"sensor_{j}": x[:, j] for j in range(inputs)}
        out[f"unit-{key}"] = pa.RecordBatch.from_pydict(columns | {"y": y})
    return out


def function_alone(data: dict[str, pa.RecordBatch]) -> tuple[float, float, int, dict[str, list[float | None]]]:
    """Wall and processor seconds a row, bytes of a state, predictions."""
    config = fleet.Config(CONFIG)
    states: dict[str, bytes | None] = dict.fromkeys(data)
    predicted: dict[str, list[float | None]] = {key: [] for key in data}
    rows = next(iter(data.values())).num_rows
    begun, cpu = time.perf_counter(), time.process_time()
    for first in range(0, rows, BATCH):
        for key, batch in data.items():
            states[key], answers = fleet.step(states[key], batch.slice(first, BATCH), config, key=key)
            predicted[key] += answers.column("predicted.y").to_pylist()
    count = rows * len(data)
    wall, processor = (time.perf_counter() - begun) / count, (time.process_time() - cpu) / count
    return wall, processor, max(len(state or b"") for state in states.values()), predicted


def send(broker: Broker, topic: str, data: dict[str, pa.RecordBatch]) -> int:
    broker.create_topic(topic, 1)
    producer = broker.producer()
    columns = {key: batch.to_pylist() for key, batch in data.items()}
    for number in range(next(iter(data.values())).num_rows):
        for key, rows in columns.items():
            producer.produce(topic, json.dumps(rows[number]), key, 0)
        producer.poll(0)
    producer.flush()
    return sum(len(rows) for rows in columns.values())


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def worker(broker: Broker, folder: Path, topic: str, rows: int, commit_rows: int) -> tuple[float, float, list[Any]]:
    """Wall and processor seconds a row, answers. The processor time of a start is that of a second start, without rows."""
    config = folder / "fleet.json"
    config.write_text(json.dumps(CONFIG))
    arguments = [str(config), "--brokers", broker.address, "--input", topic, "--output", f"{topic}-answers", "--fleet", topic]
    arguments += ["--shard", "0/1", "--create-topics", "--commit-rows", str(commit_rows), "--commit-every", "10"]
    cpu = []
    for _ in range(2):
        before = children_cpu()
        process = WorkerProcess(folder / f"{topic}.log", arguments)
        wait_until("the worker is ready", lambda: process.ready_shards() == 1)
        wait_until("all rows are learnt", lambda: broker.committed(topic, topic, 1)[0] == rows, 600)
        process.send(signal.SIGTERM)
        if process.wait() != 0:
            raise AssertionError(process.said())
        cpu.append(children_cpu() - before)
    messages = broker.read_all(f"{topic}-answers", 1)
    times = [message.timestamp()[1] / 1000 for message in messages]
    cycles = (rows - commit_rows) / (max(times[-commit_rows:]) - max(times[:commit_rows]))
    return 1 / cycles, (cpu[0] - cpu[1]) / rows, messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", default="20,60,300")
    parser.add_argument("--seconds", type=float, default=10.0, help="about how long the function alone runs")
    parser.add_argument("--commit-batches", type=int, default=4)
    options = parser.parse_args()
    print("inputs  state kB   function rows/s   worker rows/s   share   processor time: function us   worker us   share")
    with tempfile.TemporaryDirectory(prefix="kafka_rate.") as name:
        folder = Path(name)
        broker = Broker(folder / "broker")
        try:
            for inputs in map(int, options.inputs.split(",")):
                trial = function_alone(make_rows(inputs, 2 * BATCH))[0]
                commit = BATCH * options.commit_batches  # of each key
                transactions = max(5, round(options.seconds / trial / (commit * KEYS)))
                data = make_rows(inputs, transactions * commit)
                rows = send(broker, f"rows-{inputs}", data)
                before = function_alone(data)
                wall, processor, messages = worker(broker, folder, f"rows-{inputs}", rows, commit * KEYS)
                after = function_alone(data)
                compare(messages, before[3])
                alone = statistics.mean((before[0], after[0]))
                alone_cpu = statistics.mean((before[1], after[1]))
                print(
                    f"{inputs:6d}  {before[2] / 1000:8.1f}   {1 / alone:15.0f}   {1 / wall:13.0f}   {alone / wall:5.2f}   "
                    f"{1e6 * alone_cpu:27.1f}   {1e6 * processor:9.1f}   {alone_cpu / processor:5.2f}",
                    flush=True,
                )
        finally:
            broker.stop()


def compare(messages: list[Any], expected: dict[str, list[float | None]]) -> None:
    got: dict[str, list[float | None]] = {key: [] for key in expected}
    for message in messages:
        answer = json.loads(message.value())
        got[answer["key"]].append(answer["predicted"]["y"])
    if got != expected:
        raise AssertionError("the worker's predictions are not those of the function")


if __name__ == "__main__":
    main()
