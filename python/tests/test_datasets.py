"""sluice.datasets: the simulated streams, and their truth."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built_tool import built_tool
from sluice import datasets


def simulated(tmp_path: Path, *arguments: str) -> Any:
    pandas = pytest.importorskip("pandas")
    file = tmp_path / "table.csv"
    subprocess.run([built_tool(), "simulate", *arguments, "--out", str(file)], check=True, capture_output=True)
    return pandas.read_csv(file)


@pytest.mark.parametrize(
    ("data", "arguments"),
    [
        (lambda: datasets.make_paper(rows=450, seed=7), ("switching", "--rows", "450", "--seed", "7")),
        (lambda: datasets.make_paper("static", rows=50, seed=2), ("static", "--rows", "50", "--seed", "2")),
        (
            lambda: datasets.make_paper(rows=350, seed=7, third_phase="text"),
            ("switching", "--rows", "350", "--seed", "7", "--third-phase", "text"),
        ),
        (
            lambda: datasets.make_factors(
                inputs=12, outputs=2, groups=3, drift=0.1, missing_share=0.2, break_every=40, rows=90, seed=5
            ),
            ("factors", "--inputs", "12", "--outputs", "2", "--groups", "3", "--drift", "0.1", "--missing", "0.2")
            + ("--break-every", "40", "--rows", "90", "--seed", "5"),
        ),
        (
            lambda: datasets.make_selection(
                inputs=15, drivers=3, drivers_after=1, correlation=0.4, signal_to_noise=8, change_at=50, rows=100, seed=9
            ),
            ("selection", "--inputs", "15", "--drivers", "3", "--drivers-after", "1", "--correlation", "0.4")
            + ("--snr", "8", "--change-at", "50", "--rows", "100", "--seed", "9"),
        ),
        (lambda: datasets.make_factors(), ("factors",)),
        (lambda: datasets.make_selection(), ("selection",)),
    ],
)
def test_a_stream_has_the_numbers_that_the_tool_writes(data: Any, arguments: tuple[str, ...], tmp_path: Path) -> None:
    frame = simulated(tmp_path, *arguments)
    ours = data().frame()
    assert list(frame.columns) == list(ours.columns)
    np.testing.assert_array_equal(frame.to_numpy(), ours.to_numpy())


def test_a_market_has_the_returns_of_the_tools_prices(tmp_path: Path) -> None:
    frame = simulated(tmp_path, "market", "--rows", "60", "--seed", "4").set_index("date")
    data = datasets.make_market(rows=60, seed=4)
    assert set(frame.columns) == {*data.names, *data.targets}
    prices = 100.0 * np.cumprod(1.0 + data.X, axis=0)
    # The tool writes ten digits.
    np.testing.assert_allclose(frame[list(data.names)].to_numpy()[1:], prices, rtol=1e-9)
    indices = 100.0 * np.cumprod(1.0 + data.y, axis=0)
    np.testing.assert_allclose(frame[list(data.targets)].to_numpy()[1:], indices, rtol=1e-9)
    assert data.times is not None
    assert list(frame.index[1:]) == [str(time) for time in data.times]


def test_the_same_seed_gives_the_same_bits_and_another_one_others() -> None:
    one, same, other = (datasets.make_paper(rows=20, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X)


def test_the_output_of_a_selection_is_that_of_its_drivers() -> None:
    data = datasets.make_selection(inputs=20, drivers=3, signal_to_noise=1e12, change_at=100, rows=200, seed=1)
    assert [(phase.start, phase.stop) for phase in data.phases] == [(0, 100), (100, 200)]
    for phase in data.phases:
        rows = slice(phase.start, phase.stop)
        # The noise has 1e-6 of the signal's standard deviation, which is below 4; five of its deviations.
        assert phase.coefficients is not None
        np.testing.assert_allclose(data.X[rows][:, phase.drivers] @ phase.coefficients, data.y[rows], atol=5 * 4e-6)
    assert data.drivers_at(99) != data.drivers_at(100)
    assert not set(data.phases[0].drivers) & set(data.phases[1].drivers)


def test_the_phases_of_the_paper_repeat_and_name_their_groups() -> None:
    data = datasets.make_paper(rows=500, seed=1)
    assert [(phase.start, phase.large, phase.small) for phase in data.phases] == [
        (0, 0, 1),
        (100, 1, 0),
        (300, 2, 1),
        (400, 0, 1),
    ]
    assert data.drivers_at(350) == tuple(f"x{i}" for i in range(21, 61))
    text = datasets.make_paper(rows=400, seed=1, third_phase="text")
    assert text.drivers_at(350) == tuple(f"x{i}" for i in range(41, 61))
    assert len(datasets.make_paper("static", rows=500, seed=1).phases) == 1


def test_rows_are_dicts_without_the_missing_inputs() -> None:
    data = datasets.make_factors(inputs=5, outputs=2, groups=1, missing_share=0.3, rows=50, seed=1)
    rows = list(data.rows())
    assert len(rows) == len(data) == 50
    for t, (x, y) in enumerate(rows):
        present = ~np.isnan(data.X[t])
        assert x == {name: value for name, value in zip(data.names, data.X[t], strict=True) if not np.isnan(value)}
        assert len(x) == present.sum()
        assert list(y) == ["y1", "y2"]
    assert isinstance(next(datasets.make_selection().rows())[1], float)


def test_a_stream_without_rows_is_empty() -> None:
    data = datasets.make_selection(rows=0)
    assert data.X.shape == (0, 30)
    assert data.phases == ()
    with pytest.raises(IndexError, match="row 0"):
        data.drivers_at(0)


@pytest.mark.parametrize(
    ("make", "kind", "sentence"),
    [
        (lambda: datasets.make_paper("other"), ValueError, "kind = 'other': must be one of static, switching"),
        (lambda: datasets.make_paper(third_phase="none"), ValueError, "third_phase = 'none'"),
        (lambda: datasets.make_paper(rows=-1), ValueError, "rows = -1: must be 0 to"),
        (lambda: datasets.make_paper(rows=1.5), TypeError, "rows = 1.5: must be a whole number"),
        (lambda: datasets.make_paper(rows=2**62), ValueError, "does not fit into memory"),
        (lambda: datasets.make_paper(seed=-1), ValueError, "seed = -1: must be 0 to"),
        (lambda: datasets.make_paper(seed="a"), TypeError, "seed = 'a': must be a whole number"),
        (lambda: datasets.make_factors(groups=101), ValueError, "groups: must be 1 to the number of inputs"),
        (lambda: datasets.make_factors(inputs=0), ValueError, "inputs: must be at least 1"),
        (lambda: datasets.make_factors(drift=float("nan")), ValueError, "drift: must be 0 or more, and finite"),
        (lambda: datasets.make_factors(drift="much"), TypeError, "drift = 'much': must be a number"),
        (lambda: datasets.make_factors(missing_share=1.0), ValueError, "missing: must be from 0 to below 1"),
        (lambda: datasets.make_selection(drivers=16), ValueError, "drivers: must be at most the number of inputs"),
        (lambda: datasets.make_selection(signal_to_noise=0), ValueError, "signal_to_noise: must be above 0"),
        (lambda: datasets.make_selection(correlation=1.0), ValueError, "correlation: must be from 0 to below 1"),
        (lambda: datasets.make_market(stocks=[3]), ValueError, "volatility"),
        (lambda: datasets.make_market(stocks=3), TypeError, "stocks = 3: must be a list"),
        (lambda: datasets.make_market(stocks=[2**60, 1]), ValueError, "stocks: .* must be at most"),
        (lambda: datasets.make_market(regime_periods=0), ValueError, "regime_periods: must be 1 or more"),
    ],
)
def test_a_wrong_option_is_an_error_with_the_cores_sentence(make: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        make()
