"""The off-line regressors: shapes, names, missing values, errors, and scikit-learn's tools."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sluice

Array = NDArray[np.float64]

ALL = [sluice.PLS2, sluice.PrincipalComponentsRegression, sluice.BridgePLS, sluice.SparseBridgePLS]
every = pytest.mark.parametrize("kind", ALL)


def rows(count: int = 120, inputs: int = 10, outputs: int = 2, seed: int = 5) -> tuple[Array, Array]:
    """Inputs 1, 4 and 7 of 10 predict."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, inputs)) * np.arange(1, inputs + 1) + 3.0
    B = np.zeros((inputs, outputs))
    B[[1, 4, 7]] = random.normal(size=(3, outputs)) + 1.0
    return X, X @ B + 0.1 * random.normal(size=(count, outputs)) + 5.0


# ---- shapes


@every
def test_one_output_as_a_column_of_numbers_or_as_a_table_keeps_its_shape(kind: Any) -> None:
    X, Y = rows()
    flat, table = kind(components=2).fit(X, Y[:, 0]), kind(components=2).fit(X, Y[:, :1])
    assert flat.predict(X).shape == (120,) and table.predict(X).shape == (120, 1)
    assert flat.coef_.shape == (10,) and table.coef_.shape == (1, 10)
    assert isinstance(flat.intercept_, float) and table.intercept_.shape == (1,)
    np.testing.assert_array_equal(flat.predict(X), table.predict(X)[:, 0])


@every
def test_attributes_have_the_sizes_of_inputs_outputs_and_components(kind: Any) -> None:
    X, Y = rows()
    model = kind(components=2).fit(X, Y)
    assert model.n_features_in_ == 10 and model.n_components_ == 2
    assert model.x_weights_.shape == model.x_loadings_.shape == model.score_coef_.shape == (10, 2)
    assert model.x_scores_.shape == (120, 2) and model.y_loadings_.shape == model.coef_[:, :2].shape == (2, 2)
    assert model.vip_.shape == (10,) and model.score_intercept_.shape == (2,)
    assert model.explained_inputs_.shape == model.explained_outputs_.shape == (2,)
    assert len(model.selected_by_component_) == 2 and model.selected_.dtype == np.intp
    assert model.notes_ == ()


@every
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_transform_of_the_rows_fitted_is_x_scores(kind: Any, center: bool, scale: bool) -> None:
    X, Y = rows()
    X[3, 4] = np.nan
    model = kind(components=3, center=center, scale_inputs=scale, scale_outputs=scale).fit(X, Y)
    size = np.abs(model.x_scores_).max()
    np.testing.assert_allclose(model.transform(X), model.x_scores_, rtol=0, atol=1e-12 * size)
    np.testing.assert_array_equal(kind(**model.get_params()).fit_transform(X, Y), model.transform(X))
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    by_hand = model.score_intercept_ + filled @ model.score_coef_
    np.testing.assert_allclose(by_hand, model.transform(X), rtol=0, atol=1e-12 * size)


@every
def test_predictions_are_intercept_plus_coefficients(kind: Any) -> None:
    X, Y = rows()
    model = kind(components=2).fit(X, Y)
    np.testing.assert_allclose(model.intercept_ + X @ model.coef_.T, model.predict(X), rtol=1e-12)


@pytest.mark.parametrize("kind", [sluice.PLS2, sluice.PrincipalComponentsRegression, sluice.BridgePLS])
def test_predictions_are_scores_times_loadings(kind: Any) -> None:
    X, Y = rows()
    model = kind(components=3, scale_outputs=False).fit(X, Y)
    np.testing.assert_allclose(Y.mean(axis=0) + model.x_scores_ @ model.y_loadings_.T, model.predict(X), rtol=1e-10)


def test_the_inputs_that_predict_are_selected_and_have_the_largest_vip() -> None:
    X, Y = rows()
    model = sluice.SparseBridgePLS(components=1, keep=3).fit(X, Y)
    assert list(model.selected_) == [1, 4, 7]
    assert set(np.argsort(model.vip_)[-3:]) == {1, 4, 7}
    assert model.selected_names_ == ("x1", "x4", "x7")
    assert np.count_nonzero(model.coef_.any(axis=0)) == 3


def test_names_limits_the_inputs_of_all_components_together() -> None:
    X, Y = rows()
    for deflation in ("refit", "project"):
        model = sluice.SparseBridgePLS(components=3, keep=2, names=4, deflation=deflation).fit(X, Y)
        assert len(model.selected_) <= 4
        together = np.unique(np.concatenate(model.selected_by_component_))
        np.testing.assert_array_equal(model.selected_, together)


def test_keep_groups_and_components_may_be_of_numpy() -> None:
    X, Y = rows()
    plain = sluice.SparseBridgePLS(components=2, keep=[3, 2]).fit(X, Y)
    other = sluice.SparseBridgePLS(components=np.int64(2), keep=np.array([3, 2])).fit(X, Y)
    np.testing.assert_array_equal(plain.x_weights_, other.x_weights_)
    groups = np.repeat(np.arange(5), 2)
    grouped = sluice.SparseBridgePLS(components=1, keep=2, penalty="group_lasso", groups=groups).fit(X, Y)
    assert all({int(j) ^ 1 for j in chosen} == {int(j) for j in chosen} for chosen in grouped.selected_by_component_)


