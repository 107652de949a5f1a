"""Moments of rows that no machine holds at once: what an off-line fit needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from sluice import _core
from sluice._records import has_names
from sluice._tables import checked_inputs, checked_outputs

Array = NDArray[np.float64]

MEMORY_LIMIT = 16 << 30


class BatchMoments:
    """Means and second moments of rows. They merge, so that each machine reads the rows that it has.

    The fit of the merged moments is that of all rows, to 1e-9, however these were divided: missing inputs count as the
    mean over all rows, columns with means of 1e6 keep their digits. Memory does not depend on the number of rows: 8 w^2
    bytes, with w the number of inputs, of outputs and of inputs with missing values together.

    Parameters
    ----------
    inputs, targets : names of the columns, or how many there are
    memory_limit : bytes that the moments may need; more inputs than that are refused

    Examples
    --------
    >>> import numpy as np, pickle, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(1000, 6)) + 1e6
    >>> y = X[:, 0] - X[:, 4] + 0.1 * rng.normal(size=1000)
    >>> one, other = sluice.BatchMoments(6, 1), sluice.BatchMoments(6, 1)
    >>> one.add(X[:300], y[:300])
    >>> other.add(X[300:], y[300:])
    >>> one.merge(pickle.loads(pickle.dumps(other)))
    >>> one
    <sluice.BatchMoments of 1000 rows, 6 inputs, 1 target>
    >>> model = sluice.PLS2(components=2).fit_moments(one)
    >>> np.allclose(model.coef_, sluice.PLS2(components=2).fit(X, y).coef_, rtol=0, atol=1e-9)
    True
    """

    def __init__(
        self, inputs: int | Sequence[str], targets: int | Sequence[str], *, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        self.input_names = _names(inputs, "x", "inputs")
        self.target_names = _names(targets, "y", "targets")
        self.memory_limit = memory_limit
        self._core = _core.BatchMoments(len(self.input_names), len(self.target_names), memory_limit)

    def add(self, X: Any, y: Any) -> None:
        """Adds rows: arrays, pandas, polars, Arrow. Rows without outputs are left out. An error changes nothing."""
        outputs, _ = checked_outputs(y)
        rows = checked_inputs(_columns(self.input_names, X), X, reset=False)
        self._core.add(rows, np.ascontiguousarray(outputs.reshape(len(outputs), -1)))

    def merge(self, other: BatchMoments) -> None:
        """Adds the rows of `other`."""
        for kind, mine, theirs in (
            ("inputs", self.input_names, other.input_names),
            ("targets", self.target_names, other.target_names),
        ):
            if mine != theirs:
                raise ValueError(f"the {kind} of the moments that are merged differ: {_shown(mine)} and {_shown(theirs)}")
        self._core.merge(other._core)

    @property
    def rows(self) -> int:
        """Rows that have their outputs."""
        return self._core.rows

    @property
    def nbytes(self) -> int:
        """Memory in use, at most."""
        return self._core.nbytes

    @property
    def input_means(self) -> Array:
        """The means of the inputs, of the values that are not missing."""
        return self._core.input_means

    def to_bytes(self) -> bytes:
        """Without the names; `pickle` keeps them. `BatchMoments::load` of C++ takes them too."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(
        cls,
        saved: bytes,
        inputs: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
        *,
        memory_limit: int = MEMORY_LIMIT,
    ) -> BatchMoments:
        """What `to_bytes` wrote, with the names of its columns. Damaged bytes are a ValueError."""
        core = _core.BatchMoments.from_bytes(saved, memory_limit)
        made = cls.__new__(cls)
        made.input_names = _names(core.inputs if inputs is None else inputs, "x", "inputs")
        made.target_names = _names(core.outputs if targets is None else targets, "y", "targets")
        if len(made.input_names) != core.inputs or len(made.target_names) != core.outputs:
            raise ValueError(
                f"{len(made.input_names)} inputs and {len(made.target_names)} targets are named, the moments have "
                f"{core.inputs} and {core.outputs}"
            )
        made.memory_limit = memory_limit
        made._core = core
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.to_bytes(), self.input_names, self.target_names, self.memory_limit)

    def __repr__(self) -> str:
        inputs, targets = len(self.input_names), len(self.target_names)
        return f"<sluice.BatchMoments of {self.rows} rows, {inputs} inputs, {targets} target{'s' if targets > 1 else ''}>"


def _unpickled(saved: bytes, inputs: list[str], targets: list[str], memory_limit: int) -> BatchMoments:
    return BatchMoments.from_bytes(saved, inputs, targets, memory_limit=memory_limit)


# scikit-learn's errors name the class of what columns are compared with.
_Columns = type("BatchMoments", (BaseEstimator,), {})


def _columns(names: list[str], X: Any) -> Any:
    columns = _Columns()
    columns.n_features_in_ = len(names)
    if has_names(names) and not isinstance(X, (np.ndarray, list)):  # arrays have no names to compare
        columns.feature_names_in_ = np.asarray(names, dtype=object)
    return columns


def _names(columns: int | Sequence[str], letter: str, kind: str) -> list[str]:
    if isinstance(columns, str):
        columns = [columns]
    if not isinstance(columns, Sequence):
        if columns < 1:
            raise ValueError(f"{kind} = {columns}: must be at least 1, or the names of the columns")
        return [letter] if letter == "y" and columns == 1 else [f"{letter}{j}" for j in range(columns)]
    names = [str(name) for name in columns]
    if not names:
        raise ValueError(f"{kind}: there must be at least one column")
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"{kind}: {', '.join(twice)} is named more than once")
    return names


def _shown(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
