"""The threads of a worker: one for each of its shards. Signals end it after the transactions in hand."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sluice.kafka._clients import Broker, Failed, Fenced, Stopped, check_topics
from sluice.kafka._metrics import MetricsPage, metrics_text, write_metrics
from sluice.kafka._settings import Settings
from sluice.kafka._shard import Shard
from sluice.kafka._transaction import Blocks, Step, with_sequence

OK, FAILED, USAGE, FENCED = 0, 1, 2, 3
METRICS_SECONDS = 10.0


class Worker:
    """Runs the shards of `settings` with the models of `config`, a `sluice.fleet.Config`."""

    def __init__(
        self,
        settings: Settings,
        config: Any,
        *,
        quiet: bool = False,
        say: Callable[[str], None] = lambda text: print(f"sluice-kafka: {text}", file=sys.stderr, flush=True),
        step: Step | None = None,
    ) -> None:
        problems = settings.problems()
        if problems:
            raise ValueError("\n".join(problems))
        self._settings = settings
        self._config = with_sequence(config)
        self._say_line = say
        self._quiet = quiet
        self._step = step
        self._stop = threading.Event()
        self._broker = Broker(self._say, self._stop)
        self._shards: list[Shard] = []
        self._lock = threading.Lock()
        self._failed = False
        self._fenced = 0
        self._running = True

    def _say(self, text: str) -> None:
        with self._lock:
            self._say_line(text)

    # What is no trouble.
    def _remark(self, text: str) -> None:
        if not self._quiet:
            self._say(text)

    def stop(self, *_: Any) -> None:
        """Ends `run` after the transactions in hand; also a handler of signals."""
        self._stop.set()

    def metrics(self) -> str:
        shards = [shard.metrics for shard in self._shards]
        return metrics_text(self._settings.fleet, self._running, self._broker.away, shards)

    def run(self) -> int:
        """Until `stop`, or until nothing is left to do. Returns the exit code."""
        settings = self._settings
        try:
            topics = check_topics(settings, self._broker)
        except Failed as error:
            for line in str(error).splitlines():
                self._say(line)
            return USAGE
        except Stopped:
            return OK
        for number in settings.shards:
            blocks = Blocks(
                self._config, format=settings.format, key=settings.key, events=bool(settings.events), step=self._step
            )
            self._shards.append(Shard(settings, number, topics, blocks, self._broker, self._stop, self._remark))
        page = MetricsPage(settings.metrics_port, self.metrics) if settings.metrics_port is not None else None
        if page:
            self._remark(f"metrics: http://127.0.0.1:{page.port}/metrics")
        threads = [threading.Thread(target=self._run_shard, args=(shard,), daemon=True) for shard in self._shards]
        for thread in threads:
            thread.start()
        self._wait(threads)
        self._running = False
        self._write_metrics()
        if page:
            page.close()
        rows = sum(shard.metrics.rows for shard in self._shards)
        self._remark(f"ended after {rows} rows in {sum(shard.metrics.transactions for shard in self._shards)} transactions")
        if self._failed:
            return FAILED
        return FENCED if self._fenced == len(self._shards) else OK

    def _wait(self, threads: list[threading.Thread]) -> None:
        due = 0.0
        ending = 0.0
        while any(thread.is_alive() for thread in threads):
            if time.monotonic() >= due:
                self._write_metrics()
                due = time.monotonic() + METRICS_SECONDS
            if self._stop.is_set():
                ending = ending or time.monotonic()
                if self._broker.away and time.monotonic() - ending > 15:
                    self._say("no broker answers: the transaction in hand is left to be aborted and done again")
                    self._failed = True
                    return
            next(thread for thread in threads if thread.is_alive() or thread is threads[-1]).join(0.1)

    def _run_shard(self, shard: Shard) -> None:
        name = f"shard {shard.metrics.number}/{self._settings.of_shards}"
        try:
            shard.run()
        except Fenced as error:
            self._fenced += 1
            self._say(
                f"{name}: another worker has taken over, or the broker gave up waiting for this one "
                f"(transaction-timeout {self._settings.transaction_timeout:g} s). Nothing is lost: {error}"
            )
        except Stopped:
            pass
        except Exception as error:  # the other shards finish their transactions
            if not self._stop.is_set() or not isinstance(error, Failed):
                self._failed = True
                self._say(f"{name}: {error if isinstance(error, (Failed, ValueError)) else repr(error)}")
            self._stop.set()

    def _write_metrics(self) -> None:
        if self._settings.metrics:
            try:
                write_metrics(self._settings.metrics, self.metrics())
            except OSError as error:
                self._say(f"the metrics could not be written: {error}")