def test_forgetting_makes_the_last_rows_count_most() -> None:
    X, Y = rows(400)
    Y[:200] = 5.0 * X[:200, [8, 9]]
    assert list(sluice.SparseBridgePLS(components=1, keep=3, forgetting=0.97).fit(X, Y).selected_) == [1, 4, 7]
    assert {8, 9} < set(sluice.SparseBridgePLS(components=1, keep=3).fit(X, Y).selected_)


# ---- names


@every
def test_names_of_a_frame_are_kept(kind: Any) -> None:
    X, Y = rows()
    frame = pd.DataFrame(X, columns=[f"sensor{j}" for j in range(10)])
    model = kind(components=2).fit(frame, pd.DataFrame(Y, columns=["a", "b"]))
    assert list(model.feature_names_in_) == list(frame.columns)
    assert set(model.selected_names_) <= set(frame.columns)
    prefix = kind.__name__.lower()
    assert list(model.get_feature_names_out()) == [f"{prefix}0", f"{prefix}1"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


@every
def test_transform_gives_a_frame_where_asked_to(kind: Any) -> None:
    X, Y = rows()
    frame = pd.DataFrame(X, columns=list("abcdefghij"), index=pd.date_range("2020-01-01", periods=120))
    model = kind(components=2).set_output(transform="pandas")
    scores = model.fit(frame, Y).transform(frame)
    assert isinstance(scores, pd.DataFrame) and list(scores.columns) == list(model.get_feature_names_out())
    assert scores.index.equals(frame.index)
    np.testing.assert_array_equal(scores.to_numpy(), clone(model).set_output(transform="default").fit(X, Y).transform(X))
    assert isinstance(model.predict(frame), np.ndarray)


# ---- in the tools of scikit-learn


def test_a_grid_search_finds_components_and_keep() -> None:
    X, Y = rows()
    grid = {"model__components": [1, 2], "model__keep": [1, 3]}
    pipeline = Pipeline([("scale", StandardScaler()), ("model", sluice.SparseBridgePLS(shrinkage=0.0))])
    search = GridSearchCV(pipeline, grid, cv=KFold(4)).fit(X, Y[:, 0])
    assert search.best_params_["model__keep"] == 3
    assert search.best_score_ > 0.99
    assert {1, 4, 7} <= set(search.best_estimator_["model"].selected_)


@every
def test_cross_validation_scores_by_r2(kind: Any) -> None:
    X, Y = rows()
    scores = cross_val_score(kind(), X, Y, cv=4)
    assert scores.shape == (4,) and scores.min() > 0.3


@every
def test_scores_are_the_inputs_of_the_next_step(kind: Any) -> None:
    X, Y = rows()
    chain = make_pipeline(kind(components=3, scale_outputs=False), LinearRegression()).fit(X, Y)
    deflation = {"deflation": "project"} if kind is sluice.SparseBridgePLS else {}
    alone = kind(components=3, scale_outputs=False, **deflation).fit(X, Y)
    if kind is not sluice.SparseBridgePLS:
        np.testing.assert_allclose(chain.predict(X), alone.predict(X), rtol=1e-9)
    assert chain.score(X, Y) > 0.3


def test_outputs_may_be_transformed() -> None:
    X, Y = rows()
    model = TransformedTargetRegressor(sluice.PLS2(components=3), transformer=StandardScaler()).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), sluice.PLS2(components=3).fit(X, Y).predict(X), rtol=1e-9)


# ---- missing values


@every
def test_a_missing_input_counts_as_the_mean_of_its_column(kind: Any) -> None:
    X, Y = rows()
    X[5, 1] = X[9, 4] = np.nan
    model = kind(components=2).fit(X, Y)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(model.predict(X), model.predict(filled), rtol=1e-12)
    assert np.isfinite(model.predict(np.full((1, 10), np.nan))).all()


@every
def test_rows_without_outputs_are_left_out_and_have_scores(kind: Any) -> None:
    X, Y = rows()
    holes = Y.copy()
    holes[::3] = np.nan
    known = np.arange(120) % 3 != 0
    model = kind(components=2).fit(X, holes)
    np.testing.assert_array_equal(model.coef_, kind(components=2).fit(X[known], Y[known]).coef_)
    assert model.x_scores_.shape == (120, 2)


# ---- errors are the core's sentences


@every
def test_a_partly_missing_row_of_outputs_is_an_error(kind: Any) -> None:
    X, Y = rows()
    Y[4, 1] = np.nan
    with pytest.raises(ValueError, match="output 2 of row 5 is missing and others of that row are not: give all"):
        kind().fit(X, Y)
    with pytest.raises(ValueError, match="no row has its outputs: there is nothing to fit"):
        kind().fit(X, np.full(120, np.nan))


