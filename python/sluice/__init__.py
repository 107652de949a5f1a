"""Sluice keeps, at every moment, the few input streams that predict the outputs, and predicts one step ahead.

>>> import numpy as np, sluice
>>> rng = np.random.default_rng(1)
>>> X = rng.normal(size=(300, 10))
>>> y = 2 * X[:, 3] - X[:, 7] + 0.1 * rng.normal(size=300)
>>> model = sluice.StreamRegressor().fit(X, y)
>>> model.selected_
array([3, 7])

=============================================  =====================================================================
`StreamRegressor`                              on-line, self-tuning: scikit-learn's side
`sluice.river`                                 the same model on river's side (needs river)
`SparseBridgePLS`, `BridgePLS`, `PLS2`,        all rows at once, as scikit-learn regressors and transformers
`PrincipalComponentsRegression`
`BatchMoments`                                 the same fits of rows that no machine holds at once
`follow`, `History`                            what a model predicted and selected on its way through a stream
`compare`, `compare_methods`                   Sluice beside other methods, on the same rows
`sluice.fleet`                                 one model for each key: the block function (needs pyarrow)
`sluice.plot`                                  figures of a history (needs matplotlib)
`sluice.datasets`                              simulated streams whose truth is known
`option_help()`                                every option of the on-line models
=============================================  =====================================================================

``docs/python.md`` in the repository has a page of examples, and ``examples/notebooks`` three longer ones.
"""

from typing import TYPE_CHECKING, Any

from sluice._compare import Comparison, MethodRow, compare, compare_methods
from sluice._core import __version__
from sluice._history import History, follow
from sluice._moments import BatchMoments
from sluice._offline import PLS2, BridgePLS, PrincipalComponentsRegression, SparseBridgePLS
from sluice._options import option_help
from sluice._records import Event, Importance, Report
from sluice._stream import StreamRegressor

__all__ = [
    "BatchMoments",
    "BridgePLS",
    "Comparison",
    "Event",
    "History",
    "Importance",
    "MethodRow",
    "PLS2",
    "PrincipalComponentsRegression",
    "Report",
    "SparseBridgePLS",
    "StreamRegressor",
    "__version__",
    "compare",
    "compare_methods",
    "follow",
    "option_help",
]

if TYPE_CHECKING:
    from sluice import datasets as datasets, fleet as fleet, plot as plot
else:

    def __getattr__(name: str) -> Any:  # sluice.plot without an import of its own; matplotlib only where it is used
        if name in ("datasets", "fleet", "plot"):
            import importlib

            return importlib.import_module(f"sluice.{name}")
        raise AttributeError(f"module 'sluice' has no attribute {name!r}")
