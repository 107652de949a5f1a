"""How data enters: numpy, pandas, and every library with the Arrow PyCapsule interface (polars, pyarrow, duckdb, ...).

Rows of doubles come out, a missing value is NaN, and names are kept by the rules of scikit-learn. An array of
contiguous doubles is not copied.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from sluice import _core

Array = NDArray[np.float64]


def checked_inputs(estimator: Any, X: Any, reset: bool) -> Array:
    """Inputs as rows of doubles, with the names and the number of columns set (`reset`) or compared.

    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> rows = np.ones((2, 3))
    >>> checked_inputs(BaseEstimator(), rows, reset=True) is rows
    True
    """
    if not _is_arrow(X):
        _require_unique_columns(X)
        with _sentence("X"):
            rows: Array = validate_data(
                estimator, _plain(X, "X"), reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
            )
        _require_no_infinity(rows, "X", getattr(estimator, "feature_names_in_", None))
        if reset:
            _require_utf8(getattr(estimator, "feature_names_in_", ()))
        return rows
    names, values, is_table = _core.read_arrow(X, "X")
    if not is_table:
        raise ValueError(
            f"X is a single column ({type(X).__name__}), a table is needed: give a frame that has it as its only column"
        )
    _require_unique(names, "X")
    _check_names(estimator, names, reset)
    rows = check_array(values, dtype=np.float64, ensure_all_finite=False, estimator=estimator, input_name="X")
    _require_no_infinity(rows, "X", names)
    _check_width(estimator, len(names), reset)
    return rows


def checked_outputs(y: Any) -> tuple[Array, list[str] | None]:
    """Outputs as doubles, in one dimension or two as they were given, and their names where they have them.

    >>> checked_outputs([1, 2])
    (array([1., 2.]), None)
    """
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give the outputs of the same rows"
        )
    names: list[str] | None
    if _is_arrow(y):
        names, values, is_table = _core.read_arrow(y, "y")
        names = names if is_table or names[0] else None
    else:
        _require_unique_columns(y)
        names, values = _names_of(y), _plain(y, "y")
        if isinstance(values, (float, int)) or (isinstance(values, (np.ndarray, np.generic)) and values.ndim == 0):
            raise TypeError("y is a single number: give one for each row, such as [y] where X is one row")
    with _sentence("y"):
        outputs = check_array(
            values, dtype=np.float64, ensure_2d=False, ensure_all_finite=False, input_name="y", order="C"
        )
    if outputs.ndim > 2:
        raise ValueError(f"y has {outputs.ndim} dimensions: one column or a table is needed")
    _require_no_infinity(outputs, "y", names)
    if names is not None:
        _require_unique(names, "y")
        _require_utf8(names)
    return outputs, names


def distinct_targets(targets: Sequence[str], inputs: Sequence[str]) -> list[str]:
    """The names of targets, changed where an input has the same one: model files have each name once.

    >>> distinct_targets(["y"], ["a", "y"])
    ['y_target']
    """
    taken = set(inputs) | set(targets)
    distinct = []
    for target in targets:
        name = target
        if target in inputs:
            name += "_target"
            while name in taken:
                name += "_"
            taken.add(name)
        distinct.append(name)
    return distinct


# ---- kinds of objects


def _is_arrow(table: Any) -> bool:
    """Whether it is read through Arrow. pandas is left to scikit-learn, which knows its own kinds of missing values."""
    if isinstance(table, np.ndarray) or _is_pandas(table):
        return False
    return hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")


def _is_pandas(table: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, (pandas.DataFrame, pandas.Series, pandas.Index))


def _plain(table: Any, what: str) -> Any:
    """The same, where numpy would misread it."""
    if isinstance(table, np.ma.MaskedArray):
        return np.ma.filled(table.astype(np.float64), np.nan)
    if callable(getattr(table, "collect", None)) and not hasattr(table, "__array__"):
        raise TypeError(f"{what} is a {type(table).__name__}, a query that has not run: call its collect() first")
    return table


@contextmanager
def _sentence(what: str) -> Iterator[None]:
    """numpy's error for integers beyond all doubles is neither a ValueError nor a TypeError."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(f"{what} has a number that is too large for a double ({error}): scale the column") from error


def _require_no_infinity(values: Array, what: str, names: Sequence[str] | NDArray[np.object_] | None) -> None:
    """The sentence begins as that of scikit-learn, and says where the infinity is."""
    if np.isinf(values).any():
        row, *column = (int(place) for place in np.argwhere(np.isinf(values))[0])
        of_column = "" if not column else f", column {column[0]}" if names is None else f", column {names[column[0]]!r}"
        raise ValueError(
            f"Input {what} contains infinity or a value too large for dtype('float64'): row {row}{of_column}. "
            "Give NaN where a value is missing"
        )


# ---- names


def _names_of(y: Any) -> list[str] | None:
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    return [name] if isinstance(name, str) and name else None


def _require_unique_columns(table: Any) -> None:
    if _is_pandas(table) and hasattr(table, "columns") and not table.columns.is_unique:
        _require_unique(list(table.columns), "the frame")


def _require_unique(names: Sequence[Any], what: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{what} has {count} columns named {name!r}: each column needs a name of its own")


def _require_utf8(names: Sequence[str]) -> None:
    for name in names:
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ValueError(f"the name {name!r} cannot be written as UTF-8: rename the column")


def _check_names(estimator: Any, names: list[str], reset: bool) -> None:
    """The rules and messages of scikit-learn, which reads names from the frames it knows only."""
    if reset:
        if names:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    if not names:
        return
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is None:
        warnings.warn(
            f"X has feature names, but {type(estimator).__name__} was fitted without feature names", stacklevel=4
        )
    elif list(fitted) != names:
        raise ValueError(_difference(list(fitted), names))


def _difference(fitted: list[str], names: list[str]) -> str:
    lines = ["The feature names should match those that were passed during fit."]
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    for title, differing in (
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ):
        if differing:
            lines += [title, *(f"- {name}" for name in differing[:5]), *(["- ..."] if len(differing) > 5 else [])]
    if not unseen and not missing:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"


def _check_width(estimator: Any, width: int, reset: bool) -> None:
    if reset:
        estimator.n_features_in_ = width
    elif width != getattr(estimator, "n_features_in_", width):
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features "
            "as input."
        )
