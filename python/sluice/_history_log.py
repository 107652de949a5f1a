"""Reads a History from the records of ``sluice stream --out log.ndjson``."""

from __future__ import annotations

import gzip
import json
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sluice._history import History, as_times
from sluice._records import Event


def read_log(path: str | os.PathLike[str]) -> History:
    """The whole log; ValueError where a line is not a record."""
    reader = _Reader()
    for number, line in _lines(Path(path)):
        try:
            record = json.loads(line)
            reader.add(record)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise ValueError(
                f"{path}, line {number}: not a record of `sluice stream --out log.ndjson` ({error!r}): give a log in "
                "NDJSON, not CSV, whose lines are complete"
            ) from error
    if not reader.rows:
        raise ValueError(f"{path}: has no records: give the file that `sluice stream --out log.ndjson` wrote")
    return reader.history()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


class _Reader:
    """Collects the records in the order of the log."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        self.rows: dict[int, int] = {}  # number of the row in the log -> place
        self.names: dict[str, int] = {}
        self.values = {name: array("d") for name in ("predicted", "low", "high", "observed")}
        self.times: list[str] = []
        self.selection_rows = array("q")
        self.starts = array("q", [0])
        self.inputs = array("i")
        self.events: list[Event] = []

    def add(self, record: dict[str, Any]) -> None:
        if not self.targets:
            self.targets = list(record["predicted"])
        if "label_of" in record:
            self._add_label(record)
            return
        place = len(self.rows)
        self.rows[int(record["row"])] = place
        for name, values in self.values.items():
            cells = record["predicted"] if name == "predicted" else record.get(name, {})
            values.extend(_number(cells.get(target)) for target in self.targets)
        if "time" in record:
            self.times.append(str(record["time"]))
        if "selected" in record:
            self.inputs.extend(self._selected(record["selected"]))
            self.selection_rows.append(place)
            self.starts.append(len(self.inputs))
        self._add_events(record, place)

    # The observed values of an earlier row, which may come one by one.
    def _add_label(self, record: dict[str, Any]) -> None:
        place = self.rows.get(int(record["label_of"]))
        if place is not None:
            for k, target in enumerate(self.targets):
                value = _number(record["observed"].get(target))
                if value == value:
                    self.values["observed"][place * len(self.targets) + k] = value
        self._add_events(record, max(len(self.rows) - 1, 0))

    def _selected(self, components: list[list[str]]) -> list[int]:
        indices = (self.names.setdefault(name, len(self.names)) for part in components for name in part)
        return list(dict.fromkeys(indices))  # an input that several components select counts once

    def _add_events(self, record: dict[str, Any], place: int) -> None:
        offset = int(record["row"]) - place
        for event in record.get("events", ()):
            inputs = event.get("entered") or event.get("columns") or ()
            since = int(event["since"]) - offset if "since" in event else None
            of_targets = tuple(name for name in inputs if name in self.targets)
            of_inputs = tuple(name for name in inputs if name not in self.targets)
            self.events.append(Event(place, str(event["event"]), of_inputs, of_targets, since))
        for decision in record.get("decisions", ()):
            named = (decision["input"],) if "input" in decision else ()
            self.events.append(Event(place, str(decision["setting"]), named, (), None))

    def history(self) -> History:
        def table(name: str) -> NDArray[np.float64]:
            return np.frombuffer(self.values[name], dtype=np.float64).reshape(len(self.rows), len(self.targets))

        return History(
            observed=table("observed"),
            predicted=table("predicted"),
            low=table("low"),
            high=table("high"),
            names=tuple(self.names),
            targets=tuple(self.targets),
            selection_rows=_as_array(self.selection_rows, np.int64),
            selection_starts=_as_array(self.starts, np.int64),
            selection_inputs=_as_array(self.inputs, np.int32),
            selection_weights=None,
            events=tuple(self.events),
            times=as_times(self.times) if len(self.times) == len(self.rows) else None,
        )


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _as_array(values: array[int], kind: type[Any]) -> NDArray[Any]:
    return np.frombuffer(values, dtype=kind) if len(values) else np.empty(0, dtype=kind)
