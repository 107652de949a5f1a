"""The state of a worker for Prometheus, in its text form: a file as of ``sluice stream --metrics``, or a page."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class ShardMetrics:
    """Numbers of one shard. Its thread writes them, others read."""

    def __init__(self, number: int, partitions: Iterable[int]) -> None:
        self.number = number
        self.rows = 0
        self.refused = 0
        self.transactions = 0
        self.aborted = 0
        self.state_bytes_written = 0
        self.compute_seconds = 0.0
        self.commit_seconds = 0.0
        self.last_commit = time.time()
        self.lag = dict.fromkeys(partitions, 0)
        self.keys = dict.fromkeys(self.lag, 0)
        self.state_bytes = dict.fromkeys(self.lag, 0)

    def committed(self, work: Any, compute_seconds: float, commit_seconds: float) -> None:
        self.rows += work.rows
        self.refused += work.refused
        self.transactions += 1
        self.state_bytes_written += sum(map(len, work.states.values()))
        self.compute_seconds += compute_seconds
        self.commit_seconds += commit_seconds
        self.last_commit = time.time()


_BY_SHARD = (
    ("rows_total", "counter", "Rows answered and committed.", "rows"),
    ("refused_rows_total", "counter", "Rows that could not be read or learnt.", "refused"),
    ("transactions_total", "counter", "Transactions committed.", "transactions"),
    ("aborted_transactions_total", "counter", "Transactions that were aborted and sent again.", "aborted"),
    ("state_written_bytes_total", "counter", "Bytes of states written.", "state_bytes_written"),
    ("compute_seconds_total", "counter", "Time spent on rows.", "compute_seconds"),
    ("commit_seconds_total", "counter", "Time spent on sending and committing.", "commit_seconds"),
    ("last_commit_timestamp_seconds", "gauge", "When the last transaction was committed.", "last_commit"),
)
_BY_PARTITION = (
    ("lag_rows", "gauge", "Rows that are not yet committed.", "lag"),
    ("keys", "gauge", "Keys with a state.", "keys"),
    ("state_bytes", "gauge", "Bytes of the states in memory.", "state_bytes"),
)


def metrics_text(fleet: str, running: bool, broker_away: bool, shards: Iterable[ShardMetrics]) -> str:
    """All of it; every metric is named sluice_kafka_..."""
    shards = list(shards)
    lines: list[str] = []

    def add(name: str, kind: str, about: str, values: Iterable[tuple[str, float]]) -> None:
        lines.append(f"# HELP sluice_kafka_{name} {about}")
        lines.append(f"# TYPE sluice_kafka_{name} {kind}")
        for labels, value in values:
            lines.append(f'sluice_kafka_{name}{{fleet="{fleet}"{labels}}} {value:.17g}')

    add("running", "gauge", "1, and 0 after the end.", [("", int(running))])
    add("broker_away", "gauge", "1 while no broker answers.", [("", int(broker_away))])
    for name, kind, about, field in _BY_SHARD:
        add(name, kind, about, [(f',shard="{shard.number}"', getattr(shard, field)) for shard in shards])
    for name, kind, about, field in _BY_PARTITION:
        values = [
            (f',shard="{shard.number}",partition="{partition}"', value)
            for shard in shards
            for partition, value in getattr(shard, field).items()
        ]
        add(name, kind, about, values)
    return "\n".join(lines) + "\n"


def write_metrics(path: str, text: str) -> None:
    """Renamed into place, so that no reader sees half of it."""
    beside = Path(f"{path}.{os.getpid()}.tmp")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


class MetricsPage:
    """Serves /metrics on loopback. Port 0: any free one, see `port`."""

    def __init__(self, port: int, text: Callable[[], str]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = self.path in ("/", "/metrics")
                body = text().encode() if found else b"see /metrics\n"
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
