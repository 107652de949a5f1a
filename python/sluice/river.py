"""The on-line model as river's regressors: rows are dicts, or frames.

Features are followed by their keys. One that was not there before is appended to the model, as if it had been missing
until then; one that is not in a row is missing in that row. The order of keys does not matter.

>>> import random
>>> import sluice.river
>>> rng = random.Random(1)
>>> model = sluice.river.StreamRegressor()
>>> for t in range(300):
...     x = {f"x{j}": rng.gauss(0, 1) for j in range(5 if t < 100 else 8)}
...     y = 2 * x["x3"] - x.get("x6", 0.0) + rng.gauss(0, 0.1)
...     model.learn_one(x, y)
>>> model.selected_names
('x3', 'x6')
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from river import base
    from river.utils import dataframe
except ImportError as error:
    raise ImportError("sluice.river needs river 0.26 or later: pip install 'sluice[river]'") from error

from sluice._dicts import DictStream
from sluice._frames import column_of, table_of

__all__ = ["StreamMultiTargetRegressor", "StreamRegressor"]

_NO_COVERAGE = "coverage is None: give the share of outputs that intervals shall contain, such as 0.9"


class StreamRegressor(DictStream, base.MiniBatchRegressor):
    """Learns row by row, keeps the few features that predict, and tunes itself unless told.

    Scaling is not needed. A value may be a float, an int, a bool or a number of numpy; None and NaN are missing. What
    else is met is an error that names the feature.

    Every feature ever met while learning has its place in the model, so that memory grows with their number, up to
    `memory_limit`, and not with that of the rows. A model that begins with at most 400 features keeps the moments of
    all pairs; one that will meet thousands is best begun with a row that has more than 400 of them, as None.

    Parameters
    ----------
    coverage
        Share of outputs that the intervals of `predict_interval_one` shall contain; None: no intervals.
    others
        The options of the C++ structs ``StreamOptions`` and ``Tuning`` by the same names: see ``sluice.option_help()``.
        ``"auto"`` leaves the choice to the model.
    groups
        Must be None: features come and go.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> import sluice.river
    >>> model = sluice.river.StreamRegressor()
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 0.3
    True
    """

    def learn_one(self, x: Mapping[Any, Any], y: float | None) -> None:
        """Learns one row. Without its target (None, NaN) it is met, not learnt.

        A row without any feature is ignored as long as there was none.
        """
        if not self._rows.learn_one(x, y) and self._follow(x, y):
            self._rows.learn_one(x, y)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """The target expected with these features; 0.0 before any row was learnt. Unknown features are ignored."""
        return self._rows.predict_one(x)  # type: ignore[return-value]

    def predict_interval_one(self, x: Mapping[Any, Any]) -> tuple[float, float]:
        """Lower and upper end of the next row's interval; NaN before ten errors are known."""
        if self.coverage is None:
            raise ValueError(_NO_COVERAGE)
        return self._rows.predict_interval_one(x)  # type: ignore[return-value]

    def learn_many(self, X: Any, y: Any) -> None:
        """Learns the rows of a frame in their order, as `learn_one` does.

        The name of a series `y` is the target's name in files.
        """
        self._learn_frame(X, column_of(y).reshape(-1, 1))
        name = getattr(y, "name", None)
        if self._core is not None and isinstance(name, str) and name:
            self._rename_targets(self._core, [name])

    def predict_many(self, X: Any) -> Any:
        """The targets expected with the rows of a frame, as a series of the same kind with the same index."""
        frame = dataframe.into_frame(X)
        predicted = self._predict_frame(frame)
        values = np.zeros(len(frame)) if predicted is None else predicted[:, 0]
        return dataframe.to_native_series(values, name=self.target_name, like=frame)

    @property
    def target_name(self) -> str:
        """The target's name in files."""
        return "y" if self._core is None else self._core.target_names[0]

    @property
    def one_step_r2(self) -> float:
        """R2 of the predictions made before each row was learnt."""
        return float("nan") if self._core is None else float(self._core.one_step_r2[0])

    @property
    def weights(self) -> dict[Hashable, float]:
        """Those that are not zero: by how much the prediction rises with each feature, in the features' own units."""
        return {} if self._core is None else _not_zero(self.feature_names, self._core.coefficients[:, 0])

    def save(self, path: str | os.PathLike[str], *, target: str | None = None) -> None:
        """Writes a model file, which ``sluice predict``, ``inspect``, ``diff`` and ``stream --resume`` take.

        Keys become texts. `target` names the target's column there.
        """
        if self._core is not None and target is not None:
            self._rename_targets(self._core, [target])
        self._save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, coverage: float | None = 0.9) -> StreamRegressor:
        """Reads a model file of `save`, ``sluice stream --checkpoint`` or ``sluice.StreamRegressor``, with its names.

        Keys are found by their texts.
        """
        model = cls(coverage=coverage)
        model._take_file(path)
        return model


