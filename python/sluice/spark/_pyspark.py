"""pyspark is imported where it is used; without it, the error says what to install."""

from __future__ import annotations


def need_pyspark() -> None:
    try:
        import pandas
        import pyarrow
        import pyspark
    except ImportError as error:
        raise ImportError(f"sluice.spark needs {error.name}: pip install 'sluice[spark]'") from error
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise ImportError(f"sluice.spark needs pyspark 4 or later, and this is {pyspark.__version__}: pip install 'sluice[spark]'")
    del pandas, pyarrow
