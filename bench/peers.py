#!/usr/bin/python3
"""What a learnt row costs with Sluice and with the other tools that run here:  bench/peers.py [--all]

Question   What does keeping a linear model up to date cost per row, with Sluice and with what one would use instead?
Ours       sluice::StreamModel, by way of  build/release/sluice bench step
Peers      scikit-learn's PLSRegression, with its default options, refitted on the last 400 rows (60 and 323 inputs)
           recursive least squares in numpy, forgetting 0.98
           Algorithm 2 written plainly with Eigen, as  sluice bench step  times it beside ours       plain_eigen.cpp
Equal work No, but for the last one: the peers compute different things, and only their cost is compared.
             Sluice     R components of `keep` inputs each, rows forgotten at 0.98: selection and coefficients
             PLS        R components of all inputs, 400 rows of equal weight, nothing selected, fitted again for each row
             RLS        the weighted least-squares coefficients of all inputs without intercept, nothing selected; it
                        moves three times over a p x p matrix, where a symmetric update, which numpy lacks, needs less
           Each does its own work rightly, or nothing is timed. RLS: every error is finite, and the coefficients and P
           are within 1e-6 of a direct weighted solve. PLS: within 1e-6 of the coefficients from its Krylov space.
           The plain transcription predicts like ours to 1e-9, which  sluice bench step  checks itself.
           All have one thread and data of the same kind: a few inputs follow three factors, the others are noise.
Reports    microseconds a row: the median over the rounds of each round's median; and times Sluice: the median of the
           rounds' ratios. In each of five rounds Sluice and the peers take turns, every other round in reverse order.
Not asked  accuracy, see docs/accuracy.md; memory; several threads
Files      bench/peers.py --files  compares whole processes instead, from a CSV file to predictions      whole_path.py
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# One thread for each contestant. The libraries read this when they are loaded, so it comes before their import.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError:
    sys.exit("numpy is missing: it is in the Debian package python3-numpy, for /usr/bin/python3")
try:
    import sklearn
    from sklearn.cross_decomposition import PLSRegression
except ImportError:
    sklearn = None

import whole_path  # noqa: E402

SLUICE = Path(__file__).resolve().parents[1] / "build" / "release" / "sluice"
ROUNDS = 5
FORGETTING = 0.98
WINDOW = 400
PRIOR = 1.0  # P begins as the identity divided by this
TOLERANCE = 1e-6

Learn = Callable[[int], None]  # learns the row of the given number


class Setting(NamedTuple):
    inputs: int
    outputs: int
    components: int
    keep: int
    refit: bool  # whether PLSRegression takes part
    checked: int  # rows that RLS learns before it is compared with the direct solve
    rows: int  # rows of each peer timed in a round


SETTINGS = [
    Setting(inputs=60, outputs=1, components=2, keep=20, refit=True, checked=300, rows=100),
    Setting(inputs=323, outputs=2, components=1, keep=10, refit=True, checked=300, rows=50),
    Setting(inputs=1000, outputs=5, components=3, keep=20, refit=False, checked=300, rows=30),
]
LARGEST = Setting(inputs=5000, outputs=5, components=3, keep=50, refit=False, checked=20, rows=5)


def make_rows(s: Setting, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows like those of bench/step_cost.cpp: three factors drive the outputs and the first inputs."""
    random = np.random.default_rng(1)
    factors = random.standard_normal((count, 3))
    x = random.standard_normal((count, s.inputs))
    relevant = min(s.components * s.keep, s.inputs)
    x[:, :relevant] += factors[:, np.arange(relevant) % 3]
    loadings = np.tile(5.0 / np.arange(1, 4)[:, None], s.outputs)
    loadings[np.arange(s.outputs) % 3, np.arange(s.outputs)] = 10.0
    return x, factors @ loadings + random.standard_normal((count, s.outputs))


def demand(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"{what}: nothing is timed")


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference, relative to the largest entry of b."""
    return float(np.abs(a - b).max() / np.abs(b).max())


# Recursive least squares.


def rls_learn(P: np.ndarray, B: np.ndarray, scratch: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Updates P and B in place by one row and returns the error before it.

    k = P x,  c = lambda + x'k,  B <- B + (k / c) (y - B'x)',  P <- (P - k k' / c) / lambda
    """
    k = P @ x
    c = FORGETTING + x @ k
    error = y - x @ B
    B += np.outer(k / c, error)
    k /= np.sqrt(c * FORGETTING)  # so that k k' is symmetric to the last bit, and P stays so
    np.outer(k, k, out=scratch)
    P *= 1.0 / FORGETTING
    P -= scratch
    return error


