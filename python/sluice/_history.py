"""What a model predicted and selected on its way through a stream."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sluice import _core
from sluice._records import Event
from sluice._stream import StreamRegressor

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

Array = NDArray[np.float64]

_ENTRIES_AT_ONCE = 1_000_000
FORECASTS = ("model", "last_value", "mean")


def follow(
    model: StreamRegressor, X: ArrayLike, y: ArrayLike, *, every: int = 1, times: ArrayLike | None = None
) -> History:
    """Streams rows through a model, each predicted before it is learnt, and records what happens.

    The model learns, as with ``partial_fit``. A model that has learnt other rows before continues from them.

    Parameters
    ----------
    every : the selection is recorded after each `every`-th row. A record of 20 inputs needs 176 bytes. With 40 inputs
            selected, recording every row takes half as long as learning, and every tenth row next to nothing
    times : of the rows: dates, numbers or texts. By default those of the index, where `X` is a frame with dates

    Examples
    --------
    >>> import sluice
    >>> from sluice import datasets
    >>> data = datasets.make_selection(inputs=20, drivers=2, change_at=300, signal_to_noise=50.0, rows=600, seed=1)
    >>> X = data.frame()
    >>> y = X.pop("y1")
    >>> history = sluice.follow(sluice.StreamRegressor(), X, y)
    >>> history
    History of 600 rows, 20 inputs, target y1: one-step R2 0.904
    >>> history.selected_at(290), history.selected_at(599)
    (('x19', 'x18'), ('x1', 'x17'))
    >>> data.drivers_at(290), data.drivers_at(599)
    (('x18', 'x19'), ('x1', 'x17'))
    >>> [event.row for event in history.events if event.kind == "drift"]
    [312]
    """
    if not isinstance(model, StreamRegressor):
        raise TypeError(f"follow needs a sluice.StreamRegressor, not a {type(model).__name__}")
    try:
        every = operator.index(every)
    except TypeError:
        raise TypeError(f"every = {every!r}: must be a whole number") from None
    if not 1 <= every < 2**63:
        raise ValueError(f"every = {every}: must be 1 or more")
    given = _dates_of(X) if times is None else times
    moments = None if given is None else as_times(given)
    unfitted = model._core is None
    rows, observed = model._checked(X, y)
    if moments is not None and len(moments) != len(rows):
        model._core = None if unfitted else model._core
        raise ValueError(f"times has {len(moments)} entries, X has {len(rows)} rows")
    core = model._fitted()
    before = core.rows_met
    predicted, low, high, at, starts, inputs, weights, events = _core.follow(core, rows, observed, every)
    if before == 0:  # what a model says of an output that it has never seen is no forecast
        unseen = np.logical_and.accumulate(np.isnan(observed), axis=0)
        predicted[np.concatenate([np.ones_like(unseen[:1]), unseen[:-1]])] = np.nan
    names, targets = tuple(core.input_names), tuple(core.target_names)
    return History(
        observed=observed.copy(),
        predicted=predicted,
        low=low,
        high=high,
        names=names,
        targets=targets,
        selection_rows=at,
        selection_starts=starts,
        selection_inputs=inputs,
        selection_weights=weights,
        events=tuple(
            Event(
                row=row,
                kind=kind,
                inputs=tuple(names[index] for index in of_inputs),
                outputs=tuple(targets[index] for index in of_outputs),
                since=int(start) - before if kind == "drift" else None,
            )
            for row, kind, of_inputs, of_outputs, start in events
        ),
        times=moments,
        coverage=core.coverage,
    )


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """One-step predictions, selections and events of a stream. `sluice.follow` makes it, `from_log` reads it.

    Rows are counted from 0: the first row that was given is row 0, also where the model had learnt others before.
    Arrays are rows x targets. `sluice.plot` draws it.
    """

    observed: Array
    """NaN where missing"""
    predicted: Array
    """before the row was learnt; NaN before a first value of the target was known"""
    low: Array
    """lower ends of the intervals; NaN where there is none"""
    high: Array
    """upper ends"""
    names: tuple[str, ...]
    """of the inputs; from a log: of those that were selected at least once"""
    targets: tuple[str, ...]
    selection_rows: NDArray[np.int64]
    """rows after which the selection was recorded"""
    selection_starts: NDArray[np.int64]
    """record k has the entries selection_starts[k] to selection_starts[k + 1]"""
    selection_inputs: NDArray[np.int32]
    """of each entry: the input, as an index into `names`"""
    selection_weights: NDArray[np.float32] | None
    """of each entry and target: the change of the target, in its standard deviations, with one standard deviation of
    the input. Comparable across inputs. None from a log, which has no weights"""
    events: tuple[Event, ...] = ()
    """their `row` and `since` count from this history's first row"""
    times: NDArray[Any] | None = None
    """of the rows: datetime64, numbers or texts"""
    coverage: float | None = None
    """share of outputs that the intervals shall contain, where known"""

    @classmethod
    def from_log(cls, path: str | os.PathLike[str]) -> History:
        """Reads the records of ``sluice stream ... --out log.ndjson`` (also .ndjson.gz).

        A label that came late is the observed value of its own row. A log has no weights of inputs.
        """
        from sluice._history_log import read_log

        return read_log(path)

    def __len__(self) -> int:
        return len(self.observed)

    def __repr__(self) -> str:
        scores = "/".join("?" if np.isnan(r2) else f"{r2:.3f}" for r2 in self.r2())
        word = "target" if len(self.targets) == 1 else "targets"
        return (
            f"History of {len(self)} rows, {len(self.names)} inputs, {word} {', '.join(self.targets)}: "
            f"one-step R2 {scores}"
        )

    # ---- errors

    @cached_property
    def last_value(self) -> Array:
        """What the last known value of each target predicts: that of an earlier row. NaN before the first."""
        rows = np.arange(1, len(self) + 1)[:, None] * ~np.isnan(self.observed)  # from 1; 0: missing
        newest = np.maximum.accumulate(rows, axis=0)
        known = np.take_along_axis(self.observed, np.maximum(newest - 1, 0), axis=0)
        known = np.where(newest > 0, known, np.nan)
        return np.concatenate([np.full((1, known.shape[1]), np.nan), known])[: len(self)]

    @cached_property
    def mean(self) -> Array:
        """What the mean of the values known before predicts. NaN before the first."""
        present = ~np.isnan(self.observed)
        scale = _scale(self.observed)
        sums = np.cumsum(np.where(present, self.observed / scale, 0.0), axis=0)
        counts = np.cumsum(present, axis=0)
        means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0) * scale
        return np.concatenate([np.full((1, means.shape[1]), np.nan), means])[: len(self)]

    def forecast(self, of: str = "model") -> Array:
        """The predictions of "model", "last_value" or "mean", all made before the row's outputs were known."""
        if of not in FORECASTS:
            raise ValueError(f"of = {of!r}: must be one of {', '.join(FORECASTS)}")
        return self.predicted if of == "model" else self.last_value if of == "last_value" else self.mean

    def error_over_variance(self, of: str = "model") -> Array:
        """Of each target: mean squared one-step error over the variance of what was observed. 1: as the mean known in
        hindsight; 0: perfect. NaN where fewer than two values differ."""
        forecast = self.forecast(of)
        known = ~np.isnan(self.observed) & ~np.isnan(forecast)
        result = np.full(len(self.targets), np.nan)
        for k in range(len(result)):
            observed = self.observed[known[:, k], k]
            errors = observed - forecast[known[:, k], k]
            if len(observed) and np.ptp(observed) > 0:
                scale = max(np.abs(observed).max(), np.abs(errors).max())
                result[k] = np.mean((errors / scale) ** 2) / np.var(observed / scale)
        return result

    def r2(self, of: str = "model") -> Array:
        """1 - error_over_variance(), for each target."""
        return 1.0 - self.error_over_variance(of)

    def rmse(self, window: int | None = None, of: str = "model") -> Array:
        """After each row, the root mean squared one-step error: of the last `window` rows, or of all so far (None).

        Counted are the values that the model, the last value and the mean all predicted, so that the three can be
        compared.
        """
        if window is not None and window < 1:
            raise ValueError(f"window = {window}: must be 1 or more rows, or None")
        errors = self.observed - self.forecast(of)
        known = ~np.isnan(self.observed - self.predicted - self.last_value)
        scale = _scale(errors)
        squares = np.where(known, errors / scale, 0.0) ** 2
        if window is None or window >= len(self):
            sums, counts = np.cumsum(squares, axis=0), np.cumsum(known, axis=0)
        else:
            sums, counts = window_sums(squares, window), window_sums(known.astype(np.int64), window)
        means = np.divide(sums, counts, out=np.full_like(squares, np.nan), where=counts > 0)
        return np.asarray(np.sqrt(means) * scale)

    # ---- the selection

    def selected_at(self, row: int) -> tuple[str, ...]:
        """The inputs selected after a row, the most important first. Between two records: those of the earlier one."""
        return tuple(self.names[self.selection_inputs[entry]] for entry in self._entries(row))

    def weights_at(self, row: int, target: int | str = 0) -> dict[str, float]:
        """The same with their weights, positive or negative."""
        k = self.target_index(target)
        weights = self._weights()
        return {self.names[self.selection_inputs[entry]]: float(weights[entry, k]) for entry in self._entries(row)}

    def turnover(self) -> NDArray[np.int64]:
        """For each record of the selection: the inputs that entered since the record before. The first has all of its
        own. The mean, at ``every=1``, is what the tool's summary calls mean_turnover."""
        entered = np.empty(len(self.selection_rows), dtype=np.int64)
        for first, last in self._blocks():
            before = max(first - 1, 0)
            inputs = self.selection_inputs[self.selection_starts[before] : self.selection_starts[last]]
            records = self._records(before, last)
            keys = np.sort(records * len(self.names) + inputs)
            earlier = keys - len(self.names)  # the same input, one record before
            stayed = keys[np.searchsorted(keys, earlier)] == earlier
            counts = np.bincount(records[~stayed] - before, minlength=last - before)
            entered[first:last] = counts[first - before :]
        return entered

    def stability(self) -> Array:
        """For each input: the share of rows in which it was selected."""
        lengths = np.diff(self.selection_rows, append=len(self)).astype(np.float64)
        counts = np.zeros(len(self.names))
        for first, last in self._blocks():
            inputs = self.selection_inputs[self.selection_starts[first] : self.selection_starts[last]]
            counts += np.bincount(inputs, weights=lengths[self._records(first, last)], minlength=len(self.names))
        return counts / max(float(lengths.sum()), 1.0)

    def weight_table(self, inputs: ArrayLike, target: int | str = 0) -> Array:
        """Records x the given inputs (indices into `names`): weights, 0 where not selected. From a log: 1 where
        selected."""
        wanted = np.asarray(inputs, dtype=np.intp)
        places = np.full(len(self.names), -1, dtype=np.intp)
        places[wanted] = np.arange(len(wanted))
        table = np.zeros((len(self.selection_rows), len(wanted)))
        place = places[self.selection_inputs]
        entries = np.flatnonzero(place >= 0)
        weights = self.selection_weights
        values = 1.0 if weights is None else weights[entries, self.target_index(target)]
        table[self._records()[entries], place[entries]] = values
        return table

    def target_index(self, target: int | str) -> int:
        """The column of a target that is given by its name or its number."""
        if isinstance(target, str):
            if target not in self.targets:
                raise ValueError(f"target = {target!r}: must be one of {', '.join(self.targets)}")
            return self.targets.index(target)
        if not 0 <= target < len(self.targets):
            raise ValueError(f"target = {target}: must be 0 to {len(self.targets) - 1}")
        return int(target)

    # ---- tables

    def to_pandas(self) -> pd.DataFrame:
        """A row for each row: observed, predicted, low, high, last_value and mean; with several targets, the columns
        have two levels. The index is the time where there is one."""
        import pandas as pd

        parts = {
            name: getattr(self, name) for name in ("observed", "predicted", "low", "high", "last_value", "mean")
        }
        single = len(self.targets) == 1
        columns = {
            (name if single else (target, name)): values[:, k]
            for k, target in enumerate(self.targets)
            for name, values in parts.items()
        }
        return pd.DataFrame(columns, index=self._index())

    def selection_to_pandas(self) -> pd.DataFrame:
        """A row for each recorded row and selected input, with the weight for each target (none from a log)."""
        import pandas as pd

        rows = self.selection_rows[self._records()]
        names = pd.Categorical.from_codes(self.selection_inputs, categories=pd.Index(self.names))
        frame = pd.DataFrame({"row": rows, "input": names})
        if self.times is not None:
            frame.insert(1, "time", self.times[rows])
        if self.selection_weights is not None:
            for k, target in enumerate(self.targets):
                frame["weight" if len(self.targets) == 1 else f"weight.{target}"] = self.selection_weights[:, k]
        return frame

    # ---- details

    def _index(self) -> pd.Index[Any]:
        import pandas as pd

        return pd.RangeIndex(len(self), name="row") if self.times is None else pd.Index(self.times, name="time")

    def _records(self, first: int = 0, last: int | None = None) -> NDArray[np.int64]:
        """Of each entry of these records: the number of its record."""
        last = len(self.selection_rows) if last is None else last
        return np.repeat(np.arange(first, last), np.diff(self.selection_starts[first : last + 1]))

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of records, of about a million entries: what is computed from them needs little memory."""
        first, records = 0, len(self.selection_rows)
        while first < records:
            end = self.selection_starts[first] + _ENTRIES_AT_ONCE
            last = max(first + 1, int(np.searchsorted(self.selection_starts, end, side="right")) - 1)
            yield first, last
            first = last

    def _entries(self, row: int) -> NDArray[np.intp]:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row}: the history has rows 0 to {len(self) - 1}")
        record = int(np.searchsorted(self.selection_rows, row, side="right")) - 1
        if record < 0:
            return np.empty(0, dtype=np.intp)
        entries = np.arange(self.selection_starts[record], self.selection_starts[record + 1])
        if self.selection_weights is None:  # a log lists the most important first
            return entries
        return entries[np.argsort(-np.abs(self.selection_weights[entries]).max(axis=1), kind="stable")]

    def _weights(self) -> NDArray[np.float32]:
        if self.selection_weights is None:
            raise ValueError("a log has no weights of inputs: use sluice.follow")
        return self.selection_weights


def _dates_of(X: Any) -> Any:
    """The index of a frame, where it has dates."""
    index = getattr(X, "index", None)
    return index if getattr(getattr(index, "dtype", None), "kind", "") == "M" else None


def as_times(times: Any) -> NDArray[Any]:
    """Dates become datetime64, as do texts that are ISO dates; numbers and other texts stay."""
    dates = getattr(times, "dt", times)  # of a pandas series
    if getattr(dates, "tz", None) is not None:  # numpy has no time zones: the local time is kept
        times = dates.tz_localize(None)
    array = np.asarray(times)
    if array.ndim != 1:
        raise ValueError(f"times has {array.ndim} dimensions: one time for each row is needed")
    if array.dtype.kind in "Miuf":
        return array
    if array.dtype.kind in "OUT":
        texts = [str(moment) for moment in array]
        if texts and all(len(text) >= 7 and text[:4].isdigit() and text[4] == "-" for text in texts):
            try:
                return np.asarray(texts, dtype="datetime64[us]")
            except ValueError:
                pass
        return np.asarray(texts)
    raise TypeError(f"times are of type {array.dtype}: give dates, numbers or texts")


def _scale(values: Array) -> float:
    """A number such that squares of values / scale do not overflow."""
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if values.size else 0.0
    return largest if largest > 0.0 and np.isfinite(largest) else 1.0


def window_sums(values: NDArray[Any], window: int) -> NDArray[Any]:
    """Sums over the last `window` rows (over fewer at the beginning). Nothing is subtracted, so that small errors after
    large ones keep their digits: each window is the end of one block of rows and the beginning of the next."""
    rows, width = values.shape
    blocks = -(-rows // window)
    padded = np.zeros((blocks * window, width), dtype=values.dtype)
    padded[:rows] = values
    padded = padded.reshape(blocks, window, width)
    begins = np.cumsum(padded, axis=1)
    ends = np.zeros_like(padded)
    ends[1:, :-1] = np.cumsum(padded[:-1, :0:-1], axis=1)[:, ::-1]  # of the block before, without its first i + 1 rows
    return (begins + ends).reshape(-1, width)[:rows]
