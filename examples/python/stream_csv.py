"""Streams a CSV file row by row: each row is predicted before it is learnt.

    python stream_csv.py                       a simulated stream
    python stream_csv.py rows.csv y            your own: the file and the column to predict; empty cells are missing
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

import sluice
from sluice import datasets


def main(path: Path, target: str) -> None:
    model = sluice.StreamRegressor()
    squared_error = 0.0
    scored = 0
    with path.open(newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        column = header.index(target)
        names = [name for name in header if name != target]
        for row, cells in enumerate(reader):
            values = np.array([float(cell) if cell else np.nan for cell in cells])
            x, y = np.delete(values, column)[None, :], values[column : column + 1]  # one row, one output
            predicted = model.predict_then_learn(x, y)[0]
            if row >= 20 and not np.isnan(y[0]):
                squared_error += (y[0] - predicted) ** 2
                scored += 1
            if (row + 1) % 200 == 0:
                selected = [names[index] for index in model.selected_]
                print(f"row {row + 1}: one-step RMSE {np.sqrt(squared_error / scored):.3f}, selected {selected}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(Path(sys.argv[1]), sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            simulated = Path(folder) / "rows.csv"
            data = datasets.make_selection(inputs=30, drivers=2, change_at=400, rows=800, seed=1)
            data.frame().to_csv(simulated, index=False)
            main(simulated, "y1")
