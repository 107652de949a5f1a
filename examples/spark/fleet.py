"""A model for each turbine, as a Spark job: rows come as Parquet files, answers go to Parquet files.

    python fleet.py                                      simulated turbines, on two executors of this machine
    python fleet.py --input ROWS --output ANSWERS --checkpoint FOLDER --config fleet.json [--follow]

Kill it at any moment and start it again: it continues from its checkpoint folder, and each row is answered once.

On a cluster, executors need Python with the package. It has native code, so --py-files does not work. Either all
machines have it installed, or an archive of a virtual environment travels with the job (pip install venv-pack;
venv-pack -o environment.tar.gz). It then needs the same Python and libhwy1 on each machine; conda-pack brings Python too.

    spark-submit --master spark://HOST:7077 --archives environment.tar.gz#environment \
        --conf spark.pyspark.python=./environment/bin/python \
        fleet.py --input s3a://.../rows --output s3a://.../answers --checkpoint s3a://.../checkpoint --config fleet.json --follow
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession

import sluice.spark
from sluice.fleet import Config

TURBINES = {"key": "turbine", "sequence": "n", "targets": ["power"]}


def session(master: str | None) -> SparkSession:
    """That of spark-submit; without it, executors of one core and 1 GB on this machine, for itself."""
    settings = dict(sluice.spark.STATE_STORE)
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return SparkSession.builder.appName("fleet").config(map=settings).getOrCreate()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = "127.0.0.1"
    settings |= {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
    }
    return SparkSession.builder.appName("fleet").master(master or "local-cluster[2,1,1024]").config(map=settings).getOrCreate()


def simulate(folder: Path, turbines: int = 4, rows: int = 300, inputs: int = 20) -> None:
    """Three files. From row 150 on, another input drives the power."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    n = np.repeat(np.arange(rows), turbines)
    X = rng.normal(size=(len(n), inputs))
    power = 2 * np.where(n < 150, X[:, 3], X[:, 11]) - X[:, 7] + 0.1 * rng.normal(size=len(n))
    table = pd.DataFrame(X, columns=[f"sensor{j}" for j in range(inputs)])
    table["turbine"], table["n"], table["power"] = [f"T{i % turbines}" for i in range(len(n))], n, power
    for number, part in enumerate(np.array_split(np.arange(len(n)), 3)):
        file = folder / f"rows{number}.parquet"
        table.iloc[part].sample(frac=1, random_state=1).to_parquet(file)  # Spark keeps no order either
        os.utime(file, (1_000_000_000 + number,) * 2)  # files are read in the order of their times


def run(spark: SparkSession, config: Config, given: argparse.Namespace) -> None:
    schema = spark.read.parquet(given.input).schema
    rows = spark.readStream.schema(schema).option("maxFilesPerTrigger", given.files).parquet(given.input)
    answers = sluice.spark.fleet(rows, config)
    writer = answers.writeStream.format("parquet").option("path", given.output).option("checkpointLocation", given.checkpoint)
    query = (writer if given.follow else writer.trigger(availableNow=True)).start()
    query.awaitTermination()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", help="folder of Parquet files; simulated where it is left out")
    parser.add_argument("--output", help="folder of the answers")
    parser.add_argument("--checkpoint", help="folder of offsets and states")
    parser.add_argument("--config", help="file of sluice.fleet.Config")
    parser.add_argument("--files", type=int, default=1, help="of a batch, at most")
    parser.add_argument("--follow", action="store_true", help="wait for more files at the end")
    parser.add_argument("--master", help="without spark-submit")
    given = parser.parse_args()
    if given.input and not (given.output and given.checkpoint and given.config):
        parser.error("--input needs --output, --checkpoint and --config")
    spark = session(given.master)
    try:
        if given.input:
            run(spark, Config.read(given.config), given)
            return
        with tempfile.TemporaryDirectory() as folder:
            given.input, given.output, given.checkpoint = (f"{folder}/{name}" for name in ("rows", "answers", "checkpoint"))
            simulate(Path(given.input))
            run(spark, Config(TURBINES), given)
            answers = spark.read.parquet(given.output)
            print(answers.count(), "answers")
            changes = answers.where("selected is not null").orderBy("turbine", "sequence")
            changes.groupBy("turbine").agg({"sequence": "max", "selected": "last"}).orderBy("turbine").show(truncate=False)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
