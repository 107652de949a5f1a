"""Figures of a History, for a paper or a slide as they are. Needs matplotlib: ``pip install sluice[plot]``.

>>> import sluice
>>> from sluice import datasets, plot
>>> data = datasets.make_paper(rows=400, seed=2)
>>> history = sluice.follow(sluice.StreamRegressor(), data.X, data.y)
>>> figure = plot.selection(history)
>>> figure.savefig("selection.pdf")  # doctest: +SKIP

Each function returns the matplotlib Figure. ``ax=`` draws into axes of your own. In a notebook the figure is shown as the
value of its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sluice._history import History, window_sums
from sluice._plot_axis import (
    BLUE,
    GREY,
    LINES,
    MOST_COLUMNS,
    ORANGE,
    SKY,
    TimeAxis,
    canvas,
    head,
    mark_events,
    need_matplotlib,
    nice_window,
    short,
    thinned,
    with_unit,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["errors", "prediction", "selection", "weights"]

Array = NDArray[np.float64]

_WEIGHT = "sd of {target} per sd of input"


def selection(
    history: History,
    *,
    target: int | str = 0,
    most: int = 30,
    order: str = "stability",
    events: Sequence[str] = ("drift",),
    title: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Which inputs were selected when: a line for each input, dark where its weight is large.

    Parameters
    ----------
    most   : lines at most: the inputs selected in most rows. The figure says how many others there are
    order  : of the lines: "stability" (selected in most rows first) or "time" (selected earliest first)
    events : kinds of events to mark
    """
    k = history.target_index(target)
    if most < 1:
        raise ValueError(f"most = {most}: must be 1 or more lines")
    if order not in ("stability", "time"):
        raise ValueError(f"order = {order!r}: must be one of stability, time")
    stability = history.stability()
    lines = np.argsort(-stability, kind="stable")[:most]
    lines = lines[stability[lines] > 0]
    starts, cells = _cells(history, lines, k)
    if order == "time":
        middles = (cells * np.arange(cells.shape[1])).sum(axis=1) / np.maximum(cells.sum(axis=1), 1e-300)
        by_time = np.argsort(middles, kind="stable")
        lines, cells = lines[by_time], cells[by_time]
    axis = TimeAxis(history)
    with canvas(ax, 1.15 + 0.165 * max(len(lines), 4)) as (figure, (field, *_)):
        _draw_cells(field, axis, starts, cells, history, k)
        size = 7.5 if len(lines) > 12 else 8.5
        field.set_yticks(np.arange(len(lines)), [short(history.names[line], 22) for line in lines], fontsize=size)
        field.tick_params(axis="y", length=0)
        field.grid(False)
        field.spines[["left", "bottom"]].set_visible(False)
        for place, line in enumerate(lines):
            share = f"{100 * stability[line]:.0f} %" if stability[line] >= 0.005 else "< 1 %"
            field.annotate(
                share, (1.0, place), (4, 0), xycoords=field.get_yaxis_transform(), textcoords="offset points",
                va="center", fontsize=size - 0.5, color="#555555", annotation_clip=False,
            )  # fmt: skip
        if len(lines):
            field.annotate(
                "of rows", (1.0, 1.0), (4, 3), xycoords="axes fraction", textcoords="offset points",
                fontsize=size - 0.5, color="#555555", annotation_clip=False,
            )  # fmt: skip
        mark_events(field, axis, history, events)
        axis.finish(field)
        head(field, title if title is not None else _selection_title(history, len(lines), stability))
    return figure


