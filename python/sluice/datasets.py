"""Simulated streams whose truth is known: the same numbers as ``sluice simulate`` writes for the same seed.

>>> from sluice import datasets
>>> data = datasets.make_selection(inputs=100, drivers=3, change_at=300, rows=600, seed=1)
>>> data.X.shape, data.y.shape
((600, 100), (600,))
>>> [phase.start for phase in data.phases], data.drivers_at(0)
([0, 300], ('x79', 'x86', 'x91'))
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sluice import _core

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

__all__ = ["Dataset", "Phase", "make_factors", "make_market", "make_paper", "make_selection"]

Array = NDArray[np.float64]

_LARGEST_SEED = 2**64 - 1
_MOST_STOCKS = 10_000_000
_GROUP = 20  # inputs of each group of the paper's simulations


@dataclass(frozen=True)
class Phase:
    """Rows in which the relation stays the same (with `drift`: the weights are not drawn again)."""

    start: int
    """its first row"""
    stop: int
    """the row after its last one"""
    drivers: NDArray[np.intp]
    """columns of X that the outputs depend on"""
    coefficients: Array | None = None
    """make_selection: of each driver"""
    noise_variance: float | None = None
    """make_selection: of the output"""
    large: int | None = None
    """make_paper: the group with the large coefficients, 0 to 2"""
    small: int | None = None
    """make_paper: the group with the smaller ones"""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A stream with its truth. Rows are in the order of time; a missing value is NaN."""

    X: Array
    """rows x inputs"""
    y: Array
    """one number per row, or rows x outputs where there are several"""
    names: tuple[str, ...]
    """of the inputs"""
    targets: tuple[str, ...]
    """of the outputs"""
    phases: tuple[Phase, ...]
    """what the outputs depend on, and from which row on"""
    groups: NDArray[np.intp]
    """of each input: those that follow one hidden factor; make_market: those of one index"""
    times: NDArray[np.datetime64] | None = None
    """of each row, where the stream has dates"""

    def __len__(self) -> int:
        return len(self.X)

    def drivers_at(self, row: int) -> tuple[str, ...]:
        """The inputs that the outputs of a row depend on, by name.

        >>> make_paper(rows=400, seed=1).drivers_at(350)[-1]
        'x60'
        """
        if not 0 <= row < len(self):
            raise IndexError(f"row {row}: the stream has rows 0 to {len(self) - 1}")
        phase = next(phase for phase in self.phases if phase.start <= row < phase.stop)
        return tuple(self.names[index] for index in phase.drivers)

    def frame(self) -> pd.DataFrame:
        """Inputs and outputs as one pandas frame; its index is the time where there is one.

        >>> make_paper(rows=3, seed=1).frame()[["x1", "x60", "y1"]].round(2)
             x1   x60      y1
        0  0.56  4.84  360.70
        1  0.25 -5.92 -180.46
        2 -1.53 -3.09  -63.70
        """
        import pandas as pd

        index = None if self.times is None else pd.DatetimeIndex(self.times, name="date")
        table = np.column_stack([self.X, self.y])
        return pd.DataFrame(table, index=index, columns=[*self.names, *self.targets])

    def rows(self) -> Iterator[tuple[dict[Hashable, Any], Any]]:
        """The rows as river takes them: a dict, and the output (several: a dict). A missing input is left out.

        >>> x, y = next(make_selection(inputs=2, drivers=1, change_at=0, seed=1).rows())
        >>> list(x)
        ['x1', 'x2']
        """
        single = self.y.ndim == 1
        for inputs, outputs in zip(self.X, self.y, strict=True):
            x: dict[Hashable, Any] = {
                name: value for name, value in zip(self.names, inputs.tolist(), strict=True) if value == value
            }
            yield x, (float(outputs) if single else dict(zip(self.targets, outputs.tolist(), strict=True)))


