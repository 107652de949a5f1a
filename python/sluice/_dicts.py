"""The on-line model with rows that are dicts: what river's two kinds of regressors share."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from river.utils import dataframe

from sluice._core import DictRows, Stream
from sluice._frames import placed, table_of
from sluice._named import apart_from, natural_order, texts_of
from sluice._options import OnlineOptions
from sluice._records import Event, Importance, Report, events_of, importances_of, no_model, report_of, save_file

Array = NDArray[np.float64]

_NEW_COLUMNS = threading.RLock()  # two threads that bring the same new feature


class DictStream(OnlineOptions):
    """Follows features by their keys. A new one is appended to the model, a vanished one is missing in its row."""

    __slots__ = ("_rows",)  # made when it is needed, and no part of the state

    _single: ClassVar[bool] = True
    _core: Stream | None = None
    _inputs: dict[Hashable, int] = {}  # the column of each key, ascending; replaced, never changed
    _targets: dict[Hashable, int] = {}  # the same; not used for a single target
    _from_file: int = 0  # the number of inputs that, with the targets, are found by the text of a key
    _rows: DictRows

    # ---- what was learnt

    @property
    def feature_names(self) -> tuple[Hashable, ...]:
        """Every feature met so far while learning, in the model's order."""
        return tuple(self._inputs)

    @property
    def selected_names(self) -> tuple[Hashable, ...]:
        """The features that predict."""
        names = self.feature_names
        return () if self._core is None else tuple(names[index] for index in self._core.selected)

    @property
    def importances(self) -> tuple[Importance, ...]:
        """What each selected feature does, the most important first. Empty where options give the structure."""
        return () if self._core is None else importances_of(self._core)

    @property
    def events(self) -> tuple[Event, ...]:
        """The last 1000 events, oldest first."""
        return () if self._core is None else events_of(self._core)

    @property
    def report(self) -> Report | None:
        """What the last row changed."""
        return None if self._core is None else report_of(self._core)

    @property
    def rows_met(self) -> int:
        """Rows given to learn_one and learn_many since the first one with a feature and a target."""
        return 0 if self._core is None else self._core.rows_met

    # ---- files

    def _save(self, path: str | os.PathLike[str]) -> None:
        if self._core is None:
            raise ValueError("no row was learnt yet: there is no model to save")
        save_file(self._core, path)

    def _take_file(self, path: str | os.PathLike[str]) -> None:
        try:
            core = Stream.from_file(Path(path).read_bytes(), self.coverage)
        except ValueError as error:
            raise no_model(path, error) from None
        if self._single and core.outputs != 1:
            raise ValueError(
                f"{os.fspath(path)} is a model of {core.outputs} targets: load it with StreamMultiTargetRegressor"
            )
        self._core = core
        self._inputs = {name: index for index, name in enumerate(core.input_names)}
        self._targets = {} if self._single else {name: index for index, name in enumerate(core.target_names)}
        self._from_file = core.inputs

    # ---- rows

    def _follow(self, x: Mapping[Any, Any], y: Any) -> bool:
        """Gives the new keys of a checked row their columns. Whether there is a model that can learn the row."""
        with _NEW_COLUMNS:
            self._add_columns(self._rows.new_keys(x), [] if self._single else y)
        return self._core is not None

    def _add_columns(self, keys: Iterable[Hashable], targets: Iterable[Hashable]) -> None:
        """The order of the keys does not matter. The model begins with the first feature and target."""
        keys = natural_order(keys)
        if not keys:
            return
        if self._core is not None:
            self._widen(self._core, keys)
        elif self._single or (targets := natural_order(targets)):
            self._begin(keys, list(targets))
        self._renewed()

    def _begin(self, keys: list[Hashable], targets: list[Hashable]) -> None:
        if self.groups is not None:
            raise ValueError(
                "groups has a group for each input, and features of a river stream come and go: give None here, or use "
                "sluice.StreamRegressor, whose inputs are fixed"
            )
        names = texts_of(keys, (), "x")
        target_names = ["y"] if self._single else texts_of(targets, (), "y")
        core = self._new_core(len(names), len(target_names))
        core.rename(names, apart_from(target_names, names))
        self._core = core
        self._inputs = {key: index for index, key in enumerate(keys)}
        self._targets = {key: index for index, key in enumerate(targets)}

    def _widen(self, core: Stream, keys: list[Hashable]) -> None:
        first = core.inputs
        core.add_inputs(texts_of(keys, core.input_names, "x"))
        self._rename_targets(core, core.target_names)
        self._inputs = {**self._inputs, **{key: first + index for index, key in enumerate(keys)}}

    def _rename_targets(self, core: Stream, names: list[str]) -> None:
        inputs = core.input_names
        apart = apart_from(names, inputs)
        if apart != core.target_names:
            core.rename(inputs, apart)

    # ---- frames

    def _rows_of(self, frame: Any, values: Array) -> Array:
        """The values of a frame's columns in the order of the model. New columns are left out."""
        assert self._core is not None
        columns = self._rows.find_inputs(list(frame.columns))
        known = [column for column in columns if column >= 0]
        if len(set(known)) < len(known):
            texts_of(frame.columns, (), "x")  # says which
        return placed(values, columns, self._core.inputs)

    def _learn_frame(self, X: Any, outputs: Array, targets: list[Hashable] | None = None) -> None:
        """Checks all rows first, so that either all of them are learnt or none. targets: the columns of outputs."""
        frame = dataframe.into_frame(X)
        values = table_of(frame, "x")
        if len(values) != len(outputs):
            raise ValueError(f"x has {len(values)} rows, y has {len(outputs)}")
        if targets is not None:
            texts_of(targets, (), "y")
            self._rows.find_targets(targets)
        if len(values) == 0:
            return
        with _NEW_COLUMNS:
            columns = list(frame.columns)
            found = self._rows.find_inputs(columns)
            self._add_columns((key for key, column in zip(columns, found) if column < 0), targets or ())
        if self._core is None:
            return
        if targets is not None:
            outputs = placed(outputs, self._rows.find_targets(targets), self._core.outputs)
        self._core.learn(self._rows_of(frame, values), outputs)

    def _predict_frame(self, frame: Any) -> Array | None:
        values = table_of(frame, "x")
        return None if self._core is None else self._core.predict(self._rows_of(frame, values))

    # ---- Python

    def _renewed(self) -> DictRows:
        core, texts, target_texts = self._core, {}, {}
        if core is not None and self._from_file:
            texts = {name: index for index, name in enumerate(core.input_names[: self._from_file])}
            target_texts = {name: index for name, index in self._targets.items()}
        self._rows = DictRows(
            core, self._inputs, None if self._single else self._targets, list(self._targets), texts, target_texts
        )
        return self._rows

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "_rows":
                return self._renewed()
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # A feature may have the name of an attribute. Pickle writes an object that is met twice once, and which strings are
    # one object changes when they are loaded: so names and values are apart, and the same model gives the same bytes.
    def __getstate__(self) -> tuple[str, tuple[Any, ...]]:
        return "\n".join(self.__dict__), tuple(self.__dict__.values())

    def __setstate__(self, state: tuple[str, tuple[Any, ...]]) -> None:
        names, values = state
        self.__dict__.update(zip(names.split("\n"), values))

    def __copy__(self) -> DictStream:
        return copy.deepcopy(self)  # two objects that share a core would not know of each other's new features
