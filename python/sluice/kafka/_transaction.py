"""The messages of one transaction to answers and new states. Nothing here talks to Kafka, and nothing is changed: what a
transaction contains is computed first, so that it can be sent again where the broker aborts it.

The rows of each key are one block for `sluice.fleet.step`, in the order of their offsets. The state of a key is so
written once for each transaction, however many rows it has had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from sluice import fleet
from sluice.kafka._answers import answer_messages, event_message, refused_message
from sluice.kafka._rows import JsonRows, Rows, read_arrow
from sluice.kafka._states import PartitionStates

OFFSET_COLUMN = "_kafka_offset"
ROWS_OF_MESSAGE = 1 << 20  # Arrow: sequence numbers for the rows of one message

Step = Callable[..., tuple[bytes | None, pa.RecordBatch]]


class Row(NamedTuple):
    """A message of the input topic."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


@dataclass
class Work:
    """What a transaction sends."""

    answers: list[tuple[int, bytes | None, str]] = field(default_factory=list)  # partition, key, text
    events: list[tuple[int, bytes | None, str]] = field(default_factory=list)
    states: dict[tuple[int, bytes], bytes] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)  # next offset of each partition
    rows: int = 0
    refused: int = 0


@dataclass
class Parsed:
    """The rows of a transaction by partition and key, and the answers to what is no row."""

    by_key: dict[tuple[int, bytes], list[Any]] = field(default_factory=dict)
    work: Work = field(default_factory=Work)


def with_sequence(config: Any) -> Any:
    """The config, with the offset as sequence where it has none."""
    if config.sequence:
        return config
    import json

    return fleet.Config({**json.loads(config.json()), "sequence": OFFSET_COLUMN})


