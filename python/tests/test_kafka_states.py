"""States in the compacted topic: split into parts, put together again, never mixed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluice.kafka._states import (
    OVERHEAD,
    PROGRESS_KEY,
    PartitionStates,
    Progress,
    StateReading,
    StateTopicError,
    parts_of,
)


def compacted(messages: list[tuple[bytes, bytes | None]]) -> list[tuple[bytes, bytes | None]]:
    """What compaction leaves: the last message of each key."""
    return list({key: (key, value) for key, value in messages}.values())


@given(
    st.lists(st.tuples(st.sampled_from([b"a", b"b\0", b"", b"a\0\0\0"]), st.binary(min_size=1, max_size=3000)), max_size=20),
    st.integers(600, 1500),
)
def test_the_last_state_of_each_key_comes_back_with_and_without_compaction(
    writes: list[tuple[bytes, bytes]], limit: int
) -> None:
    states = PartitionStates()
    topic: list[tuple[bytes, bytes | None]] = []
    for stamp, (key, state) in enumerate(writes):
        messages = states.messages(key, state, limit, stamp)
        assert all(len(value or b"") + len(part) <= limit - OVERHEAD for part, value in messages)
        topic += messages
        states.put(key, state, len(parts_of(key, state, limit, stamp)))
    for messages in (topic, compacted(topic)):
        reading = StateReading("s", 0)
        for part, value in messages:
            reading.add(part, value)
        assert {key: state for key, state, _ in reading.states()} == dict(writes)
    assert states.bytes == sum(map(len, dict(writes).values())) and len(states) == len(dict(writes))


def test_a_state_of_which_a_part_is_missing_is_refused_by_its_key() -> None:
    messages = parts_of(b"t7", bytes(5000), 1600, 9)
    reading = StateReading("s", 3)
    for key, value in messages[1:]:
        reading.add(key, value)
    with pytest.raises(StateTopicError, match=r"topic s, partition 3: the state of key t7 is not whole"):
        list(reading.states())


def test_parts_of_two_writes_are_not_mixed() -> None:
    first, second = parts_of(b"k", bytes(2000), 1600, 1), parts_of(b"k", bytes(2000), 1600, 2)
    reading = StateReading("s", 0)
    for key, value in (first[0], second[1]):
        reading.add(key, value)
    with pytest.raises(StateTopicError, match="not whole"):
        list(reading.states())


def test_what_is_not_of_sluice_is_refused() -> None:
    with pytest.raises(StateTopicError, match="not one of Sluice"):
        StateReading("s", 0).add(b"something", b"else")
    with pytest.raises(StateTopicError, match="damaged, or another version"):
        StateReading("s", 0).add(b"k\0\0\0", b"SLK9" + bytes(20))
    with pytest.raises(StateTopicError, match="progress is damaged"):
        StateReading("s", 0).add(PROGRESS_KEY, b'{"next":"x","shards":2}')


def test_a_limit_that_no_state_fits_says_what_to_change() -> None:
    with pytest.raises(StateTopicError, match=r"raise max.message.bytes"):
        parts_of(b"k", bytes(100), 400, 0)


def test_the_progress_is_that_of_the_last_message() -> None:
    reading = StateReading("s", 0)
    for progress in (Progress(5, 2), Progress(9, 4)):
        reading.add(PROGRESS_KEY, progress.message())
    assert reading.progress == Progress(9, 4) and not list(reading.states())
