"""sluice.compare: Sluice and other methods on the same rows."""

from __future__ import annotations

import inspect
import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sluice
from built_tool import built_tool

QUICK = ["running_mean", "sluice", "ridge", "online_lars", "last_value", "seasonal_last_value"]


def stream(rows: int = 300, inputs: int = 8, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, inputs))
    y = 2.0 * X[:, 1] - X[:, 5] + 0.3 * rng.normal(size=rows)
    return X, y


def test_the_figures_are_those_of_the_tool(tmp_path: Path) -> None:
    tool = built_tool()
    if not Path(tool).with_name("sluice-compare").exists():
        pytest.skip("sluice-compare is not built beside the tool")
    X, y = stream(rows=200)
    outputs = np.column_stack([y, X[:, 0] + 0.5 * X[:, 2]])
    X[7, 3] = outputs[20, 0] = outputs[0, 1] = np.nan
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]).assign(a=outputs[:, 0], b=outputs[:, 1])
    file = tmp_path / "rows.csv"
    frame.to_csv(file, index=False, float_format="%.17g")
    command = [tool, "compare", str(file), "--targets", "a,b", "--names", "5", "--season", "12", "--warmup", "20", "--json"]
    theirs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    targets = frame[["a", "b"]]
    ours = sluice.compare(frame.drop(columns=["a", "b"]), targets, names=5, season=12, warmup=20)
    assert [row.name for row in ours.rows] == [method["name"] for method in theirs["methods"]]
    for row, method in zip(ours.rows, theirs["methods"], strict=True):
        assert (row.title, row.paper, row.selects) == (method["title"], method["paper"], method["selects"])
        assert row.failure is None and method["failure"] is None
        # the tool's JSON has all digits; means are summed in another order
        for target in ("a", "b"):
            wanted = method["targets"][target]["error_over_variance"]
            assert row.errors[target] == pytest.approx(wanted, rel=1e-12), row.name
        assert row.mean_error == pytest.approx(method["mean_error_over_variance"], rel=1e-12)
        assert row.names_used == pytest.approx(method["names_used"], rel=1e-12)
        assert row.turnover == pytest.approx(method["turnover"], rel=1e-12)
        assert row.bytes == method["bytes"]


def test_sluice_is_the_self_tuning_model_that_predicts_before_it_learns() -> None:
    X, y = stream()
    row = sluice.compare(X, y, methods="sluice", names=3, warmup=50)["sluice"]
    predicted = sluice.StreamRegressor(names=3).partial_fit(X[:1], y[:1]).predict_then_learn(X[1:], y[1:])
    scored = y[50:]
    wanted = np.mean((scored - predicted[49:]) ** 2) / np.var(scored)
    assert row.mean_error == pytest.approx(wanted, rel=1e-10)  # two ways to sum
    assert row.selects and 0.0 < row.names_used <= 3.0
    assert row.microseconds_per_row > 0.0 and row.bytes > 0


def test_a_method_that_uses_no_input_has_the_error_that_is_computed_by_hand() -> None:
    X, y = stream()
    table = sluice.compare(X, y, methods=["last_value", "seasonal_last_value"], season=7, warmup=10)
    last = np.mean((y[10:] - y[9:-1]) ** 2) / np.var(y[10:])
    season = np.mean((y[10:] - y[3:-7]) ** 2) / np.var(y[10:])
    assert table["last_value"].mean_error == pytest.approx(last, rel=1e-12)
    assert table["seasonal_last_value"].mean_error == pytest.approx(season, rel=1e-12)
    assert not table["last_value"].selects and table["last_value"].names_used == 0.0


def test_all_methods_are_run_unless_some_are_named_and_the_best_is_first() -> None:
    X, y = stream(rows=60, inputs=6)
    table = sluice.compare(X, y)
    assert {row.name for row in table.rows} == set(sluice.compare_methods())
    assert {"sluice", "sluice_paper", "window_lars", "rls", "dma"} <= set(sluice.compare_methods())
    errors = [row.mean_error for row in table.rows]
    assert errors == sorted(errors) and all(np.isfinite(errors))
    assert all(row.names_used <= 6 for row in table.rows)


def test_numpy_pandas_polars_and_arrow_give_the_same_errors() -> None:
    X, y = stream(rows=100)
    outputs = np.column_stack([y, -y])
    columns = [f"tag{j}" for j in range(8)]
    frame, targets = pd.DataFrame(X, columns=columns), pd.DataFrame(outputs, columns=["up", "down"])
    tables = [
        sluice.compare(given, wanted, methods=QUICK, names=4)
        for given, wanted in (
            (X, outputs),
            (np.asfortranarray(X), outputs.tolist()),
            (frame, targets),
            (pl.DataFrame(X, schema=columns), pl.DataFrame(outputs, schema=["up", "down"])),
            (pa.table(frame), pa.table(targets)),
        )
    ]
    assert [table.targets for table in tables] == [("y0", "y1")] * 2 + [("up", "down")] * 3
    for table in tables[1:]:
        assert [list(row.errors.values()) for row in table.rows] == [list(row.errors.values()) for row in tables[0].rows]
    assert sluice.compare(X, pl.Series("quality", y), methods="ridge").targets == ("quality",)


