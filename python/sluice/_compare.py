"""Sluice beside the methods of its literature, on the same rows."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from sluice import _core
from sluice._html import _STYLE
from sluice._stream import StreamRegressor
from sluice._tables import checked_inputs, checked_outputs

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

_MOST_TARGETS = 4  # that a printed table has beside their mean


def compare_methods() -> tuple[str, ...]:
    """The names of all methods that `compare` knows, as ``sluice compare --list`` has them.

    >>> import sluice
    >>> sluice.compare_methods()[:3]
    ('sluice', 'sluice_paper', 'rls')
    """
    return tuple(_core.methods_named(["all"]))


def compare(
    X: ArrayLike,
    y: ArrayLike,
    *,
    methods: str | Sequence[str] = "all",
    names: int = 20,
    season: int = 24,
    warmup: int = 0,
) -> Comparison:
    """Runs Sluice and other methods over the rows: each predicts every row before it learns it.

    The figures are those of ``sluice compare``. ``docs/methods.md`` describes each method. Their time differs by a factor
    of 1000: those that fit a window again with every row are slow. A method that fails is shown with its reason, and the
    others go on.

    Parameters
    ----------
    X, y : the rows in their order, from numpy, pandas, polars or Arrow. A missing value is NaN
    methods : ``"all"``, one name, or several of `compare_methods`
    names : the most inputs that a method which selects may use, over all targets together; 1 or more
    season : rows of a season, for the seasonal last value; 1 or more
    warmup : the first rows, which are learnt and not scored

    Examples
    --------
    >>> import numpy as np, sluice
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(400, 20))
    >>> y = X[:, 4] + 0.1 * rng.normal(size=400)
    >>> table = sluice.compare(X, y, methods=["last_value", "sluice"], names=5)
    >>> [row.name for row in table.rows]
    ['sluice', 'last_value']
    """
    limits = {
        "names": _whole(names, "names", 1),
        "season": _whole(season, "season", 1),
        "warmup": _whole(warmup, "warmup", 0),
    }
    chosen = _core.methods_named([methods] if isinstance(methods, str) else list(methods))
    outputs, targets = checked_outputs(y)
    inputs = checked_inputs(StreamRegressor(), X, reset=True)
    check_consistent_length(inputs, outputs)
    outputs = outputs.reshape(len(inputs), -1)
    if targets is None:
        targets = ["y"] if outputs.shape[1] == 1 else [f"y{k}" for k in range(outputs.shape[1])]
    rows = [_method_row(_core.run_method(name, inputs, outputs, **limits), targets) for name in chosen]
    rows.sort(key=lambda row: (row.failure is not None, np.isnan(row.mean_error), row.mean_error))
    return Comparison(tuple(rows), tuple(targets), len(inputs), inputs.shape[1], limits["warmup"])


@dataclass(frozen=True)
class MethodRow:
    """What one method reached."""

    name: str
    title: str
    paper: str  # who proposed it; empty where nobody did
    selects: bool  # uses at most `names` inputs
    errors: dict[str, float]  # squared error over the variance of each target; NaN where there is none
    mean_error: float  # of the targets that have one
    names_used: float  # inputs in use, mean per row learnt
    turnover: float  # inputs that entered, per row learnt
    microseconds_per_row: float  # processor time of predicting and learning
    bytes: int  # memory that it holds
    failure: str | None  # where and why it stopped; figures are those of the rows before


@dataclass(frozen=True, repr=False)
class Comparison:
    """A row for each method, by mean error; those that failed are last."""

    rows: tuple[MethodRow, ...]
    targets: tuple[str, ...]
    rows_met: int
    inputs: int
    warmup: int

    def __getitem__(self, name: str) -> MethodRow:
        """The row of a method."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"{name} was not compared: there are {', '.join(row.name for row in self.rows)}")

    def to_pandas(self) -> pd.DataFrame:
        """One row for each method, by its name; the error of each target in a column ``error TARGET``."""
        import pandas as pd

        records = []
        for row in self.rows:
            record = {key: value for key, value in vars(row).items() if key != "errors"}
            records.append(record | {f"error {target}": error for target, error in row.errors.items()})
        return pd.DataFrame.from_records(records).set_index("name")

    def __repr__(self) -> str:
        lines = [self._title()]
        cells = [self._heads(), *(self._cells(row) for row in self.rows)]
        widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
        reasons = ["", *(row.failure or "" for row in self.rows)]
        for line, reason in zip(cells, reasons, strict=True):
            text = line[0].ljust(widths[0]) + "".join(
                "  " + cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)
            )
            lines.append(text + (f"  failed {reason}" if reason else ""))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        heads = "".join(f'<th{_number(k)}>{escape(head)}</th>' for k, head in enumerate(self._heads()))
        body = []
        for row in self.rows:
            cells = "".join(f"<td{_number(k)}>{escape(cell)}</td>" for k, cell in enumerate(self._cells(row)))
            reason = f'<td class="sluice-soft">failed {escape(row.failure)}</td>' if row.failure else ""
            body.append(f'<tr title="{escape(row.title)}">{cells}{reason}</tr>')
        return (
            f'{_STYLE}<div class="sluice-model"><div class="sluice-head">{escape(self._title())}</div>'
            f'<table class="sluice-inputs"><tr>{heads}</tr>{"".join(body)}</table></div>'
        )

    def _title(self) -> str:
        shown = ", ".join(self.targets[:_MOST_TARGETS])
        rest = len(self.targets) - _MOST_TARGETS
        return (
            f"{len(self.rows)} methods on {self.rows_met:,} rows of {self.inputs:,} inputs, error over variance of "
            + (f"{shown} and {rest} more" if rest > 0 else shown)
        )

    def _several(self) -> tuple[str, ...]:
        return self.targets if 1 < len(self.targets) <= _MOST_TARGETS else ()

    def _heads(self) -> list[str]:
        error = "error" if len(self.targets) == 1 else "mean error"
        return ["method", "selects", error, *self._several(), "names", "us/row", "bytes"]

    def _cells(self, row: MethodRow) -> list[str]:
        errors = [row.mean_error, *(row.errors[target] for target in self._several())]
        figures = ["-" if np.isnan(error) else f"{error:.4g}" for error in errors]
        return [
            row.name,
            "yes" if row.selects else "no",
            *figures,
            f"{row.names_used:.1f}",
            f"{row.microseconds_per_row:.1f}",
            f"{row.bytes:,}",
        ]


def _number(column: int) -> str:
    return ' class="sluice-number"' if column >= 2 else ""


def _whole(value: int, name: str, least: int) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: must be a whole number") from None
    if not least <= whole < 2**63:
        raise ValueError(f"{name} = {whole}: must be {least} or more")
    return whole


def _method_row(result: dict[str, Any], targets: list[str]) -> MethodRow:
    errors = result.pop("errors")
    known = [error for error in errors if not np.isnan(error)]
    return MethodRow(
        **(result | {"failure": result["failure"] or None}),
        errors=dict(zip(targets, errors, strict=True)),
        mean_error=float(np.mean(known)) if known else float("nan"),
    )
