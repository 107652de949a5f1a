"""One shard of a fleet: the partitions p with p % shards == shard, and the states of their keys.

    open     init_transactions (fences whoever had the shard), read states and offsets from the state topic
    loop     gather messages -> compute answers and states -> one transaction: answers, states, offsets

A transaction is computed before it begins. Where the broker aborts it, the same answers and states are sent again. States
in memory are those that are committed. A worker that dies loses nothing: its successor begins where the last committed
transaction ended.

Offsets are in the state topic, and not sent with send_offsets_to_transaction: that call of librdkafka 2.16 does not return
where the broker goes away at the wrong moment (seen here after a broker was killed; its issues 5456 and 5511).

Fencing: the transactional id is that of the shard, so a worker and its successor have the same one. Where the number of
shards changes, the ids do too; each partition of the state topic says which number was in use, and the worker also fences
the ids of that number.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

from sluice.kafka._clients import AWAY, PERMANENT, Broker, Failed, Fenced, Stopped, Topics, is_fenced, make_consumer, make_producer
from sluice.kafka._metrics import ShardMetrics
from sluice.kafka._settings import Settings
from sluice.kafka._states import PROGRESS_KEY, PartitionStates, Progress, StateReading
from sluice.kafka._transaction import Blocks, Parsed, Row, Work


class Shard:
    """`run` returns when `stop` is set. Raises Fenced, Failed or StateTopicError."""

    def __init__(
        self,
        settings: Settings,
        number: int,
        topics: Topics,
        blocks: Blocks,
        broker: Broker,
        stop: threading.Event,
        say: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._number = number
        self._topics = topics
        self._blocks = blocks
        self._broker = broker
        self._stop = stop
        self._say = say
        self._name = settings.transactional_id(number)
        self.partitions = settings.partitions_of(number, topics.partitions)
        self.metrics = ShardMetrics(number, self.partitions)
        self._states: dict[int, PartitionStates] = {}
        self._next: dict[int, int] = {}  # offset to read next
        self._published = True
        self._ended = threading.Event()
        self._waiting: queue.Queue[Parsed | Exception] = queue.Queue(maxsize=1)
        self._producer: Producer
        self._consumer: Consumer

    def run(self) -> None:
        reading: threading.Thread | None = None
        try:
            self._open()
            reading = threading.Thread(target=self._read, name=self._name, daemon=True)
            reading.start()
            while (parsed := self._next_parsed()) is not None:
                begun = time.monotonic()
                work = self._blocks.step(parsed, self._states)
                computed = time.monotonic()
                self._commit(lambda: self._send(work))
                self._adopt(work)
                self.metrics.committed(work, computed - begun, time.monotonic() - computed)
        finally:
            self._ended.set()
            if reading:
                reading.join()
            if hasattr(self, "_consumer"):
                self._publish()
                self._consumer.close()  # sends the offsets that wait

    # In a thread of its own: reads and parses the rows of the next transaction while the present one is computed and
    # committed. Neither parsing nor learning holds the interpreter's lock.
    def _read(self) -> None:
        try:
            while not self._ending():
                rows = self._gather()
                if rows:
                    self._hand_over(self._blocks.parse(rows))
        except Exception as error:
            self._hand_over(error)

    def _hand_over(self, what: Parsed | Exception) -> None:
        while not self._ending():
            try:
                self._waiting.put(what, timeout=0.1)
                return
            except queue.Full:
                pass

    def _next_parsed(self) -> Parsed | None:
        while not self._ending():
            try:
                what = self._waiting.get(timeout=0.1)
            except queue.Empty:
                continue
            if isinstance(what, Exception):
                raise what
            return what
        return None

    def _ending(self) -> bool:
        return self._stop.is_set() or self._ended.is_set()

    # Opening ----------------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        begun = time.monotonic()
        limit = self._topics.state_limit
        self._producer = make_producer(self._settings, self._broker, self._name, limit)
        fenced: set[str] = {self._name}
        while True:
            readings = self._read_states()
            others = {
                self._settings.transactional_id(partition % reading.progress.of_shards, reading.progress.of_shards)
                for partition, reading in readings.items()
                if reading.progress
            }
            if others <= fenced:
                break
            for other in sorted(others - fenced):  # of another number of shards; it may have committed until now
                make_producer(self._settings, self._broker, other, limit)
            fenced |= others
        for partition, reading in readings.items():
            states = self._states[partition] = PartitionStates()
            for key, state, parts in reading.states():
                states.put(key, state, parts)
        self._consumer = make_consumer(self._settings, self._broker, self._name, on_commit=self._on_publish)
        self._go_to_offsets({p: reading.progress.next for p, reading in readings.items() if reading.progress})
        self._commit(lambda: self._send_progress(self._next))
        self._measure()
        self._say(
            f"shard {self._number}/{self._settings.of_shards}: partitions {', '.join(map(str, self.partitions))}; "
            f"{sum(map(len, self._states.values()))} keys, {sum(s.bytes for s in self._states.values()) / 1e6:.1f} MB of states; "
            f"ready after {time.monotonic() - begun:.1f} s"
        )

    def _read_states(self) -> dict[int, StateReading]:
        topic = self._settings.state_topic
        readings = {partition: StateReading(topic, partition) for partition in self.partitions}
        consumer = make_consumer(self._settings, self._broker, f"{self._name}-state", to_end=True)
        try:
            consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in self.partitions])
            left = set(self.partitions)
            while left:
                messages: list[Any] = consumer.consume(1000, timeout=1.0)
                for message in messages:
                    error = message.error()
                    if error is None:
                        self._broker.answered()
                        readings[message.partition()].add(message.key(), message.value())
                    elif error.code() == KafkaError._PARTITION_EOF:
                        left.discard(message.partition())
                    else:
                        self._consume_error(error)
                if self._stop.is_set() and left:
                    raise Stopped
        finally:
            consumer.close()
        return readings

    def _go_to_offsets(self, known: dict[int, int]) -> None:
        topic = self._settings.input
        for partition in self.partitions:
            place = TopicPartition(topic, partition)
            low, high = self._broker.call(lambda: self._consumer.get_watermark_offsets(place, timeout=10.0))
            offset = known.get(partition, -1)
            if 0 <= offset < low and not self._settings.skip_lost:
                raise Failed(self._lost(partition, offset, low))
            if offset > high:
                raise Failed(
                    f"topic {topic}, partition {partition}: the fleet has read up to offset {offset} and the topic ends at "
                    f"{high}: it was made again. Use another --fleet name, or restore the topic"
                )
            if offset < 0:
                offset = low if self._settings.start == "beginning" else high
            self._next[partition] = max(offset, low)
        self._consumer.assign([TopicPartition(topic, partition, offset) for partition, offset in self._next.items()])

    def _lost(self, partition: int, offset: int, low: int) -> str:
        return (
            f"topic {self._settings.input}, partition {partition}: rows from offset {offset} to {low - 1} were deleted by "
            "the retention of the topic before they were read. Start with --skip-lost to go on without them"
        )

    # Rows -------------------------------------------------------------------------------------------------------------

    # Messages of one transaction: until there are enough, or enough time has passed since the first.
    def _gather(self) -> list[Row]:
        rows: list[Row] = []
        most = self._settings.commit_rows
        left = self._settings.commit_megabytes * 1e6
        deadline = 0.0
        while len(rows) < most and left > 0 and not self._ending():
            wait = 0.2 if not rows else min(0.2, deadline - time.monotonic())
            if wait <= 0:
                break
            self._publish()
            messages: list[Any] = self._consumer.consume(min(500, most - len(rows)), timeout=wait)
            for message in messages:
                error = message.error()
                if error is not None:
                    self._consume_error(error)
                    continue
                value = message.value()
                rows.append(Row(message.partition(), message.offset(), message.key(), value))
                left -= 100 + len(value or b"")
            if rows and not deadline:
                deadline = time.monotonic() + self._settings.commit_every
            if not rows:
                self._measure()
                if self._broker.away:
                    self._ask()
        self._measure()
        return rows

    # Whether a broker answers again, where no rows come that would show it.
    def _ask(self) -> None:
        try:
            self._consumer.get_watermark_offsets(TopicPartition(self._settings.input, self.partitions[0]), timeout=1.0)
            self._broker.answered()
        except KafkaException:
            pass

    def _consume_error(self, error: KafkaError) -> None:
        if error.code() == KafkaError._AUTO_OFFSET_RESET or error.code() == KafkaError.OFFSET_OUT_OF_RANGE:
            raise Failed(f"the rows to read next were deleted by the retention of the topic: {error.str()}")
        if error.code() in PERMANENT or error.fatal():
            raise Failed(error.str())
        if error.code() in AWAY:
            self._broker.missed(error)

    def _measure(self) -> None:
        topic = self._settings.input
        for partition in self.partitions:
            try:
                known = self._consumer.get_watermark_offsets(TopicPartition(topic, partition), cached=True)
            except KafkaException:
                continue
            if known is not None and known[1] >= 0:
                self.metrics.lag[partition] = max(0, known[1] - self._next.get(partition, 0))
            states = self._states[partition]
            self.metrics.keys[partition], self.metrics.state_bytes[partition] = len(states), states.bytes

    # Transactions -----------------------------------------------------------------------------------------------------

    # Repeats until the transaction is committed.
    def _commit(self, send: Callable[[], None]) -> None:
        producer, call = self._producer, self._broker.call
        pause = 0.1
        while True:
            try:
                producer.begin_transaction()
                send()
                call(producer.commit_transaction)
                return
            except KafkaException as exception:
                error = self._cause(exception.args[0])
                if is_fenced(error):
                    raise Fenced(error.str()) from None
                if error.fatal() or not error.txn_requires_abort():
                    raise Failed(f"the transaction failed: {error.str()} ({error.name()})") from None
                self.metrics.aborted += 1
                try:
                    call(producer.abort_transaction)
                except KafkaException as abort:
                    raise Failed(f"the transaction could not be aborted: {abort.args[0].str()}") from None
                if error.code() in PERMANENT:
                    raise Failed(f"the broker refuses what is sent: {error.str()} ({error.name()})") from None
                time.sleep(pause)
                pause = min(2 * pause, 5.0)

    # produce() says no more than that the producer has failed for good; the other calls say why.
    def _cause(self, error: KafkaError) -> KafkaError:
        if error.code() == KafkaError._FATAL:
            try:
                self._producer.abort_transaction(10.0)
            except KafkaException as exception:
                return exception.args[0]
        return error

    def _send(self, work: Work) -> None:
        settings = self._settings
        same = self._topics.output_partitions == self._topics.partitions  # else by the key
        for partition, key, text in work.answers:
            self._produce(settings.output, text, key, partition if same else -1)
        for partition, key, text in work.events:
            self._produce(settings.events, text, key, -1)
        for (partition, own), state in work.states.items():
            stamp = work.offsets[partition]
            for part, value in self._states[partition].messages(own, state, self._topics.state_limit, stamp):
                self._produce(settings.state_topic, value, part, partition)
        self._send_progress(work.offsets)

    def _send_progress(self, offsets: dict[int, int]) -> None:
        for partition, offset in offsets.items():
            progress = Progress(offset, self._settings.of_shards)
            self._produce(self._settings.state_topic, progress.message(), PROGRESS_KEY, partition)

    def _produce(self, topic: str, value: Any, key: bytes | None, partition: int) -> None:
        while True:
            try:
                self._producer.produce(topic, value, key, partition)
                return
            except BufferError:  # the queue is full: wait until something was sent
                self._producer.poll(0.1)

    # After the commit: what was sent is what is known.
    def _adopt(self, work: Work) -> None:
        for (partition, key), state in work.states.items():
            states = self._states[partition]
            states.put(key, state, sum(value is not None for _, value in states.messages(key, state, self._topics.state_limit, 0)))
        self._next.update(work.offsets)
        self._published = False

    # The offsets as those of the consumer group, so that tools see how far the fleet is. Nothing depends on it. The thread
    # that reads does it, because a call of another one waits for it.
    def _publish(self) -> None:
        if self._published or self._broker.away:
            return
        self._published = True
        places = [TopicPartition(self._settings.input, partition, offset) for partition, offset in dict(self._next).items()]
        try:
            self._consumer.commit(offsets=places, asynchronous=True)
        except KafkaException:
            self._published = False

    def _on_publish(self, error: KafkaError | None, _: Any) -> None:
        if error is not None:
            self._published = False
