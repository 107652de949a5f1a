"""Messages of Kafka to rows: what the worker reads is what `sluice stream` would, and no message is lost or counted twice."""

from __future__ import annotations

import json
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluice.kafka._rows import JsonRows, read_arrow


def read(*values: bytes | None) -> tuple[list[dict[str, object]], dict[int, str]]:
    rows = JsonRows().read(list(values))
    return rows.batch.to_pylist(), rows.refused


def test_numbers_keep_their_bits_and_absent_fields_are_missing() -> None:
    assert read(b'{"a":0.1,"b":1}', b'{"a":0.30000000000000004}') == (
        [{"a": 0.1, "b": 1}, {"a": 0.30000000000000004, "b": None}],
        {},
    )


def test_a_message_that_is_no_json_is_refused_and_the_others_are_rows() -> None:
    rows, refused = read(b'{"a":1}', b"{broken}", None, b"", b"[1]", b'{"a":2}')
    assert rows == [{"a": 1}, {"a": 2}]
    assert list(refused) == [1, 2, 3, 4]
    assert "no row of JSON" in refused[1] and "empty" in refused[2] and "object" in refused[4]


# Two objects in one message and none in another: the numbers of rows and messages would agree.
def test_two_objects_in_a_message_do_not_take_the_place_of_an_empty_one() -> None:
    rows, refused = read(b'{"a":1}{"a":2}', b"  ", b'{"a":3}')
    assert rows == [{"a": 3}] and list(refused) == [0, 1]
    rows, refused = read(b'{"a":1}\n{"a":2}', b'{"a":3}')
    assert rows == [{"a": 3}] and list(refused) == [0]


def test_line_breaks_inside_of_a_message_are_blanks() -> None:
    assert read(b'{\n "a": 1,\r\n "b": 2\n}', b'{"a":3,"b":4}') == ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], {})


def test_a_column_with_numbers_and_texts_is_texts_that_read_back_to_the_same_bits() -> None:
    rows, refused = read(b'{"a":0.1}', b'{"a":"x"}', b'{"a":7}', b'{"a":true}')
    assert [row["a"] for row in rows] == ["0.1", "x", "7", "1"] and not refused


def test_nested_objects_are_flattened_and_booleans_are_numbers() -> None:
    assert read(b'{"a":{"b":1,"c":{"d":true}}}') == ([{"a.b": 1, "a.c.d": 1}], {})
    assert read(b'{"a":{"b":1,"c":{"d":true}}}', b'{"a":{"b":"x"}}')[0][0] == {"a.b": "1", "a.c.d": 1}


def test_lists_become_texts_which_are_no_numbers() -> None:
    assert read(b'{"a":[1,2],"b":1}')[0] == [{"a": "[1, 2]", "b": 1}]


def test_times_stay_texts_as_they_were_sent() -> None:
    rows = JsonRows()
    first = rows.read([b'{"t":"2026-01-01T00:00:00Z","a":1}'])
    assert first.batch.to_pylist() == [{"t": "2026-01-01T00:00:00Z", "a": 1}]
    assert rows.read([b'{"a":2}']).batch.to_pylist() == [{"a": 2}]  # a column that is absent does not come back


def test_values_beyond_the_doubles_are_infinite_and_not_an_error() -> None:
    rows, refused = read(b'{"a":1e999,"b":' + b"9" * 400 + b"}", b'{"a":1,"b":2}')
    assert not refused and rows[0] == {"a": math.inf, "b": math.inf}
    assert math.isnan(read(b'{"a":NaN}')[0][0]["a"])  # type: ignore[arg-type]  # Python writes it


def test_empty_objects_are_rows() -> None:
    assert JsonRows().read([b"{}", b"{}"]).rows == 2


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=6))
def test_both_ways_of_reading_agree(rows: list[dict[str, float]]) -> None:
    values: list[bytes | None] = [json.dumps(row).encode() for row in rows]
    together = JsonRows().read(values).batch
    one_by_one = [JsonRows().read([value]).batch.to_pylist()[0] for value in values]
    for joined, alone, row in zip(together.to_pylist(), one_by_one, rows, strict=True):
        assert {name: value for name, value in joined.items() if value is not None} == row
        assert {name: value for name, value in alone.items() if value is not None} == row


def test_arrow_messages_are_batches_and_damaged_ones_are_refused() -> None:
    batch = pa.record_batch({"a": [1.0, None], "unit": pa.array(["x", "y"]).dictionary_encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch)
    text = sink.getvalue().to_pybytes()
    assert read_arrow(text).to_pylist() == [{"a": 1.0, "unit": "x"}, {"a": None, "unit": "y"}] * 2
    for value in (None, b"", b"nothing of Arrow", text[:40]):
        with pytest.raises(ValueError, match="Arrow"):
            read_arrow(value)
