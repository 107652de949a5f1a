"""Writes every Python example that users read as a module, so that its types can be checked.

usage: python_examples.py ROOT FOLDER
Docstrings of the installed package, ```python blocks of the documents, code of the notebooks, and scripts in examples/.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from inspect import ismodule
from pathlib import Path

import sluice


def in_docstrings() -> Iterator[tuple[str, str]]:
    modules = [sluice, *(importlib.import_module(f"sluice.{found.name}") for found in pkgutil.iter_modules(sluice.__path__))]
    for module in modules:
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            if test.examples:
                code = "".join(example.source for example in test.examples)
                yield test.name, imports_of(code, module.__name__, test.globs) + code


def imports_of(code: str, module: str, known: dict[str, object]) -> str:
    """An example may use the names of its own module."""
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    used = {node.id for node in names} & known.keys() - made
    return "".join(f"from {module} import {name}\n" for name in sorted(used) if not ismodule(known[name]))


def in_documents(root: Path) -> Iterator[tuple[str, str]]:
    for document in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
        if blocks:
            yield document.stem, "\n".join(blocks)


def in_notebooks(root: Path) -> Iterator[tuple[str, str]]:
    for notebook in sorted((root / "examples").rglob("*.ipynb")):
        cells = json.loads(notebook.read_text())["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield notebook.stem, "\n".join(re.sub(r"^[%!].*$", "", source, flags=re.MULTILINE) for source in code)


def scripts(root: Path) -> Iterator[tuple[str, str]]:
    for script in sorted((root / "examples").rglob("*.py")):
        yield script.stem, script.read_text()


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for kind, examples in {
        "docstring": in_docstrings(),
        "document": in_documents(root),
        "notebook": in_notebooks(root),
        "script": scripts(root),
    }.items():
        for name, code in examples:
            module = re.sub(r"\W+", "_", f"{kind}_{name}")
            (folder / f"{module}.py").write_text(code + "\n")


if __name__ == "__main__":
    main()
