"""One model for each key: turbines, lines, markets, hosts. The block function that Spark, Kafka and your own programs call.

>>> import pyarrow as pa
>>> config = Config({"key": "turbine", "sequence": "n", "targets": ["power"]})
>>> rows = pa.record_batch({"n": [1, 2, 3], "wind": [5.0, 6.0, 7.0], "power": [1.0, 1.4, None]})
>>> state, answers = step(None, rows, config, key="T7")
>>> answers.column("row").to_pylist(), answers.column("outcome").to_pylist()[1]
([1, 2, 3], 'learned')
>>> state, again = step(state, rows.slice(1), config, key="T7")  # sent a second time: answered, not learnt
>>> again.column("outcome").to_pylist()
['repeated', 'repeated']

`docs/fleet.md` has the rules, and the engines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice._core import FleetConfig, fleet_step

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Config", "answer_schema", "step"]


class Config:
    """What the models of a fleet are created with: the column that tells them apart, targets, inputs, options.

    Every broken rule is in the one `ValueError` that is raised. Equal configs compare equal; a config can be pickled.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._core = FleetConfig(dict(fields))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Config:
        """The config in a file: JSON, or YAML where PyYAML is installed."""
        text = Path(path).read_text(encoding="utf-8")
        try:
            return cls(_tree(text))
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}:\n{error}") from None

    @property
    def key(self) -> str:
        """The column with the key."""
        return self._core.key

    @property
    def sequence(self) -> str | None:
        """The column with the number of a row within its key, if there is one."""
        return self._core.sequence or None

    @property
    def targets(self) -> list[str]:
        """The columns to predict, as they were given."""
        return self._core.targets

    def json(self) -> str:
        """All fields, in one form for each config."""
        return self._core.json()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self.json() == other.json()

    def __hash__(self) -> int:
        return hash(self.json())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Config, (json.loads(self.json()),))

    def __repr__(self) -> str:
        return f"Config({self.json()})"


def _tree(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        if text.lstrip().startswith("{"):
            raise ValueError(f"line {problem.lineno}: this is not JSON: {problem.msg}") from None
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ValueError("this is not JSON, and YAML needs the package PyYAML: pip install pyyaml") from None
    try:
        tree = yaml.load(text, Loader=yaml.BaseLoader)  # every scalar as a text: its field knows what it must be
    except yaml.YAMLError as problem:
        raise ValueError(f"this is neither YAML nor JSON: {problem}") from None
    return _with_nulls(tree)


def _with_nulls(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {name: None if value in ("", "~", "null") else _with_nulls(value) for name, value in tree.items()}
    return tree


def answer_schema(config: Config, targets: list[str] | None = None) -> pa.Schema:
    """The columns of what `step` answers. `targets`: where those of the config are patterns."""
    import pyarrow as pa

    names = config.targets if targets is None else targets
    fields = [pa.field("sequence", pa.int64()), pa.field("row", pa.int64())]
    fields += [pa.field(f"{kind}.{name}", pa.float64()) for kind in _kinds(config) for name in names]
    fields += [pa.field(name, pa.string()) for name in ("outcome", "selected", "events")]
    return pa.schema(fields)


def _kinds(config: Config) -> list[str]:
    kinds = ["predicted"]
    if config._core.has_interval:
        kinds += ["low", "high"]
    if config._core.horizon > 0:
        kinds += ["forecast"]
        if config._core.has_interval:
            kinds += ["forecast_low", "forecast_high"]
    return kinds


def step(
    state: bytes | None, rows: pa.RecordBatch, config: Config, key: str = ""
) -> tuple[bytes | None, pa.RecordBatch]:
    """Predicts and learns the rows of one key, in their order.

    `state` is what the last call for this key returned, None for a new key. Returns the state that replaces it and a
    record batch with one answer for each row. How the rows are cut into blocks makes no difference, to the bit. The
    interpreter's lock is released while the rows are learnt.

    Nothing is raised because of one key: what cannot be used is answered with the outcome "refused" and an event. A state
    that cannot be read is returned as it was.
    """
    import pyarrow as pa

    after, targets, sequence, row, values, outcome, selected, events = fleet_step(config._core, state, rows, key)
    columns: list[pa.Array] = [pa.array(sequence, pa.int64()), pa.array(row, pa.int64())]
    columns += [pa.array(values[:, i], pa.float64(), from_pandas=True) for i in range(values.shape[1])]
    columns += [pa.array(texts, pa.string()) for texts in (outcome, selected, events)]
    return after or None, pa.RecordBatch.from_arrays(columns, schema=answer_schema(config, targets))
