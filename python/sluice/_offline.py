"""The off-line methods as scikit-learn regressors and transformers: all rows fitted at once.

===============================  ======================================================================
`SparseBridgePLS`                each component keeps a few inputs: the paper's Algorithm 1, section 3.1
`BridgePLS`                      all inputs in every component: section 2.2
`PLS2`                           partial least squares with deflation: section 2.1
`PrincipalComponentsRegression`  components of the inputs alone
===============================  ======================================================================
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from sluice._core import Fit
from sluice._moments import BatchMoments
from sluice._records import has_names, no_model

Array = NDArray[np.float64]
Self = TypeVar("Self", bound="OfflineRegressor")


class OfflineRegressor(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, MultiOutputMixin, RegressorMixin, BaseEstimator
):
    """What the off-line methods share. Use one of them."""

    _method: ClassVar[str]
    _core: Fit | None = None

    # ---- fitting and using

    def fit(self: Self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fits all rows. A missing input (NaN) counts as its column's mean; rows without outputs are left out."""
        self._core = None
        outputs = _as_outputs(y)
        rows = self._inputs(X, reset=True)
        check_consistent_length(rows, outputs)
        table = outputs.reshape(len(rows), -1)
        names = getattr(self, "feature_names_in_", None)
        inputs = [f"x{j}" for j in range(rows.shape[1])] if names is None else [str(name) for name in names]
        targets = _target_names(y, table.shape[1], inputs)
        self._core = Fit(self._method, rows, table, *self._settings(*rows.shape), inputs, targets)
        self._single = outputs.ndim == 1
        return self

    def fit_moments(self: Self, moments: BatchMoments) -> Self:
        """Fits rows that no machine holds at once, from their moments: what `fit` gives for them, to 1e-9.

        There are no `x_scores_`; `transform` gives the scores of rows. `forgetting` must be 1, because these rows have
        no order.
        """
        self._core = None
        inputs, targets = moments.input_names, moments.target_names
        settings = self._settings(moments.rows, len(inputs))
        self._core = Fit.from_moments(self._method, moments._core, *settings, inputs, targets)
        self._single = len(targets) == 1
        self.n_features_in_ = len(inputs)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if has_names(inputs):
            self.feature_names_in_ = np.asarray(inputs, dtype=object)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """The outputs expected with these inputs: always finite."""
        core = self._fitted()
        outputs = core.predict(self._inputs(X))
        return outputs[:, 0] if self._single else outputs

    def transform(self, X: ArrayLike) -> Array:
        """The scores of rows, rows x components. Those of the rows fitted are `x_scores_`."""
        core = self._fitted()
        return core.transform(self._inputs(X))

    # ---- what was found

    @property
    def x_weights_(self) -> Array:
        """U, inputs x components, of the centred and scaled inputs. The largest entry of a column is positive."""
        return self._fitted().weights

    @property
    def x_scores_(self) -> Array:
        """S, rows x components: the scores of the rows fitted. A model file does not hold them."""
        scores = self._fitted().scores
        if scores is None:
            raise AttributeError(
                "x_scores_ are not in a model file, nor in a fit from moments: transform(X) gives the scores of rows"
            )
        return scores

    @property
    def x_loadings_(self) -> Array:
        """B, inputs x components: the centred and scaled inputs regressed on the scores."""
        return self._fitted().input_loadings

    @property
    def y_loadings_(self) -> Array:
        """W', outputs x components: the centred and scaled outputs regressed on the scores."""
        return self._fitted().loadings.T

    @property
    def coef_(self) -> Array:
        """predict(X) = intercept_ + X @ coef_.T: outputs x inputs, or one number for each input where y was 1-d."""
        coefficients = self._fitted().coefficients.T
        return coefficients[0] if self._single else coefficients

    @property
    def intercept_(self) -> float | Array:
        """One number, or one for each output where y was a table."""
        intercept = self._fitted().intercept
        return float(intercept[0]) if self._single else intercept

    @property
    def score_coef_(self) -> Array:
        """transform(X) = score_intercept_ + X @ score_coef_: inputs x components."""
        return self._fitted().score_coefficients

    @property
    def score_intercept_(self) -> Array:
        return self._fitted().score_intercept

    @property
    def vip_(self) -> Array:
        """Variable importance in projection of each input. The squares average to 1."""
        return self._fitted().importance

    @property
    def selected_(self) -> NDArray[np.intp]:
        """The inputs of all components together, as column numbers, ascending."""
        return np.unique(np.concatenate([*self.selected_by_component_, np.empty(0, dtype=np.intp)]))

    @property
    def selected_by_component_(self) -> tuple[NDArray[np.intp], ...]:
        """The inputs of each component, as column numbers, ascending."""
        return tuple(np.asarray(inputs, dtype=np.intp) for inputs in self._fitted().selected)

    @property
    def selected_names_(self) -> tuple[str, ...]:
        """The inputs of all components together, by name."""
        names = self._fitted().input_names
        return tuple(names[index] for index in self.selected_)

    @property
    def explained_inputs_(self) -> Array:
        """Share of the inputs' variance that each component adds to those before it."""
        return self._fitted().explained_inputs

    @property
    def explained_outputs_(self) -> Array:
        """Share of the outputs' variance that each component adds to those before it."""
        return self._fitted().explained_outputs

    @property
    def n_components_(self) -> int:
        """Components found: fewer than `components` where the data does not support more, and `notes_` say why."""
        return self._fitted().components

    @property
    def notes_(self) -> tuple[str, ...]:
        """What was requested and is not possible with the data, and why. Empty: nothing of the kind."""
        return tuple(self._fitted().notes)

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which ``sluice predict``, ``inspect`` and ``diff`` take: without `x_scores_`."""
        path = Path(path)
        beside = path.with_name(path.name + ".new")
        beside.write_bytes(self._fitted().to_file())
        os.replace(beside, path)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Reads a model file of `save` or of ``sluice fit --model``, with its names and options."""
        try:
            core = Fit.from_file(Path(path).read_bytes())
        except ValueError as error:
            raise no_model(path, error) from None
        if core.method != cls._method:
            right = next((each.__name__ for each in OfflineRegressor.__subclasses__() if each._method == core.method), "")
            raise ValueError(f"{path} holds a fit of {core.method}: {right}.load() takes it")
        texts = core.options
        model = cls(**{name: _value(texts[name]) for name in cls._get_param_names() if name in texts})
        model._core = core
        model._single = core.outputs == 1
        model.n_features_in_ = core.inputs
        if has_names(core.input_names):
            model.feature_names_in_ = np.asarray(core.input_names, dtype=object)
        return model

    # ---- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._core is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return self._fitted().components

    # ---- details

    def _fitted(self) -> Fit:
        if self._core is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        return self._core

    def _settings(self, rows: int, inputs: int) -> tuple[dict[str, Any], Any, Any, bool]:
        """Options and control of the fit, as the core takes them."""
        params = self._options(rows, inputs)
        control = params.get("tolerance", 1e-10), params.get("max_iterations", 1000)
        return params, *control, bool(params.get("as_printed", False))

    def _options(self, rows: int, inputs: int) -> dict[str, Any]:
        """Values as the core takes them."""
        params = self.get_params(deep=False)
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in params.items()}

    def _inputs(self, X: Any, reset: bool = False) -> Array:
        rows: Array = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite="allow-nan")
        return rows


