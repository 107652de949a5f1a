"""sluice.river with frames, several targets and files."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("river")
pandas = pytest.importorskip("pandas")

from built_tool import built_tool  # noqa: E402

import sluice  # noqa: E402
from sluice.river import StreamMultiTargetRegressor, StreamRegressor  # noqa: E402


def frame(rows: int, columns: list[str], seed: int = 1) -> tuple[Any, Any]:
    """y = 2 x3 - x7 + noise, whether or not they are among the columns."""
    rng = np.random.default_rng(seed)
    X = pandas.DataFrame(rng.normal(size=(rows, 10)), columns=[f"x{j}" for j in range(10)])
    y = 2 * X["x3"] - X["x7"] + 0.1 * rng.normal(size=rows)
    return X[columns], y.rename("y")


def records(X: Any) -> list[dict[Any, Any]]:
    return [dict(zip(X.columns, row)) for row in X.itertuples(index=False, name=None)]


PARTS = [["x3", "x1"], ["x1", "x3", "x7", "x5"], ["x9", "x7"], ["x2"], [f"x{j}" for j in range(10)]]


def test_many_rows_are_as_good_as_one_by_one() -> None:
    one, many = StreamRegressor(), StreamRegressor()
    for seed, columns in enumerate(PARTS):
        X, y = frame(40, columns, seed)
        X = X.mask(np.random.default_rng(seed).random(X.shape) < 0.05)
        for x, output in zip(records(X), y):
            one.learn_one(x, output)
        many.learn_many(X, y)
        assert many.predict_many(X).tolist() == [one.predict_one(x) for x in records(X)]
        assert pickle.dumps(one) == pickle.dumps(many)
    X, _ = frame(3, ["x7", "x3"])
    X["unknown"] = 1.0
    assert many.predict_many(X).tolist() == [one.predict_one(x) for x in records(X)]


def test_many_rows_of_several_targets_are_as_good_as_one_by_one() -> None:
    one, many = StreamMultiTargetRegressor(), StreamMultiTargetRegressor()
    for seed, columns in enumerate(PARTS):
        X, y = frame(40, columns, seed)
        Y = pandas.DataFrame({"u": y, "v": -y}) if seed == 0 else pandas.DataFrame({"v": -y.mask(y > 1)})
        for x, outputs in zip(records(X), records(Y)):
            one.learn_one(x, outputs)
        many.learn_many(X, Y)
        assert records(many.predict_many(X)) == [one.predict_one(x) for x in records(X)]
        assert pickle.dumps(one) == pickle.dumps(many)


def test_the_index_and_the_kind_of_a_frame_are_kept() -> None:
    polars = pytest.importorskip("polars")
    X, y = frame(60, ["x3", "x7"])
    model, several = StreamRegressor(), StreamMultiTargetRegressor()
    assert model.predict_many(X).tolist() == [0.0] * 60
    assert several.predict_many(X).shape == (60, 0)
    model.learn_many(X, y.rename("speed"))
    several.learn_many(X, pandas.DataFrame({"u": y, "v": -y}))
    X.index = [f"row {i}" for i in range(60)]
    assert model.predict_many(X).index.tolist() == X.index.tolist()
    assert model.predict_many(X).name == "speed"
    assert several.predict_many(X).index.tolist() == X.index.tolist()
    of_polars = polars.DataFrame({name: X[name].to_numpy() for name in X.columns})
    assert isinstance(model.predict_many(of_polars), polars.Series)
    assert model.predict_many(of_polars).to_list() == model.predict_many(X).tolist()
    assert several.predict_many(of_polars).columns == ["u", "v"]


@pytest.mark.parametrize("dtype", ["float32", "int64", "Int64", "Float64", "bool", "boolean", object])
def test_columns_of_any_numbers_are_as_good_as_one_by_one(dtype: Any) -> None:
    X, y = frame(50, ["x3", "x7", "x9"])
    numbers = (3 * X["x3"]).round().astype("int64")
    X["x3"] = (numbers > 0 if dtype == "boolean" else numbers).astype(dtype)
    if dtype in ("Int64", "Float64", "boolean", object):
        X.loc[5, "x3"] = None
    one, many = StreamRegressor(), StreamRegressor()
    for x, output in zip(records(X), y):
        one.learn_one(x, output)
    many.learn_many(X, y)
    assert pickle.dumps(one) == pickle.dumps(many)


def test_a_bad_frame_is_refused_whole() -> None:
    X, y = frame(20, ["x3", "x7"])
    model = StreamRegressor()
    model.learn_many(X, y)
    before = pickle.dumps(model)
    for bad, error, message in (
        (X.assign(new=np.where(X.index == 4, np.inf, 0.0)), ValueError, r"x\['new'\] is inf in row 4: must be finite"),
        (X.assign(new="text"), TypeError, r"x\['new'\] is of type str: must be a number"),
        (X.assign(new=pandas.Timestamp("2020-01-01")), TypeError, r"x\['new'\] is of type"),
        (X.iloc[:5], ValueError, "x has 5 rows, y has 20"),
        (X.rename(columns={"x3": "x7"}), ValueError, "(?i)unique|duplicate"),
        (X.rename(columns={"x3": 1, "x7": "1"}), ValueError, "two keys with the text '1'"),
    ):
        with pytest.raises(error, match=message):
            model.learn_many(bad, y)
    for bad_y, error, message in (
        (y.mask(y > 1, np.inf), ValueError, "y is inf in row"),
        (y.astype(str), TypeError, "y is of type str"),
        (np.zeros((20, 2)), ValueError, "y has 2 dimensions"),
    ):
        with pytest.raises(error, match=message):
            model.learn_many(X.assign(new=1.0), bad_y)
    with pytest.raises(TypeError):
        model.learn_many(X.to_numpy(), y)
    assert pickle.dumps(model) == before


def test_a_frame_without_rows_changes_nothing() -> None:
    X, y = frame(20, ["x3", "x7"])
    model = StreamRegressor()
    model.learn_many(X.iloc[:0], y.iloc[:0])
    assert model.rows_met == 0 and model.feature_names == ()
    model.learn_many(X, y)
    model.learn_many(X.assign(new=1.0).iloc[:0], y.iloc[:0])
    assert model.feature_names == ("x3", "x7")
    model.learn_many(X[[]], y)
    assert model.rows_met == 40


# ---- several targets


def test_targets_are_those_of_the_first_row_that_has_some() -> None:
    model = StreamMultiTargetRegressor()
    assert model.predict_one({"a": 1.0}) == {}
    model.learn_one({"a": 1.0}, {})
    assert model.rows_met == 0
    model.learn_one({"a": 1.0}, {"v": 1.0, "u": None})
    assert model.target_names == ("u", "v")
    with pytest.raises(ValueError, match="y has unknown targets 'w', 3: those of the first row .* are 'u', 'v'"):
        model.learn_one({"a": 1.0}, {"u": 1.0, "w": 2.0, 3: 1.0})
    with pytest.raises(ValueError, match="y has unknown targets 'w'"):
        model.learn_many(pandas.DataFrame({"a": [1.0]}), pandas.DataFrame({"w": [1.0]}))
    with pytest.raises(TypeError, match="y is of type float: must be a dict"):
        model.learn_one({"a": 1.0}, 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"y\['u'\] is of type str"):
        model.learn_one({"a": 1.0}, {"u": "1"})  # type: ignore[dict-item]
    assert model.rows_met == 1
    assert list(model.predict_one({"a": 1.0})) == ["u", "v"]
    assert list(model.predict_interval_one({"a": 1.0})) == ["u", "v"]


def test_a_missing_target_is_not_learnt_from() -> None:
    rng = random.Random(1)
    model = StreamMultiTargetRegressor()
    for t in range(400):
        x = {name: rng.gauss(0, 1) for name in "abcdef"}
        y = {"u": 2 * x["b"], "v": -x["e"]}
        if t % 2:
            del y["u"]
        model.learn_one(x, y)
    assert set(model.selected_names) == {"b", "e"}
    assert model.weights["u"]["b"] == pytest.approx(2, abs=0.05)
    assert model.one_step_r2["v"] > 0.9


def test_targets_may_have_the_names_of_features() -> None:
    model, single = StreamMultiTargetRegressor(), StreamRegressor()
    for t in range(30):
        x = {"u": float(t % 5)} if t < 10 else {"u": float(t % 5), "v": 1.0 * t}
        model.learn_one(x, {"u": t % 5, "v": 0.5 * t})
        single.learn_one({"y": float(t % 5)}, t % 5)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.predict_one({"u": 1.0}) == model.predict_one({"u": 1.0})
    assert list(loaded.predict_one({})) == ["u", "v"]
    assert pickle.loads(pickle.dumps(single)).predict_one({"y": 3.0}) == single.predict_one({"y": 3.0})


# ---- files


def test_files_keep_names_and_bits(tmp_path: Path) -> None:
    X, y = frame(100, [f"x{j}" for j in range(10)])
    model = StreamRegressor()
    model.learn_many(X, y)
    model.save(tmp_path / "model", target="speed")
    loaded = StreamRegressor.load(tmp_path / "model")
    arrays = sluice.StreamRegressor.load(tmp_path / "model")
    assert loaded.target_name == "speed"
    assert loaded.feature_names == model.feature_names
    assert loaded.predict_many(X).tolist() == model.predict_many(X).tolist() == arrays.predict(X).tolist()
    loaded.learn_one({"x3": 1.0, "new": 1.0}, 1.0)
    model.learn_one({"x3": 1.0, "new": 1.0}, 1.0)
    assert loaded.predict_one({"new": 2.0}) == model.predict_one({"new": 2.0})
    arrays.save(tmp_path / "arrays")
    assert (tmp_path / "arrays").read_bytes() == (tmp_path / "model").read_bytes()


def test_keys_are_found_by_their_texts_after_loading_a_file(tmp_path: Path) -> None:
    rng = random.Random(1)
    model = StreamMultiTargetRegressor()
    for _ in range(100):
        x = {j: rng.gauss(0, 1) for j in range(12)}
        model.learn_one(x, {0: x[3], 1: x[11]})
    model.save(tmp_path / "model")
    loaded = StreamMultiTargetRegressor.load(tmp_path / "model")
    assert list(loaded.predict_one({})) == ["0 (target)", "1 (target)"]
    values = list(model.predict_one({3: 1.0, 11: 2.0}).values())
    assert list(loaded.predict_one({3: 1.0, 11: 2.0}).values()) == values
    assert list(loaded.predict_one({"3": 1.0, "11": 2.0}).values()) == values
    for row in ({"3": 1.0, 3: 2.0}, {3: 2.0, "3": 1.0}):
        with pytest.raises(ValueError, match="x has two keys with the text '3'"):
            loaded.predict_one(row)
    loaded.learn_one({3: 1.0, "other": 2.0}, {})
    assert loaded.feature_names == (*(str(j) for j in range(12)), "other")


def test_a_file_of_several_targets_is_refused_where_one_is_expected(tmp_path: Path) -> None:
    model = StreamMultiTargetRegressor()
    with pytest.raises(ValueError, match="no row was learnt yet"):
        model.save(tmp_path / "model")
    model.learn_one({"a": 1.0}, {"u": 1.0, "v": 2.0})
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="a model of 2 targets: load it with StreamMultiTargetRegressor"):
        StreamRegressor.load(tmp_path / "model")
    assert StreamMultiTargetRegressor.load(tmp_path / "model").target_names == ("u", "v")


def test_the_tool_takes_a_model_of_river_and_gives_it_back(tmp_path: Path) -> None:
    X, y = frame(300, [f"x{j}" for j in range(10)])
    pandas.concat([X, y.rename("speed")], axis=1).to_csv(tmp_path / "rows.csv", index=False)
    command = [built_tool(), "stream", "rows.csv", "--targets", "speed", "--checkpoint", "tool.sluice", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    model = StreamRegressor.load(tmp_path / "tool.sluice")
    assert model.selected_names == ("x3", "x7")
    assert model.target_name == "speed"
    model.learn_one({"x3": 1.0, "new": 2.0}, 2.0)
    model.save(tmp_path / "river.sluice")
    command = [built_tool(), "inspect", "river.sluice"]
    seen = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "speed" in seen.stdout and "x3" in seen.stdout
    X = X.assign(new=0.5)
    X.to_csv(tmp_path / "more.csv", index=False)
    command = [built_tool(), "predict", "river.sluice", "more.csv", "--out-format", "ndjson"]
    lines = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()
    predicted = [json.loads(line)["predicted"]["speed"] for line in lines]
    assert predicted == model.predict_many(X).tolist()


# ---- threads


def test_threads_that_bring_the_same_new_features_do_no_harm() -> None:
    model = StreamRegressor()
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for t in range(60):
            try:
                model.learn_one({f"x{j}": rng.gauss(0, 1) for j in range(1 + t // 3)}, rng.gauss(0, 1))
            except RuntimeError as error:
                assert "another thread is using this model" in str(error)
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert model.feature_names == tuple(f"x{j}" for j in range(20))