def weights(
    history: History,
    *,
    target: int | str = 0,
    most: int = 6,
    events: Sequence[str] = ("drift",),
    title: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The weights of the most important inputs over time: the change of the target, in its standard deviations, with one
    standard deviation of the input. A line ends where its input is not selected.

    Parameters
    ----------
    most : lines at most, 1 to 8: the inputs with the largest mean absolute weight
    """
    k = history.target_index(target)
    if history.selection_weights is None:
        raise ValueError("a log has no weights of inputs: use sluice.follow, or draw sluice.plot.selection")
    if not 1 <= most <= len(LINES):
        raise ValueError(f"most = {most}: must be 1 to {len(LINES)} lines")
    sizes = _mean_sizes(history, k)
    lines = np.argsort(-sizes, kind="stable")[:most]
    lines = lines[sizes[lines] > 0]
    table = history.weight_table(lines, k)
    axis = TimeAxis(history)
    with canvas(ax, 3.0) as (figure, (field, *_)):
        field.axhline(0.0, color="#999999", lw=0.7, zorder=1)
        for place, line in enumerate(lines):
            values = np.where(table[:, place] == 0.0, np.nan, table[:, place])
            kept = thinned(values)
            style: dict[str, Any] = {"color": LINES[place], "zorder": 3}
            dashes: Any = "-" if place < 6 else (0, (4, 1.2))
            label = short(history.names[line], 22)
            field.plot(axis.places[history.selection_rows[kept]], values[kept], ls=dashes, label=label, **style)
            alone = thinned(_alone(values))  # a line of one point is not seen
            field.plot(axis.places[history.selection_rows[alone]], _alone(values)[alone], marker=".", ms=2, ls="", **style)
        field.set_ylabel("weight\n(" + _WEIGHT.format(target=short(history.targets[k], 16)) + ")")
        _weight_limits(field, table)
        mark_events(field, axis, history, events)
        axis.finish(field)
        field.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.6, handlelength=1.8)
        field.set_title(title if title is not None else _weights_title(history, len(lines)), pad=9)
    return figure


def errors(
    history: History,
    *,
    target: int | str = 0,
    window: int | None = None,
    unit: str | None = None,
    events: Sequence[str] = ("drift",),
    title: str | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """One-step errors beside those of the last known value and of the running mean: in a window, and of all rows so far.

    Parameters
    ----------
    window : rows of the moving window; None: about a twentieth of all
    unit   : of the target, for the label
    ax     : one (the window alone) or two
    """
    k = history.target_index(target)
    window = nice_window(len(history)) if window is None else window
    axis = TimeAxis(history)
    styles = {
        "mean": ("running mean", GREY, (0, (1.5, 1.5)), 1.1),
        "last_value": ("last value", ORANGE, (0, (5, 1.5)), 1.2),
        "model": ("Sluice", BLUE, "-", 1.5),
    }
    with canvas(ax, 4.4, 2, (1.25, 1.0)) as (figure, fields):
        texts = (f"last {window:,} rows", "all rows so far")
        for field, length, text in zip(fields, (window, None), texts, strict=False):
            drawn = []
            settled = _settled(history, k, length)
            for of, (label, colour, dashes, width) in styles.items():
                values = np.where(settled, history.rmse(length, of)[:, k], np.nan)
                kept = thinned(values)
                field.plot(axis.places[kept], values[kept], color=colour, ls=dashes, lw=width, label=label)
                drawn.append(values)
            _error_scale(field, drawn)
            field.set_ylabel(with_unit("one-step RMSE", unit) + "\n" + text)
            mark_events(field, axis, history, events)
            axis.finish(field)
        if ax is None:
            fields[0].set_xlabel("")
        text = f"{history.targets[k]}: {_r2_text(history, k)}"
        head(fields[0], title if title is not None else text, ("Sluice", "last value", "running mean"))
    return figure


def prediction(
    history: History,
    *,
    target: int | str = 0,
    rows: slice | None = None,
    unit: str | None = None,
    events: Sequence[str] = ("drift",),
    title: str | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """What was observed, what was predicted one step before, and the interval that was given with it. Below, the error
    within the interval around the prediction.

    Parameters
    ----------
    rows : those to draw, such as ``slice(300, 500)``; None: all
    unit : of the target, for the label
    ax   : one (the outputs alone) or two
    """
    k = history.target_index(target)
    first, last, _ = (slice(None) if rows is None else rows).indices(len(history))
    if last <= first:
        raise ValueError(f"rows = {rows}: must be some of the rows 0 to {len(history) - 1}")
    axis = TimeAxis(history)
    places = axis.places[first:last]
    observed, predicted = history.observed[first:last, k], history.predicted[first:last, k]
    low, high = history.low[first:last, k], history.high[first:last, k]
    share = "" if history.coverage is None else f"{100 * history.coverage:g} % "
    with canvas(ax, 4.4, 2, (1.5, 1.0)) as (figure, fields):
        field = fields[0]
        dots: dict[str, Any] = {"marker": "o", "ms": 2.6} if len(places) <= 150 else {}
        _draw_band(field, places, low, high, f"{share}interval")
        _draw_line(field, places, observed, color="#9A9A9A", lw=1.8, label="observed", zorder=3, **dots)
        _draw_line(field, places, predicted, color=BLUE, lw=0.9, label="predicted", zorder=4)
        field.set_ylim(*_limits(observed, predicted))
        field.set_ylabel(with_unit(history.targets[k], unit))
        if len(fields) > 1:
            _draw_errors(fields[1], places, observed - predicted, low - predicted, high - predicted, dots)
            fields[1].set_ylabel(with_unit("observed \u2212 predicted", unit))
        for each in fields:
            mark_events(each, axis, history, events, first, last)
            axis.finish(each, first, last)
        if ax is None:
            field.set_xlabel("")
        text = f"{history.targets[k]}: {_r2_text(history, k)}{_inside_text(history, k)}"
        head(field, title if title is not None else text, ("observed", "predicted"))
    return figure


# ---- details of the selection


def _cells(history: History, lines: NDArray[np.intp], k: int) -> tuple[NDArray[np.intp], Array]:
    """The first row of each column of the picture (and the end), and lines x columns: the mean size of the weight over the
    column's records. A weight of 0 counts as a very small one, so that what was selected once is seen."""
    records = len(history.selection_rows)
    bounds = np.unique(np.linspace(0, records, min(records, MOST_COLUMNS) + 1).astype(np.intp))
    places = np.full(len(history.names), len(lines), dtype=np.intp)  # the others are counted last, and left out
    places[lines] = np.arange(len(lines))
    cells = np.zeros((len(lines), max(len(bounds) - 1, 0)))
    for column, (a, b) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        entries = slice(history.selection_starts[a], history.selection_starts[b])
        place = places[history.selection_inputs[entries]]
        sizes = np.ones(len(place))
        if history.selection_weights is not None:
            sizes = np.maximum(np.abs(history.selection_weights[entries, k].astype(np.float64)), 1e-12)
        cells[:, column] = np.bincount(place, weights=sizes, minlength=len(lines) + 1)[: len(lines)] / (b - a)
    starts = np.append(history.selection_rows, len(history))[bounds]
    return starts, cells


def _draw_cells(field: Axes, axis: TimeAxis, starts: NDArray[np.intp], cells: Array, history: History, k: int) -> None:
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    colours = ["#BBD6EE", "#5FA3D6", "#0F62A8", "#062B57"]
    if history.selection_weights is None:  # dark is selected in all rows of a column, not a large weight
        colours = colours[:3]
    shades = LinearSegmentedColormap.from_list("sluice", colours)
    field.set_facecolor("#F4F5F7")
    if cells.size == 0:
        field.set_yticks([])
        field.text(0.5, 0.5, "no input was selected", transform=field.transAxes, ha="center", va="center", color=GREY)
        return
    shown = np.ma.masked_equal(cells, 0.0)
    largest = float(np.quantile(cells[cells > 0], 0.99))
    norm = PowerNorm(0.6, 0.0, largest)  # most weights are small
    lines = np.arange(len(cells) + 1) - 0.5
    image = field.pcolormesh(axis.edges(starts), lines, shown, cmap=shades, norm=norm, rasterized=True)
    field.hlines(np.arange(1, len(cells)) - 0.5, 0, 1, transform=field.get_yaxis_transform(), color="white", lw=1.0)
    field.set_ylim(len(cells) - 0.5, -0.5)
    if history.selection_weights is not None:
        shrink = min(1.0, 12 / len(cells))
        bar = field.figure.colorbar(image, ax=field, pad=0.07, fraction=0.025, shrink=shrink, aspect=16, extend="max")
        bar.set_label("size of the weight\n(" + _WEIGHT.format(target=short(history.targets[k], 12)) + ")", fontsize=8)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=7.5)
        bar.ax.grid(False)


