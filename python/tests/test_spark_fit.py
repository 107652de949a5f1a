"""sluice.spark.fit on a session of two threads: the fit of the same rows on one machine.

Run by scripts/fleet_test.sh, in an environment with pyspark. Millions of rows are in tests/campaigns/spark_fit.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

import sluice
import sluice.spark

INPUTS = [f"x{j}" for j in range(5)] + ["dotted.name"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR"}
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


def table(rows: int = 400) -> pa.Table:
    """Means of 1e6, gaps, whole numbers, and rows without targets."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 6))
    X[:, 1] += 1e6
    X[:, 3] = np.floor(10 * X[:, 3])
    Y = X[:, :2] @ [[1.0, 2.0], [0.5, -1.0]] + X[:, [3]] + 0.1 * rng.normal(size=(rows, 2))
    columns = {name: pa.array(X[:, j]) for j, name in enumerate(INPUTS)}
    columns["x2"] = pa.array(X[:, 2], mask=rng.random(rows) < 0.2)
    columns["x3"] = pa.array(X[:, 3].astype(np.int64))
    missing = rng.random(rows) < 0.1
    columns |= {f"y{k}": pa.array(Y[:, k], mask=missing) for k in range(2)}
    columns["note"] = pa.array([f"row {i}" for i in range(rows)])
    return pa.table(columns)


def as_arrays(rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    columns = [rows.column(name).to_pandas().astype(float).to_numpy() for name in (*INPUTS, "y0", "y1")]
    return np.ascontiguousarray(np.stack(columns[:6], axis=1)), np.ascontiguousarray(np.stack(columns[6:], axis=1))


@pytest.mark.parametrize("partitions", [1, 40])
def test_the_fit_is_that_of_one_machine_whatever_the_partitions(spark: Any, partitions: int) -> None:
    rows = table()
    moments = sluice.spark.moments(spark.createDataFrame(rows).repartition(partitions), ["y0", "y1"], INPUTS)
    X, Y = as_arrays(rows)
    assert moments.rows == int(np.isfinite(Y).all(axis=1).sum())
    for model in (
        sluice.PLS2(components=3),
        sluice.BridgePLS(components=3),
        sluice.SparseBridgePLS(components=2, keep=2),
        sluice.SparseBridgePLS(components=2, keep=2, deflation="project"),
    ):
        found = type(model)(**model.get_params()).fit_moments(moments)
        expected = model.fit(X, Y)
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-9)
        np.testing.assert_array_equal(found.selected_, expected.selected_)
        assert list(found.feature_names_in_) == INPUTS


def test_the_same_partitions_give_the_same_bits(spark: Any) -> None:
    df = spark.createDataFrame(table()).repartition(37, "x0")
    one, other = (sluice.spark.moments(df, ["y0", "y1"], INPUTS).to_bytes() for _ in range(2))
    assert one == other


def test_scores_and_predictions_come_in_a_second_pass(spark: Any) -> None:
    rows = table()
    df = spark.createDataFrame(rows)
    model = sluice.spark.fit(df, ["y0", "y1"], INPUTS, "pls2", components=2)
    X, _ = as_arrays(rows)
    with pytest.raises(AttributeError, match="transform"):
        model.x_scores_  # noqa: B018
    scores = sluice.spark.transform(df, model).toPandas()
    np.testing.assert_allclose(scores[["score1", "score2"]].to_numpy(), model.transform(X), rtol=1e-12, atol=1e-12)
    assert list(scores["note"]) == rows.column("note").to_pylist()
    predicted = sluice.spark.predict(df, model).toPandas()
    np.testing.assert_allclose(predicted[["predicted.y0", "predicted.y1"]].to_numpy(), model.predict(X), rtol=1e-12)


def test_without_inputs_all_other_columns_are_used(spark: Any) -> None:
    df = spark.createDataFrame(table()).drop("note", "y1")
    assert list(sluice.spark.fit(df, "y0").feature_names_in_) == INPUTS


def test_one_row_predicts_itself(spark: Any) -> None:
    df = spark.createDataFrame([(1.0, 2.0)], "x double, y double")
    model = sluice.spark.fit(df, "y", method="pls2")
    assert model.notes_ == ("no input varies: there are no components",)
    assert model.predict(np.array([[7.0]]))[0] == 2.0


@pytest.mark.parametrize(
    ("targets", "inputs", "sentence"),
    [
        ("y0", ["x0", "dotted_name"], "input 'dotted_name': the DataFrame has no such column; did you mean 'dotted.name'?"),
        ("power", ["x0"], "target 'power': the DataFrame has no such column; it has 'x0', "),
        ("y0", ["x0", "note"], "input 'note' is string: turn it into numbers, such as with cast('double'), or leave it"),
        ("y0", None, "input 'note' is string: turn it into numbers, such as with cast('double'), or name the inputs"),
        ("y0", ["x0", "y0"], "'y0' is an input and a target: leave it out of one of them"),
        ("y0", ["x0", "x0"], "input 'x0' is named more than once"),
        ([], ["x0"], "targets: name at least one column"),
    ],
)
def test_wrong_columns_are_refused_before_anything_runs(spark: Any, targets: Any, inputs: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as error:
        sluice.spark.fit(spark.createDataFrame(table()), targets, inputs)
    assert sentence in str(error.value)


def test_wrong_values_are_named_by_column_and_row(spark: Any) -> None:
    df = spark.createDataFrame([(1.0, 2.0), (float("inf"), 3.0)], "`a b` double, y double").coalesce(1)
    with pytest.raises(ValueError, match="input 'a b' of row 2 of partition 0 is inf: must be finite, or NaN where missing"):
        sluice.spark.fit(df, "y")
    half = spark.createDataFrame([(1.0, 2.0, None)], "x double, y double, z double")
    with pytest.raises(ValueError, match="target 'z' of row 1 of partition .* is missing and others of that row are not"):
        sluice.spark.fit(half, ["y", "z"])


def test_no_rows_unknown_methods_and_options_and_too_little_memory_are_refused(spark: Any) -> None:
    df = spark.createDataFrame(table()).drop("note")
    with pytest.raises(ValueError, match="no row of df has its targets: there is nothing to fit"):
        sluice.spark.fit(df.where("x0 > 1e9"), ["y0", "y1"])
    with pytest.raises(ValueError, match="method = 'lars': must be bridge, pcr, pls2, sparse-bridge"):
        sluice.spark.fit(df, ["y0", "y1"], method="lars")
    with pytest.raises(ValueError, match="keep: pls2 has no such option; it has center, "):
        sluice.spark.fit(df, ["y0", "y1"], method="pls2", keep=3)
    with pytest.raises(ValueError, match="memory_limit = 1000 bytes: the moments of 6 inputs and 2 outputs need"):
        sluice.spark.fit(df, ["y0", "y1"], memory_limit=1000)
