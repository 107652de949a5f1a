"""Redoes tests/baselines/pca_chart_reference.txt:  python3 tests/baselines/make_pca_chart_reference.py

A PCA chart by the singular values of the standardized rows (numpy) and quantiles of scipy.stats; versions in the first line
of the file. For each case:
    case n p components level
    n fault-free rows, then the limits of T2 and SPE, then five new rows, each followed by its T2 and SPE
and after the cases
    normal P QUANTILE
    f P NUMERATOR DENOMINATOR QUANTILE
"""
import pathlib

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(7)
out = [f"# numpy {np.__version__}, scipy {scipy.__version__}: made by make_pca_chart_reference.py"]


def line(*numbers):
    out.append(" ".join(repr(float(v)) for v in numbers))


for n, p, a, level in ((40, 6, 2, 0.99), (25, 4, 3, 0.95), (60, 8, 1, 0.999)):
    factors = rng.standard_normal((n + 5, 2)) @ rng.standard_normal((2, p))
    rows = 100.0 + np.exp(rng.standard_normal(p)) * (factors + 0.7 * rng.standard_normal((n + 5, p)))
    rows[n + 2 :] += 3.0 * rng.standard_normal((3, p))
    train, new = rows[:n], rows[n:]
    mean, deviation = train.mean(axis=0), train.std(axis=0, ddof=1)
    _, singular, axes = np.linalg.svd((train - mean) / deviation, full_matrices=True)
    variances = np.zeros(p)
    variances[: len(singular)] = singular**2 / (n - 1)
    t2_limit = a * (n - 1) * (n + 1) / (n * (n - a)) * stats.f.ppf(level, a, n - a)
    theta = [np.sum(variances[a:] ** i) for i in (1, 2, 3)]
    h = 1 - 2 * theta[0] * theta[2] / (3 * theta[1] ** 2)
    c = stats.norm.ppf(level)
    spe_limit = theta[0] * (c * np.sqrt(2 * theta[1] * h**2) / theta[0] + 1 + theta[1] * h * (h - 1) / theta[0] ** 2) ** (1 / h)
    out.append(f"case {n} {p} {a} {level}")
    for row in train:
        line(*row)
    line(t2_limit, spe_limit)
    for row in new:
        z = (row - mean) / deviation
        scores = axes[:a] @ z
        line(*row)
        line(np.sum(scores**2 / variances[:a]), np.sum((z - axes[:a].T @ scores) ** 2))

for q in (0.001, 0.3, 0.5, 0.99, 0.999999):
    out.append(f"normal {q} {float(stats.norm.ppf(q))!r}")
for q, numerator, denominator in ((0.99, 11, 489), (0.95, 1, 1), (0.5, 3, 7), (0.999, 33, 5), (0.01, 2, 100)):
    out.append(f"f {q} {numerator} {denominator} {float(stats.f.ppf(q, numerator, denominator))!r}")

pathlib.Path(__file__).with_name("pca_chart_reference.txt").write_text("\n".join(out) + "\n")
