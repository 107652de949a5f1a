"""What the figures of sluice.plot share: looks, the axis of time, fewer points without losing a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sluice._history import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# Okabe and Ito's colours, which colour-blind people tell apart; yellow, too light for lines, is left out.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#767676"
LINES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY)
INK = "#222222"

STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "figure.dpi": 150.0,
    "figure.constrained_layout.use": True,
}
WIDTH = 7.0  # inches: a page's text
_STEPS = [1, 2, 2.5, 5, 10]
MOST_COLUMNS = 700  # of a picture: as many as one sees


def need_matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError("sluice.plot needs matplotlib: pip install sluice[plot]") from error
    return matplotlib


def _dates() -> Any:
    import matplotlib.dates

    return matplotlib.dates


@contextmanager
def canvas(
    ax: Any, height: float, panels: int = 1, ratios: Sequence[float] | None = None
) -> Iterator[tuple[Figure, list[Axes]]]:
    """The figure and its axes: new ones, or those that the caller gave. In a notebook a new figure is shown once, as
    the value of its cell."""
    matplotlib = need_matplotlib()
    given = [] if ax is None else list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
    if len(given) > panels:
        raise ValueError(f"ax has {len(given)} axes: give {panels} at most")
    if given:
        with matplotlib.rc_context(STYLE):
            yield given[0].figure, given
        return
    import matplotlib.pyplot as plt

    plt.draw_if_interactive()  # loads the backend, whose own settings the end of rc_context would undo
    with matplotlib.rc_context(STYLE):
        figure, grid = plt.subplots(
            panels, 1, figsize=(WIDTH, height), sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios}
        )
        yield figure, list(grid[:, 0])
        if "inline" in matplotlib.get_backend():
            plt.close(figure)


class TimeAxis:
    """Where each row is on the horizontal axis: at its date or number where these ascend, else at its own number."""

    def __init__(self, history: History) -> None:
        self.times = history.times
        self.count = len(history)
        self.kind = "row"
        self.texts: NDArray[Any] | None = None
        places: Array = np.arange(self.count, dtype=np.float64)
        if self.times is not None and self.count > 0:
            self.texts = self.times
            if self.times.dtype.kind == "M":
                places, self.kind = np.asarray(_dates().date2num(self.times), dtype=np.float64), "date"
            elif self.times.dtype.kind in "iuf":
                places, self.kind = self.times.astype(np.float64), "number"
            if self.kind != "row" and not (np.isfinite(places).all() and (np.diff(places) > 0).all()):
                places, self.kind = np.arange(self.count, dtype=np.float64), "row"
        self.places = places

    def edges(self, rows: NDArray[Any]) -> Array:
        """Between the row before and each of these; the number of rows is the end."""
        if self.count < 2:
            return np.asarray(rows, dtype=np.float64) - 0.5
        middles = (self.places[1:] + self.places[:-1]) / 2
        first = 2 * self.places[0] - middles[0]
        last = 2 * self.places[-1] - middles[-1]
        return np.asarray(np.concatenate([[first], middles, [last]])[rows])

    def finish(self, ax: Axes, first: int = 0, last: int | None = None) -> None:
        """Limits, ticks and the name of the axis."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        last = self.count if last is None else last
        if last > first:
            low, high = self.edges(np.asarray([first, last]))
            ax.set_xlim(float(low), float(high))
        if self.kind == "date":
            locator = _dates().AutoDateLocator(minticks=4, maxticks=9)
            ax.xaxis.set_major_locator(locator)
            year, day, minute = "%Y", "%Y-%b-%d", "%Y-%b-%d %H:%M"  # at the end of the axis: what its ticks leave out
            offsets = ["", year, year, day, day, minute]
            ax.xaxis.set_major_formatter(_dates().ConciseDateFormatter(locator, offset_formats=offsets))
        elif self.kind == "number":
            ax.set_xlabel("time")
        elif self.texts is not None:
            texts = self.texts
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=_STEPS))
            ax.xaxis.set_major_formatter(
                FuncFormatter(lambda x, _: short(str(texts[int(x)]), 16) if 0 <= x < len(texts) else "")
            )
        else:
            ax.set_xlabel("row")
            ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=_STEPS))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))


def thinned(values: Array, most: int = MOST_COLUMNS) -> NDArray[np.intp]:
    """Rows that draw the same line as all of them: of each column the first, the last, the smallest, the largest, and
    rows beside a gap."""
    count = len(values)
    if count <= 4 * most:
        return np.arange(count)
    starts = np.linspace(0, count, most + 1).astype(np.intp)
    kept = [starts[:-1], starts[1:] - 1]
    for missing_as, extreme in ((np.inf, np.argmin), (-np.inf, np.argmax)):
        filled = np.where(np.isnan(values), missing_as, values)
        kept.append(
            np.asarray([a + extreme(filled[a:b]) for a, b in zip(starts[:-1], starts[1:], strict=True)], dtype=np.intp)
        )
    missing = np.isnan(values)
    gaps = np.flatnonzero(missing[1:] != missing[:-1])
    if len(gaps) <= 8 * most:  # more gaps than that cannot be seen one by one
        kept += [gaps, gaps + 1]
    return np.unique(np.concatenate(kept))


def short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def mark_events(
    ax: Axes, axis: TimeAxis, history: History, kinds: Sequence[str], first: int = 0, last: int | None = None
) -> None:
    """A line where an event of these kinds was, and a triangle above it."""
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    rows = np.unique([event.row for event in history.events if event.kind in kinds]).astype(np.intp)
    rows = rows[(rows >= first) & (rows < (axis.count if last is None else last))]
    if len(rows) == 0:
        return
    at = axis.places[rows]
    if len(rows) <= 60:
        ax.vlines(at, 0, 1, transform=ax.get_xaxis_transform(), color=VERMILION, lw=0.8, ls=(0, (4, 2)), zorder=3)
    words = {"drift": "sudden change", "suspect": "suspect row", "fresh_start": "fresh start"}
    ax.plot(
        at, np.full(len(at), 1.0), transform=ax.get_xaxis_transform(), color=VERMILION, marker="v", ms=4.5, ls="none",
        clip_on=False, zorder=4, label=", ".join(words.get(kind, kind) for kind in kinds),
    )  # fmt: skip


def head(ax: Axes, title: str, first: Sequence[str] = ()) -> None:
    """The title and, between it and the field, what the lines mean; those of `first` come first."""
    handles, labels = ax.get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    order = [label for label in first if label in named]
    order += [label for label in named if label not in order]
    if order:
        ax.legend(
            [named[label] for label in order], order, loc="lower left", bbox_to_anchor=(0.0, 1.015), ncols=5,
            borderaxespad=0.0, borderpad=0.1, handlelength=2.0, columnspacing=1.4, handletextpad=0.5,
        )  # fmt: skip
    ax.set_title(title, pad=21 if order else 6)


def nice_window(rows: int) -> int:
    """About a twentieth of the rows: 10, 20, 50, 100, ..."""
    wanted = max(rows / 20.0, 10.0)
    power = 10.0 ** np.floor(np.log10(wanted))
    return int(power * max(step for step in (1, 2, 5) if power * step <= wanted))


def with_unit(text: str, unit: str | None) -> str:
    return text if unit is None else f"{text} ({unit})"
