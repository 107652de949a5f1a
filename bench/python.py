#!/usr/bin/env python3
"""What Python costs over the core, and where its neighbours stand:  bench/python.py [--rows 100000] [TASK.csv ...]

Question   1. The time of partial_fit with many rows over that of the C++ library; microseconds that a call with one
              row costs over the core, for arrays and for dicts.
           2. Time and one-step-ahead error beside methods that a Python user would take instead.
Peers      river's StandardScaler | LinearRegression; scikit-learn's PLSRegression, two components, fitted again every
           20 rows on the last 200. Both with their default options otherwise.
Equal work Every method predicts each row before it learns from it, on the same rows. Rounds of core and Python take
           turns, and the median of their ratios is given.
Needs      pip install .[river], and  cmake --build build/release --target raw_rows_bench
TASK.csv   Further streams: the columns y1, y2, .. are the outputs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.cross_decomposition import PLSRegression

import sluice
from sluice import datasets

try:
    from river import linear_model, preprocessing

    import sluice.river
except ImportError:
    sys.exit("river is missing: pip install river")

CORE = Path(__file__).resolve().parents[1] / "build" / "release" / "bench" / "raw_rows_bench"
INPUTS = 60
SINGLE = 20_000  # rows that are given one by one
# They go to a model that tunes nothing: what a call costs is then not lost in the noise of what the core does.
FIXED = {"components": 1, "keep": 5, "forgetting": 0.98, "shrinkage": 5, "intercept": "fixed", "alarms": False,
         "robust": False}
WINDOW, REFIT = 200, 20


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def core_seconds(X: np.ndarray, y: np.ndarray, **options: object) -> tuple[float, float, np.ndarray]:
    """Of one call with all rows, of a call per row, and the coefficients."""
    texts = [f"{name}={'no' if value is False else value}" for name, value in options.items()]
    with tempfile.TemporaryDirectory() as folder:
        X.tofile(f"{folder}/x")
        y.tofile(f"{folder}/y")
        command = [CORE, f"{folder}/x", f"{folder}/y", str(X.shape[1]), *texts]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    return float(text[0]), float(text[1]), np.array([float.fromhex(word) for word in text[2].split()])


def cost_over_core(rows: int, rounds: int) -> None:
    data = datasets.make_factors(rows=rows, inputs=INPUTS, groups=10, drift=0.01, seed=1)
    X, y = data.X, data.y.ravel()
    first = [(X[t : t + 1], y[t : t + 1]) for t in range(SINGLE)]
    dicts = [(dict(zip(data.names, row.tolist())), float(output)) for row, output in zip(X[:SINGLE], y)]
    ratios, arrays, dict_rows = [], [], []
    for _ in range(rounds):
        model = sluice.StreamRegressor(coverage=None)
        together, _, coefficients = core_seconds(X, y)
        ratios.append(timed(lambda: model.partial_fit(X, y)) / together)
        if not np.array_equal(model.coef_, coefficients):
            sys.exit("Python and C++ do not have the same coefficients")

        _, single, _ = core_seconds(X[:SINGLE], y[:SINGLE], **FIXED)
        model = sluice.StreamRegressor(coverage=None, **FIXED)
        arrays.append(timed(lambda: [model.partial_fit(*row) for row in first]) - single)
        stream = sluice.river.StreamRegressor(coverage=None, **FIXED)
        dict_rows.append(timed(lambda: [stream.learn_one(*row) for row in dicts]) - single)
    print(f"partial_fit, {rows} x {INPUTS}: {statistics.median(ratios):.3f} times the C++ library "
          f"(rounds {', '.join(f'{ratio:.3f}' for ratio in sorted(ratios))}); same coefficients, bit for bit")
    for name, seconds in (("one row, arrays", arrays), ("one row, dicts", dict_rows)):
        each = [1e6 * value / SINGLE for value in sorted(seconds)]
        rounds_text = ", ".join(f"{us:.1f}" for us in each)
        print(f"{name}: {statistics.median(each):.1f} us over the core (rounds {rounds_text})")


# ---- one step ahead, beside others: each takes rows and returns its predictions

Method = Callable[[np.ndarray, np.ndarray], np.ndarray]


def by_sluice(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return sluice.StreamRegressor(coverage=None).predict_then_learn(X, y)


def by_sluice_rows(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    model = sluice.StreamRegressor(coverage=None)
    predicted = np.zeros_like(y)
    for t in range(len(X)):
        if t > 0:
            predicted[t] = model.predict(X[t : t + 1])[0]
        model.partial_fit(X[t : t + 1], y[t : t + 1])
    return predicted


def by_river(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    names = [f"x{j}" for j in range(X.shape[1])]
    models = [preprocessing.StandardScaler() | linear_model.LinearRegression() for _ in range(y.shape[1])]
    predicted = np.zeros_like(y)
    for t in range(len(X)):
        row = dict(zip(names, np.nan_to_num(X[t]).tolist()))
        for k, model in enumerate(models):
            predicted[t, k] = model.predict_one(row)
            if np.isfinite(y[t, k]):
                model.learn_one(row, float(y[t, k]))
    return predicted


def by_window_pls(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    predicted = np.zeros_like(y)
    model = None
    filled = np.nan_to_num(X)
    for t in range(len(X)):
        if model is not None:
            predicted[t] = model.predict(filled[t : t + 1])[0]
        if t >= 10 and t % REFIT == 0:
            known = np.flatnonzero(np.isfinite(y[max(0, t + 1 - WINDOW) : t + 1]).all(axis=1)) + max(0, t + 1 - WINDOW)
            if len(known) > 10 and (np.ptp(y[known], axis=0) > 0).all():
                model = PLSRegression(n_components=2).fit(filled[known], y[known])
    return predicted


METHODS: dict[str, Method] = {
    "sluice, all rows in one call": by_sluice,
    "sluice, a call per row": by_sluice_rows,
    "river StandardScaler and LinearRegression": by_river,
    "scikit-learn PLSRegression, window 200": by_window_pls,
}


def error_over_variance(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over the outputs; the first 50 rows are for warming up."""
    y, predicted = y[50:], predicted[50:]
    errors = np.where(np.isfinite(y), (y - predicted) ** 2, np.nan)
    return float(np.mean(np.nanmean(errors, axis=0) / np.nanvar(y, axis=0)))


