"""Off-line fits as pickles, copies and model files, which the tool `sluice` reads and writes too."""

from __future__ import annotations

import copy
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from built_tool import built_tool

import sluice
from sluice._core import Fit

ALL = [sluice.PLS2, sluice.PrincipalComponentsRegression, sluice.BridgePLS, sluice.SparseBridgePLS]
METHODS = {"pls2": sluice.PLS2, "pcr": sluice.PrincipalComponentsRegression, "bridge": sluice.BridgePLS}
METHODS["sparse-bridge"] = sluice.SparseBridgePLS
every = pytest.mark.parametrize("kind", ALL)

ATTRIBUTES = ["x_weights_", "x_loadings_", "y_loadings_", "coef_", "intercept_", "vip_", "selected_", "score_coef_"]
ATTRIBUTES += ["score_intercept_", "explained_inputs_", "explained_outputs_", "notes_", "feature_names_in_"]


def frames(rows: int = 90) -> tuple[pd.DataFrame, pd.DataFrame]:
    random = np.random.default_rng(11)
    X = pd.DataFrame(random.normal(size=(rows, 6)), columns=["flow", "heat", "level", "speed", "load", "pH"])
    Y = pd.DataFrame({"yield": X["heat"] - 2.0 * X["pH"], "purity": X["level"] + 0.5 * X["heat"]})
    return X, Y + 0.1 * random.normal(size=Y.shape)


def assert_same(one: Any, other: Any, X: Any) -> None:
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    np.testing.assert_array_equal(one.transform(X), other.transform(X))
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@every
def test_a_pickle_and_a_copy_are_the_same_model(kind: Any) -> None:
    X, Y = frames()
    model = kind(components=2).fit(X, Y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same(model, other, X)
        np.testing.assert_array_equal(model.x_scores_, other.x_scores_)
        assert other.get_params() == model.get_params()
    assert pickle.dumps(model) == pickle.dumps(pickle.loads(pickle.dumps(model)))


def test_a_pickle_holds_the_bytes_of_a_model_file() -> None:
    X, Y = frames()
    model = sluice.PLS2(components=2).fit(X, Y)
    file, *_ = model._core.__getstate__()
    assert file in pickle.dumps(model)
    np.testing.assert_array_equal(Fit.from_file(file).predict(np.ascontiguousarray(X)), model.predict(X))


@every
def test_names_that_a_model_file_refuses_can_be_pickled(kind: Any, tmp_path: Path) -> None:
    X, Y = frames()
    X["yield"] = Y["yield"].shift()  # the last known output is an input of the same name
    model = kind(components=2).fit(X, Y)
    assert_same(model, pickle.loads(pickle.dumps(model)), X)
    with pytest.raises(ValueError, match="the name yield is given twice in roles"):
        model.save(tmp_path / "model.sluice")
    assert list(tmp_path.iterdir()) == []


def test_made_up_names_of_outputs_are_not_those_of_inputs(tmp_path: Path) -> None:
    X, Y = frames()
    X = X.rename(columns={"flow": "y"})
    sluice.PLS2().fit(X, Y["yield"].to_numpy()).save(tmp_path / "model.sluice")
    assert sluice.PLS2.load(tmp_path / "model.sluice")._core.target_names == ["y_"]


@pytest.mark.parametrize("spoil", ["names", "scores", "infinite score", "bytes", "kind"])
def test_a_damaged_pickle_is_refused(spoil: str) -> None:
    X, Y = frames()
    file, names, layout, scores = sluice.PLS2(components=2).fit(X, Y)._core.__getstate__()
    if spoil == "names":
        names = (names[0][1:], *names[1:])
    elif spoil == "scores":
        scores = scores[1:]
    elif spoil == "infinite score":
        scores[3, 1] = np.inf
    elif spoil == "bytes":
        file = file[:-1]
    else:
        scores = "none"
    with pytest.raises((ValueError, TypeError)):
        Fit.__new__(Fit).__setstate__((file, names, layout, scores))


@every
def test_a_file_is_the_same_model_with_names_and_options_and_without_its_scores(kind: Any, tmp_path: Path) -> None:
    X, Y = frames()
    model = kind(components=2, forgetting=0.99, scale_outputs=False).fit(X, Y)
    model.save(tmp_path / "model.sluice")
    loaded = kind.load(tmp_path / "model.sluice")
    assert_same(model, loaded, X)
    assert loaded.get_params() == model.get_params()
    assert not hasattr(loaded, "x_scores_")
    with pytest.raises(AttributeError, match=r"transform\(X\) gives the scores"):
        _ = loaded.x_scores_
    loaded.save(tmp_path / "again.sluice")
    assert (tmp_path / "again.sluice").read_bytes() == (tmp_path / "model.sluice").read_bytes()


def test_options_of_every_kind_come_back_from_a_file(tmp_path: Path) -> None:
    X, Y = frames()
    given: dict[str, Any] = {"components": 2, "keep": [3, 2], "names": 4, "ridge": 1e-3, "balance": "raw"}
    given |= {"penalty": "group_lasso", "groups": [0, 0, 1, 1, 2, 2], "center": False, "shrinkage": 0.25}
    sluice.SparseBridgePLS(**given).fit(X, Y).save(tmp_path / "model.sluice")
    loaded = sluice.SparseBridgePLS.load(tmp_path / "model.sluice").get_params()
    assert {name: loaded[name] for name in given} == given
    assert loaded["gamma"] is None


def test_a_file_of_another_method_says_which_class_takes_it(tmp_path: Path) -> None:
    X, Y = frames()
    sluice.PLS2().fit(X, Y).save(tmp_path / "model.sluice")
    with pytest.raises(ValueError, match=r"holds a fit of pls2: PLS2.load\(\) takes it"):
        sluice.BridgePLS.load(tmp_path / "model.sluice")


def test_what_is_no_fit_is_refused_with_what_it_is(tmp_path: Path) -> None:
    X, Y = frames()
    sluice.StreamRegressor().fit(X, Y).save(tmp_path / "stream.sluice")
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"sluice.StreamRegressor.load\(\) takes it"):
        sluice.PLS2.load(tmp_path / "stream.sluice")
    with pytest.raises(ValueError, match="it is text, such as CSV"):
        sluice.PLS2.load(tmp_path / "data.csv")
    with pytest.raises(FileNotFoundError):
        sluice.PLS2.load(tmp_path / "absent.sluice")