class Blocks:
    """Computes transactions. `config` is that of `with_sequence`."""

    def __init__(self, config: Any, *, format: str, key: str, events: bool, step: Step | None = None) -> None:
        self._config = config
        self._adds_sequence = config.sequence == OFFSET_COLUMN
        self._json = JsonRows()
        self._arrow = format == "arrow"
        self._key_of_message = key == "message"
        self._events = events
        self._step: Step = step or fleet.step

    def compute(self, messages: Iterable[Row], states: Mapping[int, PartitionStates]) -> Work:
        return self.step(self.parse(messages), states)

    def parse(self, messages: Iterable[Row]) -> Parsed:
        """Needs no states, so it can be done for the next transaction while this one is computed."""
        parsed = Parsed()
        groups: dict[tuple[int, bytes | None], list[Row]] = {}
        for message in messages:
            parsed.work.offsets[message.partition] = message.offset + 1
            groups.setdefault((message.partition, message.key), []).append(message)
        add = self._add_batches if self._arrow else self._add_rows
        for (partition, key), rows in groups.items():
            add(partition, key, rows, parsed.by_key, parsed.work)
        return parsed

    def step(self, parsed: Parsed, states: Mapping[int, PartitionStates]) -> Work:
        step = self._step_batches if self._arrow else self._step_rows
        for (partition, key), rows in parsed.by_key.items():
            step(partition, key, rows, states[partition], parsed.work)
        return parsed.work

    # JSON -------------------------------------------------------------------------------------------------------------

    # Each message is one row. A group of messages with one key of Kafka is parsed once where its rows have one key.
    def _add_rows(
        self, partition: int, key: bytes | None, rows: list[Row], by_key: dict[tuple[int, bytes], list[Any]], work: Work
    ) -> None:
        read = self._json.read([row.value for row in rows])
        kept = self._without_refused(rows, read, work)
        for own, numbers in self._keys_of(read.batch, key).items():
            if own is None:
                self._refuse([kept[number] for number in numbers], self._no_key(), work)
            elif len(numbers) == len(rows):
                by_key.setdefault((partition, own), []).append((rows, read))
            else:
                by_key.setdefault((partition, own), []).append(([kept[number] for number in numbers], None))

    def _no_key(self) -> str:
        if self._key_of_message:
            return "the message has no key; start with --key column, or send messages with keys"
        return f"it has no column {self._config.key}, the key of the config, and the message has no key"

    # Which rows have which key.
    def _keys_of(self, batch: pa.RecordBatch, message_key: bytes | None) -> dict[bytes | None, list[int]]:
        place = -1 if self._key_of_message else batch.schema.get_field_index(self._config.key)
        if place < 0:
            return {message_key: list(range(batch.num_rows))} if batch.num_rows else {}
        out: dict[bytes | None, list[int]] = {}
        column = batch.column(place)
        if column.null_count == 0 and batch.num_rows and len(column.unique()) == 1:
            return {_key_bytes(column[0].as_py()): list(range(batch.num_rows))}
        for number, value in enumerate(column.to_pylist()):
            out.setdefault(message_key if value is None else _key_bytes(value), []).append(number)
        return out

    def _step_rows(
        self, partition: int, key: bytes, groups: list[tuple[list[Row], Rows | None]], states: PartitionStates, work: Work
    ) -> None:
        if len(groups) > 1:  # messages with different keys of Kafka have the same key column
            groups = [(sorted((row for rows, _ in groups for row in rows), key=lambda row: row.offset), None)]
        rows, read = groups[0]
        state = states.get(key)
        if state is None:  # the first row of a key says which columns it has, whatever the transaction
            state = self._step_parsed(partition, key, state, rows[:1], None, work)
            rows, read = rows[1:], None
        if rows:
            state = self._step_parsed(partition, key, state, rows, read, work)
        if state is not None:
            work.states[partition, key] = state

    def _step_parsed(
        self, partition: int, key: bytes, state: bytes | None, rows: list[Row], read: Rows | None, work: Work
    ) -> bytes | None:
        read = read or self._json.read([row.value for row in rows])
        kept = self._without_refused(rows, read, work)
        offsets = [row.offset for row in kept]
        return self._step_batch(partition, key, state, read.batch, offsets, offsets, work) if kept else state

    def _without_refused(self, rows: list[Row], read: Rows, work: Work) -> list[Row]:
        if not read.refused:
            return rows
        for number, why in read.refused.items():
            self._refuse([rows[number]], why, work)
        read_refused, read.refused = read.refused, {}
        return [row for number, row in enumerate(rows) if number not in read_refused]

    # Arrow ------------------------------------------------------------------------------------------------------------

    def _add_batches(
        self, partition: int, key: bytes | None, rows: list[Row], by_key: dict[tuple[int, bytes], list[Any]], work: Work
    ) -> None:
        for row in rows:
            try:
                batch = read_arrow(row.value)
                if batch.num_rows > ROWS_OF_MESSAGE:
                    raise ValueError(f"it has {batch.num_rows} rows; at most {ROWS_OF_MESSAGE} are allowed in a message")
            except ValueError as error:
                self._refuse([row], str(error), work)
                continue
            keys = self._keys_of(batch, key)
            for own, numbers in keys.items():
                if own is None:
                    self._refuse([row], self._no_key(), work)
                else:
                    part = batch if len(keys) == 1 else batch.take(pa.array(numbers))
                    by_key.setdefault((partition, own), []).append((row.offset, numbers, part))

    def _step_batches(
        self, partition: int, key: bytes, batches: list[Any], states: PartitionStates, work: Work
    ) -> None:
        state = states.get(key)
        batches.sort(key=lambda each: each[0])
        for offset, numbers, batch in batches:
            sequences = [offset * ROWS_OF_MESSAGE + number for number in numbers]
            state = self._step_batch(partition, key, state, batch, [offset] * len(numbers), sequences, work)
        if state is not None:
            work.states[partition, key] = state

    # Both -------------------------------------------------------------------------------------------------------------

    def _step_batch(
        self,
        partition: int,
        key: bytes,
        state: bytes | None,
        batch: pa.RecordBatch,
        offsets: Sequence[int],
        sequences: Sequence[int],
        work: Work,
    ) -> bytes | None:
        if self._adds_sequence:
            batch = batch.append_column(OFFSET_COLUMN, pa.array(sequences, pa.int64()))
        name = key.decode("utf-8", "backslashreplace")
        state, answers = self._step(state, batch, self._config, key=name)
        texts = answer_messages(name, partition, offsets, answers)
        work.answers += [(partition, key, text) for text in texts]
        work.rows += len(texts)
        refused = answers.column("outcome").to_pylist().count("refused")
        work.refused += refused
        if self._events and (answers.column("events").null_count < len(texts)):
            for text in texts:
                event = event_message(text)
                if event is not None:
                    work.events.append((partition, key, event))
        return state or None

    def _refuse(self, rows: list[Row], why: str, work: Work) -> None:
        for row in rows:
            text = refused_message(row.key, row.partition, row.offset, why)
            work.answers.append((row.partition, row.key, text))
            event = event_message(text) if self._events else None
            if event is not None:
                work.events.append((row.partition, row.key, event))
        work.rows += len(rows)
        work.refused += len(rows)


def _key_bytes(value: Any) -> bytes:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)  # 7 and 7.0 are one key, whatever else the block holds
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "replace")
