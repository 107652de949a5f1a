"""The off-line methods beside scikit-learn's PLSRegression and beside the paper written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_diabetes, load_linnerud, make_regression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

import sluice

Array = NDArray[np.float64]


def factors(rows: int, inputs: int, outputs: int, seed: int) -> tuple[Array, Array]:
    """Inputs that follow three hidden factors plus noise; outputs that follow the factors and a few inputs."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(rows, 3)) * [3.0, 2.0, 1.0]
    X = hidden @ random.normal(size=(3, inputs)) + 0.5 * random.normal(size=(rows, inputs)) + np.arange(inputs) % 5
    Y = hidden @ random.normal(size=(3, outputs)) + 0.3 * random.normal(size=(rows, outputs)) + X[:, :outputs] - 2.0
    return X, Y


def up_to_signs(a: Array, b: Array) -> Array:
    return a * np.sign((a * b).sum(axis=0))


DATA = {
    "factors, q = 1": factors(80, 12, 1, 1),
    "factors, q = 3": factors(80, 12, 3, 2),
    "more inputs than rows, q = 3": factors(15, 40, 3, 3),
    "diabetes, q = 1": load_diabetes(return_X_y=True),
    "linnerud, q = 3": load_linnerud(return_X_y=True),
    "regression, q = 3": make_regression(60, 9, n_informative=4, n_targets=3, noise=5.0, random_state=4),
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("scale", [True, False])
def test_pls2_is_scikit_learns_plsregression(data: str, scale: bool) -> None:
    X, y = DATA[data]
    Y = y.reshape(len(X), -1)
    components = min(3, X.shape[1])
    # Its inner iteration ends where weights move less than tol; ours is a decomposition.
    theirs = PLSRegression(components, scale=scale, tol=1e-15, max_iter=10_000).fit(X, Y)
    ours = sluice.PLS2(components=components, scale_inputs=scale, scale_outputs=scale).fit(X, Y)
    size = np.abs(Y).max()
    others = X[::-1] * 1.1 + 0.3  # rows that were not fitted
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(ours.predict(others), theirs.predict(others), rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(up_to_signs(ours.x_weights_, theirs.x_weights_), theirs.x_weights_, atol=1e-7)
    np.testing.assert_allclose(up_to_signs(ours.x_loadings_, theirs.x_loadings_), theirs.x_loadings_, atol=1e-7)
    # Our deviations divide by n, its by n - 1.
    ratio = np.sqrt(len(X) / (len(X) - 1)) if scale else 1.0
    scores = theirs.transform(X) * ratio
    np.testing.assert_allclose(up_to_signs(ours.x_scores_, scores), scores, atol=1e-7 * np.abs(scores).max())
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7 * np.abs(theirs.coef_).max())


def test_principal_components_regression_is_least_squares_on_the_scores_of_pca() -> None:
    X, Y = DATA["factors, q = 3"]
    ours = sluice.PrincipalComponentsRegression(components=4, scale_inputs=False).fit(X, Y)
    scores = PCA(4).fit_transform(X)
    np.testing.assert_allclose(up_to_signs(ours.x_scores_, scores), scores, atol=1e-9 * np.abs(scores).max())
    np.testing.assert_allclose(ours.predict(X), LinearRegression().fit(scores, Y).predict(scores), atol=1e-9)


def test_all_principal_components_are_ordinary_least_squares() -> None:
    X, Y = DATA["regression, q = 3"]
    ours = sluice.PrincipalComponentsRegression().fit(X, Y)
    assert ours.n_components_ == X.shape[1] and ours.notes_ == ()
    np.testing.assert_allclose(ours.predict(X), LinearRegression().fit(X, Y).predict(X), atol=1e-9 * np.abs(Y).max())


# ---- the paper in numpy, slowly


def prepared(X: Array, Y: Array, forgetting: float, scale: bool) -> tuple[Array, Array, Array]:
    """Centred and scaled, and the roots of the weights r: C_t and M_t of equation (15) are (rX)'(rX) and (rX)'(rY)."""
    weight = forgetting ** np.arange(len(X) - 1, -1, -1.0)
    sides = []
    for side in (X, Y):
        centred = side - weight @ side / weight.sum()
        sides.append(centred / np.sqrt(weight @ centred**2 / weight.sum()) if scale else centred)
    return sides[0], sides[1], np.sqrt(weight)[:, None]


def prepared_like(predicted: Array, Y: Array, forgetting: float, scale: bool) -> Array:
    """Predictions in the units of the prepared outputs."""
    weight = forgetting ** np.arange(len(Y) - 1, -1, -1.0)
    mean = weight @ Y / weight.sum()
    spread = np.sqrt(weight @ (Y - mean) ** 2 / weight.sum()) if scale else 1.0
    return np.asarray((predicted - mean) / spread)


def bridge_matrix(X: Array, Y: Array, ridge: float, balance: str) -> Array:
    """H of equation (6)."""
    C, MM = X.T @ X, X.T @ Y @ Y.T @ X
    if balance == "trace":
        C, MM = C / np.trace(C), MM / np.trace(MM)
    return np.asarray(ridge * C + (1.0 - ridge) * MM)


def eigenvectors(H: Array, count: int) -> Array:
    return np.linalg.eigh(H)[1][:, ::-1][:, :count]


def coefficients(X: Array, Y: Array, U: Array) -> Array:
    """beta = U W, W = (S'S)^+ S'Y, equation (10)."""
    return np.asarray(U @ np.linalg.lstsq(X @ U, Y, rcond=None)[0])


def algorithm_1(H: Array, components: int, keep: int, project: bool) -> Array:
    """Sparse weights. `project` takes the sparse directions found away inside the loop; printed, it does not."""
    U = np.zeros((len(H), 0))
    for v in eigenvectors(H, components).T:
        P = np.eye(len(H)) - U @ np.linalg.pinv(U) if project else np.eye(len(H))
        u = np.zeros(len(H))
        for _ in range(20_000):
            z = P @ H @ v
            gamma = np.sort(np.abs(z))[-keep - 1]
            new = np.sign(z) * np.maximum(np.abs(z) - gamma, 0.0)
            new /= np.linalg.norm(new)
            moved, u = np.linalg.norm(u - new), new
            v = P @ H @ u
            v /= np.linalg.norm(v)
            if moved < 1e-13:
                break
        U = np.column_stack([U, u])
    return U


@pytest.mark.parametrize("data", ["factors, q = 1", "factors, q = 3", "more inputs than rows, q = 3"])
@pytest.mark.parametrize("balance", ["trace", "raw"])
@pytest.mark.parametrize(("forgetting", "scale"), [(1.0, True), (0.97, True), (1.0, False)])
def test_bridge_pls_is_the_papers(data: str, balance: str, forgetting: float, scale: bool) -> None:
    X, Y = DATA[data]
    # As printed, the first part has to be large to count beside the second one, which is of fourth order.
    ridge = 1e-3 if balance == "trace" else 0.999
    Xc, Yc, root = prepared(X, Y, forgetting, scale)
    U = eigenvectors(bridge_matrix(root * Xc, root * Yc, ridge, balance), 2)
    ours = sluice.BridgePLS(
        components=2, ridge=ridge, balance=balance, forgetting=forgetting, scale_inputs=scale, scale_outputs=scale
    ).fit(X, Y)
    np.testing.assert_allclose(up_to_signs(ours.x_weights_, U), U, atol=1e-7)
    np.testing.assert_allclose(up_to_signs(ours.transform(X), Xc @ U), Xc @ U, atol=1e-7 * np.abs(Xc @ U).max())
    fitted = Xc @ coefficients(root * Xc, root * Yc, U)
    predicted = prepared_like(ours.predict(X), Y, forgetting, scale)
    np.testing.assert_allclose(predicted, fitted, atol=1e-7 * np.abs(fitted).max())


@pytest.mark.parametrize("data", ["factors, q = 1", "factors, q = 3"])
@pytest.mark.parametrize("as_printed", [False, True])
def test_sparse_bridge_pls_is_algorithm_1(data: str, as_printed: bool) -> None:
    X, Y = DATA[data]
    ridge, keep = 0.05, 4
    Xc, Yc, _ = prepared(X, Y, 1.0, True)
    U = algorithm_1(bridge_matrix(Xc, Yc, ridge, "trace"), 2, keep, project=not as_printed)
    ours = sluice.SparseBridgePLS(
        components=2,
        keep=keep,
        ridge=ridge,
        deflation="project",
        tolerance=1e-13,
        max_iterations=20_000,
        as_printed=as_printed,
    ).fit(X, Y)
    np.testing.assert_allclose(up_to_signs(ours.x_weights_, U), U, atol=1e-7)
    assert [list(selected) for selected in ours.selected_by_component_] == [list(np.flatnonzero(u)) for u in U.T]
    assert all(len(selected) == keep for selected in ours.selected_by_component_)
    if as_printed and Y.shape[1] == 1:  # the power iteration on H ends at the first component again
        np.testing.assert_allclose(ours.x_weights_[:, 1], ours.x_weights_[:, 0], atol=1e-7)
    if not as_printed:
        fitted = Xc @ coefficients(Xc, Yc, U)
        np.testing.assert_allclose(prepared_like(ours.predict(X), Y, 1.0, True), fitted, atol=1e-7)


def test_refit_predicts_by_slightly_shrunk_least_squares_on_what_is_selected() -> None:
    X, Y = DATA["factors, q = 3"]
    ours = sluice.SparseBridgePLS(components=2, keep=3, shrinkage=2.0).fit(X, Y)
    Xc, Yc, _ = prepared(X, Y, 1.0, True)
    kept = Xc[:, ours.selected_]
    assert kept.shape[1] == 6
    gram = kept.T @ kept
    ridge = 2.0 / len(X) * np.trace(gram) / 6
    fitted = kept @ np.linalg.solve(gram + ridge * np.eye(6), kept.T @ Yc)
    np.testing.assert_allclose(prepared_like(ours.predict(X), Y, 1.0, True), fitted, atol=1e-9)


def test_vip_is_weighted_by_the_share_of_the_outputs_that_each_component_explains() -> None:
    X, Y = DATA["factors, q = 3"]
    ours = sluice.PLS2(components=3).fit(X, Y)
    _, Yc, _ = prepared(X, Y, 1.0, True)
    S = ours.x_scores_  # orthogonal
    shares = np.array([np.linalg.norm(Yc.T @ s) ** 2 / (s @ s) for s in S.T]) / np.linalg.norm(Yc) ** 2
    np.testing.assert_allclose(ours.explained_outputs_, shares, atol=1e-10)
    weights = ours.x_weights_**2 / (ours.x_weights_**2).sum(axis=0)
    np.testing.assert_allclose(ours.vip_, np.sqrt(X.shape[1] * weights @ shares / shares.sum()), atol=1e-10)