def beside_others(name: str, X: np.ndarray, y: np.ndarray) -> None:
    for method, predict in METHODS.items():
        predicted = np.zeros_like(y)

        def run() -> None:
            predicted[:] = predict(X, y)

        seconds = timed(run)
        print(f"| {name} | {method} | {1e6 * seconds / len(X):.0f} | {error_over_variance(y, predicted):.3f} |")


def read_task(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with path.open() as file:
        names = file.readline().strip().split(",")
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    outputs = [j for j, name in enumerate(names) if name[:1] == "y" and name[1:].isdigit()]
    inputs = [j for j in range(len(names)) if j not in outputs and np.isfinite(table[:, j]).any()]
    return np.ascontiguousarray(table[:, inputs]), np.ascontiguousarray(table[:, outputs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("tasks", nargs="*", type=Path)
    arguments = parser.parse_args()
    cost_over_core(arguments.rows, arguments.rounds)
    print("\n| stream | method | us per row | error over variance |\n| --- | --- | --- | --- |")
    paper = datasets.make_paper(kind="switching", rows=2000, seed=1)
    beside_others("switching, 60 inputs", paper.X, paper.y.reshape(len(paper.X), -1))
    factors = datasets.make_factors(rows=2000, inputs=INPUTS, groups=10, break_every=500, seed=1)
    beside_others("factors with breaks, 60 inputs", factors.X, factors.y.reshape(len(factors.X), -1))
    for task in arguments.tasks:
        beside_others(task.stem, *read_task(task))


if __name__ == "__main__":
    main()
