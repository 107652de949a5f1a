"""Redoes tests/baselines/online_methods_reference.txt:  python3 tests/baselines/make_online_methods_reference.py

One stream of 60 rows whose relation changes at row 40, and what each method predicts for each of its rows before it learns it.
Nothing here is recursive: each row is predicted from all rows before it, with their weights. The solvers are those of
scikit-learn (versions in the first line of the file) where it has them:

    ridge    Ridge with sample weights
    lasso    Lasso (coordinate descent, tolerance 1e-13) at the three penalties, and AIC between them
    lars     lars_path, method 'lar'; then Ridge on the selected inputs
    dma      numpy, from the equations of Raftery, Karny and Ettler (2010) with the prior that is not forgotten

Lines: `data`, `rows n p q`, n rows of x and y; then for each method `METHOD first`, and from row `first` on its predictions
of q outputs; for the lasso they are followed by the q penalties, for dma by the probabilities of the models, output by output.
"""
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import Lasso, Ridge, lars_path

n, p, q = 60, 8, 2
rng = np.random.default_rng(18)
x = rng.standard_normal((n, p)) + 0.6 * rng.standard_normal((n, 1)) + np.arange(p)
x[:, 3] *= 1e3  # units differ
x[:, 4] *= 1e-3
truth = np.zeros((p, q))
truth[:, 0] = [2.0, -1.0, 0.5, 0, 0, 0, 0, 0]
truth[:, 1] = [0, 0, 0, 2e-3, 0, 1.0, 0, 0]
later = truth.copy()
later[:, 0] = [0, 0, 0, 0, 1e3, -1.0, 0, 0]
y = np.array([x[t] @ (truth if t < 40 else later) for t in range(n)]) + 0.4 * rng.standard_normal((n, q))


def standardised(t, forgetting):
    """The first t rows with the roots of their weights: columns of unit length, and what turns them back."""
    w = forgetting ** np.arange(t - 1, -1, -1)
    mx, my = w @ x[:t] / w.sum(), w @ y[:t] / w.sum()
    z, v = np.sqrt(w)[:, None] * (x[:t] - mx), np.sqrt(w)[:, None] * (y[:t] - my)
    sx, sy = np.sqrt((z**2).sum(axis=0)), np.sqrt((v**2).sum(axis=0))
    return w, mx, my, sx, sy, z / sx, v / sy


def numbers(values):
    return " ".join(f"{float(v)!r}" for v in values)


lines = [f"# scikit-learn {sklearn.__version__}, numpy {np.__version__}: made by make_online_methods_reference.py"]
lines.append(f"rows {n} {p} {q}")
lines += [numbers(row) for row in np.column_stack([x, y])]

# ridge: forgetting 0.95, shrinkage 0.05, from the second row on
lines.append("ridge 2")
for t in range(2, n):
    w, mx, my, sx, sy, z, v = standardised(t, 0.95)
    model = Ridge(alpha=0.05, solver="cholesky").fit(x[:t] / sx, y[:t], sample_weight=w)
    lines.append(numbers(model.predict(x[t : t + 1] / sx)[0]))