def test_a_method_that_fails_is_last_with_its_reason_and_the_others_go_on() -> None:
    X, y = stream(rows=80)
    X[40, 2] = 1e200  # Sluice moves it to its bound; ridge refuses it
    table = sluice.compare(X, y, methods=["seasonal_last_value", "ridge", "sluice"], season=2**62)
    assert [row.name for row in table.rows] == ["sluice", "ridge", "seasonal_last_value"]
    failure = table["ridge"].failure
    assert failure == "at row 41: x[2] is 1e+200: must be finite and at most 1e150, or NaN where missing"
    assert repr(table).splitlines()[3].endswith(f"  failed {failure}")
    assert f"failed {failure}" in table._repr_html_()
    season = table["seasonal_last_value"]
    assert season.failure is not None and season.failure.startswith("before the first row: ")
    assert np.isnan(season.mean_error)
    assert table["sluice"].failure is None and table["sluice"].mean_error < 0.5


def test_missing_constant_and_few_rows_give_no_error_of_nan() -> None:
    X, y = stream(rows=40, inputs=60)  # more inputs than rows
    X[:, 0] = 1.0
    X[:, 1] = X[:, 2]
    X[5] = np.nan
    y[:3] = np.nan
    table = sluice.compare(X, y, names=5)
    assert all(row.failure is None and np.isfinite(row.mean_error) for row in table.rows)
    one = sluice.compare(X[:1], [1.0], methods=QUICK)
    assert all(np.isnan(row.mean_error) and row.failure is None for row in one.rows)
    assert re.search(r"sluice +yes +- ", repr(one))


def test_the_table_as_text_html_and_frame() -> None:
    X, y = stream(rows=100)
    targets = pd.DataFrame({"<b>": y, "other": X[:, 0]})
    table = sluice.compare(X, targets, methods=QUICK, names=4)
    title, heads, *lines = repr(table).splitlines()
    assert title == "6 methods on 100 rows of 8 inputs, error over variance of <b>, other"
    assert heads.split() == ["method", "selects", "mean", "error", "<b>", "other", "names", "us/row", "bytes"]
    assert [line.split()[0] for line in lines] == [row.name for row in table.rows]
    assert len({len(line) for line in (heads, *lines)}) == 1
    page = table._repr_html_()
    assert "&lt;b&gt;" in page and "<b>" not in page.partition("</style>")[2]
    assert page.count("<tr") == 7
    frame = table.to_pandas()
    assert list(frame.index) == [row.name for row in table.rows]
    assert frame.loc["sluice", "mean_error"] == table["sluice"].mean_error
    assert frame.loc["ridge", "error other"] == table["ridge"].errors["other"]
    assert bool(frame.loc["sluice", "selects"]) and not bool(frame.loc["ridge", "selects"])
    with pytest.raises(KeyError, match="dma was not compared"):
        table["dma"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"methods": "rigde"}, ValueError, "methods: there is no method rigde.*ridge"),
        ({"methods": ["ridge", "ridge"]}, ValueError, "ridge is given twice"),
        ({"methods": []}, ValueError, "give all, or names from"),
        ({"methods": ["all", "ridge"]}, ValueError, "all cannot be given beside other names"),
        ({"names": 0}, ValueError, "names = 0: must be 1 or more"),
        ({"season": 0}, ValueError, "season = 0: must be 1 or more"),
        ({"warmup": -1}, ValueError, "warmup = -1: must be 0 or more"),
        ({"names": 2.5}, TypeError, "names = 2.5: must be a whole number"),
    ],
)
def test_wrong_settings_are_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    X, y = stream(rows=10)
    with pytest.raises(error, match=words):
        sluice.compare(X, y, **options)


def test_wrong_rows_are_refused() -> None:
    X, y = stream(rows=10)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        sluice.compare(X, y[:-1], methods="ridge")
    X[2, 1] = np.inf
    with pytest.raises(ValueError, match="contains infinity.*row 2, column 1"):
        sluice.compare(X, y, methods="ridge")


def test_a_signal_ends_a_comparison_that_takes_long() -> None:
    def stop(*_: object) -> None:
        raise TimeoutError("stopped")

    X, y = stream(rows=100_000, inputs=40)  # more than a minute
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        start = time.monotonic()
        with pytest.raises(TimeoutError, match="stopped"):
            sluice.compare(X, y, methods="window_pcr")
        assert time.monotonic() - start < 30.0  # 64 rows at most after the signal, on a busy machine
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_the_docstring_names_each_parameter() -> None:
    text = (inspect.getdoc(sluice.compare) or "").partition("Parameters\n")[2].partition("Examples\n")[0]
    missing = [name for name in inspect.signature(sluice.compare).parameters if not re.search(rf"\b{name}\b", text)]
    assert missing == []
