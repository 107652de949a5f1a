"""The programs of examples/python run, and print what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python"
PROMISED = {
    "late_labels.py": "373 labels learnt, each 10 rows late",
    "river_stream.py": "40 features met",
    "stream_csv.py": "row 800: one-step RMSE",
    "two_threads.py": "same results: True",
}


def run(program: str, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_every_program_is_tested() -> None:
    assert sorted(PROMISED) == sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROMISED)
def test_a_program_prints_what_it_promises(program: str, tmp_path: Path) -> None:
    assert PROMISED[program] in run(program, tmp_path)


@pytest.mark.slow
def test_a_file_of_ones_own_is_streamed_with_its_gaps(tmp_path: Path) -> None:
    rows = "".join(f"{j % 7},{'' if j % 5 == 0 else j % 3},{2 * (j % 7)}\n" for j in range(200))
    (tmp_path / "rows.csv").write_text("a,b,y\n" + rows)
    assert run("stream_csv.py", tmp_path, "rows.csv", "y").rstrip().endswith("selected ['a']")
