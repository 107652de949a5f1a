"""Off-line fits of a Spark DataFrame: moments on the executors, the fit on the driver, scores in a second pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sluice._moments import MEMORY_LIMIT, BatchMoments
from sluice._offline import OfflineRegressor
from sluice.spark._fit_columns import column, columns_problems, numbered, roles
from sluice.spark._fit_worker import SCHEMA, PartitionMoments, RowResults, merge_group
from sluice.spark._pyspark import need_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Partitions whose moments are merged on an executor before they go to the driver.
GROUP = 16


def fit(
    df: DataFrame,
    targets: str | Sequence[str],
    inputs: Sequence[str] | None = None,
    method: str | OfflineRegressor = "sparse-bridge",
    *,
    memory_limit: int = MEMORY_LIMIT,
    **options: Any,
) -> OfflineRegressor:
    """Fits all rows of `df` at once, as the off-line classes do on one machine: the same coefficients, to 1e-9.

    Parameters
    ----------
    df
        A batch DataFrame of numbers. A null or NaN among the inputs counts as the mean of its column; a row whose
        targets are all missing is left out.
    targets, inputs
        Names of columns. Without `inputs`, all columns that are no targets.
    method
        ``"sparse-bridge"``, ``"bridge"``, ``"pls2"``, ``"pcr"``, or an estimator with its options, such as
        ``sluice.PLS2(components=3)``, which is fitted and returned.
    memory_limit
        Bytes that the moments may need in one process. They need 8 w^2, with w the number of inputs and targets, twice
        the inputs where these have missing values; that does not depend on the number of rows.
    options
        Of the method: see `sluice.SparseBridgePLS`, `sluice.BridgePLS`, `sluice.PLS2`.

    Returns
    -------
    The fitted estimator. `transform` gives the scores of the rows. A wrong column or value is a ValueError with a
    sentence for each broken rule.
    """
    model = _estimator(method, options)
    return model.fit_moments(moments(df, targets, inputs, memory_limit=memory_limit))


def moments(
    df: DataFrame,
    targets: str | Sequence[str],
    inputs: Sequence[str] | None = None,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> BatchMoments:
    """The moments of all rows, from one pass over them, for as many fits as are wanted: `fit_moments`.

    The moments of a partition are computed where it is; those of 16 partitions are merged on an executor, and the rest
    on the driver, in the order of the partitions. The same partitions give the same bits.
    """
    need_pyspark()
    from pyspark.sql.functions import floor

    names, outputs = roles(df, targets, inputs)
    BatchMoments(names, outputs, memory_limit=memory_limit)  # refuses here what executors would
    partition = PartitionMoments(names, outputs, memory_limit)
    rows = numbered(df.select(*(column(name) for name in (*names, *outputs))))
    parts = rows.mapInArrow(lambda batches: partition(batches), SCHEMA)
    merge = merge_group(memory_limit)
    merged = parts.groupBy(floor(parts["part"] / GROUP)).applyInArrow(lambda table: merge(table), SCHEMA)
    total = BatchMoments(names, outputs, memory_limit=memory_limit)
    answers = sorted(merged.collect(), key=lambda answer: answer.part)
    problems = [answer.problem for answer in answers if answer.problem]
    if problems:
        raise ValueError("\n".join(problems))
    for answer in answers:
        total.merge(BatchMoments.from_bytes(bytes(answer.moments), names, outputs, memory_limit=memory_limit))
    if total.rows == 0:
        raise ValueError("no row of df has its targets: there is nothing to fit; give rows whose targets are known")
    return total


def transform(df: DataFrame, model: OfflineRegressor, prefix: str = "score") -> DataFrame:
    """`df` with the scores of its rows: columns ``score1``, ``score2``, ... The inputs are found by their names."""
    return _with_results(df, model, "transform", [f"{prefix}{r + 1}" for r in range(model.n_components_)])


def predict(df: DataFrame, model: OfflineRegressor, prefix: str = "predicted.") -> DataFrame:
    """`df` with the predicted targets: columns ``predicted.y``. The inputs are found by their names."""
    return _with_results(df, model, "predict", [prefix + name for name in model._fitted().target_names])


def _with_results(df: DataFrame, model: OfflineRegressor, which: str, names: list[str]) -> DataFrame:
    need_pyspark()
    from pyspark.sql.types import DoubleType, StructField, StructType

    core = model._fitted()
    problems = columns_problems(df, core.input_names, "input", named=True)
    problems += [f"the DataFrame has a column {name!r} already: give another prefix" for name in names if name in df.columns]
    if problems:
        raise ValueError("\n".join(problems))
    positions = [df.columns.index(name) for name in core.input_names]
    results = RowResults(core, which, positions, [*df.columns, *names])
    schema = StructType([*df.schema.fields, *(StructField(name, DoubleType()) for name in names)])
    return numbered(df).mapInArrow(lambda batches: results(batches), schema)


def _estimator(method: str | OfflineRegressor, options: dict[str, Any]) -> OfflineRegressor:
    if isinstance(method, OfflineRegressor):
        return method.set_params(**options)
    methods = {each._method: each for each in OfflineRegressor.__subclasses__()}
    if method not in methods:
        raise ValueError(f"method = {method!r}: must be {', '.join(sorted(methods))}, or an estimator such as sluice.PLS2()")
    known = methods[method]._get_param_names()
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: {method} has no such option; it has {', '.join(known)}")
    return methods[method](**options)
