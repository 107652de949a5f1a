#!/usr/bin/env python3
"""What wrong values cost river's linear regression:  bench/robust_peers.py [--seeds 50]

Question   The error in the 100 rows after a fault over that of the same rows without it, as in  sluice bench robust
Peers      river's StandardScaler and LinearRegression (stochastic gradient descent), with their default options; and
           the same with river's filter of anomalies between them: QuantileFilter(GaussianScorer(), q=0.995)
Equal work The stream of  sluice bench robust:  two of 30 inputs drive the output. Faults of inputs are in the driver
           with the larger correlation. Only the noise of the labels is drawn otherwise.
Needs      pip install river
"""

import argparse
import csv
import io
import random
import statistics
import subprocess
import sys
from pathlib import Path

try:
    from river import anomaly, compose, linear_model, preprocessing
except ImportError:
    sys.exit("river is missing: pip install river")

SLUICE = Path(__file__).resolve().parents[1] / "build" / "release" / "sluice"
AT, RUN, SCORED = 200, 5, 100  # the row of the fault, rows of a long one, rows scored after it
FAULTS = ["label times 10", "label times 1e4", "label, sign", "label, 5 zeros", "input, spike", "input, 5 zeros",
          "input, 5 stuck", "label noise, 1 %"]

Rows = list[tuple[dict[str, float], float]]


def plain() -> compose.Pipeline:
    return preprocessing.StandardScaler() | linear_model.LinearRegression()


def filtered() -> compose.Pipeline:
    keep = anomaly.QuantileFilter(anomaly.GaussianScorer(), q=0.995)
    return preprocessing.StandardScaler() | keep | linear_model.LinearRegression()


def stream(seed: int) -> Rows:
    command = [SLUICE, "simulate", "selection", "--inputs", "30", "--drivers", "2", "--snr", "332", "--change-at", "0",
               "--rows", str(AT + RUN + SCORED), "--seed", str(seed)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]
    return [(row, row.pop("y1")) for row in rows]


def with_fault(rows: Rows, fault: str, seed: int) -> tuple[Rows, list[int]]:
    """The rows with the fault, and the numbers of those scored."""
    labels = [y for _, y in rows]
    mean, deviation = statistics.fmean(labels), statistics.pstdev(labels)
    if fault == "label noise, 1 %":
        draw = random.Random(seed)
        wrong = {t for t in range(AT, len(rows)) if draw.random() < 0.01}
        noisy = [(x, draw.gauss(mean, 20 * deviation) if t in wrong else y) for t, (x, y) in enumerate(rows)]
        return noisy, [t for t in range(AT, len(rows)) if t not in wrong]
    driver = max(rows[0][0], key=lambda name: abs(statistics.correlation([x[name] for x, _ in rows], labels)))
    values = [x[driver] for x, _ in rows]
    end = AT + (RUN if "5" in fault else 1)
    out = list(rows)
    for t in range(AT, end):
        x, y = rows[t]
        if fault.startswith("label"):
            out[t] = (x, {"label times 10": 10 * y, "label times 1e4": 1e4 * y, "label, sign": -y}.get(fault, 0.0))
        else:
            spike = statistics.fmean(values) + 1e4 * statistics.pstdev(values)
            wrong_value = {"input, spike": spike, "input, 5 zeros": 0.0}.get(fault, values[AT - 1])
            out[t] = ({**x, driver: wrong_value}, y)
    return out, list(range(end, min(end + SCORED, len(rows))))


def row_errors(model: compose.Pipeline, rows: Rows, clean: Rows) -> list[float]:
    errors = []
    for (x, y), (_, true_y) in zip(rows, clean):
        errors.append((true_y - model.predict_one(x)) ** 2)
        model.learn_one(x, y)
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description="What wrong values cost river's linear regression.")
    parser.add_argument("--seeds", type=int, default=50)
    seeds = range(1, parser.parse_args().seeds + 1)
    if not SLUICE.exists():
        sys.exit(f"{SLUICE} is missing: ./run builds it")
    streams = {seed: stream(seed) for seed in seeds}
    print(f"{'mean (worst) ratio':18}  {'river':>24}  {'river, filtered':>24}")
    makers = (plain, filtered)
    clean = {make: {seed: row_errors(make(), rows, rows) for seed, rows in streams.items()} for make in makers}
    for fault in FAULTS:
        line = f"{fault:18}"
        for make in makers:
            ratios = []
            for seed in seeds:
                rows, scored = with_fault(streams[seed], fault, seed)
                errors = row_errors(make(), rows, streams[seed])
                ratios.append(sum(errors[t] for t in scored) / sum(clean[make][seed][t] for t in scored))
            line += f"  {statistics.fmean(ratios):11.4g} ({max(ratios):10.4g})"
        print(line, flush=True)
    for make in makers:
        share = [statistics.fmean(clean[make][seed][AT:]) / statistics.pvariance([y for _, y in rows])
                 for seed, rows in streams.items()]
        print(f"{make.__name__}: error over variance without faults {statistics.fmean(share):.4f}")


if __name__ == "__main__":
    main()
