"""A model for each key of a Spark DataFrame: what happens on executors, with the rows of one key in one batch."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql.streaming.state import GroupState

    from sluice.fleet import Config

# Columns between driver and executors. Spark does not accept names with dots here.
KEY = "sluice_key"
SEQUENCE = "sluice_sequence"
NUMBERS = "sluice_numbers"
TEXT = "sluice_text"  # with the number of a column of text
STATE = "state"
NO_NUMBER = -(2**63)  # stands for a sequence number that is null: pandas would turn the others into doubles


@dataclass(frozen=True)
class PackedRows:
    """Where the columns of the DataFrame are in the packed rows."""

    names: tuple[str, ...]  # all but key and sequence, in the order of the DataFrame
    numbers: tuple[str, ...]  # those in the array, in its order
    texts: tuple[str, ...]  # those that are columns by themselves; all others are ignored and do not travel

    def columns(self, numbers: NDArray[np.float64], texts: list[pyarrow.Array]) -> list[pyarrow.Array]:
        """In the order of `names`; `numbers` has a row for each row. What did not travel is missing."""
        import pyarrow

        by_column = np.ascontiguousarray(numbers.T)
        columns = {name: pyarrow.array(values) for name, values in zip(self.numbers, by_column, strict=True)}
        columns.update(zip(self.texts, texts, strict=True))
        nothing = pyarrow.nulls(len(numbers), pyarrow.string())
        return [columns.get(name, nothing) for name in self.names]


class BlockOfKey:
    """Gives the rows of one key to the block function, sorted by their sequence numbers."""

    def __init__(self, config: Config, layout: PackedRows, schema: pyarrow.Schema) -> None:
        self._config = config
        self._layout = layout
        self._schema = schema  # of the answers

    # ---- the functions that Spark calls

    def with_state(self, key: tuple[Any, ...], frames: Iterator[pandas.DataFrame], state: GroupState) -> Iterator[pandas.DataFrame]:
        """Of a stream: `state` is that of Spark's state store."""
        import pandas
        import pyarrow

        # Of Spark's own code, once for each batch.
        warnings.filterwarnings("ignore", "The behavior of DataFrame concatenation", FutureWarning)
        parts = list(frames)
        frame = parts[0] if len(parts) == 1 else pandas.concat(parts, ignore_index=True)
        arrays = frame[NUMBERS].to_numpy()
        numbers = np.concatenate(arrays).reshape(len(arrays), -1)
        texts = [pyarrow.array(frame[f"{TEXT}{i}"], pyarrow.string(), from_pandas=True) for i in range(len(self._layout.texts))]
        before = bytes(state.get[0]) if state.exists else None
        known = None if pandas.isna(key[0]) else key[0]
        after, answers = self._step(known, before, frame[SEQUENCE].to_numpy(), numbers, texts)
        if after != before:
            state.update((after,))
        whole = {pyarrow.int64(): pandas.Int64Dtype()}  # integers with nulls stay integers
        result = answers.to_pandas(types_mapper=whole.get, use_threads=False)
        result.insert(0, self._config.key, pandas.Series([known] * len(result), dtype=object))
        yield result

    def answers(self, key: tuple[pyarrow.Scalar, ...], table: pyarrow.Table) -> pyarrow.Table:
        """Of a batch: all rows of the key, from no state."""
        return self._whole_key(key, table)[0]

    def answers_and_state(self, key: tuple[pyarrow.Scalar, ...], table: pyarrow.Table) -> pyarrow.Table:
        """The same, with the last state in the last row."""
        import pyarrow

        answers, state = self._whole_key(key, table)
        states = [None] * (len(answers) - 1) + [state]
        return answers.append_column(STATE, pyarrow.array(states, pyarrow.binary()))

    # ---- one block

    def _whole_key(self, key: tuple[pyarrow.Scalar, ...], table: pyarrow.Table) -> tuple[pyarrow.Table, bytes | None]:
        import pyarrow

        batch = table.combine_chunks()
        array = batch.column(NUMBERS).combine_chunks()
        values = array.flatten().to_numpy(zero_copy_only=False)
        texts = [batch.column(f"{TEXT}{i}").combine_chunks() for i in range(len(self._layout.texts))]
        sequence = batch.column(SEQUENCE).to_numpy()
        state, answers = self._step(key[0].as_py(), None, sequence, values.reshape(len(sequence), -1), texts)
        keys = pyarrow.repeat(key[0], answers.num_rows)
        return pyarrow.Table.from_batches([answers]).add_column(0, self._config.key, keys), state

    def _step(
        self,
        key: object,
        state: bytes | None,
        sequence: NDArray[np.int64],
        numbers: NDArray[np.float64],
        texts: list[pyarrow.Array],
    ) -> tuple[bytes | None, pyarrow.RecordBatch]:
        """`key` is None where it is null: what row belongs to which model is then unknown."""
        import pyarrow

        from sluice.fleet import step

        if key is None:
            return state, self._refused(sequence)
        columns = self._layout.columns(numbers, texts)
        numbered = pyarrow.array(sequence, mask=sequence == NO_NUMBER)
        rows = pyarrow.RecordBatch.from_arrays([numbered, *columns], names=[str(self._config.sequence), *self._layout.names])
        if np.any(sequence[1:] < sequence[:-1]):
            rows = rows.take(pyarrow.array(np.argsort(sequence, kind="stable")))
        return step(state, rows, self._config, key=str(key))

    def _refused(self, sequence: NDArray[np.int64]) -> pyarrow.RecordBatch:
        import pyarrow

        text = f"{self._config.key} is null: a row without key belongs to no model. The row is not learnt; fill in its key"
        event = json.dumps([{"event": "row_refused", "key": None, "row": 0, "text": text}])
        rows = len(sequence)
        columns = {
            "sequence": pyarrow.array(sequence, mask=sequence == NO_NUMBER),
            "outcome": pyarrow.repeat("refused", rows),
            "events": pyarrow.repeat(event, rows),
        }
        fields = self._schema
        return pyarrow.RecordBatch.from_arrays(
            [columns.get(field.name, pyarrow.nulls(rows, field.type)) for field in fields], schema=fields
        )
