"""Redoes the scikit-learn values of pls2_reference_test.cpp:  /usr/bin/python3 tests/reference/pls2_sklearn.py"""

import numpy as np
import sklearn
from sklearn.cross_decomposition import PLSRegression

i = np.arange(1, 16)[:, None]
j = np.arange(1, 7)[None, :]
k = np.arange(1, 4)[None, :]
x = (7 * i * i + 11 * i * j + 5 * j * j * j + 3 * j) % 29 / 10
y = x[:, :3] - 0.5 * x[:, 3:] + (3 * i * i + 5 * i * k + k) % 11 / 10

print("scikit-learn", sklearn.__version__)
for q in (1, 3):
    # tol is compared with the squared step of the power iteration, whose vector has unit length
    model = PLSRegression(n_components=3, scale=False, max_iter=100000, tol=1e-31).fit(x, y[:, :q])
    coefficients = model.x_rotations_ @ model.y_loadings_.T
    intercept = y[:, :q].mean(axis=0) - x.mean(axis=0) @ coefficients
    print(f"q = {q}: coefficients by input, then the intercepts")
    for row in np.vstack([coefficients, intercept]):
        print("  {" + ", ".join(f"{value:.17g}" for value in row) + "},")
