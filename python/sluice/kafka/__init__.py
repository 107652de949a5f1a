"""A fleet of models on Kafka: one model for each key, rows in, predictions out, every row exactly once.

``sluice-kafka`` is the command; ``docs/fleet.md`` describes it. Needs ``pip install 'sluice[kafka]'``. ``import sluice``
does not import this.

One worker process has some of the fleet's numbered shards. The way of a row:

==================  ================================================================================================
`_settings`         what is asked for, with every broken rule at once
`_clients`          connections, which errors mean what, and what the topics must be like
`_rows`             messages to Arrow rows; what is no row is refused with its reason
`_transaction`      the messages of one transaction to answers and new states, by `sluice.fleet.step`
`_answers`          answers to messages
`_states`           states to messages of the compacted topic, in parts where they are large, and back
`_shard`            the loop: read, compute, commit answers, states and offsets together
`_worker`           the threads of a worker's shards, signals, exit codes
`_metrics`          rows, lag and sizes for Prometheus
==================  ================================================================================================
"""

from typing import TYPE_CHECKING, Any

from sluice.kafka._settings import Settings

__all__ = ["Settings", "Worker"]

if TYPE_CHECKING:
    from sluice.kafka._worker import Worker as Worker
else:

    def __getattr__(name: str) -> Any:  # so that the command can say that confluent-kafka is missing
        if name == "Worker":
            from sluice.kafka._worker import Worker

            return Worker
        raise AttributeError(f"module 'sluice.kafka' has no attribute {name!r}")