def make_paper(kind: str = "switching", *, rows: int = 400, seed: int = 1, third_phase: str = "caption") -> Dataset:
    """The paper's simulation: 60 inputs in three groups of 20, each group following a hidden factor, and one output.

    Parameters
    ----------
    kind        : "static": group 0 has coefficients near 10, group 1 near 5, group 2 zero. "switching": groups 0 and 1
                  swap at row 100, group 2 has the large coefficients from row 300 on, and all repeats from row 400 on
    third_phase : from row 300 on, which group has the smaller coefficients: "caption" (group 1) or "text" (none)

    >>> [(phase.start, phase.large, phase.small) for phase in make_paper(rows=400).phases]
    [(0, 0, 1), (100, 1, 0), (300, 2, 1)]
    """
    _one_of("kind", kind, ("static", "switching"))
    _one_of("third_phase", third_phase, ("caption", "text"))
    rows = _count("rows", rows)
    x, y, found = _core.simulate_paper(kind == "switching", third_phase == "text", rows, _seed(seed))
    groups = np.repeat(np.arange(3), _GROUP)
    phases = []
    for start, stop, (_, large, small) in _with_stops(found, rows):
        has_small = not (third_phase == "text" and large == 2)
        drivers = np.flatnonzero((groups == large) | (has_small & (groups == small)))
        phases.append(Phase(start, stop, drivers, large=large, small=small if has_small else None))
    return _dataset(x, y, tuple(phases), groups)


