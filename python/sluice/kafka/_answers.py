"""Answers of the block function to messages: one JSON object for each row.

    {"key":"t7","partition":0,"offset":17,"sequence":17,"row":5,"predicted":{"power":1.5},"outcome":"learned"}

and, where there are any, "selected" (the names, where they changed) and "events". Numbers are written so that they read
back to the same bits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

PLAIN = ("sequence", "row", "outcome", "selected", "events")


def answer_messages(key: str, partition: int, offsets: Sequence[int], answers: pa.RecordBatch) -> list[str]:
    """One text for each row of the answers of a key."""
    columns = {name: answers.column(name).to_pylist() for name in answers.schema.names}
    groups: dict[str, list[str]] = {}  # predicted, low, ...: the names of their columns
    for name in answers.schema.names:
        if name not in PLAIN:
            groups.setdefault(name.partition(".")[0], []).append(name)
    # The numbers of a row as a template: ...,"predicted":{"power":%s},...
    numbers: list[list[float | None]] = []
    template = ""
    for group, names in groups.items():
        template += "," + _text(group) + ":{"
        template += ",".join(_text(name.partition(".")[2]).replace("%", "%%") + ":%s" for name in names) + "}"
        numbers += [columns[name] for name in names]
    texts = [["null" if value is None else repr(value) for value in column] for column in numbers]
    head = f'{{"key":{_text(key)},"partition":{partition},"offset":'
    count = answers.num_rows
    sequences = columns.get("sequence") or [None] * count
    out = []
    rows = zip(offsets, sequences, columns["row"], columns["outcome"], columns["selected"], columns["events"], *texts)
    for offset, sequence, row, outcome, selected, events, *values in rows:
        text = (
            f'{head}{offset},"sequence":{"null" if sequence is None else sequence},"row":{"null" if row is None else row}'
            f'{template % tuple(values)},"outcome":"{outcome}"'
        )
        if selected is not None:
            text += f',"selected":{selected}'
        if events is not None:
            text += f',"events":{events}'
        out.append(text + "}")
    return out


def refused_message(key: bytes | None, partition: int, offset: int, why: str) -> str:
    """For a message that is no row, in the form of the others."""
    name = None if key is None else key.decode("utf-8", "backslashreplace")
    event = {"event": "row_refused", "key": name, "partition": partition, "offset": offset}
    place = f"partition {partition}, offset {offset}"
    event["text"] = f"{place}{'' if name is None else f', key {name}'}: {why}. The row is not learnt"
    answer = {"key": name, "partition": partition, "offset": offset, "sequence": None, "row": None}
    return json.dumps({**answer, "outcome": "refused", "events": [event]}, separators=(",", ":"), ensure_ascii=False)


def event_message(answer: str) -> str | None:
    """What the topic of events gets for an answer: nothing where it has no events."""
    if '"events":' not in answer:
        return None
    whole = json.loads(answer)
    if "events" not in whole:
        return None
    return json.dumps(
        {name: whole[name] for name in ("key", "partition", "offset", "sequence", "row", "outcome", "events")},
        separators=(",", ":"),
        ensure_ascii=False,
    )


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
