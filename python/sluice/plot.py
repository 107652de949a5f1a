"""Figures of a History, for a paper or a slide as they are. Needs matplotlib: ``pip install sluice[plot]``.

>>> import sluice
>>> from sluice import datasets, plot
>>> data = datasets.make_paper(rows=400, seed=2)
>>> history = sluice.follow(sluice.StreamRegressor(), data.X, data.y)
>>> figure = plot.selection(history)
>>> figure.savefig("selection.pdf")  # doctest: +SKIP

Each function returns the matplotlib Figure. ``ax=`` draws into axes of your own. In a notebook the figure is shown as
the value of its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sluice._history import History
from sluice._plot_axis import (
    BLUE,
    GREY,
    LINES,
    ORANGE,
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
from sluice._plot_outputs import draw_band, draw_errors, draw_line, error_scale, inside_text, limits, r2_text, settled
from sluice._plot_selection import (
    WEIGHT,
    alone,
    cells,
    draw_cells,
    mean_sizes,
    selection_title,
    weight_limits,
    weights_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["errors", "prediction", "selection", "weights"]


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
    k = _checked(history).target_index(target)
    if most < 1:
        raise ValueError(f"most = {most}: must be 1 or more lines")
    if order not in ("stability", "time"):
        raise ValueError(f"order = {order!r}: must be one of stability, time")
    stability = history.stability()
    lines = np.argsort(-stability, kind="stable")[:most]
    lines = lines[stability[lines] > 0]
    starts, shades = cells(history, lines, k)
    if order == "time":
        middles = (shades * np.arange(shades.shape[1])).sum(axis=1) / np.maximum(shades.sum(axis=1), 1e-300)
        by_time = np.argsort(middles, kind="stable")
        lines, shades = lines[by_time], shades[by_time]
    axis = TimeAxis(history)
    with canvas(ax, 1.15 + 0.165 * max(len(lines), 4)) as (figure, (field, *_)):
        draw_cells(field, axis, starts, shades, history, k)
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
        head(field, title if title is not None else selection_title(history, len(lines), stability))
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
    """The weights of the most important inputs over time: the change of the target, in its standard deviations, with
    one standard deviation of the input. A line ends where its input is not selected.

    Parameters
    ----------
    most : lines at most, 1 to 8: the inputs with the largest mean absolute weight
    """
    k = _checked(history).target_index(target)
    if history.selection_weights is None:
        raise ValueError("a log has no weights of inputs: use sluice.follow, or draw sluice.plot.selection")
    if not 1 <= most <= len(LINES):
        raise ValueError(f"most = {most}: must be 1 to {len(LINES)} lines")
    sizes = mean_sizes(history, k)
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
            points = alone(values)  # a line of one point is not seen
            kept = thinned(points)
            field.plot(axis.places[history.selection_rows[kept]], points[kept], marker=".", ms=2, ls="", **style)
        field.set_ylabel("weight\n(" + WEIGHT.format(target=short(history.targets[k], 16)) + ")")
        weight_limits(field, table)
        mark_events(field, axis, history, events)
        axis.finish(field)
        if len(lines):
            field.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.6, handlelength=1.8)
        field.set_title(title if title is not None else weights_title(history, len(lines)), pad=9)
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
    """One-step errors beside those of the last known value and of the running mean: in a window, and of all rows so
    far.

    Parameters
    ----------
    window : rows of the moving window; None: about a twentieth of all
    unit   : of the target, for the label
    ax     : one (the window alone) or two
    """
    k = _checked(history).target_index(target)
    window = nice_window(len(history)) if window is None else window
    if window < 1:
        raise ValueError(f"window = {window}: must be 1 or more rows")
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
            enough = settled(history, k, length)
            for of, (label, colour, dashes, width) in styles.items():
                values = np.where(enough, history.rmse(length, of)[:, k], np.nan)
                kept = thinned(values)
                field.plot(axis.places[kept], values[kept], color=colour, ls=dashes, lw=width, label=label)
                drawn.append(values)
            error_scale(field, drawn)
            field.set_ylabel(with_unit("one-step RMSE", unit) + "\n" + text)
            mark_events(field, axis, history, events)
            axis.finish(field)
        if ax is None:
            fields[0].set_xlabel("")
        text = f"{history.targets[k]}: {r2_text(history, k)}"
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
    k = _checked(history).target_index(target)
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
        draw_band(field, places, low, high, f"{share}interval")
        draw_line(field, places, observed, color="#9A9A9A", lw=1.8, label="observed", zorder=3, **dots)
        draw_line(field, places, predicted, color=BLUE, lw=0.9, label="predicted", zorder=4)
        field.set_ylim(*limits(observed, predicted))
        field.set_ylabel(with_unit(history.targets[k], unit))
        if len(fields) > 1:
            draw_errors(fields[1], places, observed - predicted, low - predicted, high - predicted, dots)
            fields[1].set_ylabel(with_unit("observed \u2212 predicted", unit))
        for each in fields:
            mark_events(each, axis, history, events, first, last)
            axis.finish(each, first, last)
        if ax is None:
            field.set_xlabel("")
        text = f"{history.targets[k]}: {r2_text(history, k)}{inside_text(history, k)}"
        head(field, title if title is not None else text, ("observed", "predicted"))
    return figure


def _checked(history: Any) -> History:
    if not isinstance(history, History):
        given = type(history).__name__
        raise TypeError(f"a figure shows a sluice.History, not a {given}: sluice.follow(model, X, y) makes one")
    return history


need_matplotlib()
