"""The on-line model as a scikit-learn regressor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length

from sluice._core import Stream
from sluice._html import HtmlDisplay
from sluice._options import OnlineOptions
from sluice._records import Event, Importance, Report, events_of, importances_of, report_of, save_file
from sluice._tables import checked_inputs, checked_outputs, distinct_targets

Array = NDArray[np.float64]


class StreamRegressor(OnlineOptions, HtmlDisplay, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Learns row by row, keeps the few inputs that predict, and tunes itself unless told.

    Every option of the C++ structs ``StreamOptions`` and ``Tuning`` has the same name here. ``"auto"`` leaves the choice
    to the model; None is the core's default.

    Parameters
    ----------
    coverage : share of outputs that the intervals of `predict_interval` shall contain; None: no intervals
    others   : see ``sluice.option_help()``

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 20))
    >>> y = X[:, 4] + 0.1 * rng.normal(size=500)
    >>> model = sluice.StreamRegressor()
    >>> for t in range(0, 500, 100):
    ...     model = model.partial_fit(X[t:t + 100], y[t:t + 100])
    >>> model.selected_
    array([4])
    """

    _core: Stream | None = None

    # ---- learning

    def fit(self, X: ArrayLike, y: ArrayLike) -> StreamRegressor:
        """Forgets everything, then learns the rows in their order. A missing value is NaN."""
        self._core = None
        rows, outputs = self._checked(X, y)
        if np.isnan(outputs).all():
            self._core = None
            raise ValueError("y contains NaN only: there is nothing to learn")
        self._fitted().learn(rows, outputs)
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> StreamRegressor:
        """Learns further rows in their order. Rows without any output are met, not learnt."""
        core = self._core
        if core is not None and not self._named and core.learn_as_is(X, y):
            return self
        rows, outputs = self._checked(X, y)
        self._fitted().learn(rows, outputs)
        return self

    def predict_then_learn(self, X: ArrayLike, y: ArrayLike) -> Array:
        """Learns the rows and returns the predictions made for each of them before it was learnt."""
        rows, outputs = self._checked(X, y)
        return self._shaped(self._fitted().learn_and_predict(rows, outputs)[0])

    # ---- predicting

    def predict(self, X: ArrayLike) -> Array:
        """The outputs expected with these inputs."""
        core = self._fitted()
        if not self._named and self._single:
            predicted = core.predict_as_is(X)
            if predicted is not None:
                return predicted
        return self._shaped(core.predict(checked_inputs(self, X, reset=False)))

    def predict_interval(self, X: ArrayLike) -> tuple[Array, Array]:
        """Lower and upper ends of the next row's intervals; NaN before ten errors of an output are known."""
        core = self._fitted()
        if core.coverage is None:
            raise ValueError("coverage is None: give the share of outputs that intervals shall contain, such as 0.9")
        _, low, high = core.predict_interval(checked_inputs(self, X, reset=False))
        return self._shaped(low), self._shaped(high)

    # ---- what was learnt

    @property
    def selected_(self) -> NDArray[np.intp]:
        """The inputs that predict, as column numbers, ascending."""
        return np.asarray(self._fitted().selected, dtype=np.intp)

    @property
    def selected_names_(self) -> tuple[str, ...]:
        """The same by name."""
        return self._named_inputs(self._fitted().selected)

    @property
    def importances_(self) -> tuple[Importance, ...]:
        """What each selected input does, the most important first. Empty where the structure was given by options."""
        return importances_of(self._fitted())

    @property
    def stability_(self) -> Array:
        """For each input the discounted share of rows in which it was selected."""
        return self._fitted().stability

    @property
    def coef_(self) -> Array:
        """predict(X) = intercept_ + X @ coef_.T, unless an input or the prediction is moved to its bound."""
        coefficients = self._fitted().coefficients.T
        return coefficients[0] if self._single else coefficients

    @property
    def intercept_(self) -> float | Array:
        intercept = self._fitted().intercept
        return float(intercept[0]) if self._single else intercept

    @property
    def one_step_r2_(self) -> Array:
        """R2 of the predictions made before each row was learnt, for each output."""
        return self._fitted().one_step_r2

    @property
    def events_(self) -> tuple[Event, ...]:
        """The last 1000 events, oldest first."""
        return events_of(self._fitted())

    @property
    def report_(self) -> Report | None:
        """What the last row changed."""
        return report_of(self._fitted())

    @property
    def rows_met_(self) -> int:
        """Rows given to fit and partial_fit since the model began."""
        return self._fitted().rows_met

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """The names of the inputs that predict."""
        if input_features is not None:
            names = np.asarray(input_features, dtype=object)
            if len(names) != self._fitted().inputs:
                raise ValueError("input_features should have length equal to number of features")
            if self._named and list(names) != list(self.feature_names_in_):
                raise ValueError("input_features is not equal to feature_names_in_")
            return names[self.selected_]
        return np.asarray(self.selected_names_, dtype=object)

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which ``sluice predict``, ``inspect``, ``diff`` and ``stream --resume`` take."""
        save_file(self._fitted(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, coverage: float | None = 0.9) -> StreamRegressor:
        """Reads a model file of `save` or of ``sluice stream --checkpoint``, with its names."""
        core = Stream.from_file(Path(path).read_bytes(), coverage)
        model = cls(coverage=coverage)
        model._core = core
        model._single = core.outputs == 1
        model._named = True
        model.n_features_in_ = core.inputs
        model.feature_names_in_ = np.asarray(core.input_names, dtype=object)
        return model

    # ---- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._core is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.single_output = True
        return tags

    # ---- details

    def _fitted(self) -> Stream:
        if self._core is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' or 'partial_fit' first."
            )
        return self._core

    def _checked(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Rows that the core takes. The first ones make it."""
        first = self._core is None
        outputs, targets = checked_outputs(y)
        rows = checked_inputs(self, X, reset=first)
        check_consistent_length(rows, outputs)
        if first:
            self._single = outputs.ndim == 1
            self._named = hasattr(self, "feature_names_in_")
            core = self._new_core(rows.shape[1], 1 if self._single else outputs.shape[1])
            inputs = list(self.feature_names_in_) if self._named else core.input_names
            core.rename(inputs, distinct_targets(targets or core.target_names, inputs))
            self._core = core
        return rows, outputs.reshape(len(rows), -1)

    def _shaped(self, outputs: Array) -> Array:
        return outputs[:, 0] if self._single else outputs

    def _named_inputs(self, indices: list[int]) -> tuple[str, ...]:
        names = self._fitted().input_names
        return tuple(names[index] for index in indices)
