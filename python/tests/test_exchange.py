"""C++ and Python give the same bits on the same rows; model files go both ways between Python and the `sluice` tool."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built_tool import built_tool
import sluice

INPUTS = ["temp", "pressure", "flow rate", "x0", "pH"]


def tool(*arguments: object) -> str:
    command = [built_tool(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_and_outputs(rows: int = 300, outputs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(rows, len(INPUTS))) * [1, 1e-3, 1e5, 1, 7] + [20, 0, 1e6, 0, 7]
    noise = 0.1 * rng.normal(size=(rows, outputs))
    y = np.column_stack([(X[:, 0] - 20) - 500 * X[:, 1], (X[:, 2] - 1e6) / 1e5])[:, :outputs] + noise
    X[rng.random(X.shape) < 0.05] = np.nan
    y[rng.random(y.shape) < 0.02] = np.nan
    y[-1] = 1.0
    return X, y


def write_csv(path: Path, X: np.ndarray, y: np.ndarray | None, targets: list[str]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*INPUTS, *targets] if y is not None else INPUTS)
        for t in range(len(X)):
            cells = [*X[t], *(y[t] if y is not None else [])]
            writer.writerow(["" if np.isnan(cell) else repr(float(cell)) for cell in cells])


def lagged(X: np.ndarray, lags: list[int]) -> np.ndarray:
    """All lags of the first column, then of the second; before the first row nothing is known."""
    columns = []
    for j in range(X.shape[1]):
        for lag in lags:
            columns.append(np.concatenate([np.full(lag, np.nan), X[: len(X) - lag, j]]))
    return np.column_stack(columns)


def require_same(model: sluice.StreamRegressor, other: sluice.StreamRegressor, X: np.ndarray) -> None:
    np.testing.assert_array_equal(model.coef_.ravel(), other.coef_.ravel())
    np.testing.assert_array_equal(np.ravel(model.intercept_), np.ravel(other.intercept_))
    np.testing.assert_array_equal(model.selected_, other.selected_)
    np.testing.assert_array_equal(model._core.predict(X), other._core.predict(X))
    assert model.rows_met_ == other.rows_met_


OPTIONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "self-tuning": ([], {}),
    "given structure": (
        ["--components", "2", "--keep", "3", "--forgetting", "0.98", "--shrinkage", "2"],
        {"components": 2, "keep": 3, "forgetting": 0.98, "shrinkage": 2.0},
    ),
    "other options": (
        ["--names", "2", "--robust", "no", "--alarms", "no", "--ridge", "0.001"],
        {"names": 2, "robust": False, "alarms": False, "ridge": 0.001},
    ),
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("outputs", [1, 2])
def test_the_tool_and_python_learn_the_same_bits(options: str, outputs: int, tmp_path: Path) -> None:
    X, y = rows_and_outputs(outputs=outputs)
    targets = ["y", "second"][:outputs]
    write_csv(tmp_path / "rows.csv", X, y, targets)
    flags, keywords = OPTIONS[options]
    tool("stream", tmp_path / "rows.csv", "-t", ",".join(targets), "--checkpoint", tmp_path / "model", *flags)
    loaded = sluice.StreamRegressor.load(tmp_path / "model")
    learned = sluice.StreamRegressor(**keywords).fit(X, y if outputs > 1 else y[:, 0])
    require_same(loaded, learned, X)
    assert list(loaded.feature_names_in_) == INPUTS
    assert loaded._core.target_names == targets


def test_the_predictions_of_the_tool_are_those_of_python(tmp_path: Path) -> None:
    X, y = rows_and_outputs()
    write_csv(tmp_path / "rows.csv", X, y, ["y"])
    tool("stream", tmp_path / "rows.csv", "-t", "y", "-o", tmp_path / "out.ndjson")
    records = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text().splitlines()]
    told = [record["predicted"] for record in records]
    told = [value["y"] if isinstance(value, dict) else value for value in told]
    ours = sluice.StreamRegressor().fit(X[:1], y[:1, 0])
    later = ours.predict_then_learn(X[1:], y[1:, 0])
    np.testing.assert_allclose(np.ravel(told)[1:].astype(float), later, rtol=1e-15)


@pytest.mark.parametrize("frame", ["pandas", "polars", "numpy"])
def test_the_tool_reads_what_python_saves(frame: str, tmp_path: Path) -> None:
    X, y = rows_and_outputs()
    named: Any = X
    if frame != "numpy":
        library = pytest.importorskip(frame)
        named = library.DataFrame({name: X[:, j] for j, name in enumerate(INPUTS)})
    model = sluice.StreamRegressor().fit(named, y[:, 0])
    model.save(tmp_path / "model")
    shown = json.loads(tool("inspect", tmp_path / "model", "--json"))
    names = INPUTS if frame != "numpy" else [f"x{j}" for j in range(len(INPUTS))]
    text = json.dumps(shown)
    assert all(json.dumps(name) in text for name in model.selected_names_)
    assert set(model.selected_names_) <= set(names)
    if frame != "numpy":
        write_csv(tmp_path / "new.csv", X, None, [])
        told = tool("predict", tmp_path / "model", tmp_path / "new.csv", "--out-format", "csv", "-o", "-")
        column = [float(row["predicted_y"]) for row in csv.DictReader(told.splitlines())]
        np.testing.assert_array_equal(column, model.predict(named))


def test_the_tool_resumes_what_python_saves_and_python_goes_on_with_it(tmp_path: Path) -> None:
    X, y = rows_and_outputs()
    pandas = pytest.importorskip("pandas")
    model = sluice.StreamRegressor().fit(pandas.DataFrame(X[:100], columns=INPUTS), y[:100, 0])
    model.save(tmp_path / "model")
    write_csv(tmp_path / "later.csv", X[100:200], y[100:200], ["y"])
    tool("stream", tmp_path / "later.csv", "-t", "y", "--checkpoint", tmp_path / "model", "--resume", "--from-here")
    resumed = sluice.StreamRegressor.load(tmp_path / "model")
    resumed.partial_fit(pandas.DataFrame(X[200:], columns=INPUTS), y[200:, 0])
    require_same(resumed, sluice.StreamRegressor().fit(X, y[:, 0]), X)


@pytest.mark.parametrize(("lags", "horizon"), [([0, 1, 2], 0), ([0], 3), ([1, 4], 2)])
def test_lags_and_horizon_of_the_tool_are_columns_in_python(lags: list[int], horizon: int, tmp_path: Path) -> None:
    X, y = rows_and_outputs()
    write_csv(tmp_path / "rows.csv", X, y, ["y"])
    flags = ["--lags", ",".join(map(str, lags)), "--horizon", horizon]
    tool("stream", tmp_path / "rows.csv", "-t", "y", "--checkpoint", tmp_path / "model", *flags)
    loaded = sluice.StreamRegressor.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == [
        name if lag == 0 else f"{name}@-{lag}" for name in INPUTS for lag in lags
    ]
    stacked = lagged(X, lags)
    pairs = stacked[: len(X) - horizon], y[horizon:, 0]
    # With a horizon the last errors are not known when a row is predicted: the tool then takes a fixed intercept.
    learned = sluice.StreamRegressor(intercept="fixed" if horizon else "drifting").fit(*pairs)
    require_same(loaded, learned, stacked)
    # and back, with names, lags and horizon
    loaded.save(tmp_path / "again")
    shown = [tool("inspect", tmp_path / name, "--json") for name in ("model", "again")]
    for key in ("inputs", "targets", "horizon", "lags", "selected", "intercept"):
        assert json.loads(shown[0]).get(key) == json.loads(shown[1]).get(key)
    write_csv(tmp_path / "new.csv", X, None, [])
    new = ["--new-rows", "--out-format", "csv", "-o", "-"]
    told = [tool("predict", tmp_path / name, tmp_path / "new.csv", *new) for name in ("model", "again")]
    assert told[0] == told[1]
    predicted = [row["predicted_y"] for row in csv.DictReader(told[1].splitlines())]
    expected = learned.predict(stacked)
    assert predicted[:horizon] == [""] * horizon
    assert [float(text) for text in predicted[horizon:]] == list(expected[: len(X) - horizon])