# lasso: forgetting 0.95, 5 names (3 and 2), first penalty 0.1, step 1.1; without and with a refit of shrinkage 1e-3
for refit in (False, True):
    lines.append(f"lasso_{'refit' if refit else 'plain'} 12")  # before, copies among 8 inputs make the solution ambiguous
    penalty = np.full(q, 0.1)
    for t in range(2, n):
        w, mx, my, sx, sy, z, v = standardised(t, 0.95)
        predicted = np.zeros(q)
        for k in range(q):
            share = 5 // q + (k < 5 % q)

            def solve(gamma):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # few rows: the duality gap is not reached to the last digit
                    b = Lasso(alpha=gamma / t, fit_intercept=False, tol=1e-13, max_iter=200000).fit(z, v[:, k]).coef_
                S = np.flatnonzero(b)
                if refit and len(S):
                    b[S] = np.linalg.solve(z[:, S].T @ z[:, S] + 1e-3 * np.eye(len(S)), z[:, S].T @ v[:, k])
                rest = np.sum((v[:, k] - z @ b) ** 2)
                return gamma, b, len(S), w.sum() * np.log(max(rest, 1e-10)) + 2 * len(S)

            now = solve(penalty[k])
            while now[2] > share and now[0] < 1:
                now = solve(min(1.0, now[0] * 1.1))
            best = now
            down, up = 1.1 ** 2 ** (t % 4), 1.1 ** 2 ** (t % 7)
            for candidate, slack in ((solve(max(1e-5, now[0] / down)), 1e-9), (solve(min(1.0, now[0] * up)), -1e-9)):
                if candidate[2] <= share and candidate[3] < best[3] + slack:
                    best = candidate
            penalty[k], b = best[0], best[1]
            predicted[k] = my[k] + sy[k] * ((x[t] - mx) / sx @ b)
        if t >= 12:
            lines.append(numbers(np.concatenate([predicted, penalty])))

# lars: forgetting 0.95, 5 names (3 and 2), shrinkage 1e-3, once there are more rows than inputs
lines.append("lars 12")
for t in range(12, n):
    w, mx, my, sx, sy, z, v = standardised(t, 0.95)
    predicted = np.zeros(q)
    for k in range(q):
        share = 5 // q + (k < 5 % q)
        alphas, active, path = lars_path(z, v[:, k], method="lar", max_iter=share)
        b = path[:, -1]
        c = z.T @ (v[:, k] - z @ b)
        assert np.ptp(np.abs(c[active])) < 1e-9 and len(active) == share
        S = np.array(active)
        fit = Ridge(alpha=1e-3, fit_intercept=False, solver="cholesky").fit(z[:, S], v[:, k]).coef_
        predicted[k] = my[k] + sy[k] * ((x[t] - mx) / sx)[S] @ fit
    lines.append(numbers(predicted))

# dma: factors 0.9, 0.97 and 1, alpha 0.95, kappa 0.9, delta 2, start-up 10 rows
lines.append("dma 10")
factors, alpha, kappa, delta, start = [0.9, 0.97, 1.0], 0.95, 0.9, 2.0, 10
cx, ux, cy, uy = x[:start].mean(axis=0), x[:start].std(axis=0), y[:start].mean(axis=0), y[:start].std(axis=0)
z = np.column_stack([(x - cx) / ux, np.full(n, 1e3)])
v = (y - cy) / uy
size, K = p + 1, len(factors)
A = [delta * np.eye(size) for _ in factors]  # inverse of P
B = [np.zeros((size, q)) for _ in factors]
V, pi = np.ones((K, q)), np.full((K, q), 1 / K)
for t in range(n):
    theta = [np.linalg.solve(A[k], B[k]) for k in range(K)]
    if t >= start:
        lines.append(numbers(np.concatenate([cy + uy * sum(pi[k] * (z[t] @ theta[k]) for k in range(K)), pi.T.ravel()])))
    density = np.zeros((K, q))
    for k, factor in enumerate(factors):
        spread = 1 + z[t] @ np.linalg.solve(A[k], z[t]) / factor
        error = v[t] - z[t] @ theta[k]
        density[k] = np.exp(-0.5 * error**2 / (V[k] * spread)) / np.sqrt(2 * np.pi * V[k] * spread)
        V[k] += max(1 - kappa, 1 / (t + 2)) * (error**2 / spread - V[k])
        A[k] *= factor
        B[k] *= factor
        if factor < 1:
            A[k][t % size, t % size] += delta * (1 - factor**size)
        A[k] += np.outer(z[t], z[t])
        B[k] += np.outer(z[t], v[t])
    pi *= density
    pi /= pi.sum(axis=0)
    pi = pi**alpha / (pi**alpha).sum(axis=0) + 1e-3 / K
    pi /= pi.sum(axis=0)

pathlib.Path(__file__).with_name("online_methods_reference.txt").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
