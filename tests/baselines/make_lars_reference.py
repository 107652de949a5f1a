"""Redoes tests/baselines/lars_reference.txt:  python3 tests/baselines/make_lars_reference.py

The values are those of scikit-learn's lars_path (version in the first line of the file) on data made here. For each case:
    case NAME METHOD n p knots
    n rows of X and y, then the alphas times n, then the p coefficients of each knot

Method 'lar' of scikit-learn turns a sign when a coefficient passes through zero, and from there on the active correlations
are no longer equal, which is what defines least-angle regression (checked below, and seen in 1.9.1). Its path is stored up
to that knot. The tests of the defining equation cover the rest.
"""
import pathlib

import numpy as np
import sklearn
from sklearn.linear_model import lars_path


def data(seed, n, p, correlation, centred):
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, 1))
    x = np.sqrt(1 - correlation) * rng.standard_normal((n, p)) + np.sqrt(correlation) * common
    x *= np.exp(0.3 * rng.standard_normal(p))  # columns of unequal length
    truth = np.zeros(p)
    truth[: p // 2] = rng.standard_normal(p // 2)
    y = x @ truth + 0.5 * rng.standard_normal(n)
    if centred:
        x -= x.mean(axis=0)
        y -= y.mean()
    return x, y


def knot_is_valid(x, y, b, method):
    c = x.T @ (y - x @ b)
    active = b != 0
    equal = not active.any() or np.ptp(np.abs(c[active])) < 1e-9
    return equal and np.abs(c).max() < np.abs(c[active]).max(initial=np.abs(c).max() if not active.any() else 0) + 1e-9


def numbers(values):
    return " ".join(f"{float(v)!r}" for v in values)


lines = [f"# scikit-learn {sklearn.__version__}, numpy {np.__version__}: made by make_lars_reference.py"]
for name, seed, n, p, correlation, centred in [
    ("tall", 1, 20, 10, 0.0, False),
    ("tall_correlated", 2, 20, 10, 0.9, True),
    ("wide", 3, 15, 30, 0.0, False),
    ("wide_correlated", 4, 15, 30, 0.7, False),
    ("wide_centred", 5, 12, 25, 0.5, True),
]:
    x, y = data(seed, n, p, correlation, centred)
    for method in ("lar", "lasso"):
        # smallest eps: no variable is taken for a copy of others before it must be
        alphas, active, coefficients = lars_path(x, y, method=method, eps=1e-16)
        valid = 0
        while valid < len(alphas) and knot_is_valid(x, y, coefficients[:, valid], method):
            valid += 1
        drops = int(np.sum(np.diff(np.sum(coefficients != 0, axis=0)) < 0))
        print(f"{name} {method}: {len(alphas)} knots, {valid} valid, {drops} drops, last alpha {alphas[-1]:.2g}")
        assert method == "lar" or valid == len(alphas)
        alphas, coefficients = alphas[:valid], coefficients[:, :valid]
        lines.append(f"case {name} {method} {n} {p} {len(alphas)}")
        lines += [numbers(row) for row in np.column_stack([x, y])]
        lines.append(numbers(alphas * n))
        lines += [numbers(row) for row in coefficients.T]
pathlib.Path(__file__).with_name("lars_reference.txt").write_text("\n".join(lines) + "\n")
