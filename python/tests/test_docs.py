"""The Python examples of the documents run as a reader would run them, in their order, and print what is shown.

A ```text block right after a ```python block is what that block prints.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import sluice
import sluice.river

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    line: int
    code: str
    printed: str | None


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, found.start()) + 2, found[1], found[2]) for found in BLOCKS.finditer(text)
    ]


@pytest.mark.parametrize(("name", "fewest"), [("README.md", 1), ("docs/python.md", 15)])
def test_the_examples_run_and_print_what_is_shown(
    name: str, fewest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ROOT / name
    blocks = blocks_of(document)
    assert len(blocks) >= fewest
    assert sum(block.printed is not None for block in blocks) >= fewest / 2
    monkeypatch.chdir(tmp_path)  # files of the examples go here
    namespace: dict[str, Any] = {"__name__": "example"}
    for block in blocks:
        printed = io.StringIO()
        code = "\n" * (block.line - 1) + block.code  # so that an error names the line of the document
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(document), "exec"), namespace)
        if block.printed is not None:
            assert printed.getvalue().rstrip() == block.printed.rstrip(), f"{name}, line {block.line}"


def test_a_block_ends_with_its_fence_and_output_belongs_to_the_block_before_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\na = 1\n```\n\n```text\n7\n```\n\n```python\nb = 2\n```\n\nWords\n\n```text\nx\n```\n")
    assert blocks_of(page) == [Block(2, "a = 1\n", "7\n"), Block(10, "b = 2\n", None)]


@pytest.mark.parametrize(
    "model",
    [
        sluice.StreamRegressor,
        sluice.SparseBridgePLS,
        sluice.BridgePLS,
        sluice.PLS2,
        sluice.PrincipalComponentsRegression,
    ],
    ids=lambda model: model.__name__,
)
def test_the_docstring_of_a_model_names_each_of_its_parameters(model: type) -> None:
    text = inspect.getdoc(model) or ""
    parameters = text.partition("Parameters\n")[2].partition("Examples\n")[0]
    missing = [name for name in inspect.signature(model).parameters if not re.search(rf"\b{name}\b", parameters)]
    assert missing == []


def test_the_page_names_everything_public() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    names = [name for name in sluice.__all__ if not name.startswith("__")]
    names += [f"sluice.river.{name}" for name in sluice.river.__all__]
    assert [name for name in names if name not in page] == []
