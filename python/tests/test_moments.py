"""Moments of rows: arrays and frames in, merged, pickled, fitted. The numbers are tested in tests/batch."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sluice

MODELS = [
    sluice.PLS2(components=2),
    sluice.BridgePLS(components=2),
    sluice.SparseBridgePLS(components=2, keep=2),
    sluice.PrincipalComponentsRegression(),
]


def rows(seed: int = 1, n: int = 700) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 2] += 1e6
    X[rng.random(n) < 0.1, 3] = np.nan
    return X, X[:, :2] @ [[1.0, 2.0], [0.5, -1.0]] + 0.1 * rng.normal(size=(n, 2))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_fit_is_that_of_all_rows(model: Any) -> None:
    X, Y = rows()
    parts = [sluice.BatchMoments(5, 2) for _ in range(3)]
    for part, where in zip(parts, np.array_split(np.arange(700), 3), strict=True):
        part.add(X[where], Y[where])
    total = pickle.loads(pickle.dumps(parts[1]))
    total.merge(parts[0])
    total.merge(sluice.BatchMoments.from_bytes(parts[2].to_bytes()))
    found = type(model)(**model.get_params()).fit_moments(total)
    expected = type(model)(**model.get_params()).fit(X, Y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.transform(X), expected.transform(X), rtol=0, atol=1e-7)  # 1e6 eps, some sums of it
    np.testing.assert_array_equal(found.selected_, expected.selected_)
    assert found.n_features_in_ == 5
    assert total.rows == 700
    with pytest.raises(AttributeError, match="nor in a fit from moments"):
        found.x_scores_  # noqa: B018


@pytest.mark.parametrize("make", [pd.DataFrame, lambda columns: pl.DataFrame(columns), pa.table], ids=["pandas", "polars", "arrow"])
def test_frames_keep_their_names(make: Any) -> None:
    X, Y = rows()
    names, targets = list("abcde"), ["u", "v"]
    moments = sluice.BatchMoments(names, targets)
    moments.add(make({name: X[:, j] for j, name in enumerate(names)}), make({name: Y[:, k] for k, name in enumerate(targets)}))
    model = sluice.PLS2(components=2).fit_moments(moments)
    assert list(model.feature_names_in_) == names
    np.testing.assert_allclose(model.coef_, sluice.PLS2(components=2).fit(X, Y).coef_, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        moments.add(make({name: X[:, j] for j, name in enumerate("abcdz")}), Y)


def test_one_target_predicts_one_number_a_row() -> None:
    X, Y = rows()
    moments = sluice.BatchMoments(5, 1)
    moments.add(X, Y[:, 0])
    model = sluice.PLS2(components=2).fit_moments(moments)
    assert model.predict(X).shape == (700,)
    assert pickle.loads(pickle.dumps(model)).predict(X).shape == (700,)


def test_a_fit_from_moments_is_saved_and_loaded(tmp_path: Any) -> None:
    X, Y = rows()
    moments = sluice.BatchMoments(list("abcde"), ["u", "v"])
    moments.add(X, Y)
    sluice.BridgePLS(components=2).fit_moments(moments).save(tmp_path / "model")
    loaded = sluice.BridgePLS.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.coef_, sluice.BridgePLS(components=2).fit_moments(moments).coef_)


def test_mistakes_are_refused_with_the_remedy() -> None:
    X, Y = rows()
    moments = sluice.BatchMoments(5, 2)
    with pytest.raises(ValueError, match="X has 4 features, but BatchMoments is expecting 5"):
        moments.add(X[:, :4], Y)
    with pytest.raises(ValueError, match="5 inputs and 2 outputs"):
        moments.add(X, Y[:, 0])
    with pytest.raises(ValueError, match="rows of inputs and"):
        moments.add(X, Y[:9])
    with pytest.raises(ValueError, match="inputs of the moments that are merged differ: x0, x1, x2, x3, x4 and a, b"):
        moments.merge(sluice.BatchMoments(["a", "b"], 2))
    with pytest.raises(ValueError, match="no rows: there is nothing to fit"):
        sluice.PLS2(components=1).fit_moments(moments)
    with pytest.raises(ValueError, match="forgetting = 0.9: must be 1 for a fit from moments"):
        sluice.PLS2(components=1, forgetting=0.9).fit_moments(moments)
    with pytest.raises(ValueError, match="memory_limit = 1M: the moments of 5000 inputs"):
        sluice.BatchMoments(5000, 1, memory_limit=1 << 20)
    with pytest.raises(ValueError, match="a is named more than once"):
        sluice.BatchMoments(["a", "a"], 1)
    with pytest.raises(ValueError, match="inputs = 0: must be at least 1"):
        sluice.BatchMoments(0, 1)
    damaged = bytearray(moments.to_bytes())
    damaged[40] ^= 1
    with pytest.raises(ValueError, match="saved state refused"):
        sluice.BatchMoments.from_bytes(bytes(damaged))
    with pytest.raises(ValueError, match="2 inputs and 2 targets are named, the moments have 5 and 2"):
        sluice.BatchMoments.from_bytes(moments.to_bytes(), ["a", "b"])
    assert moments.rows == 0
