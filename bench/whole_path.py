#!/usr/bin/env python3
"""From a CSV file to one prediction per row, whole processes:  bench/whole_path.py [--python PYTHON] [--core N]

Question   How many rows a second does one core take from a file to predictions, each made before its row is learnt?
Ours       sluice stream FILE -t _label -o RECORDS: nothing given, so that all is tuned while the stream runs; and the same
           with --paper, where nothing is tuned
Peers      Vowpal Wabbit (vowpalwabbit on PyPI), which reads CSV itself; and the same from its own text format with
           numbers for names, its fastest, converted before the clock starts. Squared loss, one pass, default options
           river's StandardScaler | LinearRegression, rows by stream.iter_csv           whole_path_river.py
Equal work No. Vowpal Wabbit and river keep one coefficient an input and move it along the gradient: some p operations a
           row. Sluice keeps second moments of all pairs of inputs, several times with different memories, selects
           inputs and mixes many settings. All of them read the same file, predict every row before they learn it, and
           write the prediction to a file. Vowpal Wabbit reads in a second thread, which shares the core here.
Data       Standard normal inputs with correlation 0.3, 8 of them drive the output, other 8 from the middle of the file on;
           variance of the signal five times that of the noise. Six digits a number, as most recorded data has: 17 digits
           cost each tool more. river's default step of 0.01 diverges from 100 inputs on, so its step is 0.2 / inputs.
Proof      Every tool writes one finite prediction a row, and beats the mean known in hindsight, or nothing is timed.
Reports    rows a second of processor time, microseconds of elapsed and of processor time a row, and times Sluice: medians
           over the rounds, the last one of the ratios in each round. Processor time is all threads together, and does not
           count other programs on the same core. The tools take turns, every other round in reverse order. The start of each
           process counts: 0.06 s for Vowpal Wabbit, 1 s for river.
"""

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SLUICE = HERE.parent / "build" / "release" / "sluice"
TARGET = "_label"  # what Vowpal Wabbit calls it
ROWS = {60: 50_000, 300: 20_000, 1000: 10_000}
ROUNDS = 5
GET_PEERS = "python3 -m venv FOLDER && FOLDER/bin/pip install river vowpalwabbit, then --python FOLDER/bin/python"


class Tool(NamedTuple):
    name: str
    command: list[str]
    predictions: Callable[[], list[float]]


class Cost(NamedTuple):
    elapsed: float  # microseconds a row
    processor: float


