#!/usr/bin/env python3
"""How fast a CSV of numbers is read, by Sluice and by what one would use instead:  bench/reading.py [--rows N]

Question   How many megabytes a second become numbers?
Ours       open_rows() of src/io, by way of  build/release/bench/read_csv_bench  (ninja -C build/release read_csv_bench)
Peers      std::getline and strtod, a row at a time, in the same program
           pandas.read_csv(engine="c", dtype=float64)
Equal work Yes, but that pandas keeps the whole table and the others one row at a time. All must come to the same sum,
           to 1e-9, as pandas sums in another order (and before version 3 may miss the last digit of a number).
Data       60 columns of 17-digit numbers, made by the program; read from memory, as the file was read just before.
Reports    MB/s: the median over the rounds; and times pandas: the median of the rounds' ratios. In each round all take
           turns, every other round in reverse order. One thread each; pandas is timed without its import.
Not asked  compressed files, text columns, quotes
"""

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import pandas
except ImportError:
    sys.exit(
        "pandas is missing. A copy of its own:  python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pandas\n"
        "and then:  /tmp/venv/bin/python bench/reading.py"
    )

PROGRAM = Path(__file__).resolve().parents[1] / "build" / "release" / "bench" / "read_csv_bench"
ROUNDS = 7


def by_program(how: str, file: str) -> tuple[float, float]:
    seconds, total = subprocess.run([PROGRAM, how, file], check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(total)


def by_pandas(file: str) -> tuple[float, float]:
    begin = time.perf_counter()
    table = pandas.read_csv(file, engine="c", dtype="float64")
    return time.perf_counter() - begin, float(table.to_numpy().sum())


CONTESTANTS = {
    "sluice": lambda file: by_program("sluice", file),
    "getline + strtod": lambda file: by_program("getline", file),
    "pandas": by_pandas,
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=50_000)
    rows = arguments.parse_args().rows
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is missing:  ninja -C build/release read_csv_bench")
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([PROGRAM, "make", file.name, str(rows)], check=True)
        megabytes = Path(file.name).stat().st_size / 1e6
        speeds: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
        for round_number in range(ROUNDS + 1):
            order = list(CONTESTANTS) if round_number % 2 == 0 else list(reversed(CONTESTANTS))
            sums = {}
            for name in order:
                seconds, sums[name] = CONTESTANTS[name](file.name)
                if round_number > 0:  # the first round warms up
                    speeds[name].append(megabytes / seconds)
            for name, total in sums.items():
                if not math.isclose(total, sums["sluice"], rel_tol=1e-9):
                    sys.exit(f"{name} comes to the sum {total}, sluice to {sums['sluice']}")
    print(f"{rows} rows of 60 numbers, {megabytes:.1f} MB, {ROUNDS} rounds, pandas {pandas.__version__}")
    print(f"{'':20} {'MB/s':>8} {'least':>8} {'most':>8} {'times pandas':>13}")
    for name, each in speeds.items():
        ratio = statistics.median(a / b for a, b in zip(each, speeds["pandas"]))
        print(f"{name:20} {statistics.median(each):8.0f} {min(each):8.0f} {max(each):8.0f} {ratio:13.2f}")


if __name__ == "__main__":
    main()
