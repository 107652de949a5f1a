"""StreamRegressor inside the tools of scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sluice

Array = NDArray[np.float64]


@pytest.fixture
def stream() -> tuple[Array, Array]:
    """Inputs 2 and 5 of 8 predict; the noise has a tenth of the output's standard deviation."""
    random = np.random.default_rng(16)
    inputs = random.normal(size=(400, 8))
    return inputs, inputs[:, 2] - inputs[:, 5] + 0.14 * random.normal(size=400)


def test_a_pipeline_is_scored_by_a_split_in_time(stream: tuple[Array, Array]) -> None:
    pipeline = make_pipeline(StandardScaler(), sluice.StreamRegressor())
    scores = cross_val_score(pipeline, *stream, cv=TimeSeriesSplit(4))
    assert scores.shape == (4,)
    assert scores.min() > 0.95


def test_a_grid_search_finds_the_number_of_names_that_predicts_best(stream: tuple[Array, Array]) -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("model", sluice.StreamRegressor())])
    search = GridSearchCV(pipeline, {"model__names": [1, 2]}, cv=TimeSeriesSplit(3)).fit(*stream)
    assert search.best_params_ == {"model__names": 2}
    assert list(search.best_estimator_["model"].selected_) == [2, 5]


@pytest.mark.slow
def test_a_grid_search_in_two_processes_chooses_as_in_one(stream: tuple[Array, Array]) -> None:
    searches = [
        GridSearchCV(sluice.StreamRegressor(), {"names": [1, 2]}, cv=TimeSeriesSplit(3), n_jobs=jobs).fit(*stream)
        for jobs in (1, 2)
    ]
    one, two = (search.cv_results_["mean_test_score"] for search in searches)
    assert np.array_equal(one, two)


def test_a_clone_has_the_options_and_nothing_that_was_learnt(stream: tuple[Array, Array]) -> None:
    model = sluice.StreamRegressor(names=3, coverage=None).fit(*stream)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not copy.__sklearn_is_fitted__()


def test_names_of_a_frame_pass_through_a_scaler_that_gives_frames(stream: tuple[Array, Array]) -> None:
    inputs, outputs = stream
    frame = pd.DataFrame(inputs, columns=list("abcdefgh"))
    pipeline = make_pipeline(StandardScaler(), sluice.StreamRegressor()).set_output(transform="pandas")
    pipeline.fit(frame, pd.Series(outputs, name="load"))
    assert list(pipeline.get_feature_names_out()) == ["c", "f"]
    assert list(pipeline[-1].feature_names_in_) == list("abcdefgh")


def test_one_model_for_each_output_is_made_by_scikit_learn_too(stream: tuple[Array, Array]) -> None:
    inputs, outputs = stream
    two = np.column_stack([outputs, inputs[:, 0]])
    models = MultiOutputRegressor(sluice.StreamRegressor()).fit(inputs, two).estimators_
    assert [list(model.selected_) for model in models] == [[2, 5], [0]]
