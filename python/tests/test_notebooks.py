"""The notebooks of examples/ run from top to bottom. Their own assertions state what a reader should see."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def outputs_of(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["paper", "portfolio", "soft_sensor"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_has_no_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert outputs_of(notebook) == []
    assert all(cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_its_pictures(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPLBACKEND", raising=False)  # pictures are shown as a reader sees them
    if os.environ.get("SLUICE_DATA") and not Path(os.environ["SLUICE_DATA"]).is_dir():
        monkeypatch.delenv("SLUICE_DATA")
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}  # not in the source folder
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    pictures = [output for output in outputs_of(notebook) if "image/png" in output.get("data", {})]
    drawing = [cell for cell in notebook.cells if "plt.subplots" in cell.source or "plot." in cell.source]
    drawing = [cell for cell in drawing if cell.cell_type == "code" and not cell.source.startswith(("import", "from"))]
    assert len(pictures) == len(drawing) >= 2
    assert not [output for output in outputs_of(notebook) if output.get("name") == "stderr"]  # no warnings
