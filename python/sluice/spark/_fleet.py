"""A model for each key of a Spark DataFrame: what happens on the driver.

Columns are checked and packed (``_fleet_columns.py``), and the rows go to the block function by key, on the executors
(``_fleet_worker.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.spark._fleet_columns import FleetColumns
from sluice.spark._fleet_worker import KEY, STATE, BlockOfKey
from sluice.spark._pyspark import need_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.fleet import Config

__all__ = ["STATE_STORE", "fleet"]

#: Settings of the session for a fleet that streams: states are in RocksDB, not in the memory of the Java machine, and
#: a batch writes the states that it changed, not all of them.
STATE_STORE = {
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}


def fleet(df: DataFrame, config: Config, *, states: bool = False) -> DataFrame:
    """Predicts and learns each row of `df` with the model of its key; returns one answer for each row.

    Parameters
    ----------
    df
        A streaming DataFrame, from any source, or a batch one. It has the key column, the sequence column, the targets
        and the inputs. Numbers of any type, booleans and text; other types must be named in ``ignore`` or ``time``.
    config
        What the model of each key is: ``sluice.fleet.Config``. ``sequence`` must be given, because Spark keeps no order
        of rows: those of a key are sorted by it within a batch.
    states
        Adds the column ``state`` to the answers of a batch DataFrame: in the last row of each key the bytes that
        ``sluice.fleet.step`` continues from, else null. A stream keeps its states in its checkpoint folder.

    Returns
    -------
    The key column, then the columns of ``sluice.fleet.answer_schema(config)``. Their names have dots: write
    ``answers["`predicted.power`"]``. Within a key and a batch the answers are in the order of the sequence.

    A broken rule is a ValueError here, on the driver, before anything runs, with a sentence for each broken rule.
    """
    need_pyspark()
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import BinaryType, StructField, StructType

    columns = FleetColumns(df, config)
    problems = columns.problems()
    if states and df.isStreaming:
        problems.append(
            "states = True with a streaming DataFrame: Spark keeps the states in the checkpoint folder of the query; "
            "leave states out, or give a batch DataFrame"
        )
    if problems:
        raise ValueError("\n".join(problems))
    key = df.schema[config.key]
    schema = columns.answer_schema
    output = StructType([StructField(key.name, key.dataType), *from_arrow_schema(schema).fields])
    block = BlockOfKey(config, columns.layout, schema)
    groups = columns.pack().groupBy(KEY)
    # Spark takes plain functions only: it counts `self` of a method as an argument.
    if df.isStreaming:
        step = lambda key, frames, state: block.with_state(key, frames, state)  # noqa: E731
        return groups.applyInPandasWithState(step, output, f"{STATE} binary", "append", "NoTimeout")
    if states:
        output = StructType([*output.fields, StructField(STATE, BinaryType())])
        return groups.applyInArrow(lambda key, table: block.answers_and_state(key, table), output)
    return groups.applyInArrow(lambda key, table: block.answers(key, table), output)
