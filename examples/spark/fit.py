"""PLS of a DataFrame that need not fit on any machine: moments on the executors, the fit on the driver.

    python fit.py                                               simulated rows, on two executors of this machine
    spark-submit ... fit.py --input ROWS --targets power --model MODEL

On a cluster, executors need Python with the package: fleet.py beside this file says how.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, rand, randn, when

import sluice.spark


def session() -> SparkSession:
    """That of spark-submit; without it, two executors of one core and 1 GB on this machine."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return SparkSession.builder.appName("fit").getOrCreate()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = "127.0.0.1"
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
    }
    return SparkSession.builder.appName("fit").master("local-cluster[2,1,1024]").config(map=settings).getOrCreate()


def simulated(spark: SparkSession, rows: int = 200_000, inputs: int = 20) -> DataFrame:
    """Sensors with means of 1e6; one value in ten of sensor 5 is missing. The power follows sensors 3 and 7."""
    sensors = [(randn(j) + 1e6).alias(f"sensor{j}") for j in range(inputs)]
    df = spark.range(rows).select(*sensors)
    df = df.withColumn("power", 2 * col("sensor3") - col("sensor7") + 0.1 * randn(99))
    return df.withColumn("sensor5", when(rand(100) > 0.1, col("sensor5")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", help="a folder of Parquet files")
    parser.add_argument("--targets", nargs="+", default=["power"])
    parser.add_argument("--model", help="where the model file goes: sluice predict and sluice inspect take it")
    given = parser.parse_args()
    spark = session()
    df = spark.read.parquet(given.input) if given.input else simulated(spark)
    model = sluice.spark.fit(df, given.targets, method="sparse-bridge", components=1, keep=2)
    print("selected:", ", ".join(model.selected_names_))
    print("share of the targets' variance:", np.round(model.explained_outputs_.sum(), 3))
    sluice.spark.transform(df, model).select(*given.targets, "score1").limit(3).show()
    if given.model:
        model.save(given.model)
    spark.stop()


if __name__ == "__main__":
    main()
