"""Frames of any kind that river takes (pandas, polars, pyarrow) as tables of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.utils import dataframe

from sluice import _core

Array = NDArray[np.float64]


def _doubles(values: NDArray[Any], place: str) -> Array:
    """Missing values are NaN. What is no number is an error, by the rules for values of a dict."""
    if values.dtype.kind in "fiub":
        return values.astype(np.float64, copy=False)
    return _core.numbers(list(values), place)


def table_of(frame: Any, table: str) -> Array:
    """All columns of a narwhals frame, row by row. Infinite values are an error with their column and row."""
    columns = list(frame.columns)
    if not columns:
        return np.empty((len(frame), 0))
    native = frame.to_native()
    # narwhals asks every column of pandas for its type first: 100 microseconds for 60 of them
    values = np.asarray((native if frame.implementation.is_pandas_like() else frame).to_numpy())
    if values.dtype.kind in "fiub":
        values = _doubles(values, table)
    else:
        whole = [_doubles(np.asarray(frame[name].to_numpy()), f"{table}[{name!r}]") for name in columns]
        values = np.column_stack(whole)
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"{table}[{columns[column]!r}] is {values[row, column]} in row {row}: must be finite, or NaN where missing"
        )
    return values


def column_of(y: Any) -> Array:
    """A series, an array or a list of outputs."""
    values = dataframe.into_series(y).to_numpy() if hasattr(y, "dtype") and not isinstance(y, np.ndarray) else y
    if not isinstance(values, np.ndarray):
        values = _core.numbers(list(values), "y")
    if values.ndim != 1:
        raise ValueError(f"y has {values.ndim} dimensions: one column is needed")
    values = _doubles(values, "y")
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(f"y is {values[row]} in row {row}: must be finite, or NaN where missing")
    return values


def placed(values: Array, columns: list[int], width: int) -> Array:
    """Columns to their places among `width`. A place without a column is NaN; -1 is left out."""
    if columns == list(range(width)):
        return np.ascontiguousarray(values)
    rows = np.full((len(values), width), np.nan)
    places = np.asarray(columns, dtype=np.intp)
    known = places >= 0
    rows[:, places[known]] = values[:, known]
    return rows
