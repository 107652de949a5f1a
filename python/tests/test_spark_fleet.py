"""sluice.spark.fleet on a session of two threads: what the block function answers, whatever Spark does to the order of rows.

Run by scripts/fleet_test.sh, in an environment with pyspark. Kills are in tests/campaigns/spark_kills.py.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")

import sluice.spark
from sluice import fleet

CONFIG = {"key": "machine", "sequence": "n", "targets": ["y"], "time": "at", "ignore": ["note"]}
ROWS = 60
KEYS = (3, 7, 2**60 + 1)  # the last one is no double


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {
        **sluice.spark.STATE_STORE,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


def rows_of(key: int | None, first: int, rows: int) -> pa.Table:
    """Numbers of several types, one of them as text, with gaps; a time, and a column that no model can use."""
    rng = np.random.default_rng([0 if key is None else key % 1000, first])
    a, b, c = rng.normal(size=(3, rows))
    n = np.arange(first, first + rows)
    return pa.table(
        {
            "machine": pa.array([key] * rows, pa.int64()),
            "a": a,
            "b": pa.array(np.where(n % 9 == 4, np.nan, b), from_pandas=True),
            "label.c": [None if i % 11 == 3 else f"{value:.6f}" for i, value in zip(n, c, strict=True)],
            "d": pa.array(n % 5, pa.int16()),
            "on": pa.array(n % 2 == 0),
            "at": pa.array([datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=int(i)) for i in n], pa.timestamp("us", "UTC")),
            "note": pa.array([[int(i)] for i in n], pa.list_(pa.int64())),
            "n": n,
            "y": pa.array(2 * a - c + 0.1 * b, pa.float32()),
        }
    )


def shuffled(tables: list[pa.Table]) -> pa.Table:
    table = pa.concat_tables(tables)
    return table.take(np.random.default_rng(1).permutation(table.num_rows))


def block_function(table: pa.Table, key: int) -> tuple[bytes | None, list[dict[str, Any]]]:
    """What sluice.fleet.step answers to the same rows, in the types of the file but for the time, whose text it wants."""
    at = pa.array([f"{moment:%Y-%m-%d %H:%M:%S}" for moment in table.column("at").to_pylist()])
    table = table.set_column(table.column_names.index("at"), "at", at).drop_columns(["machine"])
    state, answers = fleet.step(None, table.combine_chunks().to_batches()[0], fleet.Config(CONFIG), key=str(key))
    return state, [{"machine": key, **row} for row in answers.to_pylist()]


def in_order(rows: list[Any]) -> list[dict[str, Any]]:
    dicts = [row.asDict() if hasattr(row, "asDict") else row for row in rows]
    return sorted(dicts, key=lambda row: (row["machine"] or 0, -1 if row["sequence"] is None else row["sequence"]))


def start_stream(spark: Any, folder: Path, sources: list[pa.Table]) -> Any:
    """One batch for each table."""
    (folder / "in").mkdir(parents=True)
    for number, table in enumerate(sources):
        path = folder / "in" / f"{number}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_000_000_000 + number,) * 2)
    schema = spark.read.parquet(str(folder / "in")).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))


def run_stream(spark: Any, folder: Path, answers: Any) -> list[dict[str, Any]]:
    out = str(folder / "out")
    writer = answers.writeStream.format("parquet").option("path", out).option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    return in_order(spark.read.parquet(out).collect())


def test_a_stream_is_answered_as_by_the_block_function(spark: Any, tmp_path: Path) -> None:
    third = ROWS // 3
    tables = {key: pa.concat_tables([rows_of(key, first, third) for first in range(0, ROWS, third)]) for key in KEYS}
    batches = [shuffled([table.slice(first, third) for table in tables.values()]) for first in range(0, ROWS, third)]
    found = run_stream(spark, tmp_path, sluice.spark.fleet(start_stream(spark, tmp_path, batches), fleet.Config(CONFIG)))
    wanted = in_order([row for key in KEYS for row in block_function(tables[key], key)[1]])
    assert len(found) == ROWS * len(KEYS)
    assert sum(row["predicted.y"] is not None for row in found) > ROWS
    assert found == wanted


def test_late_rows_are_repeated_and_rows_without_key_or_number_are_refused(spark: Any, tmp_path: Path) -> None:
    unnumbered = rows_of(7, 0, 1)
    unnumbered = unnumbered.set_column(unnumbered.column_names.index("n"), "n", pa.nulls(1, pa.int64()))
    batches = [
        shuffled([rows_of(3, 10, 10), rows_of(7, 10, 10)]),
        shuffled([rows_of(3, 5, 10), rows_of(7, 20, 5), rows_of(None, 0, 1), unnumbered]),
    ]
    found = run_stream(spark, tmp_path, sluice.spark.fleet(start_stream(spark, tmp_path, batches), fleet.Config(CONFIG)))
    lost, late, others = found[0], found[1:21], found[21:]
    assert lost["machine"] is None and lost["outcome"] == "refused"
    assert json.loads(lost["events"])[0]["event"] == "row_refused"
    outcomes = [row["outcome"] for row in late]  # sequence 5 to 9 came too late, 10 to 14 twice
    assert [row["sequence"] for row in late] == [*range(5, 10), *np.repeat(range(10, 15), 2), *range(15, 20)]
    assert outcomes[:5] == ["repeated"] * 5 and outcomes.count("repeated") == 10
    back = [row["sequence"] for row in late if row["events"] and "sequence_back" in row["events"]]
    assert back == [5]
    assert others[0]["outcome"] == "refused" and others[0]["sequence"] is None and others[0]["row"] is None
    assert [row["row"] for row in others[1:]] == list(range(1, 16))


def test_a_batch_dataframe_gives_the_same_and_the_states(spark: Any, tmp_path: Path) -> None:
    tables = {key: rows_of(key, 0, ROWS) for key in KEYS}
    pq.write_table(shuffled(list(tables.values())), tmp_path / "rows.parquet")
    df = spark.read.parquet(str(tmp_path / "rows.parquet"))
    config = fleet.Config(CONFIG)
    found = in_order(sluice.spark.fleet(df, config, states=True).collect())
    for key, table in tables.items():
        state, wanted = block_function(table, key)
        mine = [row for row in found if row["machine"] == key]
        assert [row.pop("state") for row in mine] == [None] * (ROWS - 1) + [state]
        assert mine == wanted
    assert "state" not in sluice.spark.fleet(df, config).columns


def test_targets_by_pattern_and_dots_in_names(spark: Any) -> None:
    data = [("k", i, float(i % 7), float(i % 7) * 2, float(-(i % 7))) for i in range(40)]
    df = spark.createDataFrame(data, "`the.key` string, n int, `x.1` double, y1 double, y2 double")
    answers = sluice.spark.fleet(df, fleet.Config({"key": "the.key", "sequence": "n", "targets": ["y*"]}))
    assert answers.columns[:5] == ["the.key", "sequence", "row", "predicted.y1", "predicted.y2"]
    last = answers.orderBy("sequence").collect()[-1]
    assert last["predicted.y1"] == pytest.approx(8.0, abs=0.1) and last["predicted.y2"] == pytest.approx(-4.0, abs=0.1)


def test_every_broken_rule_is_reported_before_anything_runs(spark: Any) -> None:
    stream = spark.readStream.format("rate").load()  # timestamp, value
    with pytest.raises(ValueError) as caught:
        sluice.spark.fleet(stream, fleet.Config({"key": "host", "targets": ["load"]}), states=True)
    text = str(caught.value)
    assert "key = 'host': the DataFrame has no such column; it has 'timestamp', 'value'" in text
    assert "there is no column load" in text
    assert "sequence is not given" in text
    assert "the column 'timestamp' is timestamp, neither a number nor text" in text
    assert "states = True with a streaming DataFrame" in text
    assert len(text.splitlines()) == 5


@pytest.mark.parametrize(
    ("schema", "config", "sentence"),
    [
        ("k double, n int, x int, y double", {}, "key = 'k': the column is double; it must be text or integers: cast it to string"),
        ("k string, n timestamp, x int, y double", {}, "sequence = 'n': the column is timestamp; it must be integers: use unix_micros(...)"),
        ("k string, n string, x int, y double", {}, "sequence = 'n': the column is string; it must be integers: cast it to bigint"),
        ("k string, n int, x int, y date", {}, "targets = 'y': the column is date; it must be numbers: cast it to double"),
        ("k string, n int, y double, Y double", {}, "columns with the same name: 'y', 'Y' (Spark ignores upper and lower case"),
        ("row string, n int, x int, y double", {"key": "row"}, "key = 'row': a column of the answers has this name: rename the key column"),
    ],
)
def test_a_column_of_the_wrong_type_is_named(spark: Any, schema: str, config: dict[str, Any], sentence: str) -> None:
    df = spark.createDataFrame([], schema)
    with pytest.raises(ValueError) as caught:
        sluice.spark.fleet(df, fleet.Config({"key": "k", "sequence": "n", "targets": ["y"], **config}))
    assert str(caught.value).startswith(sentence)
