"""The options of sluice-kafka: every broken rule at once, and help in plain words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sluice.kafka import Settings
from sluice.kafka._command import main, parser
from sluice.kafka._settings import parse_shards, read_client_settings

GOOD = Settings(brokers="localhost:9092", input="rows", output="predictions", shards=(0, 1), of_shards=4)


def test_the_defaults_have_no_problems() -> None:
    assert GOOD.problems() == []
    assert GOOD.state_topic == "sluice-state" and GOOD.transactional_id(1) == "sluice-shard-1-of-4"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"brokers": " "}, "brokers is empty"),
        ({"input": "a b"}, "no name of a topic"),
        ({"output": "rows"}, "must all be different"),
        ({"fleet": "a/b"}, "fleet = 'a/b'"),
        ({"shards": (4,)}, "shard 4 of 4"),
        ({"shards": ()}, "at least one shard"),
        ({"shards": (1, 1)}, "each only once"),
        ({"format": "xml"}, "json or arrow"),
        ({"commit_every": 0.0}, "commit-every"),
        ({"commit_every": 31.0}, "half of transaction-timeout"),
        ({"commit_every": float("nan")}, "commit-every"),
        ({"commit_rows": 0}, "commit-rows"),
        ({"transaction_timeout": 901.0}, "transaction-timeout"),
        ({"metrics_port": 70000}, "metrics-port"),
        ({"client": {"group.id": "x"}}, "Sluice sets them itself"),
    ],
)
def test_each_broken_rule_is_named(change: dict[str, object], sentence: str) -> None:
    problems = dataclasses.replace(GOOD, **change).problems()  # type: ignore[arg-type]
    assert any(sentence in problem for problem in problems), problems


def test_shards_are_numbers_ranges_and_lists() -> None:
    assert parse_shards("3/12") == ((3,), 12)
    assert parse_shards("0-2, 7/12") == ((0, 1, 2, 7), 12)
    for wrong in ("3", "a/3", "3-1/4", "/4", "1/", "-1/4"):
        with pytest.raises(ValueError, match="shard = "):
            parse_shards(wrong)


def test_every_partition_has_exactly_one_shard() -> None:
    for partitions in (1, 5, 12, 13):
        settings = dataclasses.replace(GOOD, of_shards=5)
        owned = [p for shard in range(5) for p in settings.partitions_of(shard, partitions)]
        assert sorted(owned) == list(range(partitions))


def test_client_settings_are_lines_of_names_and_values(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text("# TLS\nsecurity.protocol = SSL\nssl.ca.location=/etc/a=b\n\n")
    assert read_client_settings(str(path)) == {"security.protocol": "SSL", "ssl.ca.location": "/etc/a=b"}
    path.write_text("nothing\n")
    with pytest.raises(ValueError, match="line 1"):
        read_client_settings(str(path))


def test_the_command_says_all_that_is_wrong_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "fleet.json"
    config.write_text('{"key": "unit", "targets": [], "forgetfulness": 1}')
    code = main([str(config), "--brokers", "x:1", "--input", "a b", "--output", "o", "--shard", "9/4", "--commit-rows", "0"])
    said = capsys.readouterr().err
    assert code == 2
    for part in ("no name of a topic", "shard 9 of 4", "commit-rows = 0", "forgetfulness", "targets"):
        assert part in said


def test_the_help_explains_shards_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    text = parser().format_help()
    for part in ("--shard", "read_committed", "exit code", "SIGTERM", "--commit-every"):
        assert part in text
