"""Connections to Kafka, what their errors mean, and what the topics of a fleet must be like."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType  # type: ignore[attr-defined]

from sluice.kafka._settings import Settings

Result = TypeVar("Result")

FENCED = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}
# Waiting does not help: someone has to change something.
PERMANENT = {
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.INVALID_RECORD,
    KafkaError.POLICY_VIOLATION,
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
}
# Of the brokers, not of what was sent; librdkafka goes on trying.
AWAY = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError._RESOLVE, KafkaError._MSG_TIMED_OUT}


class Fenced(Exception):
    """Another worker has taken over the shard."""


class Stopped(Exception):
    """The worker is to end and the broker does not answer."""


class Failed(Exception):
    """Goes on only after someone has changed something."""


class Broker:
    """Whether the brokers answer, said once when it changes. One for a worker; used by all of its threads."""

    def __init__(self, say: Callable[[str], None], stop: threading.Event, patience: float = 10.0) -> None:
        self._say = say
        self._stop = stop
        self._patience = patience  # seconds that an ending worker waits for a broker
        self._lock = threading.Lock()
        self._missed_at = 0.0
        self.away = False

    def on_error(self, error: KafkaError) -> None:
        """The error callback of librdkafka."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            self.missed(error)
        elif error.code() in (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED):
            self._say(f"the broker refuses the login: {error.str()}")

    def missed(self, error: Any) -> None:
        with self._lock:
            self._missed_at = time.monotonic()
            if self.away:
                return
            self.away = True
        self._say(f"no broker answers ({_text(error)}); it is tried again until one does")

    def answered(self) -> None:
        with self._lock:  # several clients notice an outage one after the other
            if not self.away or time.monotonic() - self._missed_at < 2.0:
                return
            self.away = False
        self._say("the broker answers again")

    def call(self, what: Callable[[], Result]) -> Result:
        """The result of a call to Kafka, which is repeated while an error is temporary. Raises Fenced, or KafkaException
        for what only the caller can decide."""
        pause, stopping = 0.1, 0.0
        while True:
            try:
                result = what()
            except KafkaException as exception:
                error = exception.args[0]
                if is_fenced(error):
                    raise Fenced(_text(error)) from None
                temporary = error.retriable() or (error.code() in AWAY and not error.txn_requires_abort())
                if error.fatal() or not temporary:
                    raise
                self.missed(error)
            else:
                self.answered()
                return result
            if self._stop.is_set():
                stopping = stopping or time.monotonic()
                if time.monotonic() - stopping > self._patience:
                    raise Stopped
            time.sleep(pause)
            pause = min(2 * pause, 5.0)


def is_fenced(error: KafkaError) -> bool:
    return error.code() in FENCED


def _text(error: Any) -> str:
    return error.str() if isinstance(error, KafkaError) else str(error)


def _common(settings: Settings, broker: Broker, name: str) -> dict[str, Any]:
    return {
        "reconnect.backoff.max.ms": 2000,
        "log_level": 3,
        "logger": _Quiet(),
        **settings.client,
        "bootstrap.servers": settings.brokers,
        "client.id": settings.client.get("client.id", name),
        "error_cb": broker.on_error,
    }


class _Quiet:
    """Takes librdkafka's log lines; what matters comes as an error too."""

    def log(self, *_: Any) -> None:
        pass


def make_producer(settings: Settings, broker: Broker, transactional_id: str, largest: int) -> Producer:
    """Its transactions are initialised: whoever had the same id before is fenced."""
    producer = Producer(
        {
            "linger.ms": 20,
            "queue.buffering.max.messages": 1_000_000,
            "delivery.report.only.error": True,
            "partitioner": "murmur2_random",
            **_common(settings, broker, transactional_id),
            "transactional.id": transactional_id,
            "transaction.timeout.ms": round(1000 * settings.transaction_timeout),
            "message.max.bytes": max(largest, 1_000_000),
        }
    )
    broker.call(lambda: producer.init_transactions(10.0))
    return producer


