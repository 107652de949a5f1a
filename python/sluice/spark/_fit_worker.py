"""What runs on the executors: moments of a partition, merges of moments, scores and predictions of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sluice import _core

if TYPE_CHECKING:
    import pyarrow

#: Moments of a partition, or what is wrong with its rows.
SCHEMA = "part int, moments binary, problem string"


class PartitionMoments:
    """Arrow batches of one partition become the bytes of their moments. The inputs are before the targets."""

    def __init__(self, inputs: list[str], targets: list[str], memory_limit: int) -> None:
        self._inputs = inputs
        self._targets = targets
        self._limit = memory_limit

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        part = 0 if context is None else context.partitionId()
        moments = _core.BatchMoments(len(self._inputs), len(self._targets), self._limit)
        read = 0
        p = len(self._inputs)
        for batch in batches:
            try:
                x, y = (rows_of(batch, columns) for columns in (range(p), range(p, p + len(self._targets))))
                moments.add(x, y)
            except ValueError as error:
                yield _answer(part, None, self._located(str(error), part, read))
                return
            read += batch.num_rows
        if moments.rows > 0:
            yield _answer(part, moments.to_bytes(), None)

    def _located(self, error: str, part: int, before: int) -> str:
        """The sentence of the core with the column by its name and the row by its number in the partition."""
        names = {"input": self._inputs, "output": self._targets}

        def column(match: re.Match[str]) -> str:
            return f"{'target' if match[1] == 'output' else match[1]} {names[match[1]][int(match[2]) - 1]!r}"

        error = re.sub(r"\b(input|output) (\d+)\b", column, error)
        return re.sub(r"\bof row (\d+)\b", lambda match: f"of row {before + int(match[1])} of partition {part}", error)


def merge_group(limit: int) -> Callable[[pyarrow.Table], pyarrow.Table]:
    """Merges the moments of a group of partitions in the order of their numbers: the same rows, the same bits."""

    def merged(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        table = table.sort_by("part")
        part = table.column("part")[0].as_py()
        problems = [problem for problem in table.column("problem").to_pylist() if problem]
        if problems:
            return pyarrow.Table.from_batches([_answer(part, None, problems[0])])
        total: Any = None
        for saved in table.column("moments"):
            moments = _core.BatchMoments.from_bytes(saved.as_py(), limit)
            if total is None:
                total = moments
            else:
                total.merge(moments)
        return pyarrow.Table.from_batches([_answer(part, total.to_bytes(), None)])

    return merged


class RowResults:
    """Adds columns to the rows of a batch: their scores, or what is predicted for them."""

    def __init__(self, core: Any, which: str, positions: list[int], names: list[str]) -> None:
        self._core = core
        self._which = which
        self._positions = positions
        self._names = names

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        results = getattr(self._core, self._which)
        for batch in batches:
            values = results(rows_of(batch, self._positions))
            columns = [*batch.columns, *(pyarrow.array(values[:, r]) for r in range(values.shape[1]))]
            yield pyarrow.RecordBatch.from_arrays(columns, names=self._names)


def rows_of(batch: pyarrow.RecordBatch, columns: Any) -> NDArray[np.float64]:
    _, rows, _ = _core.read_arrow(batch.select(list(columns)), "df")
    return rows


def _answer(part: int, saved: bytes | None, problem: str | None) -> pyarrow.RecordBatch:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays(
        [
            pyarrow.array([part], pyarrow.int32()),
            pyarrow.array([saved], pyarrow.binary()),
            pyarrow.array([problem], pyarrow.string()),
        ],
        names=["part", "moments", "problem"],
    )
