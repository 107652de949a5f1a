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

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize(("name", "fewest"), [("README.md", 1), ("docs/python.md", 15), ("docs/fleet.md", 1)])
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


def test_errors_are_in_the_words_of_the_package(tmp_path: Path) -> None:
    rows, outputs = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]], [1.0, 2.0, 3.0]
    stream, fit = tmp_path / "stream", tmp_path / "fit"
    sluice.StreamRegressor().fit(rows, outputs).save(stream)
    sluice.PLS2(components=1).fit(rows, outputs).save(fit)
    with pytest.raises(ValueError, match=f"cannot load {fit}: .* such as sluice.SparseBridgePLS, takes it"):
        sluice.StreamRegressor.load(fit)
    with pytest.raises(ValueError, match=f"cannot load {stream}: .*sluice.StreamRegressor.load\\(\\) takes it"):
        sluice.PLS2.load(stream)
    with pytest.raises(ValueError, match='robust: "maybe" is not True or False'):
        sluice.StreamRegressor(robust="maybe").fit(rows, outputs)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"y is a single number: give one for each row, such as \[y\]"):
        sluice.StreamRegressor().partial_fit(rows[:1], 1.0)
    with pytest.raises(TypeError, match=r"not a StreamRegressor: sluice.follow\(model, X, y\) makes one"):
        sluice.plot.selection(sluice.StreamRegressor())  # type: ignore[arg-type]


def test_a_model_without_names_is_loaded_without_names(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    rows, outputs = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]]), np.array([1.0, 2.0, 3.0])
    for model in (sluice.StreamRegressor(), sluice.PLS2(components=1)):
        model.fit(rows, outputs).save(tmp_path / "model")
        again = type(model).load(tmp_path / "model")
        assert not hasattr(again, "feature_names_in_")
        assert np.array_equal(again.predict(rows), model.predict(rows))
    assert not recwarn.list


def test_names_that_look_like_none_are_known_again_from_a_table(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    frame = pd.DataFrame({"x0": [1.0, 2.0, 3.0], "x1": [2.0, 1.0, 5.0]})
    sluice.StreamRegressor().fit(frame, [1.0, 2.0, 3.0]).save(tmp_path / "model")
    again = sluice.StreamRegressor.load(tmp_path / "model")
    again.predict(frame)
    assert list(again.feature_names_in_) == ["x0", "x1"]
    assert not recwarn.list


def test_the_help_of_options_is_in_the_words_of_python() -> None:
    lines = {line.split(" ")[0]: line for line in sluice.option_help().splitlines()}
    assert lines["center"].startswith("center (True|False; default True): ")
    assert lines["clip"].startswith("clip (NUMBER|None; default 5.0): ")
    assert lines["keep"].startswith('keep ("auto"|N|[N, N, ...]; default "auto"): ')
    assert lines["memory_limit"].startswith('memory_limit (BYTES; default "16G"): ')
