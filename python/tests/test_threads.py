"""Threads: two models learn side by side; one model in two threads is a clear error or the work of one of them."""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sluice


def stream(rows: int, inputs: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, inputs))
    return X, X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=rows)


def run(*actions: Callable[[], Any]) -> list[Any]:
    """Each in a thread of its own, all started at once. Gives results; an exception is a result."""
    barrier = threading.Barrier(len(actions))
    results: list[Any] = [None] * len(actions)

    def call(index: int) -> None:
        barrier.wait()
        try:
            results[index] = actions[index]()
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=call, args=(index,)) for index in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture(autouse=True)
def _frequent_switches() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def test_other_threads_run_while_many_rows_are_learnt() -> None:
    X, y = stream(3000, 60)
    model = sluice.StreamRegressor().fit(X[:100], y[:100])
    started, finished = threading.Event(), threading.Event()

    def learn() -> None:
        started.set()
        model.partial_fit(X, y)
        finished.set()

    thread = threading.Thread(target=learn)
    thread.start()
    started.wait()
    steps = 0
    while not finished.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    assert steps > 10  # with the lock held this thread would go on only after the last row


def test_two_models_learn_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    data = [stream(3000, 60, seed) for seed in (1, 2)]

    def learn(index: int) -> np.ndarray:
        return sluice.StreamRegressor().fit(*data[index]).coef_

    start = time.perf_counter()
    expected = [learn(0), learn(1)]
    alone = time.perf_counter() - start
    start = time.perf_counter()
    together = run(lambda: learn(0), lambda: learn(1))
    both = time.perf_counter() - start
    for coefficients, wanted in zip(together, expected, strict=True):
        np.testing.assert_array_equal(coefficients, wanted)
    with capsys.disabled():
        print(f" [one after the other {alone:.2f} s, in two threads {both:.2f} s]", end="")


@pytest.mark.parametrize(("rows", "calls"), [(500, 8), (1, 300)])
def test_one_model_in_two_threads_learns_whole_calls_or_refuses_them(rows: int, calls: int) -> None:
    X, y = stream(rows, 10)
    model = sluice.StreamRegressor().fit(X[:1], y[:1])
    before = model.rows_met_

    def learn() -> int:
        learned = 0
        for _ in range(calls):
            try:
                model.partial_fit(X, y)
                learned += rows
            except RuntimeError as error:
                assert "another thread is using this model: give each thread a copy" in str(error)
        return learned

    learned = run(learn, learn, learn)
    assert model.rows_met_ == before + sum(learned) > before
    assert np.isfinite(model.predict(X)).all()
    pickle.loads(pickle.dumps(model))


def test_whole_calls_of_two_threads_give_the_model_of_their_order() -> None:
    """The same block in each call: any order of the calls that were learnt is the same stream."""
    X, y = stream(500, 10)
    model = sluice.StreamRegressor().fit(X, y)

    def learn() -> int:
        learned = 0
        for _ in range(6):
            try:
                model.partial_fit(X, y)
                learned += 1
            except RuntimeError:
                pass
        return learned

    learned = sum(run(learn, learn))
    expected = sluice.StreamRegressor().fit(X, y)
    for _ in range(learned):
        expected.partial_fit(X, y)
    assert model._core.to_file() == expected._core.to_file()


def test_predictions_of_several_threads_at_once_are_equal() -> None:
    X, y = stream(3000, 20)
    model = sluice.StreamRegressor().fit(X, y)
    expected = model.predict(X)

    def predict() -> bool:
        return all(np.array_equal(model.predict(X), expected) for _ in range(30))

    assert run(predict, predict, predict) == [True, True, True]


READ = ["selected_", "coef_", "intercept_", "importances_", "stability_", "events_", "report_", "one_step_r2_"]


@pytest.mark.parametrize("name", ["properties", "predict", "predict_interval", "pickle", "save"])
def test_reading_while_another_thread_learns_gives_a_whole_state_or_the_error(name: str, tmp_path: Any) -> None:
    X, y = stream(500, 10)
    model = sluice.StreamRegressor().fit(X, y)
    actions: dict[str, Callable[[], Any]] = {
        "properties": lambda: [getattr(model, name) for name in READ],
        "predict": lambda: model.predict(X),
        "predict_interval": lambda: model.predict_interval(X),
        "pickle": lambda: pickle.loads(pickle.dumps(model)),
        "save": lambda: model.save(tmp_path / "model"),
    }
    read = actions[name]
    stop = threading.Event()

    def learn() -> int:
        blocks = 0
        try:
            for _ in range(15):
                try:
                    model.partial_fit(X, y)
                    blocks += 1
                except RuntimeError:
                    pass
        finally:
            stop.set()
        return blocks

    def reading() -> int:
        count = 0
        while not stop.is_set():
            try:
                read()
            except RuntimeError as error:
                assert "another thread is using this model" in str(error)
            count += 1
        return count

    blocks, count = run(learn, reading)
    assert model.rows_met_ == 500 * (1 + blocks)
    assert count > 0


@pytest.mark.filterwarnings("ignore:invalid value")
def test_rows_that_another_thread_changes_leave_finite_predictions() -> None:
    """The values are whatever the model met, each row read once."""
    X, y = stream(1500, 10)
    model = sluice.StreamRegressor().fit(X, y)
    changed, stop = X.copy(), threading.Event()

    def disturb() -> None:
        wild = np.array([np.inf, np.nan, 1e300, -np.inf, 0.0, 1e-300])
        position = 0
        while not stop.is_set():
            changed.flat[position % changed.size] = wild[position % 6]
            changed.flat[(position * 7919) % changed.size] = wild[(position + 1) % 6]
            position += 1

    def learn() -> None:
        try:
            for _ in range(5):
                try:
                    model.partial_fit(changed, y)
                    model.predict(changed)
                except ValueError:  # infinities
                    changed[...] = X
        finally:
            stop.set()

    assert run(learn, disturb) == [None, None]
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.coef_).all()


def test_an_array_cannot_be_resized_by_another_thread_while_it_is_learnt() -> None:
    X, y = stream(2000, 30)
    model = sluice.StreamRegressor().fit(X, y)
    own = X.copy()
    started = threading.Event()

    def learn() -> None:
        started.set()
        model.partial_fit(own, y)

    def resize() -> Any:
        started.wait()
        time.sleep(0.01)
        with pytest.raises(ValueError, match="cannot resize"):
            own.resize((10, 30))

    assert run(learn, resize) == [None, None]


def test_an_arrow_stream_whose_rows_come_from_another_thread_is_read() -> None:
    """The lock is released while it is read: the thread that makes the rows needs it."""
    pa = pytest.importorskip("pyarrow")
    import queue

    X, y = stream(600, 5)
    batches: queue.Queue[Any] = queue.Queue(maxsize=1)
    names = list("abcde")

    def produce() -> None:
        for start in range(0, 600, 100):
            batches.put(pa.record_batch([X[start : start + 100, j] for j in range(5)], names=names))
        batches.put(None)

    thread = threading.Thread(target=produce)
    thread.start()
    schema = pa.schema([(name, pa.float64()) for name in names])
    reader = pa.RecordBatchReader.from_batches(schema, iter(batches.get, None))
    model = sluice.StreamRegressor().fit(reader, y)
    thread.join()
    np.testing.assert_array_equal(model.coef_, sluice.StreamRegressor().fit(X, y).coef_)
