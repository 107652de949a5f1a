"""sluice.spark can be imported without pyspark, and then says what to install."""

from __future__ import annotations

import importlib.util

import pytest

import sluice.spark


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is not None, reason="pyspark is installed")
def test_without_pyspark_the_error_says_what_to_install() -> None:
    with pytest.raises(ImportError, match=r"sluice.spark needs pyspark: pip install 'sluice\[spark\]'"):
        sluice.spark.fleet(None, None)
    with pytest.raises(ImportError, match=r"sluice.spark needs pyspark: pip install 'sluice\[spark\]'"):
        sluice.spark.fit(None, "y")
