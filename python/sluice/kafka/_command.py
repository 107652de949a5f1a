"""The command ``sluice-kafka``."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Any

from sluice.kafka._settings import FORMATS, KEYS, STARTS, Settings, parse_shards, read_client_settings

ABOUT = """\
Learns one model for each key from the rows of a Kafka topic, and writes a prediction for every row.

Each row is predicted before it is learnt. Predictions, the states of the models and the offsets of the rows are
committed in one transaction: whoever reads the output with isolation.level = read_committed sees every row exactly
once, whatever was killed in between.
"""

EXAMPLES = """\
The fleet is divided into numbered shards; shard s of n has the partitions p of the input with p % n = s. Each shard is
run by one worker, and a worker runs one or more. Two workers for six shards:

  sluice-kafka fleet.yaml --brokers kafka:9092 --input rows --output predictions --shard 0-2/6 --create-topics
  sluice-kafka fleet.yaml --brokers kafka:9092 --input rows --output predictions --shard 3-5/6

A worker that is started for a shard takes it over from the one that has it, dead or alive. To move shards, start the
workers again with other --shard options. SIGTERM and SIGINT end a worker after the transactions in hand.

exit code: 0 ended by a signal; 1 a failure that is reported; 2 wrong options, config or topics; 3 another worker has
taken over all shards of this one: starting it again takes them back. No row is lost or learnt twice in any of these
cases. docs/fleet.md has more.
"""


def parser() -> argparse.ArgumentParser:
    out = argparse.ArgumentParser(
        prog="sluice-kafka", description=ABOUT, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    out.add_argument("config", help="the fleet's YAML or JSON file: key, targets, inputs, options")
    topics = out.add_argument_group("topics")
    topics.add_argument("--brokers", required=True, metavar="HOST:PORT", help="one or more brokers, with commas")
    topics.add_argument("--input", required=True, metavar="TOPIC", help="the rows; one key is in one partition")
    topics.add_argument("--output", required=True, metavar="TOPIC", help="gets one JSON object for each row")
    topics.add_argument("--state", default="", metavar="TOPIC", help="compacted, as many partitions as the input [FLEET-state]")
    topics.add_argument("--events", default="", metavar="TOPIC", help="also gets the answers that have events")
    topics.add_argument("--create-topics", action="store_true", help="creates those of the last three that do not exist")
    topics.add_argument("--replication", type=int, default=-1, metavar="N", help="of topics that are created [the broker's default]")
    work = out.add_argument_group("work")
    work.add_argument("--shard", required=True, metavar="N/COUNT", help="3/12, 0-5/12 or 0,4,8-11/12: shards of this worker")
    work.add_argument("--fleet", default="sluice", metavar="NAME", help="names the consumer group and the transactions [sluice]")
    work.add_argument("--format", default="json", choices=FORMATS, help="of a message: a JSON object, or an Arrow IPC stream [json]")
    work.add_argument(
        "--key", default="column", choices=KEYS,
        help="the key of a row: the config's key column and, without it, that of the message; or always that of the message [column]",
    )  # fmt: skip
    work.add_argument("--from", dest="start", default="beginning", choices=STARTS, help="where a new fleet begins [beginning]")
    work.add_argument("--skip-lost", action="store_true", help="go on although the topic's retention has deleted unread rows")
    work.add_argument("--commit-every", type=float, default=1.0, metavar="S", help="seconds of rows in a transaction [1]")
    work.add_argument("--commit-rows", type=int, default=20_000, metavar="N", help="at most N rows in one [20000]")
    work.add_argument("--commit-megabytes", type=float, default=64.0, metavar="MB", help="at most this size of rows in one [64]")
    work.add_argument("--transaction-timeout", type=float, default=60.0, metavar="S", help="the broker aborts what takes longer [60]")
    other = out.add_argument_group("other")
    other.add_argument("--client", metavar="FILE", help="lines NAME = VALUE for librdkafka: TLS, passwords, buffers")
    other.add_argument("--metrics", default="", metavar="FILE", help="writes text for Prometheus every 10 s")
    other.add_argument("--metrics-port", type=int, default=None, metavar="PORT", help="serves it at http://127.0.0.1:PORT/metrics")
    other.add_argument("--quiet", action="store_true", help="says only what is wrong")
    return out


def settings_of(options: argparse.Namespace) -> Settings:
    """Raises ValueError with one line for each broken rule."""
    problems: list[str] = []
    shards: tuple[int, ...] = (0,)
    count = 1
    client: dict[str, str] = {}
    try:
        shards, count = parse_shards(options.shard)
    except ValueError as error:
        problems.append(str(error))
    if options.client:
        try:
            client = read_client_settings(options.client)
        except (OSError, ValueError) as error:
            problems.append(str(error))
    own = {
        name: getattr(options, name)
        for name in (
            "brokers", "input", "output", "state", "events", "fleet", "format", "key", "start", "skip_lost", "commit_every",
            "commit_rows", "commit_megabytes", "transaction_timeout", "create_topics", "replication", "metrics", "metrics_port",
        )
    }  # fmt: skip
    settings = Settings(shards=shards, of_shards=count, client=client, **own)
    problems += settings.problems()
    if problems:
        raise ValueError("\n".join(problems))
    return settings


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)

    def say(text: str) -> None:
        print(f"sluice-kafka: {text}", file=sys.stderr, flush=True)

    try:
        from sluice import fleet
        from sluice.kafka._worker import Worker
    except ModuleNotFoundError as error:
        say(f"{error.name} is missing: pip install 'sluice[kafka]'")
        return 2
    problems: list[str] = []
    settings: Settings | None = None
    config: Any = None
    try:
        settings = settings_of(options)
    except ValueError as error:
        problems += str(error).splitlines()
    try:
        config = fleet.Config.read(options.config)
    except (OSError, ValueError) as error:
        problems += str(error).splitlines()
    if problems or settings is None:
        for line in problems:
            say(line)
        return 2
    try:
        worker = Worker(settings, config, quiet=options.quiet, say=say)
    except ValueError as error:
        say(str(error))
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, worker.stop)
    return worker.run()


if __name__ == "__main__":
    sys.exit(main())