class PLS2(OfflineRegressor):
    """Partial least squares with deflation, section 2.1 of the paper: the same as scikit-learn's ``PLSRegression``.

    Parameters
    ----------
    components : latent components, 1 to the number of inputs; None: one for four inputs, at most 5
    forgetting : a row counts this times the one after it, above 0 and at most 1; 1: all rows count the same
    center : subtract the means; False: a model through the origin
    scale_inputs, scale_outputs : to unit variance

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(100, 6))
    >>> Y = X[:, :2] @ [[1.0, 2.0], [0.5, -1.0]] + 0.1 * rng.normal(size=(100, 2))
    >>> model = sluice.PLS2(components=2).fit(X, Y)
    >>> round(model.score(X, Y), 3)
    0.979
    >>> model.transform(X[:3]).shape
    (3, 2)
    """

    _method = "pls2"

    def __init__(
        self,
        *,
        components: int | None = None,
        forgetting: float = 1.0,
        center: bool = True,
        scale_inputs: bool = True,
        scale_outputs: bool = True,
    ) -> None:
        self.components = components
        self.forgetting = forgetting
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs


class PrincipalComponentsRegression(OfflineRegressor):
    """The outputs regressed on the first principal components of the inputs.

    Parameters
    ----------
    components : 1 to the number of inputs; None: all of them, which is ordinary least squares where rows are many
    forgetting, center, scale_inputs, scale_outputs : as in `PLS2`

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> factor = rng.normal(size=100)
    >>> X = factor[:, None] + 0.3 * rng.normal(size=(100, 8))
    >>> model = sluice.PrincipalComponentsRegression(components=1).fit(X, factor)
    >>> round(model.score(X, factor), 2)
    0.98
    """

    _method = "pcr"

    def __init__(
        self,
        *,
        components: int | None = None,
        forgetting: float = 1.0,
        center: bool = True,
        scale_inputs: bool = True,
        scale_outputs: bool = True,
    ) -> None:
        self.components = components
        self.forgetting = forgetting
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs

    def _options(self, rows: int, inputs: int) -> dict[str, Any]:
        params = super()._options(rows, inputs)
        if self.components is None:  # more than rows never exist
            params["components"] = min(inputs, max(1, rows - int(bool(self.center))))
        return params


