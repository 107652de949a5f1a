"""The cells of the heat map, and the weights: what plot.selection and plot.weights draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sluice._history import History
from sluice._plot_axis import GREY, MOST_COLUMNS, TimeAxis, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

WEIGHT = "sd of {target} per sd of input"



def cells(history: History, lines: NDArray[np.intp], k: int) -> tuple[NDArray[np.intp], Array]:
    """The first row of each column of the picture (and the end), and lines x columns: the mean size of the weight over
    the column's records. A weight of 0 counts as a very small one, so that what was selected once is seen."""
    records = len(history.selection_rows)
    bounds = np.unique(np.linspace(0, records, min(records, MOST_COLUMNS) + 1).astype(np.intp))
    places = np.full(len(history.names), len(lines), dtype=np.intp)  # the others are counted last, and left out
    places[lines] = np.arange(len(lines))
    means = np.zeros((len(lines), max(len(bounds) - 1, 0)))
    for column, (a, b) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        entries = slice(history.selection_starts[a], history.selection_starts[b])
        place = places[history.selection_inputs[entries]]
        sizes = np.ones(len(place))
        if history.selection_weights is not None:
            sizes = np.maximum(np.abs(history.selection_weights[entries, k].astype(np.float64)), 1e-12)
        means[:, column] = np.bincount(place, weights=sizes, minlength=len(lines) + 1)[: len(lines)] / (b - a)
    starts = np.append(history.selection_rows, len(history))[bounds]
    return starts, means


def draw_cells(field: Axes, axis: TimeAxis, starts: NDArray[np.intp], cells: Array, history: History, k: int) -> None:
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
        bar.set_label("size of the weight\n(" + WEIGHT.format(target=short(history.targets[k], 12)) + ")", fontsize=8)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=7.5)
        bar.ax.grid(False)


def selection_title(history: History, shown: int, stability: Array) -> str:
    ever = int(np.count_nonzero(stability))
    if history.selection_weights is None:  # a log names only those that were selected
        return f"Selected inputs: {shown} of {ever} that ever were"
    others = ever - shown
    rest = f"; {others:,} other{'s were' if others > 1 else ' was'} selected at times" if others > 0 else ""
    return f"Selected inputs: {shown} of {len(history.names):,}{rest}"


def mean_sizes(history: History, k: int) -> Array:
    """For each input: the mean absolute weight over all records."""
    assert history.selection_weights is not None
    sums = np.zeros(len(history.names))
    for first, last in history._blocks():
        entries = slice(history.selection_starts[first], history.selection_starts[last])
        sizes = np.abs(history.selection_weights[entries, k].astype(np.float64))
        sums += np.bincount(history.selection_inputs[entries], weights=sizes, minlength=len(sums))
    return sums / max(len(history.selection_rows), 1)


def alone(values: Array) -> Array:
    """The values between two gaps; NaN elsewhere."""
    gap = np.isnan(values)
    before, after = np.append(True, gap[:-1]), np.append(gap[1:], True)
    return np.where(before & after, values, np.nan)


def weight_limits(field: Axes, table: Array) -> None:
    """Those of nearly all weights after the first twentieth of the stream, in which they jump."""
    later = table[len(table) // 20 :]
    later = later[later != 0.0]
    if len(later):
        low, high = np.quantile(later, [0.001, 0.999])
        low, high = min(low, 0.0), max(high, 0.0)
        margin = 0.08 * (high - low)
        field.set_ylim(low - margin * (low < 0), high + margin * (high > 0))


def weights_title(history: History, shown: int) -> str:
    others = int(np.count_nonzero(history.stability())) - shown
    rest = f"; {others:,} other{'s are' if others > 1 else ' is'} not shown" if others > 0 else ""
    return f"Weights of the {shown} most important inputs{rest}" if shown else "No input has a weight"
