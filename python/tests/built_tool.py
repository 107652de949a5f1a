"""The `sluice` tool, with which tests of the Python package exchange files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

BUILT = Path(__file__).resolve().parents[2] / "build" / "release" / "sluice"


def built_tool() -> str:
    """Its path. Skips the test where there is none."""
    found = os.environ.get("SLUICE_TOOL") or (str(BUILT) if BUILT.exists() else shutil.which("sluice"))
    if not found:
        pytest.skip("the sluice tool is not built: set SLUICE_TOOL, or build build/release/sluice")
    return found
