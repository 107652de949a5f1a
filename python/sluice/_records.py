"""What a model says of itself: small objects without behaviour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
