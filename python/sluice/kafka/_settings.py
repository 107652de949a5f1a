"""What a worker is asked to do, checked as a whole: every broken rule is reported at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FORMATS = ("json", "arrow")
KEYS = ("column", "message")
STARTS = ("beginning", "end")

# Settings of librdkafka on which the guarantees rest.
OWN_CLIENT_SETTINGS = {
    "acks",
    "auto.offset.reset",
    "bootstrap.servers",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.idempotence",
    "enable.partition.eof",
    "group.id",
    "isolation.level",
    "message.max.bytes",
    "transaction.timeout.ms",
    "transactional.id",
}


@dataclass(frozen=True)
class Settings:
    """The settings of a worker. `problems` lists the broken rules, one sentence each."""

    brokers: str
    input: str
    output: str
    shards: tuple[int, ...]  # those of this worker
    of_shards: int  # those of the fleet
    fleet: str = "sluice"
    state: str = ""  # topic; empty: <fleet>-state
    events: str = ""  # topic; empty: events are in the answers only
    format: str = "json"
    key: str = "column"
    start: str = "beginning"  # where no offset is committed yet
    skip_lost: bool = False
    commit_every: float = 1.0  # seconds
    commit_rows: int = 20_000
    commit_megabytes: float = 64.0
    transaction_timeout: float = 60.0  # seconds
    create_topics: bool = False
    replication: int = -1
    metrics: str = ""
    metrics_port: int | None = None
    client: dict[str, str] = field(default_factory=dict)  # more settings of librdkafka

    @property
    def state_topic(self) -> str:
        return self.state or f"{self.fleet}-state"

    def transactional_id(self, shard: int, of_shards: int | None = None) -> str:
        return f"{self.fleet}-shard-{shard}-of-{of_shards or self.of_shards}"

    def partitions_of(self, shard: int, partitions: int) -> list[int]:
        return list(range(shard, partitions, self.of_shards))

    def problems(self) -> list[str]:
        out = []
        if not self.brokers.strip():
            out.append("brokers is empty: give HOST:PORT of one broker, or of several with commas between them")
        topics = {"input": self.input, "output": self.output, "state": self.state_topic}
        if self.events:
            topics["events"] = self.events
        for name, topic in topics.items():
            if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", topic) or topic in (".", ".."):
                out.append(f"{name} = {topic!r} is no name of a topic: up to 249 letters, digits, '.', '_' and '-'")
        if len(set(topics.values())) < len(topics):
            out.append("the topics " + ", ".join(f"{k} = {v}" for k, v in topics.items()) + " must all be different")
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,200}", self.fleet):
            out.append(f"fleet = {self.fleet!r}: up to 200 letters, digits, '.', '_' and '-'")
        if self.of_shards < 1:
            out.append(f"{self.of_shards} shards: the fleet has at least 1")
        wrong = [shard for shard in self.shards if not 0 <= shard < self.of_shards]
        if wrong and self.of_shards >= 1:
            out.append(f"shard {wrong[0]} of {self.of_shards}: shards are numbered from 0 to {self.of_shards - 1}")
        if not self.shards or len(set(self.shards)) < len(self.shards):
            out.append("the worker needs at least one shard, and each only once")
        for name, value, words in (
            ("format", self.format, FORMATS),
            ("key", self.key, KEYS),
            ("from", self.start, STARTS),
        ):
            if value not in words:
                out.append(f"{name} = {value!r}: must be {' or '.join(words)}")
        if not 0.01 <= self.commit_every <= self.transaction_timeout / 2:
            out.append(
                f"commit-every = {self.commit_every:g} s: must be 0.01 to {self.transaction_timeout / 2:g}, "
                "half of transaction-timeout"
            )
        if not 1 <= self.commit_rows <= 1_000_000:
            out.append(f"commit-rows = {self.commit_rows}: must be 1 to 1000000")
        if not 1 <= self.commit_megabytes <= 1000:
            out.append(f"commit-megabytes = {self.commit_megabytes:g}: must be 1 to 1000")
        if not 1 <= self.transaction_timeout <= 900:
            out.append(
                f"transaction-timeout = {self.transaction_timeout:g} s: must be 1 to 900, the limit of a broker "
                "whose transaction.max.timeout.ms is not changed"
            )
        if self.replication != -1 and self.replication < 1:
            out.append(f"replication = {self.replication}: must be 1 or more, or -1 for what the broker does by default")
        if self.metrics_port is not None and not 0 <= self.metrics_port <= 65535:
            out.append(f"metrics-port = {self.metrics_port}: must be 0 to 65535")
        own = sorted(OWN_CLIENT_SETTINGS & self.client.keys())
        if own:
            out.append(f"client settings {', '.join(own)}: Sluice sets them itself; leave them out")
        return out


def parse_shards(text: str) -> tuple[tuple[int, ...], int]:
    """``3/12``, ``0-5/12`` or ``0,4,8-11/12``: the shards of a worker, and how many the fleet has."""
    match = re.fullmatch(r"(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)/(\d+)", text.replace(" ", ""))
    if not match:
        raise ValueError(f"shard = {text!r}: give NUMBER/COUNT, such as 3/12, 0-5/12 or 0,4,8-11/12")
    count = int(match[2])
    shards: list[int] = []
    for part in match[1].split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if high < low or high - low > 100_000:
            raise ValueError(f"shard = {text!r}: {part} is no range of shards")
        shards.extend(range(low, high + 1))
    return tuple(shards), count


def read_client_settings(path: str) -> dict[str, str]:
    """Lines ``name = value`` of settings for librdkafka, such as those of TLS and passwords; ``#`` begins a comment."""
    out: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{path}, line {number}: must be NAME = VALUE")
        out[name.strip()] = value.strip()
    return out
