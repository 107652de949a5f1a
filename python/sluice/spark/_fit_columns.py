"""Which columns of a Spark DataFrame are inputs and targets of a fit, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "decimal")


def roles(df: DataFrame, targets: str | Sequence[str], inputs: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The names of the inputs and of the targets. A ValueError has a sentence for each broken rule."""
    outputs = [targets] if isinstance(targets, str) else list(targets)
    if inputs is None:
        chosen = [name for name in df.columns if name not in outputs]
    else:
        chosen = [inputs] if isinstance(inputs, str) else list(inputs)
    problems = []
    if df.isStreaming:
        problems.append("df is a stream: a fit needs all rows; give a batch DataFrame, or learn row by row")
    if not outputs:
        problems.append("targets: name at least one column")
    if not chosen:
        problems.append("inputs: there must be at least one column that is no target")
    problems += [f"{name!r} is an input and a target: leave it out of one of them" for name in outputs if name in chosen]
    problems += columns_problems(df, chosen, "input", named=inputs is not None)
    problems += columns_problems(df, outputs, "target", named=True)
    if problems:
        raise ValueError("\n".join(problems))
    return chosen, outputs


def columns_problems(df: DataFrame, names: Sequence[str], role: str, named: bool) -> list[str]:
    """A sentence for each column that is not there, is there twice, or has no numbers."""
    problems = []
    types = {field.name: field.dataType for field in df.schema.fields}
    for name in dict.fromkeys(names):
        if list(names).count(name) > 1:
            problems.append(f"{role} {name!r} is named more than once: name it once")
        if name not in types:
            near = get_close_matches(name, df.columns, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {_listed(df.columns)}"
            problems.append(f"{role} {name!r}: the DataFrame has no such column; {hint}")
        elif df.columns.count(name) > 1:
            problems.append(f"{role} {name!r}: the DataFrame has several columns of this name; rename or drop them")
        elif not is_number(types[name]):
            leave = "leave it out of inputs" if named else "name the inputs without it"
            problems.append(
                f"{role} {name!r} is {types[name].simpleString()}: turn it into numbers, such as with "
                f"cast('double'){', or ' + leave if role == 'input' else ''}"
            )
    return problems


def is_number(kind: DataType) -> bool:
    return kind.simpleString().split("(")[0] in NUMBERS


def column(name: str) -> Column:
    """A column by its exact name, which may have dots."""
    from pyspark.sql.functions import col

    return col("`" + name.replace("`", "``") + "`")


def numbered(df: DataFrame) -> DataFrame:
    """With columns c0, c1, ...: mapInArrow does not find a column whose name has a dot."""
    return df.toDF(*(f"c{j}" for j in range(len(df.columns))))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