def make_data(folder: Path, inputs: int, rows: int) -> list[float]:
    """Writes data.csv and data.vw, and returns the outputs."""
    command = [SLUICE, "simulate", "selection", "--inputs", str(inputs), "--drivers", "8", "--correlation", "0.3", "--rows",
               str(rows), "--change-at", str(rows // 2), "--seed", "1"]
    outputs = []
    with (subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as made,
          open(folder / "data.csv", "w") as table, open(folder / "data.vw", "w") as text):
        names = made.stdout.readline().split(",")
        table.write(",".join(names[:-1]) + f",{TARGET}\n")
        for line in made.stdout:
            cells = [f"{float(cell):.6g}" for cell in line.split(",")]
            table.write(",".join(cells) + "\n")
            text.write(f"{cells[-1]} |" + "".join(f" {j}:{cell}" for j, cell in enumerate(cells[:-1])) + "\n")
            outputs.append(float(cells[-1]))
    if made.returncode != 0 or len(outputs) != rows:
        sys.exit(f"{command[1]} ended with {made.returncode} after {len(outputs)} rows of {rows}")
    return outputs


def of_records(file: Path) -> list[float]:
    """Sluice says null for the first row, of which nothing is known yet; the others say 0."""
    with open(file) as lines:
        first, *rest = (json.loads(line)["predicted"][TARGET] for line in lines)
        return [0.0 if first is None else first, *rest]


def of_lines(file: Path) -> list[float]:
    with open(file) as lines:
        return [float(line.split()[0]) for line in lines]


def tools(folder: Path, inputs: int, peers: str, available: set[str]) -> list[Tool]:
    table = str(folder / "data.csv")

    def ours(name: str, file: str, *options: str) -> Tool:
        out = folder / file
        return Tool(name, [str(SLUICE), "stream", table, "-t", TARGET, "-q", "-o", str(out), *options],
                    lambda: of_records(out))

    def wabbit(name: str, file: str, *options: str) -> Tool:
        out = folder / file
        return Tool(name, [peers, "-m", "vowpalwabbit", *options, "-p", str(out), "--quiet"], lambda: of_lines(out))

    found = [ours("Sluice, self-tuning", "tuned.ndjson"), ours("Sluice, --paper: nothing tuned", "paper.ndjson", "--paper")]
    if "vowpalwabbit" in available:
        found.append(wabbit("Vowpal Wabbit", "csv.txt", "--csv", "-d", table))
        found.append(wabbit("Vowpal Wabbit, its own text", "text.txt", "-d", str(folder / "data.vw")))
    if "river" in available:
        out = folder / "river.txt"
        program = [str(HERE / "whole_path_river.py"), table, TARGET, str(out), str(0.2 / inputs)]
        found.append(Tool("river", [peers, *program], lambda: of_lines(out)))
    return found


def run(tool: Tool, rows: int, core: int | None) -> Cost:
    pin = ["taskset", "-c", str(core)] if core is not None else []
    start = time.perf_counter()
    child = subprocess.Popen(pin + tool.command)
    _, status, used = os.wait4(child.pid, 0)
    elapsed = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(tool.command)}\nended with {child.returncode}")
    return Cost(elapsed * 1e6 / rows, (used.ru_utime + used.ru_stime) * 1e6 / rows)


def check(tool: Tool, outputs: list[float]) -> float:
    """The error over the variance."""
    predicted = tool.predictions()
    if len(predicted) != len(outputs) or not all(f is not None and math.isfinite(f) for f in predicted):
        sys.exit(f"{tool.name}: {len(predicted)} predictions for {len(outputs)} rows, or one is not finite: nothing is timed")
    error = sum((y - f) ** 2 for y, f in zip(outputs, predicted)) / len(outputs) / statistics.pvariance(outputs)
    if error >= 1.0:
        sys.exit(f"{tool.name}: the error is {error:.2f} times that of the mean: nothing is timed")
    return error


def compare(inputs: int, rows: int, peers: str, available: set[str], core: int | None, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outputs = make_data(folder, inputs, rows)
        contestants = tools(folder, inputs, peers, available)
        errors = []
        for tool in contestants:
            run(tool, rows, core)  # also brings the file into memory
            errors.append(check(tool, outputs))
        costs: dict[str, list[Cost]] = {tool.name: [] for tool in contestants}
        for number in range(rounds):
            for tool in contestants if number % 2 == 0 else reversed(contestants):
                costs[tool.name].append(run(tool, rows, core))
    ours = costs[contestants[0].name]
    for tool, error in zip(contestants, errors):
        theirs = costs[tool.name]
        elapsed, processor = (statistics.median(column) for column in zip(*theirs))
        times = [statistics.median(a[i] / b[i] for a, b in zip(theirs, ours)) for i in (0, 1)]
        print(f"{inputs:6}  {tool.name:30}  {1e6 / processor:13,.0f}  {elapsed:8.1f}  {processor:10.1f}  {times[0]:8.2f}  "
              f"{times[1]:10.2f}  {error:6.3f}", flush=True)


def available_in(python: str) -> dict[str, str]:
    """The peers that this Python has, with their versions."""
    ask = ("import importlib.metadata as m, json; print(json.dumps({d.metadata['Name'].lower(): d.version "
           "for d in m.distributions() if d.metadata['Name'].lower() in ('river', 'vowpalwabbit')}))")
    return json.loads(subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout)


def processor_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def measure(python: str, core: int | None, rounds: int = ROUNDS, widths: list[int] | None = None) -> None:
    if not SLUICE.exists():
        sys.exit(f"{SLUICE} is missing: ./run builds it")
    if core is not None and shutil.which("taskset") is None:
        sys.exit("taskset is missing: it is in the Debian package util-linux; or leave out --core")
    versions = available_in(python)
    for name in ("river", "vowpalwabbit"):
        if name not in versions:
            print(f"{name} is missing, so it is left out: {GET_PEERS}")
    print(f"{'inputs':>6}  {'tool':30}  {'rows a second':>13}  {'elapsed':>8}  {'processor':>10}  {'times Sluice':>20}  {'error':>6}")
    for inputs in widths or list(ROWS):
        compare(inputs, ROWS[inputs], python, set(versions), core, rounds)
    peers = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    print(f"{processor_name()}; {peers or 'no peers'}; load {os.getloadavg()[0]:.1f} at the end; "
          f"{'one core' if core is not None else f'{os.cpu_count()} cores'}")
    print("Microseconds a row; times Sluice: elapsed and processor time; error: over that of the mean")


def main() -> None:
    parser = argparse.ArgumentParser(description="From a CSV file to one prediction per row, beside other tools.")
    parser.add_argument("--python", default=sys.executable, help="a Python with river and vowpalwabbit")
    parser.add_argument("--core", type=int, help="run each tool on this core alone [any]")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--inputs", type=int, nargs="*", choices=list(ROWS), help="[all of them]")
    given = parser.parse_args()
    measure(given.python, given.core, given.rounds, given.inputs)


if __name__ == "__main__":
    main()
