"""sluice.river in river's own tools."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("river")

from river import base, checks, compose, datasets, evaluate, linear_model, metrics, preprocessing, stream  # noqa: E402

import sluice  # noqa: E402
import sluice.river  # noqa: E402
from sluice.river import StreamMultiTargetRegressor, StreamRegressor  # noqa: E402

Row = dict[Any, Any]


def rows_of(count: int, features: int, seed: int = 1) -> Iterator[tuple[Row, float]]:
    """y = 2 x3 - x7 + noise"""
    rng = random.Random(seed)
    for _ in range(count):
        x = {f"x{j}": rng.gauss(0, 1) for j in range(features)}
        yield x, 2 * x["x3"] - x.get("x7", 0.0) + rng.gauss(0, 0.1)


def taught(count: int = 200, features: int = 12) -> StreamRegressor:
    model = StreamRegressor()
    for x, y in rows_of(count, features):
        model.learn_one(x, y)
    return model


def all_checks() -> Iterator[Any]:
    for model in (StreamRegressor(), StreamMultiTargetRegressor()):
        for number, check in enumerate(checks.yield_checks(model)):
            yield pytest.param(model, check, id=f"{type(model).__name__}-{number}-{check.__name__}")


@pytest.mark.parametrize(("model", "check"), list(all_checks()))
def test_every_check_of_river_passes(model: base.Estimator, check: Callable[[base.Estimator], None]) -> None:
    assert not model._unit_test_skips()
    check(model.clone())


def test_river_sees_the_kinds_of_regressors() -> None:
    assert isinstance(StreamRegressor(), base.MiniBatchRegressor)
    assert isinstance(StreamMultiTargetRegressor(), base.MultiTargetRegressor)
    assert not isinstance(StreamMultiTargetRegressor(), base.Regressor)


# ---- in river's tools


def test_progressive_validation_beats_the_linear_model_on_a_stream_of_river() -> None:
    def mae(model: Any) -> float:
        return float(evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE()).get())

    assert mae(StreamRegressor()) < 0.5 * mae(preprocessing.StandardScaler() | linear_model.LinearRegression())


def test_a_pipeline_with_a_scaler_learns() -> None:
    model = preprocessing.StandardScaler() | StreamRegressor()
    metric = evaluate.progressive_val_score(rows_of(400, 12), model, metrics.R2())
    assert metric.get() > 0.9
    assert model["StreamRegressor"].selected_names == ("x3", "x7")
    copied = pickle.loads(pickle.dumps(model))
    x, _ = next(rows_of(1, 12, seed=5))
    assert copied.predict_one(x) == model.predict_one(x)


def test_a_pipeline_takes_frames() -> None:
    pandas = pytest.importorskip("pandas")
    model = preprocessing.StandardScaler() | StreamRegressor()
    rows = list(rows_of(200, 12))
    X, y = pandas.DataFrame([x for x, _ in rows]), pandas.Series([y for _, y in rows])
    model.learn_many(X, y)
    predicted = model.predict_many(X)
    assert np.corrcoef(predicted, y)[0, 1] > 0.98


def test_select_leaves_the_model_only_some_features() -> None:
    model = compose.Select("x3", "x4") | StreamRegressor()
    for x, y in rows_of(200, 12):
        model.learn_one(x, y)
    assert model["StreamRegressor"].feature_names == ("x3", "x4")
    assert model["StreamRegressor"].selected_names == ("x3",)


def test_progressive_validation_of_several_targets() -> None:
    from sklearn.datasets import load_linnerud

    metric = metrics.multioutput.MicroAverage(metrics.MAE())
    model = StreamMultiTargetRegressor()
    evaluate.progressive_val_score(stream.iter_sklearn_dataset(load_linnerud(), shuffle=True, seed=42), model, metric)
    assert metric.get() < 14  # 12.7 in the example of river's PerOutputRegressor
    assert len(model.target_names) == 3


def test_memory_is_that_of_the_model() -> None:
    model = taught()
    assert model._core is not None
    assert model._raw_memory_usage > model._core.nbytes > 10_000
    for x, y in rows_of(100, 12, seed=2):
        model.learn_one(x, y)
    before = model._raw_memory_usage
    for x, y in rows_of(500, 12, seed=3):
        model.learn_one(x, y)
    assert model._raw_memory_usage <= 1.5 * before


# ---- features that come and go


def test_a_new_driver_is_found() -> None:
    rng = random.Random(3)
    model = StreamRegressor()
    for t in range(600):
        x = {f"x{j}": rng.gauss(0, 1) for j in range(20)}
        hidden = {f"z{j}": rng.gauss(0, 1) for j in range(5)}
        y = x["x4"] + 2 * hidden["z2"] + rng.gauss(0, 0.1)
        if t >= 300:
            x |= hidden
        model.learn_one(x, y)
        if t == 299:
            assert "x4" in model.selected_names
    assert model.selected_names == ("x4", "z2")
    assert model.weights["z2"] == pytest.approx(2, abs=0.1)
    assert model.one_step_r2 > 0.4
    assert [event.inputs for event in model.events if event.kind == "entered" and "z2" in event.inputs]


def test_a_vanished_feature_is_missing() -> None:
    one, other = taught(), taught()
    for x, y in rows_of(50, 12, seed=2):
        one.learn_one({name: value for name, value in x.items() if name != "x3"}, y)
        other.learn_one(x | {"x3": None}, y)
        assert one.predict_one({"x7": 1.0}) == other.predict_one(dict.fromkeys(x, float("nan")) | {"x7": 1.0})
    assert one.report is not None
    assert one.report.missing_inputs == 1
    assert pickle.dumps(one) == pickle.dumps(other)


def test_features_are_as_good_as_missing_before_they_come() -> None:
    late, early = StreamRegressor(), StreamRegressor()
    for t, (x, y) in enumerate(rows_of(200, 12)):
        known = x if t >= 100 else {name: x[name] for name in list(x)[:6]}
        late.learn_one(known, y)
        early.learn_one({**dict.fromkeys(x), **known}, y)
    assert late.selected_names == early.selected_names
    x, _ = next(rows_of(1, 12, seed=5))
    assert late.predict_one(x) == pytest.approx(early.predict_one(x), rel=1e-9)


def test_the_order_of_keys_does_not_matter() -> None:
    rng = random.Random(1)
    one, other = StreamRegressor(), StreamRegressor()
    for t, (x, y) in enumerate(rows_of(150, 12)):
        x = x if t > 50 else {name: x[name] for name in list(x)[:9]}
        names = rng.sample(list(x), len(x))
        one.learn_one(x, y)
        other.learn_one({name: x[name] for name in names}, y)
        assert one.predict_one(x) == other.predict_one({name: x[name] for name in reversed(names)})
    assert pickle.dumps(one) == pickle.dumps(other)


def test_arrays_in_the_order_of_names_give_the_same_bits() -> None:
    rows = list(rows_of(300, 12))
    arrays = sluice.StreamRegressor()
    dicts = StreamRegressor()
    for x, y in rows:
        arrays.partial_fit(np.array([list(x.values())]), np.array([y]))
        dicts.learn_one(x, y)
    X = np.array([list(x.values()) for x, _ in rows])
    assert arrays.predict(X).tolist() == [dicts.predict_one(x) for x, _ in rows]
    low, high = arrays.predict_interval(X)
    assert list(zip(low.tolist(), high.tolist())) == [dicts.predict_interval_one(x) for x, _ in rows]
    assert arrays.selected_names_ == dicts.selected_names
    assert [event.row for event in arrays.events_] == [event.row for event in dicts.events]


def test_unknown_features_are_ignored_when_predicting() -> None:
    model = taught()
    x, _ = next(rows_of(1, 12))
    assert model.predict_one(x | {"other": 3.0}) == model.predict_one(x)
    assert "other" not in model.feature_names


def test_rows_without_features_are_ignored_until_there_is_one() -> None:
    model = StreamRegressor()
    assert model.predict_one({}) == 0.0
    model.learn_one({}, 1.0)
    assert model.rows_met == 0
    assert model.predict_one({}) == 0.0
    model.learn_one({"a": 1.0}, 1.0)
    model.learn_one({}, 1.0)
    assert model.rows_met == 2


def test_a_group_for_each_input_is_refused() -> None:
    with pytest.raises(ValueError, match="groups has a group for each input"):
        StreamRegressor(penalty="group_lasso", groups=[0, 0, 1]).learn_one({"a": 1, "b": 2, "c": 3}, 1)


# ---- values and keys


class Odd:
    def __float__(self) -> float:
        return 1.0


ONES = [1, True, np.float32(1), np.int8(1), np.uint64(1), np.True_, np.float64(1), np.float16(1)]
TIMES = [np.datetime64("2020-01-01"), np.timedelta64(1, "s")]
NO_NUMBERS = ["1", b"1", [1.0], 1j, Odd(), np.str_("1"), np.array(1.0), *TIMES]


@pytest.mark.parametrize("value", ONES)
def test_numbers_of_python_and_numpy_are_the_same(value: Any) -> None:
    model = taught()
    assert model.predict_one({"x3": value}) == model.predict_one({"x3": 1.0})


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_is_an_error_with_its_name(value: Any) -> None:
    model = taught()
    before = pickle.dumps(model)
    for call in (model.predict_one, lambda x: model.learn_one(x, 1.0), StreamRegressor().predict_one):
        with pytest.raises(TypeError, match=r"x\['x3'\] is of type .*: must be a number"):
            call({"new": 1.0, "x3": value})
    with pytest.raises(TypeError, match="y is of type"):
        model.learn_one({"new": 1.0}, value)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("value", [float("inf"), -np.inf, np.float32("inf"), 10**400])
def test_infinite_values_are_an_error_with_their_name(value: Any) -> None:
    model = taught()
    before = pickle.dumps(model)
    for _ in range(2):  # the second time the key is where it was
        with pytest.raises(ValueError, match=r"x\['x3'\] is .*must be finite, or NaN where missing"):
            model.learn_one({"new": 1.0, "x3": value}, 1.0)
        with pytest.raises(ValueError, match=r"x\['x3'\] is .*must be finite, or NaN where missing"):
            model.predict_one({"x3": value})
    with pytest.raises(ValueError, match="y is .*must be finite"):
        model.learn_one({"x3": 1.0, "new": 1.0}, value)
    assert pickle.dumps(model) == before


def test_pandas_missing_value_is_missing() -> None:
    pandas = pytest.importorskip("pandas")
    model = taught()
    assert model.predict_one({"x3": pandas.NA}) == model.predict_one({"x3": None})


@pytest.mark.parametrize("x", [None, 3, [1.0], "text", np.zeros(3)])
def test_a_row_must_be_a_dict(x: Any) -> None:
    for model in (StreamRegressor(), taught()):
        with pytest.raises(TypeError, match="x is of type .*: must be a dict"):
            model.predict_one(x)
        with pytest.raises(TypeError, match="x is of type .*: must be a dict"):
            model.learn_one(x, 1.0)


def test_any_mapping_is_a_row() -> None:
    from collections import OrderedDict, UserDict, defaultdict

    model = taught()
    x, _ = next(rows_of(1, 12))
    for row in (UserDict(x), OrderedDict(x), defaultdict(float, x)):
        assert model.predict_one(row) == model.predict_one(x)


def test_keys_may_be_anything_hashable() -> None:
    rng = random.Random(1)
    model = StreamRegressor()
    keys = [7, ("a", 1), "x", 2.5, None, frozenset({3})]
    for _ in range(200):
        x = {key: rng.gauss(0, 1) for key in keys}
        model.learn_one(x, 2 * x[("a", 1)] - x[7] + rng.gauss(0, 0.1))
    assert {7, ("a", 1)} <= set(model.selected_names)
    assert {importance.input for importance in model.importances} == {str(key) for key in model.selected_names}
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.feature_names == model.feature_names
    assert loaded.predict_one({7: 1.0}) == model.predict_one({7: 1.0}) != model.predict_one({7: 2.0})


def test_two_keys_with_one_text_are_an_error() -> None:
    message = "x has two keys with the text '1', one of them .*rename one of them"
    with pytest.raises(ValueError, match=message):
        StreamRegressor().learn_one({1: 1.0, "1": 2.0}, 1.0)
    model = StreamRegressor()
    model.learn_one({"1": 1.0}, 1.0)
    with pytest.raises(ValueError, match=message):
        model.learn_one({1: 1.0}, 1.0)
    with pytest.raises(ValueError, match="cannot be written to a file"):
        model.learn_one({"\ud800": 1.0}, 1.0)


NAMES = st.one_of(st.sampled_from(["a", "b", "c", "y", ""]), st.text(max_size=2))
KEYS = st.one_of(NAMES, st.integers(-2, 2), st.none(), st.booleans())
VALUES = st.one_of(st.floats(), st.integers(), st.none(), st.booleans(), st.text(max_size=1), st.just([]))
ROWS = st.lists(st.tuples(st.dictionaries(KEYS, VALUES, max_size=5), VALUES), max_size=12)


@given(ROWS)
def test_any_rows_are_learnt_or_refused_with_an_error(rows: list[tuple[Row, Any]]) -> None:
    model = StreamRegressor()
    for x, y in rows:
        before = pickle.dumps(model)
        try:
            model.learn_one(x, y)
        except (TypeError, ValueError):
            assert pickle.dumps(model) == before
        try:
            assert math.isfinite(model.predict_one(x))
        except (TypeError, ValueError):
            pass
    assert pickle.dumps(pickle.loads(pickle.dumps(model))) == pickle.dumps(model)


class Fickle:
    """A key that changes the row while it is read."""

    def __init__(self) -> None:
        self.row: Row = {}

    def __hash__(self) -> int:
        return hash("x3")

    def __eq__(self, other: object) -> bool:
        self.row.clear()
        return False


def test_a_row_that_changes_while_it_is_read_does_no_harm() -> None:
    model = taught()
    key = Fickle()
    key.row = {"x1": 1.0, key: 2.0, "x3": 3.0}
    assert isinstance(model.predict_one(key.row), float)


class Reentrant:
    """A key that uses the model while it reads a row."""

    model: StreamRegressor

    def __hash__(self) -> int:
        return hash("x3")

    def __eq__(self, other: object) -> bool:
        self.model.predict_one({"x3": 1.0})
        return False


def test_a_model_that_is_used_while_it_reads_is_an_error() -> None:
    key = Reentrant()
    key.model = taught()
    with pytest.raises(RuntimeError, match="another thread is using this model"):
        key.model.predict_one({key: 1.0})


def test_options_are_checked_with_the_sentence_of_the_core() -> None:
    with pytest.raises(ValueError, match="keep = 12: must be 1 to 2, the number of inputs"):
        StreamRegressor(keep=12).learn_one({"a": 1.0, "b": 1.0}, 1.0)


# ---- copies


def test_a_copy_goes_on_by_itself() -> None:
    model = taught()
    twin = copy.deepcopy(model)
    kept = model.clone(include_attributes=True)
    before = pickle.dumps(model)
    assert pickle.dumps(twin) == before
    for x, y in rows_of(20, 14, seed=2):
        twin.learn_one(x, y)
        kept.learn_one(x, y)
    assert pickle.dumps(model) == before
    assert pickle.dumps(twin) == pickle.dumps(kept)


def test_a_loaded_model_is_pickled_to_the_same_bytes() -> None:
    model = StreamRegressor()
    for x, y in rows_of(100, 12):
        model.learn_one(x | {"keep": x["x1"], "auto": x["x2"], "_core": 1.0, "": 2.0, "y": 0.0}, y)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        first = pickle.dumps(model, protocol)
        assert pickle.dumps(pickle.loads(first), protocol) == first
    several = StreamMultiTargetRegressor()
    several.learn_one({"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0})
    assert pickle.dumps(pickle.loads(pickle.dumps(several))) == pickle.dumps(several)


def test_a_shallow_copy_has_a_model_of_its_own() -> None:
    model = taught()
    shallow = copy.copy(model)
    model.learn_one({"new": 1.0}, 1.0)
    assert "new" not in shallow.feature_names
    shallow.learn_one({"new": 1.0}, 1.0)
    assert pickle.dumps(shallow) == pickle.dumps(model)