class BridgePLS(OfflineRegressor):
    """Bridge PLS, section 2.2 of the paper: the eigenvectors of ridge C + (1 - ridge) M M', without deflation.

    Parameters
    ----------
    components : latent components, 1 to the number of inputs; None: one for four inputs, at most 5
    ridge : 0 to 1; 0 gives the PLS weights of M, at most as many as outputs; 1 gives principal components
    balance : ``"trace"``: C and M M' are each divided by their trace, so that units do not matter; ``"raw"``: as printed
    forgetting, center, scale_inputs, scale_outputs : as in `PLS2`

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(100, 6))
    >>> y = X[:, 0] - X[:, 4] + 0.1 * rng.normal(size=100)
    >>> model = sluice.BridgePLS(components=2).fit(X, y)
    >>> model.vip_.argsort()[-2:]
    array([0, 4])
    """

    _method = "bridge"

    def __init__(
        self,
        *,
        components: int | None = None,
        ridge: float = 1e-5,
        balance: str = "trace",
        forgetting: float = 1.0,
        center: bool = True,
        scale_inputs: bool = True,
        scale_outputs: bool = True,
    ) -> None:
        self.components = components
        self.ridge = ridge
        self.balance = balance
        self.forgetting = forgetting
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs


class SparseBridgePLS(OfflineRegressor):
    """Sparse Bridge PLS: each component is made of a few inputs. Section 3.1 of the paper, Algorithm 1.

    Parameters
    ----------
    components : latent components, 1 to the number of inputs; None: 5, or fewer if they hold every input
    keep : inputs kept by each component, one number or one for each component; None: 4
    gamma : a fixed soft threshold instead of `keep`, from 0 to below 1
    names : the most inputs in all components together; None: no limit
    deflation : ``"refit"``: what a least-squares fit on the inputs kept so far explains is removed before the next
        component is chosen, and the last fit predicts; ``"project"``: the directions found are, as in the paper
    shrinkage : of the refit, as if that number of further rows had shown no relation; 0 or more
    penalty : ``"lasso"``, ``"hard"``, ``"elastic_net"``, ``"scad"``, ``"mcp"``, ``"adaptive_lasso"`` or
        ``"group_lasso"``; with elastic_mix, scad_knee, mcp_knee, adaptive_power, and groups, the group of each input
    tolerance : the iteration of a component ends when its weights move less than this
    max_iterations : of one component; `notes_` say where that was too few
    as_printed : Algorithm 1 as printed, in which components end at the first one again; with deflation ``"project"``
    ridge, balance, forgetting, center, scale_inputs, scale_outputs : as in `BridgePLS`

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(100, 50))
    >>> y = 2 * X[:, 3] + X[:, 7] - X[:, 20] + 0.1 * rng.normal(size=100)
    >>> model = sluice.SparseBridgePLS(components=1, keep=3).fit(X, y)
    >>> model.selected_
    array([ 3,  7, 20])
    >>> model.get_feature_names_out()
    array(['sparsebridgepls0'], dtype=object)
    """

    _method = "sparse-bridge"

    def __init__(
        self,
        *,
        components: int | None = None,
        keep: int | list[int] | None = None,
        gamma: float | None = None,
        names: int | None = None,
        ridge: float = 1e-5,
        balance: str = "trace",
        deflation: str = "refit",
        shrinkage: float = 5.0,
        penalty: str = "lasso",
        elastic_mix: float = 0.5,
        scad_knee: float = 3.7,
        mcp_knee: float = 3.0,
        adaptive_power: float = 1.0,
        groups: list[int] | None = None,
        forgetting: float = 1.0,
        center: bool = True,
        scale_inputs: bool = True,
        scale_outputs: bool = True,
        tolerance: float = 1e-10,
        max_iterations: int = 1000,
        as_printed: bool = False,
    ) -> None:
        self.components = components
        self.keep = keep
        self.gamma = gamma
        self.names = names
        self.ridge = ridge
        self.balance = balance
        self.deflation = deflation
        self.shrinkage = shrinkage
        self.penalty = penalty
        self.elastic_mix = elastic_mix
        self.scad_knee = scad_knee
        self.mcp_knee = mcp_knee
        self.adaptive_power = adaptive_power
        self.groups = groups
        self.forgetting = forgetting
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.as_printed = as_printed


def _as_outputs(y: Any) -> Array:
    """Outputs as rows of doubles. A missing one is NaN."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: a fit needs inputs and outputs")
    outputs: Array = check_array(
        y, dtype=np.float64, ensure_2d=False, ensure_all_finite="allow-nan", input_name="y", order="C"
    )
    return outputs


def _target_names(y: Any, count: int, inputs: list[str]) -> list[str]:
    """The names of a frame's columns or of a series; else names that no input has."""
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    if isinstance(name, str) and count == 1:
        return [name]
    made = ["y"] if count == 1 else [f"y{k}" for k in range(count)]
    while not set(made).isdisjoint(inputs):
        made = [f"{name}_" for name in made]
    return made


def _value(text: str) -> Any:
    """An option that the core wrote as text."""
    if text in ("", "none"):
        return None
    if text in ("yes", "no"):
        return text == "yes"
    if "," in text:
        return [int(number) for number in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
