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
from sluice._records import (
    Event,
    Importance,
    Report,
    events_of,
    has_names,
    importances_of,
    no_model,
    report_of,
    save_file,
)
from sluice._tables import checked_inputs, checked_outputs, distinct_targets

Array = NDArray[np.float64]


class StreamRegressor(OnlineOptions, HtmlDisplay, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Learns row by row, keeps the few inputs that predict, and tunes itself unless told.

    Each row is predicted before it is learnt. Which inputs matter and how many, how much to forget and how much to
    shrink are found from these one-step errors. A missing value is NaN. Nothing needs to be scaled before.

    Every option of the C++ structs ``StreamOptions`` and ``Tuning`` has the same name here. ``"auto"`` leaves the
    choice to the model; a value that is given is used as it is. ``print(sluice.option_help())`` describes each in one
    line.

    Parameters
    ----------
    What is found unless given:

    names : the most inputs that may predict; ``"auto"``: 50; ``"all"``: no limit, where only the forecast counts
    number : ``"found"``: the fewest inputs that are not clearly worse than more; ``"most"``: as many as `names` allows
    forgetting : above 0 and at most 1: remembers about 1/(1 - forgetting) rows; 1 never forgets
    shrinkage : of the weights, as if this many more rows had shown no relation; 0 or more
    components, keep : latent components and the inputs of each, as in the paper; ``"auto"``: inputs found one by one

    What a prediction comes with:

    coverage : share of outputs that the intervals of `predict_interval` shall contain; None: no intervals
    intercept : ``"drifting"``: the level follows the last known errors; ``"fixed"``: it does not
    clip : inputs further than this many standard deviations from their mean count as that far; None: they do not
    robust : hold back a row that cannot be believed, until the next ones show whether it was wrong
    alarms : report where the relation changes suddenly

    The method of components, where `components` or `keep` is given:

    gamma : a fixed soft threshold instead of `keep`, from 0 to below 1
    ridge : 0 (PLS) to 1 (principal components)
    deflation : ``"refit"`` or, as in the paper, ``"project"``
    loadings : from the ``"weighted"`` moments or, as in the paper, the ``"instant"`` ones of the last row
    balance : ``"trace"``: units do not matter; ``"raw"``: as in the paper
    hold_bonus : a kept input is replaced only by one whose weight is larger by this share
    penalty : ``"lasso"``, ``"hard"``, ``"elastic_net"``, ``"scad"``, ``"mcp"``, ``"adaptive_lasso"`` or
        ``"group_lasso"``; with elastic_mix, scad_knee, mcp_knee, adaptive_power, and groups, the group of each input

    Units:

    center : subtract the means; False: a model through the origin
    scale_inputs, scale_outputs : to unit variance

    Cost:

    engine : ``"automatic"``, ``"dense"``, ``"screened"`` or ``"columns"``: how second moments are kept
    history : ``"double"``, ``"float"`` or ``"none"``: rows kept by the engines for wide streams; ``"none"`` is for
        selection only
    memory_limit : bytes that the model may need, such as ``"500M"``
    threads : for streams of many inputs, 1 to 64

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
    _names_unknown: bool = False  # from a file whose inputs are x0, x1, ...

    # ---- learning

    def fit(self, X: ArrayLike, y: ArrayLike) -> StreamRegressor:
        """Forgets everything, then learns the rows in their order. A missing value is NaN."""
        self._core = None
        self._names_unknown = False
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
        return self._shaped(core.predict(self._inputs(X)))

    def predict_interval(self, X: ArrayLike) -> tuple[Array, Array]:
        """Lower and upper ends of the next row's intervals; NaN before ten errors of an output are known."""
        core = self._fitted()
        if core.coverage is None:
            raise ValueError("coverage is None: give the share of outputs that intervals shall contain, such as 0.9")
        _, low, high = core.predict_interval(self._inputs(X))
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
        """One number, or one for each output where y was a table."""
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
        """Reads a model file of `save` or of ``sluice stream --checkpoint``, with its names.

        Where the inputs are called x0, x1, ..., they may have had no names: tables with and without names are taken.
        """
        try:
            core = Stream.from_file(Path(path).read_bytes(), coverage)
        except ValueError as error:
            raise no_model(path, error) from None
        model = cls(coverage=coverage)
        model._core = core
        model._single = core.outputs == 1
        model.n_features_in_ = core.inputs
        model._named = has_names(core.input_names)
        model._names_unknown = not model._named
        if model._named:
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
        rows = self._inputs(X, reset=first)
        check_consistent_length(rows, outputs)
        if first:
            self._single = outputs.ndim == 1
            self._named = hasattr(self, "feature_names_in_")
            core = self._new_core(rows.shape[1], 1 if self._single else outputs.shape[1])
            inputs = list(self.feature_names_in_) if self._named else core.input_names
            core.rename(inputs, distinct_targets(targets or core.target_names, inputs))
            self._core = core
        return rows, outputs.reshape(len(rows), -1)

    def _inputs(self, X: Any, reset: bool = False) -> Array:
        if self._names_unknown and self._core is not None:  # a table with these very names: they were given
            names = getattr(X, "columns", getattr(X, "column_names", ()))
            if [str(name) for name in names] == self._core.input_names:
                self.feature_names_in_ = np.asarray(self._core.input_names, dtype=object)
                self._named, self._names_unknown = True, False
        return checked_inputs(self, X, reset=reset)

    def _shaped(self, outputs: Array) -> Array:
        return outputs[:, 0] if self._single else outputs

    def _named_inputs(self, indices: list[int]) -> tuple[str, ...]:
        names = self._fitted().input_names
        return tuple(names[index] for index in indices)