def _selection_title(history: History, shown: int, stability: Array) -> str:
    ever = int(np.count_nonzero(stability))
    if history.selection_weights is None:  # a log names only those that were selected
        return f"Selected inputs: {shown} of {ever} that ever were"
    rest = "" if shown == ever else f"; {ever - shown:,} other{'s were' if ever - shown > 1 else ' was'} selected at times"
    return f"Selected inputs: {shown} of {len(history.names):,}{rest}"


# ---- details of the weights


def _mean_sizes(history: History, k: int) -> Array:
    """For each input: the mean absolute weight over all records."""
    assert history.selection_weights is not None
    sums = np.zeros(len(history.names))
    for first, last in history._blocks():
        entries = slice(history.selection_starts[first], history.selection_starts[last])
        sizes = np.abs(history.selection_weights[entries, k].astype(np.float64))
        sums += np.bincount(history.selection_inputs[entries], weights=sizes, minlength=len(sums))
    return sums / max(len(history.selection_rows), 1)


def _alone(values: Array) -> Array:
    """The values between two gaps; NaN elsewhere."""
    gap = np.isnan(values)
    before, after = np.append(True, gap[:-1]), np.append(gap[1:], True)
    return np.where(before & after, values, np.nan)


def _weight_limits(field: Axes, table: Array) -> None:
    """Those of nearly all weights after the first twentieth of the stream, in which they jump."""
    later = table[len(table) // 20 :]
    later = later[later != 0.0]
    if len(later):
        low, high = np.quantile(later, [0.001, 0.999])
        low, high = min(low, 0.0), max(high, 0.0)
        margin = 0.08 * (high - low)
        field.set_ylim(low - margin * (low < 0), high + margin * (high > 0))


def _weights_title(history: History, shown: int) -> str:
    others = int(np.count_nonzero(history.stability())) - shown
    rest = f"; {others:,} other{'s are' if others > 1 else ' is'} not shown" if others > 0 else ""
    return f"Weights of the {shown} most important inputs{rest}" if shown else "No input has a weight"


# ---- details of errors and predictions


def _settled(history: History, k: int, window: int | None) -> NDArray[np.bool_]:
    """Rows after which enough errors are known: the mean of a few says little."""
    known = ~np.isnan(history.observed[:, k : k + 1])
    rows = len(history) if window is None else min(window, len(history))
    counts = window_sums(known.astype(np.int64), rows)[:, 0]
    return counts >= min(max(2, rows // 4), 10 if window is None else rows)


def _error_scale(field: Axes, lines: list[Array]) -> None:
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


def _r2_text(history: History, k: int) -> str:
    def figure_of(of: str) -> str:
        value = history.r2(of)[k]
        text = "unknown" if np.isnan(value) else f"{value:.3f}" if value > -10 else f"{value:.3g}"
        return text.replace("-", "\u2212")

    return f"one-step R\u00b2 {figure_of('model')} (last value {figure_of('last_value')})"


def _inside_text(history: History, k: int) -> str:
    observed, low, high = history.observed[:, k], history.low[:, k], history.high[:, k]
    known = ~np.isnan(observed + low)
    if not known.any():
        return ""
    inside = (low[known] <= observed[known]) & (observed[known] <= high[known])
    return f"; {100 * inside.mean():.0f} % lie within the interval"


def _draw_line(field: Axes, places: Array, values: Array, **style: Any) -> None:
    kept = thinned(values)
    field.plot(places[kept], values[kept], **style)


def _draw_band(field: Axes, places: Array, low: Array, high: Array, label: str) -> None:
    """The interval; where there are too many rows, the widest of each column."""
    if np.isnan(low).all():
        return
    if len(places) > 4 * MOST_COLUMNS:
        starts = np.linspace(0, len(places), MOST_COLUMNS + 1).astype(np.intp)[:-1]
        places, low, high = places[starts], np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    field.fill_between(places, low, high, color=SKY, alpha=0.45, lw=0, label=label, zorder=2)


def _draw_errors(
    field: Axes, places: Array, errors: Array, low: Array, high: Array, style: dict[str, Any]
) -> None:
    """The errors and their interval. Many errors cover the field: then the interval is two lines above them."""
    field.axhline(0.0, color=BLUE, lw=0.9, zorder=3)
    if len(places) <= 4 * MOST_COLUMNS:
        _draw_band(field, places, low, high, "interval")
        _draw_line(field, places, errors, color="#5A5A5A", lw=0.8, label="error", zorder=4, **style)
    else:
        _draw_line(field, places, errors, color="#BDBDBD", lw=0.6, label="error", zorder=2)
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


def _limits(observed: Array, predicted: Array) -> tuple[float, float]:
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


need_matplotlib()
