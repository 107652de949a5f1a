"""sluice.follow and History: what a stream leaves behind."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built_tool import built_tool
import sluice
from sluice import History, datasets


@pytest.fixture(scope="module")
def data() -> datasets.Dataset:
    return datasets.make_selection(inputs=12, drivers=2, signal_to_noise=50.0, change_at=200, rows=400, seed=1)


@pytest.fixture(scope="module")
def history(data: datasets.Dataset) -> History:
    return sluice.follow(sluice.StreamRegressor(), data.X, data.y)


def test_a_row_is_predicted_before_it_is_learnt(data: datasets.Dataset, history: History) -> None:
    model = sluice.StreamRegressor()
    np.testing.assert_array_equal(history.predicted[1:, 0], model.predict_then_learn(data.X, data.y)[1:])


def test_nothing_is_predicted_before_a_first_value_is_known(data: datasets.Dataset) -> None:
    Y = np.column_stack([data.y, data.y])
    Y[:5, 1] = np.nan
    model = sluice.StreamRegressor()
    history = sluice.follow(model, data.X[:100], Y[:100])
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(history.predicted[:, 0])), [0])
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(history.predicted[:, 1])), range(6))
    assert not np.isnan(sluice.follow(model, data.X[100:], Y[100:]).predicted).any()


def test_following_leaves_the_model_as_learning_does(data: datasets.Dataset) -> None:
    one, other = sluice.StreamRegressor(), sluice.StreamRegressor()
    sluice.follow(one, data.X, data.y, every=7)
    other.partial_fit(data.X, data.y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.events_ == other.events_
    np.testing.assert_array_equal(one.one_step_r2_, other.one_step_r2_)


def test_the_selection_of_each_row_is_that_of_the_model_after_it(data: datasets.Dataset, history: History) -> None:
    model = sluice.StreamRegressor()
    for t in range(250):
        model.partial_fit(data.X[t : t + 1], data.y[t : t + 1])
        assert set(history.selected_at(t)) == set(model.selected_names_)


def test_the_weights_are_coefficients_in_standard_deviations(data: datasets.Dataset) -> None:
    # Fixed and never forgetting: the deviations are those of all rows.
    options: dict[str, Any] = dict(components=1, keep=3, forgetting=1.0, shrinkage=0.0)
    options.update(intercept="fixed", alarms=False, robust=False)
    model = sluice.StreamRegressor(**options)
    history = sluice.follow(model, data.X, data.y)
    expected = model.coef_ * data.X.std(axis=0) / data.y.std()
    weights = history.weights_at(399)
    assert set(weights) == set(model.selected_names_)
    for name, weight in weights.items():
        assert weight == pytest.approx(expected[int(name[1:])], rel=1e-5)  # stored with 24 bits
    assert list(map(abs, weights.values())) == sorted(map(abs, weights.values()), reverse=True)


def test_weights_do_not_depend_on_units(data: datasets.Dataset, history: History) -> None:
    scaled = sluice.follow(sluice.StreamRegressor(), data.X * 1024.0, data.y / 1024.0)
    for row in (150, 399):
        for name, weight in scaled.weights_at(row).items():
            assert weight == pytest.approx(history.weights_at(row)[name], rel=1e-5)


def test_every_ninth_selection_is_recorded_and_the_last(data: datasets.Dataset, history: History) -> None:
    some = sluice.follow(sluice.StreamRegressor(), data.X, data.y, every=9)
    assert list(some.selection_rows) == [*range(0, 400, 9)] + [399]
    for row in (0, 49, 55, 398):
        assert some.selected_at(row) == history.selected_at(row // 9 * 9)
    assert some.selected_at(399) == history.selected_at(399)
    np.testing.assert_array_equal(some.predicted, history.predicted)


def test_a_history_continues_a_model_that_has_learnt_before(data: datasets.Dataset, history: History) -> None:
    model = sluice.StreamRegressor()
    sluice.follow(model, data.X[:100], data.y[:100])
    rest = sluice.follow(model, data.X[100:], data.y[100:])
    np.testing.assert_array_equal(rest.predicted, history.predicted[100:])
    drifts = [(event.row, event.since) for event in rest.events if event.kind == "drift"]
    assert drifts == [(e.row - 100, e.since - 100) for e in history.events if e.kind == "drift" and e.since is not None]
    assert drifts
    assert 90 <= drifts[0][0] <= 140


def test_events_are_all_there_and_belong_to_their_rows() -> None:
    data = datasets.make_paper(rows=3000, seed=1)  # more events than a model keeps
    model = sluice.StreamRegressor()
    history = sluice.follow(model, data.X, data.y, every=100)
    assert len(model.events_) == 1000 < len(history.events)
    assert [event.kind for event in history.events[-1000:]] == [event.kind for event in model.events_]
    rows = [event.row for event in history.events]
    assert rows == sorted(rows)
    assert rows[-1] < 3000


def test_r2_is_that_of_the_predictions_whose_outputs_are_known(data: datasets.Dataset) -> None:
    y = np.column_stack([data.y, 1000.0 - data.y + data.X[:, 0]])
    y[::7, 1] = np.nan
    history = sluice.follow(sluice.StreamRegressor(), data.X, y)
    for k in range(2):
        known = np.flatnonzero(~np.isnan(y[:, k]))[1:]  # nothing predicts the first
        observed, predicted = y[known, k], history.predicted[known, k]
        expected = np.mean((observed - predicted) ** 2) / np.var(observed)
        assert history.error_over_variance()[k] == pytest.approx(expected, rel=1e-9)
        assert history.r2()[k] == pytest.approx(1.0 - expected, rel=1e-9)
    assert (history.r2() > 0.5).all()


def of_outputs(observed: list[float], predicted: list[float]) -> History:
    column = np.asarray(observed)[:, None]
    return History(
        observed=column, predicted=np.asarray(predicted)[:, None], low=column - 1.0, high=column + 1.0, names=("a",),
        targets=("y",), selection_rows=np.arange(0), selection_starts=np.zeros(1, dtype=np.int64),
        selection_inputs=np.zeros(0, dtype=np.int32), selection_weights=np.zeros((0, 1), dtype=np.float32),
    )  # fmt: skip


NONE = float("nan")


def test_references_know_only_earlier_rows() -> None:
    history = of_outputs([NONE, 1.0, NONE, 3.0, 8.0], [0.0] * 5)
    np.testing.assert_array_equal(history.last_value[:, 0], [NONE, NONE, 1.0, 1.0, 3.0])
    np.testing.assert_array_equal(history.mean[:, 0], [NONE, NONE, 1.0, 1.0, 2.0])


def test_errors_are_compared_over_the_same_rows() -> None:
    history = of_outputs([1.0, 3.0, NONE, 8.0, 9.0], [50.0, 2.0, 7.0, 7.0, 9.0])
    # Row 0 has no last value, row 2 no output. Errors of the model: 1, 1, 0; of the last value: 2, 5, 1.
    np.testing.assert_allclose(history.rmse()[:, 0], [NONE, 1.0, 1.0, 1.0, np.sqrt(2 / 3)])
    np.testing.assert_allclose(history.rmse(of="last_value")[:, 0], [NONE, 2.0, 2.0, np.sqrt(14.5), np.sqrt(10)])
    np.testing.assert_allclose(history.rmse(2)[:, 0], [NONE, 1.0, 1.0, 1.0, np.sqrt(0.5)])
    np.testing.assert_allclose(history.rmse(1)[:, 0], [NONE, 1.0, NONE, 1.0, 0.0])


def test_an_error_in_a_window_keeps_its_digits_after_a_huge_one() -> None:
    rng = np.random.default_rng(1)
    errors = rng.normal(size=100)
    errors[20] = 1e14
    history = of_outputs([0.0] * 100, list(errors))
    windowed = history.rmse(10)[:, 0]
    for t in range(31, 100):
        assert windowed[t] == pytest.approx(np.sqrt(np.mean(errors[t - 9 : t + 1] ** 2)), rel=1e-12)


def test_values_near_the_largest_number_give_finite_errors() -> None:
    history = of_outputs([1e300, -1e300, 1e300, 5e299], [0.0, 1e300, -1e300, 0.0])
    assert np.isfinite(history.r2()).all()
    assert np.isfinite(history.rmse()[1:]).all()
    assert np.isfinite(history.mean[1:]).all()


def test_turnover_counts_the_inputs_that_entered() -> None:
    history = of_outputs([0.0] * 4, [0.0] * 4)
    lists = [[0, 2], [2, 0], [2, 1, 3], []]
    selected = History(
        **{
            **vars(history),
            "names": ("a", "b", "c", "d"),
            "selection_rows": np.arange(4),
            "selection_starts": np.cumsum([0, *map(len, lists)]),
            "selection_inputs": np.asarray(sum(lists, []), dtype=np.int32),
            "selection_weights": None,
        }
    )
    assert list(selected.turnover()) == [2, 0, 2, 0]
    np.testing.assert_allclose(selected.stability(), [0.5, 0.25, 0.75, 0.25])
    assert selected.selected_at(1) == ("c", "a")
    with pytest.raises(ValueError, match="a log has no weights"):
        selected.weights_at(1)


def test_turnover_does_not_depend_on_how_much_is_computed_at_once(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    turnover, stability = history.turnover(), history.stability()
    monkeypatch.setattr("sluice._history._ENTRIES_AT_ONCE", 7)
    np.testing.assert_array_equal(history.turnover(), turnover)
    np.testing.assert_allclose(history.stability(), stability, rtol=1e-12)


def test_a_table_for_pandas_has_a_row_for_each_row(data: datasets.Dataset, history: History) -> None:
    pandas = pytest.importorskip("pandas")
    frame = history.to_pandas()
    assert list(frame.columns) == ["observed", "predicted", "low", "high", "last_value", "mean"]
    np.testing.assert_array_equal(frame["observed"], data.y)
    days = pandas.date_range("2020-01-01", periods=400, tz="Europe/Madrid")
    X = pandas.DataFrame(data.X, columns=data.names, index=days)
    Y = pandas.DataFrame({"one": data.y, "two": -data.y})
    both = sluice.follow(sluice.StreamRegressor(), X, Y.set_index(days))
    assert list(both.to_pandas().columns[:2]) == [("one", "observed"), ("one", "predicted")]
    assert both.to_pandas().index[0] == pandas.Timestamp("2020-01-01")
    selection = both.selection_to_pandas()
    assert list(selection.columns) == ["row", "time", "input", "weight.one", "weight.two"]
    assert set(selection[selection["row"] == 399]["input"]) == set(both.selected_at(399))


@pytest.mark.parametrize(
    ("times", "kind"),
    [
        (["2020-01-01", "2020-01-02"], "M"),
        (["2020-01-01 10:00:00", "2020-01-02 11:30:00"], "M"),
        (["1", "2"], "U"),
        (["2020-week", "2021-week"], "U"),
        ([1.5, 2.5], "f"),
        ([1, 2], "i"),
    ],
)
def test_times_are_dates_numbers_or_texts(times: list[Any], kind: str) -> None:
    history = sluice.follow(sluice.StreamRegressor(), [[1.0], [2.0]], [1.0, 2.0], times=times)
    assert history.times is not None
    assert history.times.dtype.kind == kind


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        (dict(every=0), ValueError, "every = 0: must be 1 or more"),
        (dict(every=1.5), TypeError, "every = 1.5: must be a whole number"),
        (dict(times=[1, 2]), ValueError, "times has 2 entries, X has 400 rows"),
        (dict(times=np.zeros((400, 2))), ValueError, "times has 2 dimensions"),
    ],
)
def test_a_wrong_argument_is_an_error(
    data: datasets.Dataset, arguments: dict[str, Any], kind: type[Exception], sentence: str
) -> None:
    model = sluice.StreamRegressor()
    with pytest.raises(kind, match=sentence):
        sluice.follow(model, data.X, data.y, **arguments)
    assert not hasattr(model, "rows_met_")  # as if it had not been called


def test_follow_needs_a_stream_regressor(data: datasets.Dataset) -> None:
    with pytest.raises(TypeError, match="needs a sluice.StreamRegressor, not a dict"):
        sluice.follow({}, data.X, data.y)  # type: ignore[arg-type]


def test_rows_outside_of_a_history_are_an_error(history: History) -> None:
    for row in (-1, 400):
        with pytest.raises(IndexError, match="the history has rows 0 to 399"):
            history.selected_at(row)
    with pytest.raises(ValueError, match="target = 'z': must be one of y"):
        history.weights_at(0, "z")
    with pytest.raises(ValueError, match="of = 'best'"):
        history.r2("best")
    with pytest.raises(ValueError, match="window = 0"):
        history.rmse(0)


def test_another_thread_gets_an_error_while_a_stream_is_followed() -> None:
    data = datasets.make_paper(rows=1500, seed=1)
    model = sluice.StreamRegressor().fit(data.X[:10], data.y[:10])

    def follow_when_alone() -> None:
        while model.rows_met_ < 1500:
            try:
                sluice.follow(model, data.X, data.y, every=1000)
            except RuntimeError:  # the other thread came first
                pass

    thread = threading.Thread(target=follow_when_alone)
    thread.start()
    sentence = ""
    while thread.is_alive() and not sentence:
        try:
            model.predict(data.X[:1])
        except RuntimeError as error:
            sentence = str(error)
    thread.join()
    assert "another thread is using this model" in sentence


def test_an_interrupt_ends_following_between_two_rows() -> None:
    data = datasets.make_paper(rows=200_000, seed=1)
    model = sluice.StreamRegressor()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores the signal
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            sluice.follow(model, data.X, data.y, every=1000)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < model.rows_met_ < 200_000
    assert len(model.predict(data.X[:1])) == 1


# ---- logs


def test_a_log_of_the_tool_has_what_following_has(tmp_path: Path, data: datasets.Dataset, history: History) -> None:
    pytest.importorskip("pandas")
    table, log, summary = (tmp_path / name for name in ("table.csv", "log.ndjson", "summary.json"))
    frame = data.frame()
    frame.insert(0, "day", np.datetime64("2020-01-01") + np.arange(len(data)))
    frame.to_csv(table, index=False)
    command = [built_tool(), "stream", str(table), "--targets", "y1", "--time", "day", "--out", str(log)]
    subprocess.run([*command, "--interval", "0.9", "--summary", str(summary), "--quiet"], check=True)
    read = History.from_log(log)
    assert read.targets == ("y1",)
    assert read.times is not None
    assert str(read.times[3])[:10] == "2020-01-04"
    np.testing.assert_array_equal(read.observed, history.observed)
    np.testing.assert_array_equal(read.predicted, history.predicted)
    assert np.isfinite(read.low[20:]).all()
    np.testing.assert_array_equal(read.low, history.low)
    np.testing.assert_array_equal(read.high, history.high)
    for row in (50, 220, 399):  # names of the tool count from 1
        assert {int(name[1:]) - 1 for name in read.selected_at(row)} == {int(n[1:]) for n in history.selected_at(row)}
    ours = [(event.row, event.kind, event.since) for event in history.events if event.kind in ("drift", "suspect")]
    assert [(event.row, event.kind, event.since) for event in read.events if event.kind in ("drift", "suspect")] == ours
    assert any(event.kind == "entered" for event in read.events)
    told = json.loads(summary.read_text())
    assert read.turnover().mean() == pytest.approx(told["mean_turnover"])
    compared = told["targets"]["y1"]["compared"] if "targets" in told else told["errors"]["y1"]["compared"]
    for ours_name in ("model", "last_value", "mean"):
        assert read.rmse(of=ours_name)[-1, 0] == pytest.approx(compared[ours_name]["rmse"], rel=1e-12)


def record(row: int, **members: Any) -> bytes:
    whole = {"row": row, "predicted": {"y": 1.0}, "observed": {"y": None}, "selected": [["a", "b"], ["b", "c"]]}
    return json.dumps({**whole, **members}).encode() + b"\n"


def test_a_late_label_is_observed_in_its_own_row(tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson.gz"
    late = record(3, label_of=1, observed={"y": 5.0})
    log.write_bytes(gzip.compress(record(1) + record(2, observed={"y": 2.0}) + record(3) + late + record(4)))
    history = History.from_log(log)
    np.testing.assert_array_equal(history.observed[:, 0], [5.0, 2.0, NONE, NONE])
    assert history.selected_at(0) == ("a", "b", "c")
    assert np.isnan(history.low).all()


def test_a_log_may_begin_in_the_middle(tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    drift = {"event": "drift", "row": 101, "since": 95, "entered": ["c"], "left": []}
    log.write_bytes(record(100) + record(101, events=[drift]))
    (event,) = History.from_log(log).events
    assert (event.row, event.kind, event.inputs, event.since) == (1, "drift", ("c",), -5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "has no records"),
        (b"row,predicted\n1,2\n", "line 1: not a record"),
        (record(1) + b'{"row": 2, "predic', "line 2: not a record"),
        (record(1) + b"[1]\n", "line 2: not a record"),
        (record(1) + b'{"row": 2}\n', "line 2: not a record"),
        (record(1) + record(2, predicted={"y": "high"}), "line 2: not a record"),
        (record(1) + record(2, selected=5), "line 2: not a record"),
        (b"\xff\xfe\x00\n", "line 1: not a record"),
    ],
)
def test_a_damaged_log_is_an_error_that_names_the_line(tmp_path: Path, text: bytes, sentence: str) -> None:
    log = tmp_path / "log.ndjson"
    log.write_bytes(text)
    with pytest.raises(ValueError, match=sentence):
        History.from_log(log)
