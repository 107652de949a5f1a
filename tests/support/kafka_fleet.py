"""A Kafka broker, workers and rows for tests of sluice-kafka. Used by tests/campaigns/kafka_kills.py, bench/kafka_rate.py
and examples/kafka/."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "kafka_broker.sh"
MISSING = 2  # exit code of the campaign where the broker's files are missing


class Broker:
    """One broker with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = self._run("start").strip()
        self.pid = int((folder / "pid").read_text())

    def _run(self, verb: str) -> str:
        done = subprocess.run([SCRIPT, verb, self._folder], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(MISSING)
        return done.stdout

    def kill(self) -> None:
        import os

        os.kill(self.pid, signal.SIGKILL)

    def start_again(self) -> None:
        assert self._run("start").strip() == self.address
        self.pid = int((self._folder / "pid").read_text())

    def stop(self) -> None:
        self._run("stop")

    def create_topic(self, name: str, partitions: int, **settings: str) -> None:
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        for future in admin.create_topics([NewTopic(name, partitions, 1, config=settings)]).values():
            future.result()

    def producer(self) -> Producer:
        return Producer(
            {
                "bootstrap.servers": self.address,
                "enable.idempotence": True,
                "linger.ms": 20,
                "queue.buffering.max.messages": 1_000_000,
                "log_level": 0,
            }
        )

    def ends(self, topic: str, partitions: int) -> dict[int, int]:
        """The offset after the last message of each partition."""
        consumer = self._consumer("ends")
        try:
            places = [TopicPartition(topic, partition) for partition in range(partitions)]
            return {place.partition: consumer.get_watermark_offsets(place, timeout=30)[1] for place in places}
        finally:
            consumer.close()

    def committed(self, fleet: str, topic: str, partitions: int) -> dict[int, int]:
        consumer = self._consumer(fleet)
        try:
            found = consumer.committed([TopicPartition(topic, partition) for partition in range(partitions)], timeout=30)
            return {place.partition: place.offset for place in found}
        finally:
            consumer.close()

    def read_all(self, topic: str, partitions: int) -> list[Any]:
        """Every committed message."""
        consumer = self._consumer("reader")
        try:
            consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(partitions)])
            out: list[Any] = []
            left = set(range(partitions))
            while left:
                for message in consumer.consume(10_000, timeout=1.0):
                    error = message.error()
                    if error is None:
                        out.append(message)
                    elif error.code() == KafkaError._PARTITION_EOF:
                        left.discard(message.partition())
                    else:
                        raise RuntimeError(error.str())
            return out
        finally:
            consumer.close()

    def _consumer(self, group: str) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self.address,
                "group.id": group,
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
                "log_level": 0,
            }
        )


class WorkerProcess:
    """sluice-kafka as a process of its own; what it says goes to a file."""

    def __init__(self, log: Path, arguments: list[str]) -> None:
        self.log = log
        self._begin = log.stat().st_size if log.exists() else 0
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sluice.kafka._command", *arguments], stdout=file, stderr=file, stdin=subprocess.DEVNULL
            )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def ready_shards(self) -> int:
        return self.log.read_bytes()[self._begin :].count(b"ready after")

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def ended(self) -> int | None:
        return self._process.poll()

    def wait(self, seconds: float = 60) -> int:
        return self._process.wait(seconds)


def wait_until(what: str, condition: Callable[[], bool], seconds: float = 60.0) -> float:
    """Seconds that it took. A broker that has just started may answer that it is not ready."""
    begun = time.monotonic()

    def holds() -> bool:
        try:
            return condition()
        except KafkaException:
            return False

    while not holds():
        if time.monotonic() - begun > seconds:
            raise AssertionError(f"after {seconds:g} s still not: {what}")
        time.sleep(0.05)
    return time.monotonic() - begun
