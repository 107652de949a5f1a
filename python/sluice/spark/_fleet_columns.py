"""Which columns of a Spark DataFrame the models of a fleet need, what is wrong with them, and how they travel."""

from __future__ import annotations

import json
from collections import Counter
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sluice.spark._fleet_worker import KEY, NO_NUMBER, NUMBERS, SEQUENCE, STATE, TEXT, PackedRows

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

    from sluice.fleet import Config


class FleetColumns:
    """The columns of `df` by their roles in `config`."""

    def __init__(self, df: DataFrame, config: Config) -> None:
        self._df = df
        self._config = config
        self._fields: dict[str, StructField] = {field.name: field for field in df.schema.fields}
        spec = json.loads(config.json())
        self._time: str | None = spec.get("time")
        self._ignore: list[str] = spec.get("ignore") or []
        self._inputs: list[str] = spec.get("inputs") or []
        others = [field for field in df.schema.fields if field.name not in (config.key, config.sequence)]
        self._numbers = [field.name for field in others if _is_number(field.dataType)]
        self._texts = [field.name for field in others if _is_text(field.dataType)]
        if self._time in self._fields and self._time not in (*self._numbers, *self._texts):
            self._texts.append(self._time)  # events quote the text of a time
        self.layout = PackedRows(tuple(field.name for field in others), tuple(self._numbers), tuple(self._texts))

    @cached_property
    def _trial(self) -> pyarrow.RecordBatch:
        """What the block function answers to one row of a new key, with all values missing."""
        import pyarrow

        from sluice.fleet import step

        texts = [pyarrow.nulls(1, pyarrow.string()) for _ in self._texts]
        columns = self.layout.columns(np.full((1, len(self._numbers)), np.nan), texts)
        names = list(self.layout.names)
        if self._config.sequence:
            columns, names = [pyarrow.array([0]), *columns], [self._config.sequence, *names]
        return step(None, pyarrow.RecordBatch.from_arrays(columns, names=names), self._config)[1]

    @property
    def answer_schema(self) -> pyarrow.Schema:
        """Of the answers, with the targets that patterns of the config mean here."""
        return self._trial.schema

    @property
    def _targets(self) -> list[str]:
        return [name.removeprefix("predicted.") for name in self.answer_schema.names if name.startswith("predicted.")]

    # ---- what is wrong

    def problems(self) -> list[str]:
        """One sentence for each broken rule."""
        return self._ambiguous() or [*self._of_key(), *self._of_sequence(), *self._of_roles(), *self._of_types()]

    def _ambiguous(self) -> list[str]:
        folded = self._df.sparkSession.conf.get("spark.sql.caseSensitive", "false") != "true"
        counts = Counter(name.lower() if folded else name for name in self._df.columns)
        twice = [name for name in self._df.columns if counts[name.lower() if folded else name] > 1]
        if not twice:
            return []
        case = " (Spark ignores upper and lower case unless spark.sql.caseSensitive is true)" if len(set(twice)) > 1 else ""
        return [f"columns with the same name: {_listed(twice)}{case}: rename or drop them"]

    def _absent(self, role: str, name: str) -> str:
        return f"{role} = {name!r}: the DataFrame has no such column; it has {_listed(list(self._fields))}"

    def _of_key(self) -> list[str]:
        name = self._config.key
        if name not in self._fields:
            return [self._absent("key", name)]
        problems = []
        kind = self._fields[name].dataType
        if not (_is_text(kind) or _is_integer(kind)):
            problems.append(f"key = {name!r}: the column is {kind.simpleString()}; it must be text or integers: cast it to string")
        if name in {*self.answer_schema.names, STATE}:
            problems.append(f"key = {name!r}: a column of the answers has this name: rename the key column")
        return problems

    def _of_sequence(self) -> list[str]:
        name = self._config.sequence
        if name is None:
            return [
                "sequence is not given: Spark keeps no order of rows between source and model, so that each run could "
                "learn them in another order: name the column with the number of a row within its key, such as a counter, "
                "the time as an integer or Kafka's offset"
            ]
        if name not in self._fields:
            return [self._absent("sequence", name)]
        kind = self._fields[name].dataType
        if not _is_integer(kind):
            how = "use unix_micros(...)" if kind.typeName().startswith("timestamp") else "cast it to bigint"
            return [f"sequence = {name!r}: the column is {kind.simpleString()}; it must be integers: {how}"]
        return []

    def _of_roles(self) -> list[str]:
        """What the block function would refuse every key for: a target, an input or a time that is not there."""
        events = self._trial.column("events")[0].as_py()
        if self._trial.column("outcome")[0].as_py() != "refused":
            return []
        return [event["text"].removeprefix("key : ").removesuffix(". The rows are not learnt") for event in json.loads(events)]

    def _of_types(self) -> list[str]:
        problems = []
        for name, field in self._fields.items():
            if name not in self.layout.names or name in (*self._numbers, *self._texts):
                continue
            kind = field.dataType.simpleString()
            if name in self._targets:
                problems.append(f"targets = {name!r}: the column is {kind}; it must be numbers: cast it to double")
            elif self._may_be_input(name):
                problems.append(f"the column {name!r} is {kind}, neither a number nor text: cast it, drop it, or name it in ignore")
        return problems

    def _may_be_input(self, name: str) -> bool:
        def is_meant(words: list[str]) -> bool:
            return any(fnmatchcase(name, word) or name.startswith(word + ".") for word in words)

        return not is_meant(self._ignore) and (not self._inputs or is_meant(self._inputs))

    # ---- packing

    def pack(self) -> DataFrame:
        """The key, the sequence, all numbers of a row as one array, and each column of text by itself.

        Spark gives each column of each key in each batch to pandas by itself, which costs more than the model where rows
        are wide; an array is one column.
        """
        from pyspark.sql import functions

        array = functions.array(*(self._column(name).cast("double") for name in self._numbers)).cast("array<double>")
        sequence = functions.coalesce(self._column(str(self._config.sequence)).cast("long"), functions.lit(NO_NUMBER))
        return self._df.select(
            self._column(self._config.key).alias(KEY),
            sequence.alias(SEQUENCE),
            array.alias(NUMBERS),
            *(self._column(name).cast("string").alias(f"{TEXT}{i}") for i, name in enumerate(self._texts)),
        )

    def _column(self, name: str) -> Column:
        return self._df["`" + name.replace("`", "``") + "`"]


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def _is_number(kind: DataType) -> bool:
    from pyspark.sql.types import BooleanType, NumericType

    return isinstance(kind, (NumericType, BooleanType))


def _is_integer(kind: DataType) -> bool:
    from pyspark.sql.types import ByteType, IntegerType, LongType, ShortType

    return isinstance(kind, (ByteType, ShortType, IntegerType, LongType))


def _is_text(kind: DataType) -> bool:
    from pyspark.sql.types import StringType

    return isinstance(kind, StringType)
