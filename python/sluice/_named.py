"""Names of columns: a stream's keys may be anything hashable, the names in model files are texts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

_DIGITS = re.compile(r"([0-9]+)")


def natural_order(keys: Iterable[Hashable]) -> list[Hashable]:
    """Sorted by text, with numbers inside by size, so that the order of a dict does not matter.

    >>> natural_order(["x10", "x2", "a", 3])
    [3, 'a', 'x2', 'x10']
    """

    def rank(key: Hashable) -> tuple[list[tuple[int, str]], str]:
        parts = _DIGITS.split(str(key))  # text, digits, text, ...
        numbers = [part.lstrip("0") for part in parts[1::2]]
        ranked = [(0, part) for part in parts]
        ranked[1::2] = [(len(number), number) for number in numbers]
        return ranked, str(key)

    return sorted(keys, key=rank)


def texts_of(keys: Iterable[Hashable], known: Iterable[str], table: str) -> list[str]:
    """The name of each key. Two keys with one name are an error, also where one of them is known already."""
    taken = set(known)
    texts = []
    for key in keys:
        text = str(key)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"{table}: the key {key!r} cannot be written to a file: {error.reason}") from None
        if text in taken:
            raise ValueError(
                f"{table} has two keys with the text {text!r}, one of them {key!r}: "
                "names of columns are texts, so rename one of them"
            )
        taken.add(text)
        texts.append(text)
    return texts


def apart_from(names: Iterable[str], inputs: Iterable[str]) -> list[str]:
    """Names of targets, changed where an input has the name: in a file each column needs a name of its own.

    >>> apart_from(["a", "b"], ["b", "c"])
    ['a', 'b (target)']
    """
    taken = set(inputs)
    apart = []
    for name in names:
        while name in taken:
            name += " (target)"
        taken.add(name)
        apart.append(name)
    return apart
