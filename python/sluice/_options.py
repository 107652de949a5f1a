"""The options of on-line models, by the names of the C++ structs ``StreamOptions`` and ``Tuning``."""

from __future__ import annotations

import inspect
from typing import Any

from sluice import _core


def option_help() -> str:
    """Every option of the on-line models with what may be given, the default and what it means, one per line.

    >>> print(option_help().splitlines()[4])
    forgetting ("auto"|NUMBER; default "auto"): lambda, above 0 and at most 1: remembers about 1/(1 - lambda) rows
    """
    parameters = inspect.signature(OnlineOptions.__init__).parameters
    lines = []
    for name, values, text in _core.adaptive_fields():
        choices = "|".join(_in_python(value) for value in values.split("|"))
        default = repr(parameters[name].default).replace("'", '"')
        text = text.replace("; no: ", "; False: ")
        lines.append(f"{name} ({choices}; default {default}): {text}")
    return "\n".join(lines)


def _in_python(value: str) -> str:
    """A value as the tool takes it, written as Python does. Capitals stand for numbers."""
    if value.startswith(("N", "BYTES")):
        return {"N,N,...": "[N, N, ...]", "N[,N...]": "N|[N, N, ...]"}.get(value, value)
    return {"yes": "True", "no": "False", "none": "None"}.get(value, f'"{value}"')


class OnlineOptions:
    """The constructor that scikit-learn's and river's classes share. ``"auto"`` leaves a choice to the model."""

    def __init__(
        self,
        *,
        components: int | str = "auto",
        keep: int | list[int] | str = "auto",
        gamma: float | None = None,
        names: int | str = "auto",
        forgetting: float | str = "auto",
        ridge: float = 1e-5,
        center: bool = True,
        scale_inputs: bool = True,
        scale_outputs: bool = True,
        balance: str = "trace",
        loadings: str = "weighted",
        deflation: str = "refit",
        shrinkage: float | str = "auto",
        clip: float | None = 5.0,
        hold_bonus: float = 0.0,
        penalty: str = "lasso",
        elastic_mix: float = 0.5,
        scad_knee: float = 3.7,
        mcp_knee: float = 3.0,
        adaptive_power: float = 1.0,
        groups: list[int] | None = None,
        engine: str = "automatic",
        history: str = "double",
        memory_limit: int | str = "16G",
        threads: int = 1,
        number: str = "found",
        intercept: str = "drifting",
        alarms: bool = True,
        robust: bool = True,
        coverage: float | None = 0.9,
    ) -> None:
        self.components = components
        self.keep = keep
        self.gamma = gamma
        self.names = names
        self.forgetting = forgetting
        self.ridge = ridge
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs
        self.balance = balance
        self.loadings = loadings
        self.deflation = deflation
        self.shrinkage = shrinkage
        self.clip = clip
        self.hold_bonus = hold_bonus
        self.penalty = penalty
        self.elastic_mix = elastic_mix
        self.scad_knee = scad_knee
        self.mcp_knee = mcp_knee
        self.adaptive_power = adaptive_power
        self.groups = groups
        self.engine = engine
        self.history = history
        self.memory_limit = memory_limit
        self.threads = threads
        self.number = number
        self.intercept = intercept
        self.alarms = alarms
        self.robust = robust
        self.coverage = coverage

    def _new_core(self, inputs: int, outputs: int) -> _core.Stream:
        names = [name for name in inspect.signature(OnlineOptions.__init__).parameters if name not in ("self", "coverage")]
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        return _core.Stream(inputs, outputs, options, self.coverage)
