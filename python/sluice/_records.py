"""What a model says of itself: small objects without behaviour."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sluice import _core


@dataclass(frozen=True)
class Importance:
    """What one selected input does."""

    input: str
    """its name"""
    contribution: float
    """standard deviation of its part of the prediction, in those of the output"""
    gain: float
    """by how much the error over variance would rise without it"""


@dataclass(frozen=True)
class Event:
    """Something worth a line in a log."""

    row: int
    """rows learnt before it"""
    kind: str
    """"drift", "suspect", "entered", "left" or "fresh_start\""""
    inputs: tuple[str, ...]
    """which inputs it concerns"""
    outputs: tuple[str, ...]
    """suspect: the outputs whose errors are too large"""
    since: int | None
    """drift: the first row after the change, as estimated"""


@dataclass(frozen=True)
class Report:
    """What the last row changed. The fields are those of the C++ ``StepReport``."""

    row: int
    outcome: str
    error_before: float
    forgetting: float
    missing_inputs: int
    missing_outputs: int
    constant_inputs: int
    explained_covariance: float
    components: int
    keep: int
    shrinkage: float
    last_value_share: float
    predicted: NDArray[np.float64]
    selected: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    suspect_inputs: tuple[str, ...]
    suspect_outputs: tuple[str, ...]


def has_names(inputs: list[str]) -> bool:
    """Whether the names of a file's inputs were given: those of columns without names are x0, x1, ..."""
    return inputs != [f"x{j}" for j in range(len(inputs))]


def importances_of(core: _core.Stream) -> tuple[Importance, ...]:
    """The most important input first."""
    names = core.input_names
    return tuple(Importance(names[index], contribution, gain) for index, contribution, gain in core.importances)


def events_of(core: _core.Stream) -> tuple[Event, ...]:
    """Oldest first."""
    names, targets = core.input_names, core.target_names
    return tuple(
        Event(
            row=row,
            kind=kind,
            inputs=tuple(names[index] for index in inputs),
            outputs=tuple(targets[index] for index in outputs),
            since=int(start) if kind == "drift" else None,
        )
        for row, kind, inputs, outputs, start, _end in core.events
    )


def report_of(core: _core.Stream) -> Report | None:
    """Of the last row that was learnt since the model was made or loaded."""
    report: Any = core.report
    if report is None:
        return None
    names, targets = core.input_names, core.target_names
    for field in ("selected", "entered", "left", "suspect_inputs"):
        report[field] = tuple(names[index] for index in report[field])
    report["suspect_outputs"] = tuple(targets[index] for index in report["suspect_outputs"])
    return Report(**report)


def no_model(path: str | os.PathLike[str], error: ValueError) -> ValueError:
    """The core's sentence about a file that it does not take, in the words of the package."""
    text = str(error).replace("cannot load this", f"cannot load {os.fspath(path)}")
    fits = "load() of the class that wrote it, such as sluice.SparseBridgePLS, takes it"
    text = text.replace("unpack_fit() takes it", fits)
    return ValueError(text.replace("unpack_model() takes it", "sluice.StreamRegressor.load() takes it"))


def save_file(core: _core.Stream, path: str | os.PathLike[str]) -> None:
    """Writes a model file beside the old one, then replaces it."""
    path = Path(path)
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(core.to_file())
    os.replace(beside, path)
