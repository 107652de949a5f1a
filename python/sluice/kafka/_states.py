"""The state of a key as messages of a compacted topic, and back.

A message of Kafka has a limit (1 MB where nothing is changed), a state may be larger. It is split into parts, and
compaction keeps the last message for each message key, so each part has a key of its own:

    message key     key of the rows, a zero byte, the number of the part (two bytes)
    message value   header, then the part's bytes

    header  magic     4    "SLK1"
            part      2    its number, from 0
            parts     2    how many there are
            stamp     8    offset of the next row of the partition when it was written

All parts are written in one transaction and so have one stamp. Where a state gets smaller, the parts that are no
longer used are deleted (a message without value).

In each partition one more message, the progress, has the key "\\0progress": which row of the input comes next, and how
many shards the fleet has that wrote last. It is part of every transaction. Offsets are so committed with what was made
from the rows, in one partition and one read; those of the consumer group are only for people and tools.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import NamedTuple

HEADER = struct.Struct(">4sHHQ")
MAGIC = b"SLK1"
PROGRESS_KEY = b"\0progress"
MOST_PARTS = 0xFFFF
# Left free in a message for Kafka's own framing of a batch with one record (under 100 bytes) and for later fields.
OVERHEAD = 512


class StateTopicError(ValueError):
    """What is in the state topic cannot be used."""


class Progress(NamedTuple):
    """What the topic knows of a partition of the input."""

    next: int  # offset; -1: no row was read yet
    of_shards: int

    def message(self) -> bytes:
        return json.dumps({"next": self.next, "shards": self.of_shards}).encode()


def part_key(key: bytes, part: int) -> bytes:
    return key + b"\0" + part.to_bytes(2, "big")


def parts_of(key: bytes, state: bytes, limit: int, stamp: int) -> list[tuple[bytes, bytes]]:
    """Keys and values of the messages of a state; `limit` is that of the broker for one message."""
    size = limit - OVERHEAD - HEADER.size - len(key) - 3
    parts = -(-len(state) // size) if size > 0 else MOST_PARTS + 1
    if parts > MOST_PARTS:
        raise StateTopicError(
            f"the state of key {shown(key)} has {len(state)} bytes and the state topic takes messages of {limit}: "
            "raise max.message.bytes of the state topic"
        )
    return [
        (part_key(key, part), HEADER.pack(MAGIC, part, parts, stamp) + state[part * size : (part + 1) * size])
        for part in range(parts)
    ]


def shown(key: bytes) -> str:
    return key.decode("utf-8", "backslashreplace")


class StateReading:
    """Collects the messages of one partition of the state topic, in their order."""

    def __init__(self, topic: str, partition: int) -> None:
        self._where = f"topic {topic}, partition {partition}"
        self._parts: dict[bytes, dict[int, tuple[int, int, bytes]]] = {}
        self.progress: Progress | None = None
        self.messages = 0

    def add(self, key: bytes | None, value: bytes | None) -> None:
        self.messages += 1
        if key == PROGRESS_KEY:
            self.progress = self._progress(value) if value else None
            return
        if key is None or len(key) < 3 or key[-3] != 0:
            raise StateTopicError(f"{self._where}: a message with key {key!r} is not one of Sluice; give another state topic")
        part, own = int.from_bytes(key[-2:], "big"), key[:-3]
        if value is None:
            parts = self._parts.get(own, {})
            parts.pop(part, None)
            if not parts:
                self._parts.pop(own, None)
            return
        if len(value) < HEADER.size or value[:4] != MAGIC or HEADER.unpack_from(value)[1] != part:
            raise StateTopicError(
                f"{self._where}: the state of key {shown(own)} is damaged, or another version wrote it; "
                "restore the topic, or delete this key there to start it again"
            )
        _, _, parts_count, stamp = HEADER.unpack_from(value)
        self._parts.setdefault(own, {})[part] = (parts_count, stamp, value[HEADER.size :])

    def _progress(self, value: bytes) -> Progress:
        try:
            known = json.loads(value)
            out = Progress(known["next"], known["shards"])
            if isinstance(out.next, int) and isinstance(out.of_shards, int) and out.of_shards > 0:
                return out
        except (ValueError, KeyError, TypeError):
            pass
        raise StateTopicError(f"{self._where}: its progress is damaged ({value[:80]!r}); restore the topic")

    def states(self) -> Iterator[tuple[bytes, bytes, int]]:
        """Key, state, number of parts. Empties what was collected."""
        while self._parts:
            key, parts = self._parts.popitem()
            count, stamp, _ = next(iter(parts.values()))
            whole = sorted(parts) == list(range(count))
            if not whole or any(part[:2] != (count, stamp) for part in parts.values()):
                raise StateTopicError(
                    f"{self._where}: the state of key {shown(key)} is not whole ({len(parts)} of {count} parts); "
                    "restore the topic, or delete all parts of this key there to start it again"
                )
            yield key, b"".join(parts[number][2] for number in range(count)), count


class PartitionStates:
    """The states of the keys of one partition, as they were last committed."""

    def __init__(self) -> None:
        self._states: dict[bytes, tuple[bytes, int]] = {}
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._states)

    def get(self, key: bytes) -> bytes | None:
        known = self._states.get(key)
        return known[0] if known else None

    def parts(self, key: bytes) -> int:
        known = self._states.get(key)
        return known[1] if known else 0

    def put(self, key: bytes, state: bytes, parts: int) -> None:
        self.bytes += len(state) - len(self.get(key) or b"")
        self._states[key] = (state, parts)

    def messages(self, key: bytes, state: bytes, limit: int, stamp: int) -> list[tuple[bytes, bytes | None]]:
        """What replaces the state of a key in the topic."""
        new: list[tuple[bytes, bytes | None]] = list(parts_of(key, state, limit, stamp))
        return new + [(part_key(key, part), None) for part in range(len(new), self.parts(key))]
