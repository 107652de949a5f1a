#!/usr/bin/env python3
"""One very wide model with its columns in several processes:  bench/sharded_columns.py [--inputs 200000] [--rows 120]

Question   What does a row of one model cost in communication, where no process has all columns?
Method     Algorithm 2 without centring (raw moments, deflation by projection), screened: each process has M and the history of
           its own columns. For each component r, in this order:
             g = M'u, z_t = x_t u   partial sums over its own columns; added up over the processes     q + T numbers
             a = alpha C u + (1 - alpha) M g, with C u = sum_t lambda^(T-t) x_t z_t, at its candidates only: those whose
                 |M g| plus the bound alpha sqrt(C_jj u'C u) can reach the threshold of the row before  nothing is sent
             the keep + 1 largest entries of each process, and the entries of earlier components' variables,
                 after projection                                                                      3 numbers each
             the threshold and the new u: the same in every process                                    nothing is sent
           W = (U'C U)^+ U'M needs z and g of the new u, which the next row sends anyway.
Compared   with one process that has all columns: the same variables in every row, weights to 1e-9, or it fails.
Reports    bytes sent by a process in a row, messages, and the time spent waiting for them beside that of the row.
"""

import argparse
import multiprocessing
import sys
import time
from multiprocessing.connection import Connection

import numpy as np

Q, R, KEEP, ALPHA, LAMBDA, SEED = 5, 3, 20, 1e-5, 0.9, 1
HISTORY = int(np.ceil(np.log(1e-16) / np.log(LAMBDA)))


