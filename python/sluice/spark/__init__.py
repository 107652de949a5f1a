"""Sluice on Spark: fits of data that no machine holds. Needs pyspark 4: ``pip install 'sluice[spark]'``."""

from sluice.spark._fit import fit, moments, predict, transform

__all__ = ["fit", "moments", "predict", "transform"]
