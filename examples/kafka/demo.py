"""A fleet of six turbines on Kafka: a broker, two workers, one of which is killed, and the answers.

    scripts/kafka_broker.sh fetch      once: needs Java, Maven and the network
    python examples/kafka/demo.py      with the package and its extra: pip install '.[kafka]'

Everything is on loopback and in a temporary folder.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined, unused-ignore]

HERE = Path(__file__).resolve().parent
BROKER = HERE.parent.parent / "scripts" / "kafka_broker.sh"
PARTITIONS = 4
TURBINES = [f"T{number}" for number in range(6)]
ROWS = 600  # of each turbine


def send_rows(address: str, count: int, seed: int) -> None:
    """One JSON object for each row; the key of the message decides the partition, so a turbine is in one of them."""
    rng = random.Random(seed)
    producer = Producer({"bootstrap.servers": address, "linger.ms": 20, "log_level": 0})
    for _ in range(count):
        for turbine in TURBINES:
            wind, pitch, noise = rng.uniform(3, 12), rng.uniform(0, 5), rng.gauss(0, 1)
            row = {"turbine": turbine, "wind": wind, "pitch": pitch, "humidity": noise, "power": 90 * wind - 40 * pitch}
            producer.produce("rows", json.dumps(row), turbine)
        producer.poll(0.002)
    producer.flush()


def read_answers(address: str, expected: int) -> list[dict[str, Any]]:
    """As whoever uses the predictions does: what is committed, and nothing else."""
    settings = {"bootstrap.servers": address, "group.id": "reader", "isolation.level": "read_committed"}
    consumer = Consumer({**settings, "enable.partition.eof": True})
    consumer.assign([TopicPartition("predictions", partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)])
    answers: list[dict[str, Any]] = []
    deadline = time.monotonic() + 60
    while len(answers) < expected and time.monotonic() < deadline:
        for message in consumer.consume(1000, timeout=0.5):
            error = message.error()
            if error is None:
                answers.append(json.loads(message.value() or b"{}"))
            elif error.code() != KafkaError._PARTITION_EOF:
                raise RuntimeError(error.str())
    consumer.close()
    return answers


def start_worker(address: str, shards: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sluice.kafka._command", str(HERE / "fleet.yaml"), "--brokers", address]
    command += ["--input", "rows", "--output", "predictions", "--create-topics", "--shard", shards, "--commit-every", "0.5"]
    return subprocess.Popen(command)


def show(answers: list[dict[str, Any]]) -> None:
    places = {(answer["partition"], answer["offset"]) for answer in answers}
    print(f"{len(answers)} answers to {len(TURBINES) * ROWS} rows, {len(places)} of them to different rows")
    for turbine in TURBINES:
        own = [answer for answer in answers if answer["key"] == turbine]
        selected = next(answer["selected"] for answer in reversed(own) if "selected" in answer)
        print(f"{turbine}: row {own[-1]['row']}, predicted power {own[-1]['predicted']['power']:.1f}, selected {', '.join(selected)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        start = subprocess.run([BROKER, "start", folder], stdout=subprocess.PIPE, text=True, check=True)
        address = start.stdout.strip()
        workers: list[subprocess.Popen[bytes]] = []
        try:
            admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
            admin.create_topics([NewTopic("rows", PARTITIONS, 1)])["rows"].result()
            workers = [start_worker(address, "0-1/4"), start_worker(address, "2-3/4")]
            while "predictions" not in admin.list_topics(timeout=10).topics:  # the first worker creates it
                time.sleep(0.1)
            send_rows(address, ROWS // 2, seed=1)
            print(f"{len(read_answers(address, len(TURBINES) * ROWS // 2))} answers", flush=True)
            send_rows(address, ROWS - ROWS // 2, seed=2)
            workers[0].kill()
            print("the first worker was killed; another one takes over its shards", flush=True)
            workers[0] = start_worker(address, "0-1/4")
            show(read_answers(address, len(TURBINES) * ROWS))
            for worker in workers:
                worker.terminate()
                worker.wait()
        finally:
            for worker in workers:
                worker.kill()
            subprocess.run([BROKER, "stop", folder], check=True)


if __name__ == "__main__":
    main()
