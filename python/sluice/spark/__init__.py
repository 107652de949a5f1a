"""Sluice on Spark: a model for each key of a stream or of a table, and fits of data that no machine holds.

Needs pyspark 4: ``pip install 'sluice[spark]'``.
"""

from sluice.spark._fit import fit, moments, predict, transform
from sluice.spark._fleet import STATE_STORE, fleet

__all__ = ["STATE_STORE", "fit", "fleet", "moments", "predict", "transform"]
