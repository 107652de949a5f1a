"""Errors, predictions and intervals: what plot.errors and plot.prediction draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sluice._history import History, window_sums
from sluice._plot_axis import BLUE, MOST_COLUMNS, SKY, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]



def settled(history: History, k: int, window: int | None) -> NDArray[np.bool_]:
    """Rows after which enough errors are known: the mean of a few says little."""
    known = ~np.isnan(history.observed[:, k : k + 1])
    rows = len(history) if window is None else min(window, len(history))
    counts = window_sums(known.astype(np.int64), rows)[:, 0]
    return counts >= min(max(2, rows // 4), 10 if window is None else rows)


def error_scale(field: Axes, lines: list[Array]) -> None:
    values = np.concatenate(lines)
    values = values[np.isfinite(values) & (values > 0)]
    if len(values) == 0:
        return
    low, high = np.quantile(values, [0.002, 0.998])
    if high > 8 * low:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        field.set_yscale("log")
        field.set_ylim(low / 1.25, high * 1.25)
        field.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 200 * low else (1.0,)))
        field.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        field.yaxis.set_minor_locator(NullLocator())
    else:
        field.set_ylim(0.0, high * 1.08)


def r2_text(history: History, k: int) -> str:
    def figure_of(of: str) -> str:
        value = history.r2(of)[k]
        text = "unknown" if np.isnan(value) else f"{value:.3f}" if value > -10 else f"{value:.3g}"
        return text.replace("-", "\u2212")

    return f"one-step R\u00b2 {figure_of('model')} (last value {figure_of('last_value')})"


def inside_text(history: History, k: int) -> str:
    observed, low, high = history.observed[:, k], history.low[:, k], history.high[:, k]
    known = ~np.isnan(observed + low)
    if not known.any():
        return ""
    inside = (low[known] <= observed[known]) & (observed[known] <= high[known])
    return f"; {100 * inside.mean():.0f} % lie within the interval"


def draw_line(field: Axes, places: Array, values: Array, **style: Any) -> None:
    kept = thinned(values)
    field.plot(places[kept], values[kept], **style)


def draw_band(field: Axes, places: Array, low: Array, high: Array, label: str) -> None:
    """The interval; where there are too many rows, the widest of each column."""
    if np.isnan(low).all():
        return
    if len(places) > 4 * MOST_COLUMNS:
        starts = np.linspace(0, len(places), MOST_COLUMNS + 1).astype(np.intp)[:-1]
        places, low, high = places[starts], np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    field.fill_between(places, low, high, color=SKY, alpha=0.45, lw=0, label=label, zorder=2)


def draw_errors(
    field: Axes, places: Array, errors: Array, low: Array, high: Array, style: dict[str, Any]
) -> None:
    """The errors and their interval. Many errors cover the field: then the interval is two lines above them."""
    field.axhline(0.0, color=BLUE, lw=0.9, zorder=3)
    if len(places) <= 4 * MOST_COLUMNS:
        draw_band(field, places, low, high, "interval")
        draw_line(field, places, errors, color="#5A5A5A", lw=0.8, label="error", zorder=4, **style)
    else:
        draw_line(field, places, errors, color="#BDBDBD", lw=0.6, label="error", zorder=2)
        for end, label in ((low, "interval"), (high, "_")):
            at, means = _column_means(places, end)
            field.plot(at, means, color=BLUE, lw=1.0, label=label, zorder=4)
    field.set_ylim(*_error_limits(errors, high - low))


def _column_means(places: Array, values: Array) -> tuple[Array, Array]:
    """Means of the values that are known, of each column of the picture."""
    starts = np.linspace(0, len(places), MOST_COLUMNS + 1).astype(np.intp)[:-1]
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts)
    counts = np.add.reduceat(known.astype(np.int64), starts)
    return places[starts], np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)


def limits(observed: Array, predicted: Array) -> tuple[float, float]:
    """All that was observed, and nearly all that was predicted: a few wild predictions or intervals are cut off."""
    known = predicted[np.isfinite(predicted)]
    values = [observed[np.isfinite(observed)], np.quantile(known, [0.01, 0.99]) if len(known) else known]
    return _with_margin(np.concatenate(values))


def _error_limits(errors: Array, widths: Array) -> tuple[float, float]:
    """Nearly all errors and intervals, the same above and below."""
    sizes = np.concatenate([np.abs(errors), widths / 2])
    sizes = sizes[np.isfinite(sizes)]
    most = float(np.quantile(sizes, 0.995)) if len(sizes) else 0.0
    return _with_margin(np.asarray([-most, most]))


def _with_margin(values: Array) -> tuple[float, float]:
    if len(values) == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or max(abs(high), 1.0) * 0.1
    return low - margin, high + margin
