"""Messages to rows of Arrow. A message that is no row is refused with its reason; the others are rows all the same.

JSON: one object for each message. A nested object is flattened (``{"a": {"b": 1}}`` has the column ``a.b``), true is 1,
false is 0, as in ``sluice stream``. The messages of a block are joined to lines and read by pyarrow; where it refuses
one of them, or a column has numbers and texts, they are read one by one.

Arrow: each message is an IPC stream with any number of rows.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json


@dataclass
class Rows:
    """`batch` has the rows of those messages that are not `refused`, in their order."""

    batch: pa.RecordBatch
    refused: dict[int, str]  # number of the message: why

    @property
    def rows(self) -> int:
        return self.batch.num_rows


class JsonRows:
    """Reads JSON messages. Remembers which columns hold times, so that they stay texts."""

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()  # replaced, never changed: two threads read rows

    def read(self, values: list[bytes | None]) -> Rows:
        batch = self._read_joined(values)
        return Rows(batch, {}) if batch is not None else _read_one_by_one(values)

    # Nothing where the messages must be read one by one.
    def _read_joined(self, values: list[bytes | None]) -> pa.RecordBatch | None:
        # Each message has at least one row, because it begins and ends as an object; so as many rows as messages means
        # one each. A line break in JSON is a blank: texts have none.
        if not all(value and value[0] == 0x7B and value[-1] == 0x7D for value in values):
            return None
        text = b"\n".join(values)  # type: ignore[arg-type]
        if text.count(b"\n") != len(values) - 1 or b"\r" in text:
            text = b"\n".join(value.replace(b"\n", b" ").replace(b"\r", b" ") for value in values if value)
        try:
            table = self._parse(text)
            times = {column.name for column in table.schema if pa.types.is_temporal(column.type)}
            if times:
                self._texts = self._texts | times
                table = self._parse(text)
        except (pa.ArrowInvalid, UnicodeDecodeError):
            return None
        if table.num_rows != len(values):
            return None
        return _plain_columns(table, self._texts)

    def _parse(self, text: bytes) -> pa.Table:
        schema = pa.schema([(name, pa.string()) for name in sorted(self._texts)])
        return pa_json.read_json(
            io.BytesIO(text),
            read_options=pa_json.ReadOptions(use_threads=False, block_size=max(len(text) + 1, 1 << 16)),
            parse_options=pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer"),
        )


# One chunk for each column, nothing nested, true and false as numbers. A column that was only asked for as a text and is
# not there is left out.
def _plain_columns(table: pa.Table, texts: frozenset[str]) -> pa.RecordBatch | None:
    while any(pa.types.is_struct(column.type) for column in table.schema):
        table = table.flatten()
    names, columns = [], []
    for name, column in zip(table.column_names, table.columns):
        if name in texts and column.null_count == len(column):
            continue
        if pa.types.is_nested(column.type):
            return None  # lists: read one by one, as texts
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        names.append(name)
        columns.append(column.combine_chunks() if column.num_chunks != 1 else column.chunk(0))
    if len(set(names)) < len(names):
        return None
    return _batch(columns, names, table.num_rows)


def _batch(columns: list[pa.Array], names: list[str], rows: int) -> pa.RecordBatch:
    if not columns:  # rows of empty objects: a batch without columns has no rows
        return pa.RecordBatch.from_arrays([pa.nulls(rows)], names=[""])
    return pa.RecordBatch.from_arrays(columns, names=names)


def _read_one_by_one(values: list[bytes | None]) -> Rows:
    rows: list[dict[str, Any]] = []
    refused: dict[int, str] = {}
    for number, value in enumerate(values):
        try:
            rows.append(_flat_object(value))
        except ValueError as error:
            refused[number] = str(error)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [_column([row.get(name) for row in rows]) for name in names]
    return Rows(_batch(columns, names, len(rows)), refused)


def _flat_object(value: bytes | None) -> dict[str, Any]:
    if not value:
        raise ValueError("the message is empty; it must be one JSON object")
    try:
        row = json.loads(value)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no row of JSON: {error.reason} at byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is no row of JSON: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is no row of JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("it is no row of JSON: it must be an object, {...}")
    out: dict[str, Any] = {}
    _flatten(row, "", out)
    return out


def _flatten(row: dict[str, Any], path: str, out: dict[str, Any]) -> None:
    for name, value in row.items():
        if isinstance(value, dict):
            _flatten(value, f"{path}{name}.", out)
        else:
            out[path + name] = value


# Numbers where all values are; else texts, which the block function reads as `sluice stream` reads cells.
def _column(values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool, int, float}:
        if kinds <= {bool, int}:
            try:
                return pa.array([None if value is None else int(value) for value in values], pa.int64() if kinds else pa.null())
            except OverflowError:
                pass
        return pa.array([None if value is None else _float(value) for value in values], pa.float64())
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all doubles
        return float("inf") if value > 0 else float("-inf")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # lone surrogates have no UTF-8
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(value) if isinstance(value, (int, float)) else json.dumps(value)


def read_arrow(value: bytes | None) -> pa.RecordBatch:
    """The rows of one message that is an IPC stream. Raises ValueError."""
    if not value:
        raise ValueError("the message is empty; it must be an IPC stream of Arrow")
    try:
        with pa.ipc.open_stream(value) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it is no IPC stream of Arrow: {error}") from None
    for number, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(number, table.field(number).name, column.cast(column.type.value_type))
    return table.combine_chunks().to_batches()[0] if table.num_rows else pa.RecordBatch.from_pylist([], schema=table.schema)