def make_factors(
    *,
    inputs: int = 100,
    outputs: int = 1,
    groups: int = 10,
    drift: float = 0.0,
    missing_share: float = 0.0,
    break_every: int = 0,
    rows: int = 400,
    seed: int = 1,
) -> Dataset:
    """Wide data: groups of inputs that follow hidden factors; outputs are weighted sums of the factors.

    Parameters
    ----------
    drift         : standard deviation of each weight's step from row to row
    missing_share : of all cells, 0 to below 1
    break_every   : rows after which all weights are drawn again; 0: never

    >>> data = make_factors(inputs=6, outputs=2, groups=3, missing_share=0.1, break_every=150)
    >>> data.groups, [phase.start for phase in data.phases], data.targets
    (array([0, 0, 1, 1, 2, 2]), [0, 150, 300], ('y1', 'y2'))
    """
    options: dict[str, Any] = {
        "inputs": _count("inputs", inputs),
        "outputs": _count("outputs", outputs),
        "groups": _count("groups", groups),
        "drift": _number("drift", drift),
        "missing_share": _number("missing_share", missing_share),
        "break_every": _count("break_every", break_every),
    }
    rows = _count("rows", rows)
    x, y = _core.simulate_factors(options, rows, _seed(seed))
    starts = [(start,) for start in range(0, rows, options["break_every"] or max(rows, 1))]
    phases = tuple(Phase(start, stop, np.arange(x.shape[1])) for start, stop, _ in _with_stops(starts, rows))
    return _dataset(x, y, phases, np.arange(x.shape[1]) * options["groups"] // x.shape[1])


def make_selection(
    *,
    inputs: int = 30,
    drivers: int = 2,
    drivers_after: int | None = None,
    correlation: float = 0.0,
    signal_to_noise: float = 5.0,
    change_at: int = 450,
    rows: int = 900,
    seed: int = 1,
) -> Dataset:
    """Many inputs, of which a few drive one output; from one row on, others do. Does a model find their names?

    Parameters
    ----------
    drivers         : 0: the output is noise of unit variance
    drivers_after   : after the change, other inputs; None: as many
    correlation     : of any two inputs, 0 to below 1
    signal_to_noise : variance of the signal over that of the noise
    change_at       : rows before the change; 0: never

    >>> before, after = make_selection(drivers=2, drivers_after=1, seed=3).phases
    >>> before.drivers, after.drivers
    (array([14, 23]), array([18]))
    """
    options = {
        "inputs": _count("inputs", inputs),
        "drivers": _count("drivers", drivers),
        "drivers_after": None if drivers_after is None else _count("drivers_after", drivers_after),
        "correlation": _number("correlation", correlation),
        "signal_to_noise": _number("signal_to_noise", signal_to_noise),
        "change_at": _count("change_at", change_at),
    }
    rows = _count("rows", rows)
    x, y, found = _core.simulate_selection(options, rows, _seed(seed))
    phases = tuple(
        Phase(start, stop, np.asarray(names, dtype=np.intp), np.asarray(coefficients, dtype=np.float64), noise)
        for start, stop, (_, names, coefficients, _, noise) in _with_stops(found, rows)
    )
    return _dataset(x, y, phases, np.zeros(x.shape[1], dtype=np.intp))


def make_market(
    *,
    stocks: Sequence[int] = (98, 225),
    volatility: Sequence[float] = (0.013, 0.026),
    yearly_trend: Sequence[float] = (0.15, -0.01),
    sectors: int = 8,
    regime_periods: float = 75.0,
    periods_per_year: float = 52.0,
    rows: int = 290,
    seed: int = 1,
) -> Dataset:
    """Weekly returns of stocks (X) and of their indices (y). Regimes begin at random, and with each new sensitivities.

    ``sluice simulate market`` writes the prices: 100 in the first week, then ``100 * np.cumprod(1 + X, axis=0)``.

    Parameters
    ----------
    stocks           : of each index
    volatility       : of each market's factor in one period
    yearly_trend     : of each market, on average over the regimes
    sectors          : of each market
    regime_periods   : mean length of a regime
    periods_per_year : 52 where a row is a week

    >>> data = make_market(stocks=[3, 2], rows=100, seed=1)
    >>> data.names, data.targets, data.groups
    (('index1.1', 'index1.2', 'index1.3', 'index2.1', 'index2.2'), ('index1', 'index2'), array([0, 0, 0, 1, 1]))
    """
    sizes = [_count("stocks", number) for number in _items("stocks", stocks)]
    if sum(sizes) > _MOST_STOCKS:
        raise ValueError(f"stocks: {sum(sizes)} in all: must be at most {_MOST_STOCKS}")
    options = {
        "stocks": sizes,
        "volatility": [_number("volatility", number) for number in _items("volatility", volatility)],
        "yearly_trend": [_number("yearly_trend", number) for number in _items("yearly_trend", yearly_trend)],
        "sectors": _count("sectors", sectors),
        "regime_periods": _number("regime_periods", regime_periods),
        "periods_per_year": _number("periods_per_year", periods_per_year),
    }
    rows = _count("rows", rows)
    x, y, regimes = _core.simulate_market(options, rows, _seed(seed))
    names = tuple(f"index{k}.{i}" for k, size in enumerate(sizes, 1) for i in range(1, size + 1))
    targets = tuple(f"index{k}" for k in range(1, len(sizes) + 1))
    phases = tuple(
        Phase(start, stop, np.arange(len(names)))
        for start, stop, _ in _with_stops([(regime,) for regime in regimes], rows)
    )
    times = np.datetime64("2019-01-11") + 7 * np.arange(rows)  # the returns of the first week end then
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return Dataset(x, y if len(sizes) > 1 else y[:, 0], names, targets, phases, groups, times)


# ---- details


def _dataset(x: Array, y: Array, phases: tuple[Phase, ...], groups: NDArray[np.intp]) -> Dataset:
    names = tuple(f"x{i}" for i in range(1, x.shape[1] + 1))
    targets = tuple(f"y{k}" for k in range(1, y.shape[1] + 1))
    return Dataset(x, y if y.shape[1] > 1 else y[:, 0], names, targets, phases, groups)


def _with_stops(found: Sequence[Any], rows: int) -> Iterator[tuple[int, int, Any]]:
    """Each phase with the row after its last one."""
    stops = [phase[0] for phase in found[1:]] + [rows]
    for phase, stop in zip(found, stops, strict=False):
        yield phase[0], stop, phase


def _one_of(name: str, value: Any, values: tuple[str, ...]) -> None:
    if value not in values:
        raise ValueError(f"{name} = {value!r}: must be one of {', '.join(values)}")


def _items(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} = {values!r}: must be a list with one number for each index") from None


def _count(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: must be a whole number") from None
    if not 0 <= number < 2**63:
        raise ValueError(f"{name} = {number}: must be 0 to 2^63 - 1")
    return number


def _seed(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"seed = {value!r}: must be a whole number") from None
    if not 0 <= number <= _LARGEST_SEED:
        raise ValueError(f"seed = {number}: must be 0 to {_LARGEST_SEED}")
    return number


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r}: must be a number") from None
