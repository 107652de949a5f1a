"""Redoes tests/baselines/latent_reference.txt:  python3 tests/baselines/make_latent_reference.py

What the methods with latent components give on a small table made here. PLS-2 and principal components regression are those
of scikit-learn (version in the first line of the file). The others are written here from their papers, with rows where the
C++ has moments, and without most of its safeguards. Each block:
    block NAME rows columns
    the rows
"""
import pathlib

import numpy as np
import sklearn
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

blocks = []


def store(name, values):
    values = np.atleast_2d(np.asarray(values, dtype=float))
    blocks.append(f"block {name} {values.shape[0]} {values.shape[1]}")
    blocks.extend(" ".join(f"{float(v)!r}" for v in row) for row in values)


def make_table(rows=70, p=8, q=2):
    rng = np.random.default_rng(11)
    hidden = rng.standard_normal((rows, 3))
    x = hidden @ rng.standard_normal((3, p)) + 0.5 * rng.standard_normal((rows, p))
    x = (x + rng.standard_normal(p)) * np.exp(rng.standard_normal(p))
    b = rng.standard_normal((p, q)) / x.std(axis=0)[:, None]
    y = x @ b + rng.standard_normal((rows, q)) + [3.0, -40.0]
    y[:, 1] *= 5.0
    return x, y


def weighted_standard(table, weights):
    mean = weights @ table / weights.sum()
    spread = np.sqrt(weights @ (table - mean) ** 2 / weights.sum())
    return mean, spread, (table - mean) / spread * np.sqrt(weights)[:, None]


def rows_pls(x, y, forgetting, weight_vectors):
    """PLS by deflation of the rows: U from weight_vectors(X'Y, h), coefficients and intercept in the caller's units."""
    weights = forgetting ** np.arange(len(x) - 1, -1, -1.0)
    mx, sx, X = weighted_standard(x, weights)
    my, sy, Y = weighted_standard(y, weights)
    whole, U, P, Q = X.copy(), [], [], []
    for h in range(weight_vectors.count):
        u = weight_vectors(X.T @ Y, h)
        t = X @ u
        U.append(u)
        P.append(X.T @ t / (t @ t))
        Q.append(Y.T @ t / (t @ t))
        X, Y = X - np.outer(t, P[-1]), Y - np.outer(t, Q[-1])
    U, P, Q = np.array(U).T, np.array(P).T, np.array(Q).T
    assert np.allclose(whole @ U @ np.linalg.inv(P.T @ U) @ Q.T + Y, weighted_standard(y, weights)[2])
    b = U @ np.linalg.inv(P.T @ U) @ Q.T * sy / sx[:, None]
    return b, my - mx @ b


class Dense:
    def __init__(self, count):
        self.count = count

    def __call__(self, m, h):
        return np.linalg.svd(m)[0][:, 0]


class Sparse:
    """At most names / count inputs that are not used yet for each component, the first ones one more."""

    def __init__(self, count, names):
        self.count, self.names, self.used = count, names, set()

    def __call__(self, m, h):
        share = self.names // self.count + (h < self.names % self.count)
        v = np.linalg.svd(m)[2][0]
        for _ in range(2000):
            z = m @ v
            fresh = sorted((abs(z[j]) for j in range(len(z)) if j not in self.used), reverse=True)
            gamma = fresh[share] if len(fresh) > share else 0.0
            u = np.sign(z) * np.maximum(abs(z) - gamma, 0.0)
            u /= np.linalg.norm(u)
            v = m.T @ u / np.linalg.norm(m.T @ u)
        self.used |= set(np.flatnonzero(u))
        return u


def bridge(x, y, components, alpha):
    mx, sx, X = weighted_standard(x, np.ones(len(x)))
    my, sy, Y = weighted_standard(y, np.ones(len(x)))
    M = X.T @ Y
    H = alpha * X.T @ X / np.trace(X.T @ X) + (1 - alpha) * M @ M.T / np.trace(M @ M.T)
    U = np.linalg.eigh(H)[1][:, ::-1][:, :components]
    b = U @ np.linalg.lstsq(X @ U, Y, rcond=None)[0] * sy / sx[:, None]
    return b, my - mx @ b


