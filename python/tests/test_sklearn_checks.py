"""scikit-learn's own checks of an estimator, on every estimator that the package exports, with none excepted."""

from __future__ import annotations

import inspect
import os

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator

import sluice

EXPORTED = [getattr(sluice, name) for name in sluice.__all__]
ESTIMATORS = [item for item in EXPORTED if inspect.isclass(item) and issubclass(item, BaseEstimator)]


def test_the_stream_regressor_is_among_the_estimators_that_are_checked() -> None:
    assert sluice.StreamRegressor in ESTIMATORS


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_check_of_scikit_learn_passes_and_none_is_skipped(estimator: type[BaseEstimator]) -> None:
    assert os.environ.get("SCIPY_ARRAY_API") == "1"
    results = check_estimator(estimator(), on_fail=None, on_skip=None)
    outcomes = {result["check_name"]: (result["status"], result["exception"]) for result in results}
    assert {name: outcome for name, outcome in outcomes.items() if outcome[0] != "passed"} == {}
    assert len(results) > 45  # scikit-learn 1.9 has 52 for a regressor