@every
def test_every_broken_rule_is_told_at_once(kind: Any) -> None:
    X, Y = rows()
    with pytest.raises(ValueError, match="components = 11: must be 1 to 10, the number of inputs\nforgetting = 2: must be above"):
        kind(components=11, forgetting=2.0).fit(X, Y)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"keep": 11}, "keep = 11: must be 1 to 10, the number of inputs"),
        ({"keep": "many"}, "keep: .*many"),
        ({"keep": 3, "gamma": 0.1}, "keep = 3: must be left empty when gamma is given"),
        ({"ridge": float("nan")}, "ridge = nan: must be from 0 to 1"),
        ({"balance": "both"}, "balance: .*both.*trace"),
        ({"penalty": None, "tolerance": 0.0}, "tolerance = 0: must be above 0"),
        ({"tolerance": "small"}, "tolerance = 'small': must be a number"),
        ({"max_iterations": 0}, "max_iterations = 0: must be at least 1"),
        ({"max_iterations": -3}, "max_iterations = -3: must be from 1"),
        ({"max_iterations": 1.5}, "max_iterations = 1.5: must be a whole number"),
        ({"penalty": "group_lasso"}, "groups"),
        ({"components": [1, 2]}, "components: "),
        ({"scale_inputs": "maybe"}, "scale_inputs: .*maybe"),
    ],
)
def test_a_wrong_option_is_a_value_error_with_the_cores_sentence(wrong: dict[str, Any], sentence: str) -> None:
    X, Y = rows()
    with pytest.raises(ValueError, match=sentence):
        sluice.SparseBridgePLS(**wrong).fit(X, Y)


@every
def test_before_a_fit_there_is_nothing_to_use(kind: Any) -> None:
    X, Y = rows()
    model = kind()
    for use in (lambda: model.predict(X), lambda: model.transform(X), lambda: model.coef_, lambda: model.save("x")):
        with pytest.raises(NotFittedError):
            use()
    with pytest.raises(ValueError):
        model.fit(X, Y[:5])
    model.fit(X, Y)
    with pytest.raises(ValueError):
        model.set_params(components=0).fit(X, Y)
    with pytest.raises(NotFittedError):  # a fit that failed is none
        model.predict(X)


@every
def test_a_column_without_variation_has_no_weight_and_too_few_components_are_noted(kind: Any) -> None:
    X, Y = rows()
    X[:, 2] = 0.1
    X[:, 3] = X[:, 4] = X[:, 1]
    model = kind(components=10).fit(X, Y)
    assert model.n_components_ < 10 and len(model.notes_) == 1 and model.notes_[0].startswith("components = 10: ")
    assert 2 not in model.selected_ and model.vip_[2] == 0.0
    constant = kind().fit(np.ones((5, 3)), np.arange(5.0))
    assert constant.n_components_ == 0 and constant.notes_ == ("no input varies: there are no components",)
    assert constant.transform(np.ones((2, 3))).shape == (2, 0)
    assert list(constant.predict(np.zeros((1, 3)))) == [2.0]


def test_an_iteration_that_does_not_end_is_noted() -> None:
    X, Y = rows()
    model = sluice.SparseBridgePLS(components=1, max_iterations=1, deflation="project").fit(X, Y)
    assert "component 1 still moved by" in model.notes_[0]


# ---- any argument


numbers = some.floats(allow_nan=True, allow_infinity=True, width=64)


@given(
    kind=some.sampled_from(ALL),
    data=some.lists(some.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=8),
    options=some.fixed_dictionaries(
        {},
        optional={
            "components": some.one_of(some.none(), some.integers(-1, 4), some.sampled_from(["", "auto", "3x"]), numbers),
            "forgetting": some.one_of(some.none(), numbers, some.just(b"1")),
            "center": some.one_of(some.booleans(), some.none(), some.integers(0, 1)),
        },
    ),
)
def test_any_argument_gives_finite_numbers_or_a_value_error(
    kind: Any, data: list[tuple[float, ...]], options: dict[str, Any]
) -> None:
    table = np.array(data)
    X, Y = table[:, :2], table[:, 2:]
    try:
        model = kind(**options).fit(X, Y)
    except ValueError as error:
        assert str(error)
        return
    assert np.isfinite(model.predict(X)).all() and np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.coef_).all() and np.isfinite(model.vip_).all()


def test_arrays_of_any_kind_give_the_same_fit() -> None:
    X, Y = rows()
    expected = sluice.PLS2(components=2).fit(X, Y).coef_
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (np.asfortranarray(X), frozen, X.astype(object), X.tolist(), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(sluice.PLS2(components=2).fit(other, Y).coef_, expected)
    with pytest.raises(ValueError, match="dim 3"):
        sluice.PLS2().fit(X, np.zeros((120, 2, 2)))
    with pytest.raises(ValueError, match="feature"):
        sluice.PLS2().fit(np.zeros((120, 0)), Y)


def test_many_threads_may_use_one_fit() -> None:
    X, Y = rows(2000)
    model = sluice.SparseBridgePLS(components=2).fit(X, Y)
    expected = model.predict(X)
    same: list[bool] = []

    def work() -> None:
        for _ in range(20):
            same.append(bool((model.predict(X) == expected).all()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(same) == 80 and all(same)