def ccipca(rows, k, l):
    v = np.zeros((k, rows.shape[1]))
    for n, z in enumerate(rows, start=1):
        u = z.copy()
        share = 1.0 if n == 1 else min((1 + l) / n, 0.5)
        for i in range(min(k, n)):
            if i == n - 1:
                v[i] = u
            else:
                v[i] = (1 - share) * v[i] + share * u * (u @ v[i]) / np.linalg.norm(v[i])
                w = v[i] / np.linalg.norm(v[i])
                u = u - (u @ w) * w
        yield v / np.maximum(np.linalg.norm(v, axis=1), 1e-300)[:, None], np.linalg.norm(v, axis=1)


def spirit(rows, lam, low, high, most, wait):
    w, d, energies, energy, unchanged = np.zeros((0, rows.shape[1])), [], [], 0.0, 0
    for z in rows:
        x = z.copy()
        for i in range(len(w)):
            y = w[i] @ x
            d[i] = lam * d[i] + y * y
            w[i] = w[i] + y * (x - y * w[i]) / d[i]
            x = x - y * w[i]
        if len(w):
            q, r = np.linalg.qr(w.T)
            w = (q * np.sign(np.diag(r))).T
        energy = lam * energy + z @ z
        energies = [lam * e + (wi @ z) ** 2 for e, wi in zip(energies, w)]
        unchanged += 1
        if len(w) == 0 or unchanged > wait:
            if sum(energies) < low * energy and len(w) < most:
                rest = z - w.T @ (w @ z)
                w, d = np.vstack([w, rest / np.linalg.norm(rest)]), d + [rest @ rest]
                energies, unchanged = energies + [0.0], 0
            elif len(w) > 1 and sum(energies[:-1]) > high * energy:
                w, d, energies, unchanged = w[:-1], d[:-1], energies[:-1], 0
        yield w, sum(energies) / energy


class Standard:
    """Running means and deviations; no input is further than 5 deviations from its mean."""

    def __init__(self, p):
        self.m, self.s, self.started = np.zeros(p), np.zeros(p), False

    def add(self, x, gain):
        if not self.started:
            self.m, self.started = x.copy(), True
        e = x - self.m
        before = self.s
        self.m = self.m + gain * e
        self.s = np.sqrt((1 - gain) * (self.s**2 + gain * e**2))
        self.carry = np.divide(before, self.s, out=np.zeros_like(before), where=self.s > 0)

    def __call__(self, x):
        return np.clip(np.divide(x - self.m, self.s, out=np.zeros_like(x), where=self.s > 0), -5, 5)