class StreamMultiTargetRegressor(DictStream, base.MultiTargetRegressor):
    """Learns several targets together: one set of features predicts all of them.

    The names of the targets are those of the first row that has some. Later a target that is not there is missing, and
    an unknown one is an error. All else is as in `StreamRegressor`.

    Parameters
    ----------
    coverage
        Share of outputs that the intervals of `predict_interval_one` shall contain; None: no intervals.
    others
        As in `StreamRegressor`.

    Examples
    --------
    >>> import random
    >>> import sluice.river
    >>> rng = random.Random(1)
    >>> model = sluice.river.StreamMultiTargetRegressor()
    >>> for _ in range(300):
    ...     x = {name: rng.gauss(0, 1) for name in "abcdef"}
    ...     model.learn_one(x, {"sum": x["b"] + x["d"], "difference": x["b"] - x["d"]})
    >>> model.selected_names
    ('b', 'd')
    >>> {name: round(value, 1) for name, value in model.predict_one({"b": 1.0, "d": 0.5}).items()}
    {'difference': 0.5, 'sum': 1.5}
    """

    _single = False

    def learn_one(  # type: ignore[override]
        self, x: Mapping[Any, Any], y: Mapping[Any, float | None]
    ) -> None:
        """Learns one row. Targets that are missing (None, NaN, not there) are not learnt from."""
        if not self._rows.learn_one(x, y) and self._follow(x, y):
            self._rows.learn_one(x, y)

    def predict_one(self, x: Mapping[Any, Any]) -> dict[Hashable, float]:
        """The targets expected with these features; empty before any row was learnt. Unknown features are ignored."""
        return self._rows.predict_one(x)  # type: ignore[return-value]

    def predict_interval_one(self, x: Mapping[Any, Any]) -> dict[Hashable, tuple[float, float]]:
        """Lower and upper end of the next row's intervals; NaN before ten errors of a target are known."""
        if self.coverage is None:
            raise ValueError(_NO_COVERAGE)
        return self._rows.predict_interval_one(x)  # type: ignore[return-value]

    def learn_many(self, X: Any, y: Any) -> None:
        """Learns the rows of two frames in their order, as `learn_one` does."""
        targets = dataframe.into_frame(y)
        self._learn_frame(X, table_of(targets, "y"), list(targets.columns))

    def predict_many(self, X: Any) -> Any:
        """The targets expected with the rows of a frame, as a frame of the same kind with the same index."""
        frame = dataframe.into_frame(X)
        predicted = self._predict_frame(frame)
        values = np.empty((len(frame), 0)) if predicted is None else predicted
        return dataframe.to_native_frame(values, like=frame, columns=self.target_names)

    @property
    def target_names(self) -> tuple[Hashable, ...]:
        """The targets, in the model's order."""
        return tuple(self._targets)

    @property
    def one_step_r2(self) -> dict[Hashable, float]:
        """R2 of the predictions made before each row was learnt."""
        r2 = [] if self._core is None else self._core.one_step_r2.tolist()
        return dict(zip(self._targets, r2))

    @property
    def weights(self) -> dict[Hashable, dict[Hashable, float]]:
        """For each target the features' weights that are not zero, as in `StreamRegressor`."""
        columns = () if self._core is None else self._core.coefficients.T
        return {target: _not_zero(self.feature_names, column) for target, column in zip(self._targets, columns)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, as `StreamRegressor.save` does."""
        self._save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, coverage: float | None = 0.9) -> StreamMultiTargetRegressor:
        """Reads a model file, as `StreamRegressor.load` does."""
        model = cls(coverage=coverage)
        model._take_file(path)
        return model


def _not_zero(names: tuple[Hashable, ...], values: NDArray[np.float64]) -> dict[Hashable, float]:
    return {name: value for name, value in zip(names, values.tolist()) if value != 0.0}
