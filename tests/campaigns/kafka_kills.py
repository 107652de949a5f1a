#!/usr/bin/env python3
"""Kills the workers of a fleet on Kafka, stops one for a while, and kills the broker, all under load.

    tests/campaigns/kafka_kills.py [--kills 6] [--seconds 40] [--rate 1500] [--seed 1] [--tool build/release/sluice]

Needs the installed package with its extra `kafka`, and the broker's files (scripts/kafka_broker.sh fetch).

A real broker, two workers with two shards each, rows of a few keys at a steady rate, some of them poisoned. Then
- every message of the input has exactly one answer among the committed messages of the output;
- each key's predictions are those of sluice.fleet.step on all of its rows at once, bit for bit, and so is its state;
  with --tool they are also those of `sluice stream --by`;
- a worker that was stopped (SIGSTOP) while a successor took over ends with exit code 3 when it continues;
- SIGTERM ends the workers with exit code 0.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import pyarrow as pa  # noqa: E402
from kafka_fleet import Broker, WorkerProcess, wait_until  # noqa: E402

from sluice import fleet  # noqa: E402
from sluice.kafka._states import StateReading  # noqa: E402

PARTITIONS = 4
SHARDS = ("0-1/4", "2-3/4")
INPUTS = 8
CONFIG = {"key": "unit", "sequence": "n", "targets": ["y"]}


@dataclass
class Sent:
    """What was sent: for each key its messages in order, and the partition of each key."""

    texts: dict[str, list[bytes]] = field(default_factory=dict)
    total: int = 0


def make_row(key: str, number: int, rng: random.Random) -> bytes:
    x = [rng.gauss(0.0, 1.0) for _ in range(INPUTS)]
    relevant = x[1] if number < 300 else x[2]
    row: dict[str, Any] = {"unit": key, "n": number} | {f"x{j}": value for j, value in enumerate(x)}
    row["y"] = 2.0 * relevant - x[5] + 0.1 * rng.gauss(0.0, 1.0)
    kind = rng.random()
    if kind < 0.002:
        return b'{"unit": "' + key.encode() + b'", "n": '  # no JSON
    if kind < 0.004:
        row["x3"] = "broken"
    elif kind < 0.006:
        return json.dumps(row).replace(json.dumps(row["x4"]), "1e999", 1).encode()
    elif kind < 0.02:
        row["x0"] = None
    return json.dumps(row).encode()


def feed(broker: Broker, keys: list[str], seconds: float, rate: float, seed: int, sent: Sent) -> None:
    rng = random.Random(seed)
    producer = broker.producer()
    begun = time.monotonic()
    while (passed := time.monotonic() - begun) < seconds:
        while sent.total < rate * passed:
            key = rng.choice(keys)
            texts = sent.texts.setdefault(key, [])
            texts.append(make_row(key, len(texts), rng))
            producer.produce("rows", texts[-1], key, keys.index(key) % PARTITIONS)
            sent.total += 1
        producer.poll(0.01)
    if producer.flush(120) != 0:
        raise AssertionError("the rows could not be sent")


class Fleet:
    """The two workers, each started again when it was killed."""

    def __init__(self, broker: Broker, folder: Path) -> None:
        self._folder = folder
        config = folder / "fleet.json"
        config.write_text(json.dumps(CONFIG))
        self._arguments = [str(config), "--brokers", broker.address, "--input", "rows", "--output", "predictions"]
        self._arguments += ["--events", "events", "--create-topics", "--commit-every", "0.2", "--fleet", "kills"]
        self._started: list[WorkerProcess] = []
        self.workers = [self.start(which) for which in range(len(SHARDS))]

    def start(self, which: int) -> WorkerProcess:
        self._started.append(WorkerProcess(self._folder / f"worker{which}.log", [*self._arguments, "--shard", SHARDS[which]]))
        return self._started[-1]

    def abandon(self) -> None:
        for worker in self._started:
            if worker.ended() is None:
                worker.send(signal.SIGKILL)

    def kill(self, which: int) -> None:
        self.workers[which].send(signal.SIGKILL)
        self.workers[which].wait()
        self.workers[which] = self.start(which)

    # Stops a worker, lets a successor take over, and lets the worker continue.
    def check_zombie(self, which: int, answers: Any) -> None:
        zombie = self.workers[which]
        wait_until("the worker is ready", lambda: zombie.ready_shards() == 2)
        zombie.send(signal.SIGSTOP)
        successor = self.workers[which] = self.start(which)
        took = wait_until("the successor is ready", lambda: successor.ready_shards() == 2)
        before = answers()
        wait_until("the successor commits", lambda: answers() > before + 50)
        zombie.send(signal.SIGCONT)
        code = zombie.wait(60)
        if code != 3 or "another worker has taken over" not in zombie.said():
            raise AssertionError(f"the stopped worker ended with code {code}, not 3, and said: {zombie.said()[-2000:]}")
        print(f"   a stopped worker was replaced within {took:.1f} s and fenced when it continued", flush=True)

    def end(self) -> None:
        for worker in self.workers:
            worker.send(signal.SIGTERM)
        codes = [worker.wait() for worker in self.workers]
        if codes != [0] * len(codes):
            raise AssertionError(f"SIGTERM ended the workers with {codes}, not with 0")


# Nothing of the worker's own reading of rows is used here: values of all rows of a key, and the rows that are no JSON.
def reference(key: str, texts: list[bytes]) -> tuple[bytes, list[dict[str, Any]]]:
    config = fleet.Config(CONFIG)
    rows = []
    broken = set()
    for number, text in enumerate(texts):
        try:
            rows.append(json.loads(text))
        except ValueError:
            broken.add(number)
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        texts_in_it = any(isinstance(value, str) for value in values)
        columns[name] = [None if v is None else str(v) if texts_in_it else v for v in values]
    state, answers = fleet.step(None, pa.RecordBatch.from_pydict(columns), config, key=key)
    lines = iter(answers.to_pylist())
    return state, [{"outcome": "refused"} if number in broken else next(lines) for number in range(len(texts))]


def check_answers(broker: Broker, keys: list[str], sent: Sent) -> str:
    by_key: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
    seen = set()
    for message in broker.read_all("predictions", PARTITIONS):
        answer = json.loads(message.value())
        place = (answer["partition"], answer["offset"])
        if place in seen:
            raise AssertionError(f"partition and offset {place} were answered twice")
        seen.add(place)
        by_key[message.key().decode()].append(answer)
    ends = broker.ends("rows", PARTITIONS)
    missing = [(p, offset) for p, end in ends.items() for offset in range(end) if (p, offset) not in seen]
    if missing or len(seen) != sent.total:
        raise AssertionError(f"{len(seen)} of {sent.total} rows were answered; missing are {missing[:5]}")
    states = read_states(broker)
    refused = 0
    for number, key in enumerate(keys):
        state, expected = reference(key, sent.texts[key])
        answers = sorted(by_key[key], key=lambda answer: answer["offset"])
        for answer, line in zip(answers, expected, strict=True):
            refused += line["outcome"] == "refused"
            got = answer.get("predicted", {}).get("y")
            if answer["outcome"] != line["outcome"] or got != line.get("predicted.y"):  # equal floats: equal bits
                raise AssertionError(f"key {key}: {answer} is not {line}")
        if states[number % PARTITIONS, key] != state:
            raise AssertionError(f"the state of key {key} is not that of the rows in one go")
    events = broker.read_all("events", PARTITIONS)
    if sum(b'"row_refused"' in message.value() for message in events) != refused or refused == 0:
        raise AssertionError(f"{refused} rows were refused, and the events do not say so")
    return f"{sent.total} rows of {len(keys)} keys once each, {refused} of them refused; predictions and states equal to the bit"


# The embedded form of a fleet: the same rows, in one process and without Kafka.
def check_tool(tool: str, folder: Path, broker: Broker, sent: Sent) -> str:
    lines = [text for texts in sent.texts.values() for text in texts if text.endswith(b"}")]
    (folder / "rows.ndjson").write_bytes(b"\n".join(lines) + b"\n")
    command = [tool, "stream", folder / "rows.ndjson", "--by", folder / "fleet.json", "--out", folder / "records.ndjson", "--quiet"]
    subprocess.run(command, check=True)
    records = {}
    for line in (folder / "records.ndjson").read_text().splitlines():
        record = json.loads(line)
        records[record["key"], record["sequence"]] = (record["predicted"]["y"], record["outcome"])
    answers = {}
    for message in broker.read_all("predictions", PARTITIONS):
        answer = json.loads(message.value())
        if answer["sequence"] is not None:
            answers[answer["key"], answer["sequence"]] = (answer["predicted"]["y"], answer["outcome"])
    if answers != records or len(records) != len(lines):
        different = [place for place in records if answers.get(place) != records[place]]
        raise AssertionError(f"{len(different)} of {len(records)} answers are not those of sluice stream --by: {different[:5]}")
    return f"{len(records)} answers are those of sluice stream --by to the bit"


def read_states(broker: Broker) -> dict[tuple[int, str], bytes]:
    readings = [StateReading("kills-state", partition) for partition in range(PARTITIONS)]
    for message in broker.read_all("kills-state", PARTITIONS):
        readings[message.partition()].add(message.key(), message.value())
    return {(p, key.decode()): state for p, reading in enumerate(readings) for key, state, _ in reading.states()}


def run(options: argparse.Namespace, folder: Path) -> None:
    rng = random.Random(options.seed)
    keys = [f"unit-{number}" for number in range(options.keys)]
    broker = Broker(folder / "broker")
    workers: Fleet | None = None
    try:
        broker.create_topic("rows", PARTITIONS)
        sent = Sent()
        failures: list[BaseException] = []

        def feeding() -> None:
            try:
                feed(broker, keys, options.seconds, options.rate, options.seed, sent)
            except BaseException as error:
                failures.append(error)

        workers = Fleet(broker, folder)
        for worker in workers.workers:
            wait_until("the workers are ready", lambda: worker.ready_shards() == 2)
        feeder = threading.Thread(target=feeding, daemon=True)
        feeder.start()
        begun = time.monotonic()
        for number in range(options.kills):
            due = options.seconds * (0.05 + 0.45 * (number + rng.random()) / options.kills)
            time.sleep(max(0.0, begun + due - time.monotonic()))
            workers.kill(rng.randrange(len(SHARDS)))
        print(f"   {options.kills} workers killed at {sent.total} rows", flush=True)

        def answers() -> int:
            return sum(max(0, offset) for offset in broker.committed("kills", "rows", PARTITIONS).values())

        wait_until("rows are answered", lambda: answers() > 0)
        workers.check_zombie(0, answers)
        time.sleep(rng.uniform(0.2, 1.0))
        broker.kill()
        time.sleep(1.0)
        broker.start_again()
        print(f"   the broker was killed and started again at {sent.total} rows", flush=True)
        feeder.join()
        if failures:
            raise failures[0]
        late = wait_until("all rows are answered", lambda: answers() == sum(broker.ends("rows", PARTITIONS).values()), 120)
        print(f"   all rows answered {late:.1f} s after the last was sent", flush=True)
        workers.end()
        if options.tool:
            print("   " + check_tool(options.tool, folder, broker, sent), flush=True)
        print("   " + check_answers(broker, keys, sent), flush=True)
    except BaseException:
        for log in sorted(folder.glob("worker*.log")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-4000:]}", file=sys.stderr)
        raise
    finally:
        if workers:
            workers.abandon()
        broker.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=40.0, help="how long rows are sent")
    parser.add_argument("--rate", type=float, default=1500.0, help="rows a second")
    parser.add_argument("--keys", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tool", default="", help="the command-line tool: its answers are compared too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kafka_kills.") as folder:
        run(options, Path(folder))


if __name__ == "__main__":
    main()
