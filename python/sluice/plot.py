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

from sluice._history import History
from sluice._plot_axis import (
    BLUE,
    GREY,
    INK,
    LINES,
    MOST_COLUMNS,
    ORANGE,
    TimeAxis,
    canvas,
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
        mark_events(field, axis, history, events)
        axis.finish(field)
        field.set_title(title if title is not None else _selection_title(history, len(lines), stability))
    return figure


def weights(
    history: History,
    *,
    target: int | str = 0,
    most: int = 8,
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
            values = _without_zeros(table[:, place])
            kept = thinned(values)
            field.plot(
                axis.places[history.selection_rows[kept]], values[kept], color=LINES[place],
                ls="-" if place % 2 == 0 else (0, (5, 1.2)), label=short(history.names[line], 22), zorder=3,
            )  # fmt: skip
        field.set_ylabel("weight\n(" + _WEIGHT.format(target=short(history.targets[k], 16)) + ")")
        mark_events(field, axis, history, events, legend=False)
        field.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.6, handlelength=1.8)
        axis.finish(field)
        field.set_title(title if title is not None else _weights_title(history, len(lines)))
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
            ends = {}
            for of, (label, colour, dashes, width) in styles.items():
                values = history.rmse(length, of)[:, k]
                values[: min(_settling(history, k, length), len(values))] = np.nan
                kept = thinned(values)
                field.plot(axis.places[kept], values[kept], color=colour, ls=dashes, lw=width, label=label)
                ends[of] = values
            _error_scale(field, list(ends.values()))
            field.set_ylabel(with_unit("one-step RMSE", unit) + "\n" + text)
            mark_events(field, axis, history, events, legend=False)
            axis.finish(field)
        for field in fields[:-1]:
            if field.get_subplotspec() is not None and ax is None:
                field.set_xlabel("")
        fields[0].set_title(title if title is not None else f"{history.targets[k]}: {_r2_text(history, k)}", pad=20)
        handles, labels = fields[0].get_legend_handles_labels()
        by_label = dict(zip(labels, handles, strict=True))
        first = [label for label in ("Sluice", "last value", "running mean") if label in by_label]
        names = first + [label for label in by_label if label not in first]
        fields[0].legend(
            [by_label[name] for name in names], names, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4,
            borderaxespad=0.2, handlelength=2.2, columnspacing=1.4,
        )  # fmt: skip
    return figure


def prediction(
    history: History,
    *,
    target: int | str = 0,
    rows: slice | None = None,
    unit: str | None = None,
    events: Sequence[str] = ("drift",),
    title: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """What was observed, what was predicted one step before, and the interval that was given with it.

    Parameters
    ----------
    rows : those to draw, such as ``slice(300, 500)``; None: all
    unit : of the target, for the label
    """
    k = history.target_index(target)
    first, last, _ = (slice(None) if rows is None else rows).indices(len(history))
    if last <= first:
        raise ValueError(f"rows = {rows}: must be some of the rows 0 to {len(history) - 1}")
    axis = TimeAxis(history)
    places = axis.places[first:last]
    observed, predicted = history.observed[first:last, k], history.predicted[first:last, k]
    low, high = history.low[first:last, k], history.high[first:last, k]
    with canvas(ax, 3.0) as (figure, (field, *_)):
        if not np.isnan(low).all():
            at, below, above = _band(places, low, high)
            share = "" if history.coverage is None else f"{100 * history.coverage:g} % "
            field.fill_between(at, below, above, color=BLUE, alpha=0.22, lw=0, label=f"{share}interval", zorder=2)
        kept = thinned(observed)
        few = len(places) <= 150
        marks = {"marker": "o", "ms": 2.6} if few else {}
        field.plot(places[kept], observed[kept], color=INK, lw=0.9, label="observed", zorder=3, **marks)
        kept = thinned(predicted)
        field.plot(places[kept], predicted[kept], color=BLUE, lw=1.2, label="predicted", zorder=4)
        field.set_ylim(*_output_limits(observed, predicted))
        field.set_ylabel(with_unit(history.targets[k], unit))
        mark_events(field, axis, history, events, legend=False)
        axis.finish(field, first, last)
        handles, labels = field.get_legend_handles_labels()
        field.legend(
            handles, labels, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.2, columnspacing=1.4
        )
        field.set_title(title if title is not None else _r2_text(history, k))
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
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("sluice", ["#BBD6EE", "#5FA3D6", "#0F62A8", "#062B57"])
    field.set_facecolor("#F4F5F7")
    if cells.size == 0:
        field.set_yticks([])
        field.text(0.5, 0.5, "no input was selected", transform=field.transAxes, ha="center", va="center", color=GREY)
        return
    shown = np.ma.masked_equal(cells, 0.0)
    largest = float(np.quantile(cells[cells > 0], 0.99))
    image = field.pcolormesh(
        axis.edges(starts), np.arange(len(cells) + 1) - 0.5, shown, cmap=shades, vmin=0.0, vmax=largest, rasterized=True
    )
    field.hlines(np.arange(1, len(cells)) - 0.5, 0, 1, transform=field.get_yaxis_transform(), color="white", lw=1.0)
    field.set_ylim(len(cells) - 0.5, -0.5)
    if history.selection_weights is not None:
        bar = field.figure.colorbar(image, ax=field, pad=0.075, fraction=0.03, shrink=min(1.0, 12 / len(cells)), extend="max")
        bar.set_label("size of the weight\n(" + _WEIGHT.format(target=short(history.targets[k], 12)) + ")", fontsize=8)
        bar.outline.set_visible(False)  # type: ignore[operator]
        bar.ax.tick_params(labelsize=7.5)
        bar.ax.grid(False)


def _selection_title(history: History, shown: int, stability: Array) -> str:
    ever = int(np.count_nonzero(stability))
    if history.selection_weights is None:  # a log names only those that were selected
        return f"Selected inputs: {shown} of {ever} that ever were"
    rest = "" if shown == ever else f"; {ever - shown:,} others were selected at times"
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


def _without_zeros(values: Array) -> Array:
    """NaN where a weight is 0 and was 0 before and after: a line is drawn down to 0 and ends there."""
    zero = values == 0.0
    before, after = np.append(True, zero[:-1]), np.append(zero[1:], True)
    return np.where(zero & before & after, np.nan, values)


def _weights_title(history: History, shown: int) -> str:
    others = int(np.count_nonzero(history.stability())) - shown
    rest = f"; {others:,} others are not shown" if others > 0 else ""
    return f"Weights of the {shown} most important inputs{rest}" if shown else "No input has a weight"


# ---- details of errors and predictions


def _settling(history: History, k: int, window: int | None) -> int:
    """Rows at the beginning that are not drawn: means of a few errors say little."""
    known = np.flatnonzero(~np.isnan(history.observed[:, k]))
    return int(known[min(10, len(known) - 1)]) if len(known) and len(history) > 30 else 0


def _error_scale(field: Axes, lines: list[Array]) -> None:
    values = np.concatenate(lines)
    values = values[np.isfinite(values) & (values > 0)]
    if len(values) == 0:
        return
    low, high = np.quantile(values, [0.002, 0.998])
    if high > 8 * low:
        from matplotlib.ticker import LogFormatter, LogLocator, NullLocator

        field.set_yscale("log")
        field.set_ylim(low / 1.25, high * 1.25)
        steps = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
        field.yaxis.set_major_locator(LogLocator(subs=steps))
        field.yaxis.set_major_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(np.inf, np.inf)))
        field.yaxis.set_minor_locator(NullLocator())
    else:
        field.set_ylim(0.0, high * 1.08)


def _r2_text(history: History, k: int) -> str:
    def figure_of(of: str) -> str:
        value = history.r2(of)[k]
        return "unknown" if np.isnan(value) else f"{value:.3f}" if value > -10 else f"{value:.3g}"

    return f"one-step R\u00b2 {figure_of('model')} (last value {figure_of('last_value')})"


def _band(places: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
    """Ends of the interval with fewer points: of each column the widest."""
    if len(places) <= 4 * MOST_COLUMNS:
        return places, low, high
    starts = np.linspace(0, len(places), MOST_COLUMNS + 1).astype(np.intp)[:-1]
    below = np.fmin.reduceat(low, starts)
    above = np.fmax.reduceat(high, starts)
    return places[starts], below, above


def _output_limits(observed: Array, predicted: Array) -> tuple[float, float]:
    """All that was observed, and nearly all that was predicted: a few wild predictions or intervals are cut off."""
    known = predicted[np.isfinite(predicted)]
    ends = [observed[np.isfinite(observed)], np.quantile(known, [0.01, 0.99]) if len(known) else known]
    values = np.concatenate(ends)
    if len(values) == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or max(abs(high), 1.0) * 0.1
    return low - margin, high + margin


need_matplotlib()
