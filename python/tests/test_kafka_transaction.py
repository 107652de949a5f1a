"""What a worker computes from the messages of a transaction, without a broker: equal to `sluice.fleet.step` to the bit,
however the rows are divided into transactions, and no row disturbs another key."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest

from sluice import fleet
from sluice.kafka._metrics import ShardMetrics, metrics_text
from sluice.kafka._states import PartitionStates
from sluice.kafka._transaction import OFFSET_COLUMN, Blocks, Row, Work, with_sequence

CONFIG = {"key": "unit", "targets": ["y"]}


def make_rows(count: int, keys: int = 3, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    out = []
    for number in range(count):
        x = [rng.gauss(0.0, 1.0) for _ in range(4)]
        out.append({"unit": f"u{number % keys}", "a": x[0], "b": x[1], "c": x[2], "y": 2 * x[0] - x[2] + 0.1 * x[3]})
    return out


def messages(rows: list[dict[str, Any]], *, keyed: bool = True) -> list[Row]:
    return [Row(0, n, row["unit"].encode() if keyed else None, json.dumps(row).encode()) for n, row in enumerate(rows)]


class Runner:
    """A worker without Kafka: adopts what it computes."""

    def __init__(self, *, config: dict[str, Any] = CONFIG, format: str = "json", key: str = "column") -> None:
        self.config = with_sequence(fleet.Config(config))
        self.blocks = Blocks(self.config, format=format, key=key, events=True)
        self.states = {0: PartitionStates(), 1: PartitionStates()}
        self.answers: list[dict[str, Any]] = []
        self.works: list[Work] = []

    def run(self, rows: list[Row]) -> Work:
        work = self.blocks.compute(rows, self.states)
        for (partition, key), state in work.states.items():
            self.states[partition].put(key, state, 1)
        self.answers += [json.loads(text) for _, _, text in work.answers]
        return work

    def of(self, key: str) -> list[dict[str, Any]]:
        return sorted((answer for answer in self.answers if answer["key"] == key), key=lambda answer: answer["offset"])


def expected(rows: list[dict[str, Any]], key: str) -> tuple[bytes | None, list[dict[str, Any]]]:
    own = [(n, row) for n, row in enumerate(rows) if row["unit"] == key]
    columns: dict[str, Any] = {name: [row.get(name) for _, row in own] for name in rows[0]}
    columns[OFFSET_COLUMN] = [n for n, _ in own]
    config = with_sequence(fleet.Config(CONFIG))
    state, answers = fleet.step(None, pa.RecordBatch.from_pydict(columns), config, key=key)
    return state, answers.to_pylist()


@pytest.mark.parametrize("size", [1, 7, 50, 240])
@pytest.mark.parametrize("keyed", [True, False])
def test_predictions_and_states_are_those_of_the_block_function_in_one_go(size: int, keyed: bool) -> None:
    rows = make_rows(240)
    runner = Runner()
    for first in range(0, len(rows), size):
        work = runner.run(messages(rows, keyed=keyed)[first : first + size])
        assert work.offsets == {0: min(first + size, len(rows))} and work.refused == 0
    for key in ("u0", "u1", "u2"):
        state, answers = expected(rows, key)
        assert [answer["predicted"]["y"] for answer in runner.of(key)] == [answer["predicted.y"] for answer in answers]
        assert [answer["outcome"] for answer in runner.of(key)] == [answer["outcome"] for answer in answers]
        assert runner.states[0].get(key.encode()) == state


def test_every_message_has_one_answer_with_its_offset() -> None:
    rows = messages(make_rows(30))
    rows[4] = rows[4]._replace(value=b"{nothing")
    rows[9] = rows[9]._replace(value=None)
    runner = Runner()
    work = runner.run(rows)
    assert sorted(answer["offset"] for answer in runner.answers) == list(range(30))
    assert work.rows == 30 and work.refused == 2


def test_a_poisoned_row_is_one_event_with_key_and_place_and_the_other_keys_go_on() -> None:
    rows = make_rows(90)
    whole = Runner()
    whole.run(messages(rows))
    sent = messages(rows)
    sent[31] = sent[31]._replace(value=b'{"unit": "u1", "a": ')
    rows[34]["a"] = "text"
    sent[34] = sent[34]._replace(value=json.dumps(rows[34]).encode())
    sent[37] = sent[37]._replace(value=sent[37].value.replace(b'"b": ', b'"b": 1e999, "z": ', 1))  # type: ignore[union-attr]
    runner = Runner()
    work = runner.run(sent)
    events = [json.loads(text) for _, _, text in work.events]
    assert [event["offset"] for event in events if event["outcome"] == "refused"][:1] == [31]
    refused = events[0]["events"][0]
    assert refused["event"] == "row_refused" and refused["key"] == "u1" and refused["offset"] == 31
    for key in ("u0", "u2"):
        assert runner.of(key) == whole.of(key)
        assert runner.states[0].get(key.encode()) == whole.states[0].get(key.encode())
    assert all(answer["predicted"]["y"] is not None for answer in runner.of("u1")[20:])


def test_rows_that_were_learnt_are_recognised_by_their_offset() -> None:
    rows = messages(make_rows(30))
    runner = Runner()
    runner.run(rows)
    before = {key: runner.states[0].get(key) for key in (b"u0", b"u1", b"u2")}
    again = runner.run(rows[-3:])
    assert {json.loads(text)["outcome"] for _, _, text in again.answers} == {"repeated"}
    more = runner.run(messages(make_rows(33))[30:])
    assert {json.loads(text)["outcome"] for _, _, text in more.answers} == {"learned"}
    assert all(runner.states[0].get(key) != state for key, state in before.items())


def test_the_columns_of_a_key_are_those_of_its_first_row_whatever_the_transaction() -> None:
    rows = make_rows(40, keys=1)
    for row in rows[1:]:
        row["later"] = 1.0
    together, apart = Runner(), Runner()
    together.run(messages(rows))
    for message in messages(rows):
        apart.run([message])
    assert [a["predicted"] for a in together.answers] == [a["predicted"] for a in apart.answers]
    assert any("column_new" in json.dumps(answer.get("events")) for answer in together.answers)


def test_keys_of_one_transaction_do_not_share_columns() -> None:
    rows = make_rows(40, keys=2)
    for row in rows[1::2]:
        row["own"] = row.pop("b")
    runner = Runner()
    runner.run(messages(rows, keyed=False))  # messages without keys are read together first
    assert not any("events" in answer for answer in runner.answers)
    alone = Runner()
    alone.run([message for n, message in enumerate(messages(rows)) if n % 2 == 1])
    assert [a["predicted"] for a in runner.of("u1")] == [a["predicted"] for a in alone.of("u1")]


def test_a_row_without_a_key_is_refused_and_numbers_are_keys() -> None:
    runner = Runner()
    rows = [{**row, "unit": n % 2 + 7} for n, row in enumerate(make_rows(8))]
    sent = [Row(0, n, None, json.dumps(row).encode()) for n, row in enumerate(rows)]
    sent[3] = sent[3]._replace(value=b'{"a":1,"y":2}')
    sent[5] = sent[5]._replace(value=sent[5].value.replace(b'"unit": 8', b'"unit": 8.0'))  # type: ignore[union-attr]
    work = runner.run(sent)
    assert {key for _, key in work.states} == {b"7", b"8"} and len(runner.of("8")) == 3
    refused = [answer for answer in runner.answers if answer["outcome"] == "refused"]
    assert len(refused) == 1 and "no column unit" in refused[0]["events"][0]["text"]


def test_the_key_of_the_message_can_be_the_key_of_the_row() -> None:
    rows = make_rows(30)
    runner = Runner(key="message")
    sent = [Row(0, n, b"\xff" + row["unit"].encode(), json.dumps(row).encode()) for n, row in enumerate(rows)]
    work = runner.run(sent)
    assert {key for _, key in work.states} == {b"\xffu0", b"\xffu1", b"\xffu2"}
    assert [a["predicted"] for a in runner.of("\\xffu0")] == [{"y": a["predicted.y"]} for a in expected(rows, "u0")[1]]
    runner.run([Row(0, 30, None, json.dumps(rows[0]).encode())])
    assert "the message has no key" in runner.answers[-1]["events"][0]["text"]


def test_partitions_have_states_of_their_own() -> None:
    rows = make_rows(6, keys=1)
    runner = Runner()
    work = runner.run([Row(n % 2, n, b"u0", json.dumps(row).encode()) for n, row in enumerate(rows)])
    assert set(work.states) == {(0, b"u0"), (1, b"u0")} and work.offsets == {0: 5, 1: 6}


def test_arrow_messages_give_the_same_predictions_as_json() -> None:
    rows = make_rows(60)
    reference = Runner()
    reference.run(messages(rows))
    runner = Runner(format="arrow")
    sent = []
    for number, first in enumerate(range(0, 60, 20)):
        batch = pa.RecordBatch.from_pylist(rows[first : first + 20])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        sent.append(Row(0, number, None, sink.getvalue().to_pybytes()))
    sent.insert(1, Row(0, 99, b"k", b"nothing"))
    work = runner.run(sent)
    for key in ("u0", "u1", "u2"):
        assert [a["predicted"] for a in runner.of(key)] == [a["predicted"] for a in reference.of(key)]
    assert work.rows == 61 and work.refused == 1


def test_metrics_are_text_for_prometheus() -> None:
    metrics = ShardMetrics(3, [3, 15])
    metrics.committed(Work(rows=10, refused=1, states={(3, b"k"): b"12345"}), 0.5, 0.25)
    metrics.lag[15] = 7
    text = metrics_text("plant", True, False, [metrics])
    for line in (
        'sluice_kafka_running{fleet="plant"} 1',
        'sluice_kafka_rows_total{fleet="plant",shard="3"} 10',
        'sluice_kafka_state_written_bytes_total{fleet="plant",shard="3"} 5',
        'sluice_kafka_lag_rows{fleet="plant",shard="3",partition="15"} 7',
    ):
        assert line in text.splitlines()
