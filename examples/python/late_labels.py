"""Labels that come late and only for some rows: the inputs of a row wait until its label is there.

    python late_labels.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import sluice
from sluice import datasets

DELAY = 10  # rows from a sample to its result
EVERY = 4  # one row in four is a sample


class LateLabels:
    """A model, and the rows that wait. Memory is bounded: the oldest row that waits is dropped."""

    def __init__(self, model: sluice.StreamRegressor, most_waiting: int = 1000) -> None:
        self.model = model
        self.most_waiting = most_waiting
        self.waiting: dict[int, NDArray[np.float64]] = {}

    def predict(self, row: int, x: NDArray[np.float64]) -> float:
        """What is expected for a row that has just come. Keeps the row for its label."""
        self.waiting[row] = x
        if len(self.waiting) > self.most_waiting:
            del self.waiting[next(iter(self.waiting))]
        return float(self.model.predict(x[None, :])[0]) if hasattr(self.model, "n_features_in_") else float("nan")

    def learn(self, row: int, label: float) -> None:
        """The label of an earlier row has come, in any order. Labels of rows that were dropped are ignored."""
        x = self.waiting.pop(row, None)
        if x is not None:
            self.model.partial_fit(x[None, :], [label])


def main() -> None:
    data = datasets.make_factors(inputs=20, groups=5, missing_share=0.05, rows=1500, seed=2)
    stream = LateLabels(sluice.StreamRegressor(), most_waiting=100)
    predicted = np.full(len(data), np.nan)
    for row, x in enumerate(data.X):
        sample = row - DELAY
        if sample >= 0 and sample % EVERY == 0:  # its result comes now
            stream.learn(sample, data.y[sample])
        predicted[row] = stream.predict(row, x)

    scored = ~np.isnan(predicted) & ~np.isnan(data.y) & (np.arange(len(data)) >= 200)
    error = np.mean((data.y - predicted)[scored] ** 2) / np.var(data.y[scored])
    labels = stream.model.rows_met_
    print(f"{labels} labels learnt, each {DELAY} rows late; R2 of all {scored.sum()} rows: {1 - error:.2f}")


if __name__ == "__main__":
    main()
