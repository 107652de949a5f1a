"""sluice.fleet: the block function and its config, as an engine uses them."""

import json
import os
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sluice import fleet

CONFIG = {"key": "k", "sequence": "n", "targets": ["y"]}


def rows(count: int, start: int = 0, seed: int = 0, inputs: int = 8) -> pa.RecordBatch:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(start + count, inputs))
    y = 2 * x[:, 1] - x[:, 3] + 0.1 * rng.normal(size=start + count)
    columns: dict[str, object] = {"n": np.arange(1, start + count + 1)}
    columns |= {f"x{i}": x[:, i] for i in range(inputs)}
    return pa.record_batch(columns | {"y": y}).slice(start)


def test_blocks_of_any_size_give_the_same_bits() -> None:
    config = fleet.Config(CONFIG | {"interval": 0.9})
    everything = rows(200)
    whole_state, whole = fleet.step(None, everything, config, "A")
    state, parts = None, []
    for first in range(0, 200, 33):
        state, part = fleet.step(state, everything.slice(first, 33), config, "A")
        parts.append(part)
    assert pa.Table.from_batches(parts).equals(pa.Table.from_batches([whole]))
    assert state == whole_state
    assert whole.schema == fleet.answer_schema(config)
    assert json.loads([text for text in whole.column("selected").to_pylist() if text][-1]) == ["x1", "x3"]


def test_every_kind_of_number_and_of_sequence_is_read() -> None:
    config = fleet.Config(CONFIG)
    plain = rows(60)
    expected = fleet.step(None, plain, config)[1].column("predicted.y")
    as_text = plain.set_column(1, "x0", plain.column("x0").cast(pa.string()))
    large = plain.set_column(1, "x0", plain.column("x0").cast(pa.large_string()))
    for kind in (pa.int32(), pa.uint16(), pa.float64(), pa.timestamp("ms"), pa.string()):
        numbered = as_text.set_column(0, "n", as_text.column("n").cast(pa.int64()).cast(kind))
        assert fleet.step(None, numbered, config)[1].column("predicted.y").equals(expected), kind
    assert fleet.step(None, large, config)[1].column("predicted.y").equals(expected)
    assert fleet.step(None, pa.record_batch({name: pa.concat_arrays([as_text.column(name)[:3], as_text.column(name)]) for name in as_text.schema.names}).slice(3), config)[1].column("predicted.y").equals(expected)


def test_null_is_missing_and_text_or_infinity_refuses_the_row() -> None:
    config = fleet.Config(CONFIG)
    batch = pa.record_batch(
        {"n": [1, 2, 3, 4, None], "x": ["1", "", "abc", "2", "3"], "z": [1.0, None, 2.0, float("inf"), 3.0], "y": [1.0, 2.0, 3.0, 4.0, 5.0]}
    )
    answers = fleet.step(None, batch, config, "bad")[1]
    assert answers.column("row").to_pylist() == [1, 2, None, None, None]
    assert answers.column("outcome").to_pylist()[2:] == ["refused"] * 3
    events = [text and json.loads(text)[0] for text in answers.column("events").to_pylist()]
    assert [event and event["event"] for event in events] == [None, None] + ["row_refused"] * 3
    assert all("bad" in event["text"] for event in events[2:])
    assert "abc" in events[2]["text"] and "inf" in events[3]["text"] and "column n" in events[4]["text"]


def test_a_state_that_cannot_be_read_is_given_back() -> None:
    config = fleet.Config(CONFIG)
    state, answers = fleet.step(b"rubbish", rows(3), config, "A")
    assert state == b"rubbish"
    assert answers.column("outcome").to_pylist() == ["refused"] * 3
    assert "state_refused" in answers.column("events").to_pylist()[0]
    assert fleet.step(None, rows(3).select(["n", "x1"]), config)[0] is None  # no target: no model


def test_config_files_and_dicts_are_one(tmp_path: Path) -> None:
    as_json = tmp_path / "fleet.json"
    as_json.write_text(json.dumps(CONFIG | {"options": {"forgetting": 0.98}, "lags": "0:2"}))
    config = fleet.Config.read(as_json)
    assert config == pickle.loads(pickle.dumps(config)) == fleet.Config(json.loads(config.json()))
    assert (config.key, config.sequence, config.targets) == ("k", "n", ["y"])
    yaml = pytest.importorskip("yaml")
    as_yaml = tmp_path / "fleet.yaml"
    as_yaml.write_text(yaml.safe_dump(json.loads(as_json.read_text())))
    assert fleet.Config.read(as_yaml) == config


def test_every_broken_rule_is_in_one_error(tmp_path: Path) -> None:
    broken = tmp_path / "fleet.json"
    broken.write_text('{"kee": "a", "targets": ["y"], "horizon": -1, "options": {"forgeting": 1}}')
    with pytest.raises(ValueError, match="(?s)fleet.json.*kee.*horizon.*forgeting.*key"):
        fleet.Config.read(broken)
    broken.write_text("{")
    with pytest.raises(ValueError, match="not JSON"):
        fleet.Config.read(broken)


def test_threads_step_different_keys_at_once() -> None:
    config = fleet.Config(CONFIG)
    results: dict[int, pa.RecordBatch] = {}

    def work(seed: int) -> None:
        results[seed] = fleet.step(None, rows(150, seed=seed), config, str(seed))[1]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(4):
        assert results[seed].equals(fleet.step(None, rows(150, seed=seed), config, str(seed))[1])


@pytest.mark.skipif("SLUICE_TOOL" not in os.environ, reason="SLUICE_TOOL names no tool")
def test_equals_the_tool_to_the_bit(tmp_path: Path) -> None:
    keys = ["A", "B", "C"]
    batches = {key: rows(120, seed=i) for i, key in enumerate(keys)}
    with open(tmp_path / "rows.ndjson", "w") as out:
        for i in range(120):
            for key in keys:
                out.write(json.dumps({"k": key} | batches[key].slice(i, 1).to_pylist()[0]) + "\n")
    config = tmp_path / "fleet.json"
    config.write_text(json.dumps(CONFIG))
    command = [os.environ["SLUICE_TOOL"], "stream", "rows.ndjson", "--by", "fleet.json", "--out", "out.ndjson", "--threads", "2"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    records = [json.loads(line) for line in open(tmp_path / "out.ndjson")]
    for key in keys:
        answers = fleet.step(None, batches[key], fleet.Config.read(config), key)[1]
        own = [record for record in records if record["key"] == key]
        assert [record["predicted"]["y"] for record in own] == answers.column("predicted.y").to_pylist()
        assert [record["outcome"] for record in own] == answers.column("outcome").to_pylist()
