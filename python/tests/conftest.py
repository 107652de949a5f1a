"""What all tests of the Python package share. They test the installed package: scripts/python_test.sh."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if "scipy" not in sys.modules:
    os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scipy reads it once; without it scikit-learn skips a check
os.environ.setdefault("MPLBACKEND", "Agg")

import hypothesis  # noqa: E402
import pytest  # noqa: E402

import sluice  # noqa: E402

SOURCES = Path(__file__).resolve().parent.parent / "sluice"

# The same examples in each run; a machine that is busy is not an error.
hypothesis.settings.register_profile("sluice", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("sluice")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: left out by ./test --quick")
    if Path(sluice.__file__).resolve().parent == SOURCES:
        raise pytest.UsageError(f"{SOURCES} is on the path: the tests are for the installed package")


def pytest_report_header() -> str:
    return f"sluice {sluice.__version__} in {Path(sluice.__file__).parent}"