class Together:
    """The sum, or the list, of what all processes have. Two processes: what is sent goes through one pipe."""

    def __init__(self, other: Connection | None, first: bool) -> None:
        self.other, self.first = other, first
        self.bytes = self.messages = 0
        self.seconds = 0.0

    def exchange(self, own: np.ndarray) -> list[np.ndarray]:
        if self.other is None:
            return [own]
        start = time.perf_counter()
        data = own.tobytes()
        self.bytes += len(data)
        self.messages += 1
        self.other.send_bytes(data)
        theirs = np.frombuffer(self.other.recv_bytes())
        self.seconds += time.perf_counter() - start
        return [own, theirs] if self.first else [theirs, own]

    def sum(self, own: np.ndarray) -> np.ndarray:
        parts = self.exchange(own)
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def stream(inputs: int, rows: int, columns: slice) -> tuple[np.ndarray, np.ndarray]:
    """Rows of these columns, and the outputs: six inputs, spread over all columns, carry three factors."""
    factors = np.random.default_rng(SEED).normal(size=(rows, R))
    noise = np.random.default_rng(SEED + 1).normal(size=(rows, Q))
    x = np.empty((rows, columns.stop - columns.start), dtype=np.float64)
    for j in range(columns.start, columns.stop):
        x[:, j - columns.start] = np.random.default_rng((SEED, j)).normal(size=rows)
    for k in range(6 * KEEP):
        place = k * (inputs // (6 * KEEP))
        if columns.start <= place < columns.stop:
            x[:, place - columns.start] += 2.0 * factors[:, k % R]
    return x, factors @ np.random.default_rng(SEED + 2).normal(size=(R, Q)) * [3] + 0.3 * noise


def learn(inputs: int, rows: int, columns: slice, together: Together) -> dict[str, object]:
    x, y = stream(inputs, rows, columns)
    size = columns.stop - columns.start
    M, square = np.zeros((size, Q)), np.zeros(size)
    chosen = [np.array([r]) for r in range(R)]  # variables of each component, by their numbers in all columns
    weights = [np.ones(1) for _ in range(R)]
    threshold = np.zeros(R)
    trace, computed, spent = [], 0, 0.0
    for t in range(rows):
        if t == rows // 4:  # warm
            together.bytes = together.messages = 0
            together.seconds, spent, computed = 0.0, 0.0, 0
        start = time.perf_counter()
        M *= LAMBDA
        M += np.outer(x[t], y[t])
        square *= LAMBDA
        square += x[t] ** 2
        past = x[max(0, t + 1 - HISTORY) : t + 1]
        age = LAMBDA ** np.arange(len(past) - 1, -1, -1)
        for r in range(R):
            mine = (chosen[r] >= columns.start) & (chosen[r] < columns.stop)
            local = chosen[r][mine] - columns.start
            both = together.sum(np.concatenate([M[local].T @ weights[r][mine], past[:, local] @ weights[r][mine]]))
            g, z = both[:Q], both[Q:]
            covariance = (1 - ALPHA) * (M @ g)
            bound = ALPHA * np.sqrt(square * float(age @ z**2))
            earlier = np.unique(np.concatenate(chosen[:r])) if r else np.array([], int)
            before = earlier[(earlier >= columns.start) & (earlier < columns.stop)] - columns.start
            likely = np.union1d(np.flatnonzero(np.abs(covariance) + bound >= 0.5 * threshold[r]), before)
            computed += len(likely)
            a = covariance[likely] + ALPHA * (past[:, likely].T @ (age * z))
            top = np.argsort(-np.abs(a), kind="stable")[: KEEP + 1 + len(earlier)]
            send = np.union1d(top, np.searchsorted(likely, before))
            table = np.concatenate(
                [part.reshape(-1, 2) for part in together.exchange(np.column_stack([likely[send] + columns.start, a[send]]).ravel())]
            )
            names, values = table[:, 0].astype(int), table[:, 1].copy()
            if r:  # orthogonal to the sparse vectors before it
                V = np.zeros((len(names), r))
                for k in range(r):
                    place = {name: i for i, name in enumerate(names)}
                    for name, weight in zip(chosen[k], weights[k], strict=True):
                        V[place[name], k] = weight
                values -= V @ np.linalg.lstsq(V.T @ V, V.T @ values, rcond=None)[0]
            order = np.lexsort((names, -np.abs(values)))[: KEEP + 1]
            threshold[r] = abs(values[order[-1]])
            kept = np.sort(order[:KEEP])
            soft = np.sign(values[kept]) * (np.abs(values[kept]) - threshold[r])
            chosen[r], weights[r] = names[kept], soft / np.linalg.norm(soft)
        spent += time.perf_counter() - start
        trace.append((np.concatenate(chosen), np.concatenate(weights)))
    counted = rows - rows // 4
    return {
        "trace": trace,
        "bytes": together.bytes / counted,
        "messages": together.messages / counted,
        "waiting": together.seconds / counted,
        "row": spent / counted,
        "computed": computed / counted / R,
    }


def work(inputs: int, rows: int, columns: slice, other: Connection, first: bool, answer: Connection) -> None:
    answer.send(learn(inputs, rows, columns, Together(other, first)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--rows", type=int, default=120)
    options = parser.parse_args()
    p, rows = options.inputs, options.rows
    one, two = multiprocessing.Pipe()
    answers = []
    for first, columns, end in ((True, slice(0, p // 2), one), (False, slice(p // 2, p), two)):
        here, there = multiprocessing.Pipe()
        multiprocessing.Process(target=work, args=(p, rows, columns, end, first, there)).start()
        answers.append(here)
    shards = [answer.recv() for answer in answers]
    whole = learn(p, rows, slice(0, p), Together(None, True))
    for shard in shards:
        for (names, weights), (same, expected) in zip(shard["trace"], whole["trace"], strict=True):
            if not np.array_equal(names, same) or np.abs(weights - expected).max() > 1e-9:
                print("the processes chose other variables than one process", file=sys.stderr)
                return 1
    turnover = np.mean([len(np.setdiff1d(b[0], a[0])) for a, b in zip(whole["trace"][rows // 4 :], whole["trace"][rows // 4 + 1 :])])
    print(f"{p:,} inputs, {Q} outputs, {R} components of {KEEP}, forgetting {LAMBDA} ({HISTORY} rows of history), {turnover:.1f} new variables a row")
    print("the same variables in every row, weights to 1e-9")
    print(f"one process    {1e3 * whole['row']:8.2f} ms a row, {whole['computed']:.0f} inputs computed for a component")
    for i, shard in enumerate(shards):
        print(
            f"process {i + 1} of 2 {1e3 * shard['row']:8.2f} ms a row, of which {1e3 * shard['waiting']:.2f} waiting for the other; "
            f"{shard['messages']:.0f} messages, {shard['bytes'] / 1e3:.1f} kB sent"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
