"""Sluice on Spark: a model for each key of a stream, or of a table. Needs pyspark 4: ``pip install 'sluice[spark]'``."""

from sluice.spark._fleet import STATE_STORE, fleet

__all__ = ["STATE_STORE", "fleet"]