# ---- the tool


@pytest.fixture
def tool() -> str:
    return built_tool()


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_the_tool_predicts_with_a_model_of_python(method: str, tool: str, tmp_path: Path) -> None:
    X, Y = frames()
    model = METHODS[method](components=2).fit(X, Y)
    model.save(tmp_path / "model.sluice")
    new = X[::-1].iloc[:, ::-1] * 2.0  # columns are found by name
    new.to_csv(tmp_path / "new.csv", index=False)
    run(tool, "predict", tmp_path / "model.sluice", tmp_path / "new.csv", "--out", tmp_path / "out.csv", "--quiet")
    predicted = pd.read_csv(tmp_path / "out.csv")
    columns = [f"predicted_{name}" for name in Y.columns]
    np.testing.assert_allclose(predicted[columns], model.predict(new[X.columns]), rtol=1e-12)
    assert "flow" in run(tool, "inspect", tmp_path / "model.sluice")


@pytest.mark.parametrize("method", METHODS)
def test_python_predicts_with_a_model_of_the_tool(method: str, tool: str, tmp_path: Path) -> None:
    X, Y = frames()
    pd.concat([X, Y], axis=1).to_csv(tmp_path / "data.csv", index=False, float_format="%.17g")
    names = ",".join(Y.columns)
    run(
        *(tool, "fit", tmp_path / "data.csv", "--targets", names, "--method", method, "--components", "2"),
        *("--model", tmp_path / "model.sluice", "--quiet"),
    )
    loaded = METHODS[method].load(tmp_path / "model.sluice")
    model = METHODS[method](components=2).fit(X, Y)
    assert_same(model, loaded, X)
    assert loaded.get_params() == model.get_params()


def test_the_layout_of_a_model_of_the_tool_is_kept(tool: str, tmp_path: Path) -> None:
    X, Y = frames()
    pd.concat([X, Y], axis=1).to_csv(tmp_path / "data.csv", index=False)
    run(
        *(tool, "fit", tmp_path / "data.csv", "--targets", "yield,purity", "--lags", "0:1", "--horizon", "1"),
        *("--model", tmp_path / "model.sluice", "--quiet"),
    )
    loaded = sluice.SparseBridgePLS.load(tmp_path / "model.sluice")
    assert list(loaded.feature_names_in_[:3]) == ["flow", "flow@-1", "heat"]
    again = pickle.loads(pickle.dumps(loaded))
    again.save(tmp_path / "again.sluice")
    assert (tmp_path / "again.sluice").read_bytes() == (tmp_path / "model.sluice").read_bytes()
