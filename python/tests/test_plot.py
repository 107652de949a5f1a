"""sluice.plot: what the figures contain."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import sluice  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh  # noqa: E402
from sluice import History, datasets, plot  # noqa: E402
from sluice._plot_axis import nice_window, thinned  # noqa: E402
from sluice._records import Event  # noqa: E402

FIGURES = [plot.selection, plot.weights, plot.errors, plot.prediction]


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def history() -> History:
    data = datasets.make_selection(inputs=12, drivers=2, signal_to_noise=50.0, change_at=200, rows=400, seed=1)
    return sluice.follow(sluice.StreamRegressor(), data.X, data.y)


def made_up(rows: int, inputs: int, selected: int, **fields: Any) -> History:
    """Input i is selected in all rows from i * rows / inputs on, for `selected` such steps."""
    rng = np.random.default_rng(1)
    observed = rng.normal(size=(rows, 1))
    lists = [range(max(0, t * inputs // rows - selected + 1), t * inputs // rows + 1) for t in range(rows)]
    entries = np.fromiter((i for part in lists for i in part), dtype=np.int32)
    whole: dict[str, Any] = dict(
        observed=observed,
        predicted=observed + 0.1 * rng.normal(size=(rows, 1)),
        low=observed - 0.3,
        high=observed + 0.3,
        names=tuple(f"input {i}" for i in range(inputs)),
        targets=("ethanol",),
        selection_rows=np.arange(rows),
        selection_starts=np.cumsum([0, *map(len, lists)]),
        selection_inputs=entries,
        selection_weights=np.full((len(entries), 1), 0.5, dtype=np.float32),
        coverage=0.9,
    )
    return History(**{**whole, **fields})


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax: Any, label: str) -> Any:
    (found,) = [one for one in ax.get_lines() if one.get_label() == label]
    return found


def mesh(ax: Any) -> Any:
    (found,) = [one for one in ax.collections if isinstance(one, QuadMesh)]
    return found


@pytest.mark.parametrize("draw", FIGURES)
@pytest.mark.parametrize(("rows", "inputs", "selected"), [(1, 1, 1), (2, 3, 1), (50, 10, 3), (3000, 1000, 20)])
def test_every_figure_is_drawn_for_any_size_of_a_stream(draw: Any, rows: int, inputs: int, selected: int) -> None:
    figure = draw(made_up(rows, inputs, selected))
    figure.savefig(io.BytesIO(), format="png")
    assert figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize("draw", FIGURES)
def test_a_stream_without_any_selection_or_output_is_drawn(draw: Any) -> None:
    empty = made_up(
        30, 3, 1, observed=np.full((30, 1), np.nan), selection_starts=np.zeros(31, dtype=np.int64),
        selection_inputs=np.zeros(0, dtype=np.int32), selection_weights=np.zeros((0, 1), dtype=np.float32),
        low=np.full((30, 1), np.nan), high=np.full((30, 1), np.nan),
    )  # fmt: skip
    draw(empty).savefig(io.BytesIO(), format="png")


@pytest.mark.parametrize("draw", FIGURES)
def test_ax_draws_into_the_callers_axes(draw: Any, history: History) -> None:
    mine, axes = plt.subplots(1, 2)
    assert draw(history, ax=axes[1]) is mine
    assert not axes[0].has_data()
    assert axes[1].has_data()


def test_the_looks_of_other_figures_stay_as_they_are(history: History) -> None:
    before = dict(matplotlib.rcParams)
    plot.selection(history)
    assert dict(matplotlib.rcParams) == before


# ---- selection


def test_the_selection_shows_the_most_stable_inputs_first(history: History) -> None:
    ax = plot.selection(history).axes[0]
    names = [text.get_text() for text in ax.get_yticklabels()]
    stability = history.stability()
    assert names == [history.names[i] for i in np.argsort(-stability, kind="stable") if stability[i] > 0]
    low, high = ax.get_ylim()
    assert low > high  # the first is on top
    shares = [text.get_text() for text in ax.texts]
    assert shares[0] == f"{100 * stability.max():.0f} %"


def test_a_cell_is_dark_only_where_its_input_is_selected(history: History) -> None:
    ax = plot.selection(history).axes[0]
    cells = mesh(ax).get_array()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert cells.shape == (len(names), 400)
    for row in (0, 100, 250, 399):
        drawn = {name for place, name in enumerate(names) if not np.ma.getmaskarray(cells)[place, row]}
        assert drawn == set(history.selected_at(row))
    place = names.index(history.selected_at(399)[0])
    assert cells[place, 399] == pytest.approx(abs(history.weights_at(399)[names[place]]))


def test_at_most_thirty_lines_are_drawn_and_the_others_are_counted() -> None:
    history = made_up(3000, 1000, 20)
    ax = plot.selection(history).axes[0]
    assert len(ax.get_yticklabels()) == 30
    assert ax.get_title(loc="left") == "Selected inputs: 30 of 1,000; 970 others were selected at times"
    assert len(plot.selection(history, most=5).axes[0].get_yticklabels()) == 5


def test_a_long_stream_has_fewer_columns_and_loses_no_selection() -> None:
    history = made_up(50_000, 10, 2)
    inputs = history.selection_inputs.copy()
    where = int(history.selection_starts[33_333])
    inputs[where] = 0  # selected early, and once more in this single row
    ax = plot.selection(dataclasses.replace(history, selection_inputs=inputs)).axes[0]
    cells = mesh(ax).get_array()
    assert cells.shape[1] <= 1000
    place = [text.get_text() for text in ax.get_yticklabels()].index("input 0")
    late = ~np.ma.getmaskarray(cells)[place, cells.shape[1] // 2 :]
    assert late.sum() == 1
    low, high = ax.get_xlim()
    assert (low, high) == (-0.5, 49_999.5)


def test_lines_may_be_ordered_by_time() -> None:
    ax = plot.selection(made_up(200, 8, 2), order="time").axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"input {i}" for i in range(8)]


def test_long_names_are_cut() -> None:
    ax = plot.selection(made_up(20, 2, 1, names=("a" * 80, "b"))).axes[0]
    assert ax.get_yticklabels()[0].get_text() == "a" * 21 + "\u2026"


def test_sudden_changes_are_marked(history: History) -> None:
    (drift,) = {event.row for event in history.events if event.kind == "drift"}
    for draw in FIGURES:
        ax = draw(history).axes[0]
        assert list(line(ax, "sudden change").get_xdata()) == [drift]
        assert "sudden change" in labels(ax)
        ends = [np.asarray(lines.get_segments()) for lines in ax.collections if isinstance(lines, LineCollection)]
        assert any(len(segments) == 1 and segments[0, 0, 0] == drift for segments in ends)
        without = draw(history, events=()).axes[0]
        assert not [one for one in without.get_lines() if one.get_label() == "sudden change"]


def test_marks_outside_of_the_rows_are_left_out(history: History) -> None:
    ax = plot.prediction(history, rows=slice(0, 100)).axes[0]
    assert not [one for one in ax.get_lines() if one.get_label() == "sudden change"]


def test_a_history_of_a_log_is_drawn_without_a_scale_of_weights() -> None:
    log = made_up(100, 5, 2, selection_weights=None)
    figure = plot.selection(log)
    assert len(figure.axes) == 1
    assert figure.axes[0].get_title(loc="left") == "Selected inputs: 5 of 5 that ever were"
    assert mesh(figure.axes[0]).get_array().max() == 1.0
    with pytest.raises(ValueError, match="a log has no weights of inputs: use sluice.follow"):
        plot.weights(log)


def test_the_scale_of_weights_says_its_unit() -> None:
    figure = plot.selection(made_up(100, 5, 2))
    assert figure.axes[1].get_ylabel() == "size of the weight\n(sd of ethanol per sd of input)"


# ---- time


def test_dates_give_a_date_axis(history: History) -> None:
    import matplotlib.dates

    dates = np.datetime64("2020-01-01") + np.arange(400)
    ax = plot.prediction(dataclasses.replace(history, times=dates)).axes[1]
    first, last = matplotlib.dates.num2date(ax.get_xlim())
    assert (first.date().isoformat(), last.date().isoformat()) == ("2019-12-31", "2021-02-03")
    assert isinstance(ax.xaxis.get_major_formatter(), matplotlib.dates.ConciseDateFormatter)


def test_numbers_that_ascend_are_the_axis_and_others_are_not(history: History) -> None:
    ascending = dataclasses.replace(history, times=np.arange(400) * 0.5)
    ax = plot.errors(ascending).axes[1]
    assert ax.get_xlim() == (-0.25, 199.75)
    assert ax.get_xlabel() == "time"
    falling = dataclasses.replace(history, times=-np.arange(400) * 0.5)
    assert plot.errors(falling).axes[1].get_xlim() == (-0.5, 399.5)


def test_other_times_are_written_at_their_rows(history: History) -> None:
    texts = np.asarray([f"batch {t}" for t in range(400)])
    ax = plot.selection(dataclasses.replace(history, times=texts)).axes[0]
    assert ax.xaxis.get_major_formatter()(100, 0) == "batch 100"
    assert ax.xaxis.get_major_formatter()(400, 0) == ""


# ---- weights


def test_the_weights_of_the_most_important_inputs_are_drawn(history: History) -> None:
    ax = plot.weights(history, most=4).axes[0]
    names = [label for label in labels(ax) if label != "sudden change"]
    assert len(names) == 4
    assert set(history.selected_at(150)) | set(history.selected_at(399)) <= set(names)
    for name in names:
        drawn = line(ax, name).get_ydata()
        for row in (150, 399):
            expected = history.weights_at(row).get(name)
            assert np.isnan(drawn[row]) if expected is None else drawn[row] == pytest.approx(expected)
    assert len({one.get_color() for one in ax.get_lines() if one.get_label() in names}) == 4
    assert "sd of y per sd of input" in ax.get_ylabel()


def test_a_weight_of_a_single_row_is_a_point() -> None:
    weights = np.zeros((10, 1), dtype=np.float32)
    weights[4] = 0.7
    one = made_up(10, 1, 1, selection_weights=weights)
    ax = plot.weights(one).axes[0]
    points = [line for line in ax.get_lines() if line.get_marker() == "."]
    assert np.nanmax(points[0].get_ydata()) == pytest.approx(0.7)


# ---- errors


def test_errors_are_those_of_the_history_beside_the_references(history: History) -> None:
    above, below = plot.errors(history, window=30).axes
    for ax, window in ((above, 30), (below, None)):
        for label, of in (("Sluice", "model"), ("last value", "last_value"), ("running mean", "mean")):
            drawn = line(ax, label).get_ydata()
            expected = history.rmse(window, of)[:, 0]
            np.testing.assert_array_equal(drawn[50:], expected[50:])
            assert np.isnan(drawn[:2]).all()  # too few errors to say much
    assert labels(above)[:3] == ["Sluice", "last value", "running mean"]
    assert "last 30 rows" in above.get_ylabel()
    assert "all rows so far" in below.get_ylabel()
    assert above.get_title(loc="left").startswith("y: one-step R\u00b2 0.8")


def test_labels_have_the_unit_that_is_given(history: History) -> None:
    assert plot.errors(history, unit="ppm").axes[0].get_ylabel().startswith("one-step RMSE (ppm)")
    above, below = plot.prediction(history, unit="ppm").axes
    assert above.get_ylabel() == "y (ppm)"
    assert below.get_ylabel() == "observed \u2212 predicted (ppm)"


def test_a_window_is_about_a_twentieth_of_the_rows() -> None:
    assert [nice_window(rows) for rows in (1, 200, 399, 400, 2500, 10**6)] == [10, 10, 10, 20, 100, 50_000]


# ---- predictions


def test_the_prediction_shows_outputs_and_interval(history: History) -> None:
    above, below = plot.prediction(history, rows=slice(100, 300)).axes
    np.testing.assert_array_equal(line(above, "observed").get_ydata(), history.observed[100:300, 0])
    np.testing.assert_array_equal(line(above, "predicted").get_ydata(), history.predicted[100:300, 0])
    assert labels(above)[:3] == ["observed", "predicted", "90 % interval"]
    (band,) = [one for one in above.collections if isinstance(one, PolyCollection)]
    corners = np.asarray(band.get_paths()[0].vertices)
    assert corners[:, 1].min() == pytest.approx(history.low[100:300].min())
    assert above.get_xlim() == (99.5, 299.5)
    errors = (history.observed - history.predicted)[100:300, 0]
    np.testing.assert_array_equal(line(below, "error").get_ydata(), errors)


def test_wild_intervals_do_not_set_the_limits() -> None:
    high = np.full((200, 1), 1.0)
    high[:5] = 1e9
    low, top = plot.prediction(made_up(200, 3, 1, high=high)).axes[0].get_ylim()
    assert -10 < low < top < 10


def test_a_thinned_line_keeps_every_extreme_and_gap() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=100_000)
    values[12_345], values[77_777], values[50_000] = 99.0, -99.0, np.nan
    kept = thinned(values)
    assert len(kept) < 4000
    assert {0, 99_999, 12_345, 77_777, 49_999, 50_000, 50_001} <= set(kept)
    assert list(thinned(np.arange(100.0))) == list(range(100))


def test_a_long_prediction_has_few_points_and_keeps_an_outlier() -> None:
    observed = np.zeros((100_000, 1))
    observed[43_210] = 50.0
    long = made_up(100, 3, 1)
    many = dataclasses.replace(
        long, observed=observed, predicted=observed * 0.0, low=observed * 0.0 - 1.0, high=observed * 0.0 + 1.0,
        events=(Event(5, "drift", (), (), 3),),
    )  # fmt: skip
    above = plot.prediction(many).axes[0]
    drawn = line(above, "observed")
    assert len(drawn.get_xdata()) < 4000
    assert drawn.get_ydata()[list(drawn.get_xdata()).index(43_210)] == 50.0
    assert above.get_ylim()[1] > 50.0


# ---- errors of the caller


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda h: plot.selection(h, most=0), "most = 0"),
        (lambda h: plot.selection(h, order="name"), "order = 'name': must be one of stability, time"),
        (lambda h: plot.selection(h, target=1), "target = 1: must be 0 to 0"),
        (lambda h: plot.weights(h, most=9), "most = 9: must be 1 to 8"),
        (lambda h: plot.errors(h, window=0), "window = 0"),
        (lambda h: plot.errors(h, target="z"), "target = 'z'"),
        (lambda h: plot.prediction(h, rows=slice(400, 500)), "must be some of the rows 0 to 399"),
        (lambda h: plot.selection(h, ax=plt.subplots(1, 2)[1]), "ax has 2 axes: give 1 at most"),
    ],
)
def test_a_wrong_argument_is_an_error(history: History, call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(history)


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import sluice\n"
        "try:\n    import sluice.plot\n"
        "except ImportError as error:\n    print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/").stdout
    assert told == "sluice.plot needs matplotlib: pip install sluice[plot]\n"


def test_importing_sluice_does_not_import_matplotlib() -> None:
    code = "import sys, sluice, sluice.datasets; print([m for m in ('matplotlib', 'river') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/").stdout
    assert told == "[]\n"
    assert sluice.plot is plot
    with pytest.raises(AttributeError, match="has no attribute 'plots'"):
        sluice.plots  # type: ignore[attr-defined]  # noqa: B018
