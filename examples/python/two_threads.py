"""Two models learn side by side in two threads: the interpreter's lock is released while many rows are learnt.

    python two_threads.py
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import sluice
from sluice import datasets


def learn(seed: int) -> float:
    data = datasets.make_selection(inputs=100, drivers=5, change_at=0, rows=3000, seed=seed)
    return float(sluice.StreamRegressor().fit(data.X, data.y).one_step_r2_[0])


def main() -> None:
    start = time.perf_counter()
    one_by_one = [learn(seed) for seed in (1, 2)]
    between = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        side_by_side = list(pool.map(learn, (1, 2)))
    end = time.perf_counter()
    print(f"one by one {between - start:.2f} s, side by side {end - between:.2f} s")
    print(f"same results: {one_by_one == side_by_side}")


if __name__ == "__main__":
    main()
