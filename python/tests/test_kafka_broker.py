"""A fleet on a real broker, with kills: a smaller run of tests/campaigns/kafka_kills.py. Once, with one Python."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BROKER = ROOT / "build" / "kafka"


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="a broker is started once: with Python 3.11")
@pytest.mark.skipif(shutil.which("java") is None, reason="java is missing: scripts/fleet_packages.txt")
@pytest.mark.skipif(not list(BROKER.glob("complete-*")), reason="no broker: scripts/kafka_broker.sh fetch")
def test_kills_lose_no_row_and_no_bit() -> None:
    campaign = ROOT / "tests" / "campaigns" / "kafka_kills.py"
    command = [sys.executable, str(campaign), "--kills", "3", "--seconds", "20", "--rate", "600", "--keys", "8"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "predictions and states equal to the bit" in done.stdout