def check_rls(P: np.ndarray, B: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """After n rows P is the inverse of A = sum_i lambda^(n-i) x_i x_i' + lambda^n PRIOR I, and B solves A B = X'W Y.

    P is compared by what it makes of three random vectors, which spares an inverse.
    """
    n, p = x.shape
    weighted = x.T * FORGETTING ** np.arange(n - 1, -1, -1)
    A = weighted @ x + FORGETTING**n * PRIOR * np.eye(p)
    probes = np.random.default_rng(2).standard_normal((p, 3))
    direct = np.linalg.solve(A, np.hstack([weighted @ y, probes]))
    q = y.shape[1]
    for name, far in (("B", difference(B, direct[:, :q])), ("P", difference(P @ probes, direct[:, q:]))):
        demand(far <= TOLERANCE, f"recursive least squares, {p} inputs: {name} is {far:.1e} off the direct solve")


def rls_peer(s: Setting, x: np.ndarray, y: np.ndarray) -> tuple[Learn, Callable[[], bool]]:
    """Learns and checks the first rows. Returns the step to be timed, and whether all errors since were finite."""
    P = np.eye(s.inputs) / PRIOR
    B = np.zeros((s.inputs, s.outputs))
    scratch = np.empty_like(P)
    errors = [rls_learn(P, B, scratch, x[t], y[t]) for t in range(s.checked)]
    demand(bool(np.isfinite(errors).all()), f"recursive least squares, {s.inputs} inputs: an error is not finite")
    check_rls(P, B, x[: s.checked], y[: s.checked])

    def learn(t: int) -> None:
        errors.append(rls_learn(P, B, scratch, x[t], y[t]))

    return learn, lambda: bool(np.isfinite(errors).all())


# PLSRegression on a sliding window.


def check_pls(s: Setting, x: np.ndarray, y: np.ndarray) -> None:
    """With A = X'X and M = X'Y of standardised data, B = V (V'A V)^-1 V'M, V spanning u, A u, A A u ... in R columns.

    Here u is the first left singular vector of M. That holds for one component or one output, as all settings have.
    The check wants the power iteration inside to converge; what is timed stops where scikit-learn's defaults stop it.
    """
    model = PLSRegression(n_components=s.components, tol=1e-25, max_iter=10000).fit(x, y)
    centred = x - x.mean(axis=0), y - y.mean(axis=0)
    xs, ys = (a / a.std(axis=0, ddof=1) for a in centred)
    u = np.linalg.svd(xs.T @ ys, full_matrices=False)[0][:, 0]
    V = u[:, None]
    while V.shape[1] < s.components:
        V = np.linalg.qr(np.column_stack([V, xs.T @ (xs @ V[:, -1])]))[0]
    scores = xs @ V
    fitted = scores @ np.linalg.solve(scores.T @ scores, scores.T @ ys) * y.std(axis=0, ddof=1) + y.mean(axis=0)
    far = difference(model.predict(x), fitted)
    demand(far <= TOLERANCE, f"PLSRegression, {s.inputs} inputs: differs from its plain reference by {far:.1e}")


def pls_peer(s: Setting, x: np.ndarray, y: np.ndarray) -> Learn:
    """The window is a view of the stream, so keeping it costs nothing. That favours the peer."""
    check_pls(s, x[:WINDOW], y[:WINDOW])

    def learn(t: int) -> None:
        window = slice(t + 1 - WINDOW, t + 1)
        PLSRegression(n_components=s.components).fit(x[window], y[window])

    return learn


# Rounds.


def run_sluice(s: Setting) -> dict[str, Any]:
    command = [str(SLUICE), "bench", "step", "--inputs", str(s.inputs), "--outputs", str(s.outputs)]
    command += ["--components", str(s.components), "--keep", str(s.keep), "--forgetting", str(FORGETTING)]
    command += ["--rows", "2000", "--peer-seconds", "1", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def time_rows(learn: Learn, first: int, count: int) -> float:
    """The median microseconds of `count` rows, after one that is not timed and brings the data back to the caches."""
    learn(first)
    times = []
    for t in range(first + 1, first + 1 + count):
        start = time.perf_counter_ns()
        learn(t)
        times.append((time.perf_counter_ns() - start) / 1e3)
    return statistics.median(times)


def compare(s: Setting) -> tuple[list[str], dict[str, Any]]:
    """The lines of the table for one setting, and the last answer of  sluice bench step."""
    begin = max(s.checked, WINDOW)
    x, y = make_rows(s, begin + ROUNDS * (s.rows + 1))
    rls, finite = rls_peer(s, x, y)
    peers: dict[str, Learn] = {"recursive least squares, numpy": rls}
    if s.refit and sklearn is not None:
        peers[f"PLSRegression, {s.components} component{'s' * (s.components > 1)}, refitted"] = pls_peer(s, x, y)

    answers: list[dict[str, Any]] = []
    times: dict[str, list[float]] = {name: [] for name in peers}
    for number in range(ROUNDS):
        first = begin + number * (s.rows + 1)
        turns = ["Sluice", *peers]
        for name in turns if number % 2 == 0 else reversed(turns):
            if name == "Sluice":
                answers.append(run_sluice(s))
            else:
                times[name].append(time_rows(peers[name], first, s.rows))
    if not finite():
        sys.exit(f"recursive least squares, {s.inputs} inputs: an error became infinite while it was timed")

    ours = [answer["sluice_us"]["median"] for answer in answers]
    lines = [table_line(s, f"Sluice, {answers[-1]['engine']} engine", ours, [1.0])]
    if all(answer["plain_us"] for answer in answers):
        plain = [answer["plain_us"]["median"] for answer in answers]
        lines.append(table_line(s, "the same, plainly with Eigen", plain, [answer["ratio_of_medians"] for answer in answers]))
    for name, theirs in times.items():
        lines.append(table_line(s, name, theirs, [a / b for a, b in zip(theirs, ours)]))
    return lines, answers[-1]


# The table.


def table_line(s: Setting, tool: str, times: list[float], ratios: list[float]) -> str:
    return f"{s.inputs:6}  {tool:38}  {statistics.median(times):18.1f}  {statistics.median(ratios):12.1f}"


def versions(answer: dict[str, Any]) -> str:
    learn = f"scikit-learn {sklearn.__version__}" if sklearn is not None else "no scikit-learn"
    python = f"Python {platform.python_version()}, numpy {np.__version__} with {blas()}, {learn}"
    return f"{answer['processor']}; {python}; Sluice {answer['version']} by {answer['compiler']}"


def blas() -> str:
    """The file of the BLAS that numpy has loaded: Debian has several, and they differ widely in speed."""
    loaded = {Path(line.split()[-1]).resolve().name for line in Path("/proc/self/maps").read_text().splitlines()
              if "blas" in line}
    return next((name for name in sorted(loaded) if "openblas" in name), next(iter(sorted(loaded)), "unknown BLAS"))


def main() -> None:
    parser = argparse.ArgumentParser(description="What a learnt row costs with Sluice and with other tools.")
    parser.add_argument("--all", action="store_true", help="5000 inputs too: about a minute more, and 1 GB")
    parser.add_argument("--files", action="store_true", help="instead: from a CSV file to predictions, beside river and Vowpal Wabbit")
    parser.add_argument("--python", default=sys.executable, help="with --files: a Python with river and vowpalwabbit")
    parser.add_argument("--core", type=int, help="with --files: run each tool on this core alone [any]")
    given = parser.parse_args()
    if given.files:
        whole_path.measure(given.python, given.core)
        return
    settings = SETTINGS + ([LARGEST] if given.all else [])
    if not SLUICE.exists():
        sys.exit(f"{SLUICE} is missing: ./run builds it")
    if sklearn is None:
        print("scikit-learn is missing, so PLSRegression is left out: it is in the Debian package python3-sklearn")
    print(f"{'inputs':>6}  {'tool':38}  {'microseconds a row':>18}  {'times Sluice':>12}")
    for setting in settings:
        lines, answer = compare(setting)
        print("\n".join(lines), flush=True)
    print(versions(answer))


if __name__ == "__main__":
    main()