def lwpr(x, y, lam, phi, trial, most):
    """One output. Predictions one step ahead and the number of projections, row by row."""
    standard, weight, beta0 = Standard(x.shape[1]), 0.0, y[0]
    u, sz, ss, se, mse, count = [], [], [], [], [], []
    since = 0

    def grow():
        u.append(np.zeros(x.shape[1]))
        sz.append(np.zeros(x.shape[1]))
        for numbers in (ss, se, mse, count):
            numbers.append(0.0)

    def projections(row):
        z, sums = row, [0.0]
        for r in range(len(u)):
            s = z @ u[r] / np.linalg.norm(u[r]) if ss[r] > 0 else 0.0
            sums.append(sums[-1] + (s * se[r] / ss[r] if ss[r] > 0 else 0.0))
            z = z - (s * sz[r] / ss[r] if ss[r] > 0 else 0.0)
        return sums

    grow()
    grow()
    for t in range(len(x)):
        sums = projections(standard(x[t]))
        trusted = len(u) if count[-1] > 0 and mse[-1] / count[-1] < mse[-2] / count[-2] else len(u) - 1
        yield (0.0 if t == 0 else beta0 + sums[trusted]), len(u)
        for r in range(len(u)):
            mse[r] = lam * mse[r] + (y[t] - beta0 - sums[r + 1]) ** 2
            count[r] = lam * count[r] + 1
        weight = lam * weight + 1
        standard.add(x[t], 1 / weight)
        beta0 = beta0 + (y[t] - beta0) / weight
        z, e = standard(x[t]), y[t] - beta0
        whole = z @ z
        for r in range(len(u)):
            u[r] = lam * u[r] * standard.carry + z * e
            s = z @ u[r] / np.linalg.norm(u[r]) if np.linalg.norm(u[r]) > 0 else 0.0
            s = s if s * s > 1e-12 * whole else 0.0  # the second row has one direction, and rounding
            ss[r], se[r] = lam * ss[r] + s * s, lam * se[r] + s * e
            sz[r] = lam * sz[r] * standard.carry + s * z
            if ss[r] > 0:
                z, e = z - s * sz[r] / ss[r], e - s * se[r] / ss[r]
        since += 1
        if len(u) < most and since >= trial and mse[-1] / count[-1] < phi * mse[-2] / count[-2]:
            grow()
            since = 0


x, y = make_table()
store("x", x)
store("y", y)

pls = PLSRegression(n_components=3, scale=True, tol=1e-28, max_iter=100000).fit(x[-40:], y[-40:])
store("window_pls2", pls.coef_.T)
store("window_pls2_intercept", pls.intercept_ - pls._x_mean @ pls.coef_.T)
pcr = make_pipeline(StandardScaler(), PCA(3), LinearRegression()).fit(x[-40:], y[-40:])
mean, spread = x[-40:].mean(axis=0), x[-40:].std(axis=0)
store("window_pcr_predicted", pcr.predict(np.clip(x, mean - 2 * spread, mean + 2 * spread)))
b, b0 = bridge(x[-40:], y[-40:], 3, 0.1)
store("window_bridge", b)
store("window_bridge_intercept", b0)

all_rows = PLSRegression(n_components=4, scale=True, tol=1e-28, max_iter=100000).fit(x, y)
store("pls_all_rows", all_rows.coef_.T)
b, b0 = rows_pls(x, y, 1.0, Dense(4))
assert np.allclose(b, all_rows.coef_.T, rtol=1e-9)
b, b0 = rows_pls(x, y, 0.95, Dense(4))
store("pls_weighted", b)
store("pls_weighted_intercept", b0)
for names in (2, 3, 5):
    b, b0 = rows_pls(x, y, 0.95, Sparse(2, names))
    assert np.sum(np.any(b != 0, axis=1)) <= names
    store(f"sparse_{names}", b)
b, b0 = rows_pls(x, y[:, :1], 0.95, Sparse(3, 4))
store("sparse_one_output", b)

for l in (0, 2):
    *_, (w, lengths) = ccipca(x, 3, l)
    store(f"ccipca_{l}", w)
    store(f"ccipca_{l}_lengths", lengths)
states = list(spirit(x, 0.96, 0.9, 0.95, 5, 4))
store("spirit_number", [len(w) for w, _ in states])
store("spirit_energy", [share for _, share in states])
store("spirit_weights", states[-1][0])
for output in (0, 1):
    store(f"lwpr_{output}", np.array(list(lwpr(x, y[:, output], 0.97, 0.95, 10, 5))))
print("hidden variables:", [len(w) for w, _ in states])
print("projections:", [n for _, n in lwpr(x, y[:, 0], 0.97, 0.95, 10, 5)][::5])

first = f"# scikit-learn {sklearn.__version__}, numpy {np.__version__}: made by make_latent_reference.py"
pathlib.Path(__file__).with_name("latent_reference.txt").write_text("\n".join([first, *blocks]) + "\n")