def make_consumer(
    settings: Settings, broker: Broker, name: str, *, to_end: bool = False, on_commit: Callable[..., None] | None = None
) -> Consumer:
    return Consumer(
        {
            "fetch.wait.max.ms": 100,
            **_common(settings, broker, name),
            "group.id": settings.fleet,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "isolation.level": "read_committed",
            "auto.offset.reset": "error",
            "enable.partition.eof": to_end,
            **({"on_commit": on_commit} if on_commit else {}),
        }
    )


class Topics:
    """What the topics are like, once they are as they must be."""

    def __init__(self, partitions: int, output_partitions: int, state_limit: int) -> None:
        self.partitions = partitions
        self.output_partitions = output_partitions
        self.state_limit = state_limit  # bytes of a message of the state topic


def check_topics(settings: Settings, broker: Broker) -> Topics:
    """Raises Failed with one line for everything that is wrong."""
    common = _common(settings, broker, f"{settings.fleet}-check")
    common.pop("logger")
    admin = AdminClient(common)
    known = broker.call(lambda: admin.list_topics(timeout=10.0)).topics
    wanted = [settings.output, settings.state_topic] + ([settings.events] if settings.events else [])
    if settings.input not in known:
        raise Failed(f"topic {settings.input}, the input, does not exist")
    partitions = len(known[settings.input].partitions)
    missing = [topic for topic in wanted if topic not in known]
    if missing and settings.create_topics:
        _create(settings, admin, broker, missing, partitions)
        known = broker.call(lambda: admin.list_topics(timeout=10.0)).topics
        missing = [topic for topic in wanted if topic not in known]
    problems = [
        f"topic {topic} does not exist: create it, {'compacted and ' if topic == settings.state_topic else ''}"
        f"with {partitions} partitions, or start with --create-topics"
        for topic in missing
    ]
    limit = 0
    if settings.state_topic not in missing:
        count = len(known[settings.state_topic].partitions)
        if count != partitions:
            problems.append(
                f"topic {settings.state_topic}, the state, has {count} partitions and {settings.input} has {partitions}: "
                "they must be equal, because the state of a key is in the partition of its rows"
            )
        limit = _check_state_topic(settings, admin, broker, problems)
    lowest = [shard for shard in settings.shards if shard >= partitions]
    if lowest:
        problems.append(
            f"shard {lowest[0]}/{settings.of_shards} has no partition: {settings.input} has {partitions}. "
            "Use at most as many shards as partitions"
        )
    if problems:
        raise Failed("\n".join(problems))
    return Topics(partitions, len(known[settings.output].partitions), limit)


def _check_state_topic(settings: Settings, admin: AdminClient, broker: Broker, problems: list[str]) -> int:
    resource = ConfigResource(ResourceType.TOPIC, settings.state_topic)
    found = broker.call(lambda: admin.describe_configs([resource], request_timeout=10.0)[resource].result())
    policy = found["cleanup.policy"].value
    if policy != "compact":
        problems.append(
            f"topic {settings.state_topic}, the state, has cleanup.policy = {policy}, which would delete states: "
            "set it to compact"
        )
    return int(found["max.message.bytes"].value)


def _create(settings: Settings, admin: AdminClient, broker: Broker, names: list[str], partitions: int) -> None:
    # Compaction leaves the newest segment alone: small segments keep a restart fast.
    compact = {"cleanup.policy": "compact", "segment.bytes": str(64 << 20), "min.cleanable.dirty.ratio": "0.2"}
    new = [
        NewTopic(
            name,
            num_partitions=partitions,
            replication_factor=settings.replication,
            config=compact if name == settings.state_topic else {},
        )
        for name in names
    ]
    for name, future in admin.create_topics(new, request_timeout=10.0).items():
        try:
            future.result()
        except KafkaException as exception:
            if exception.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:  # another worker was faster
                raise Failed(f"topic {name} could not be created: {exception.args[0].str()}") from None
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        known = broker.call(lambda: admin.list_topics(timeout=10.0)).topics
        if all(name in known and len(known[name].partitions) for name in names):
            return
        time.sleep(0.1)
