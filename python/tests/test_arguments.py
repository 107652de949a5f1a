"""No argument crashes the process: what cannot be used is a ValueError or a TypeError, all else is learnt."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sluice
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sluice import _core

few = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
pytestmark = pytest.mark.filterwarnings("ignore")

# What the bindings or the C++ library say to programmers, not to users.
RAW = ("incompatible function arguments", "std::", "bad_cast", "basic_string", "vector::", "max_size")


def tried(action: Callable[[], Any]) -> Any:
    """What the action gives; None after an error that a caller may make."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return action()
        except (ValueError, TypeError) as error:
            text = str(error)
            assert len(text) > 10 and not any(raw in text for raw in RAW), f"not a message for users: {text!r}"
            return None


# ---- arrays of every kind

SHAPES = [(), (0,), (1,), (5,), (0, 3), (3, 0), (0, 0), (1, 1), (1, 3), (5, 1), (5, 3), (5, 4), (5, 3, 1), (40, 3)]
VALUES = st.sampled_from(
    [0.0, -0.0, 1.0, -2.5, 1e-150, -1e150, 1e150, 5e-324, 1.7e308, 3.4e38, 7e4]
    + [float("nan"), float("inf"), float("-inf")]
)
DTYPES = [
    *("f2", "f4", "f8", "g", ">f8", "<f4", ">i4", "i1", "i2", "i4", "i8", "u1", "u8", "?"),
    *("c16", "O", "U5", "S5", "M8[s]", "m8[s]", "V8"),
]


def cast(values: NDArray[np.float64], dtype: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype == "V8":
            return values.view("V8") if values.ndim else np.zeros((), dtype="V8")
        if np.dtype(dtype).kind in "iuMm":
            values = np.clip(np.nan_to_num(values), 0, 120)
            return values.astype("i8").astype(dtype)
        return values.astype(dtype)


@st.composite
def plain_arrays(draw: st.DrawFn, shapes: list[tuple[int, ...]] = SHAPES) -> Any:
    shape = draw(st.sampled_from(shapes))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    values = rng.normal(size=shape)
    if values.size:
        for _ in range(draw(st.integers(0, 3))):
            values.flat[draw(st.integers(0, values.size - 1))] = draw(VALUES)
    return cast(values, draw(st.sampled_from(["f8", "f8", *DTYPES])))


def laid_out(array: NDArray[Any], layout: str) -> Any:
    if layout == "fortran":
        return np.asfortranarray(array)
    if layout == "negative strides":
        return array[::-1] if array.ndim else array
    if layout == "sliced" and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if layout == "broadcast" and array.ndim:
        return np.broadcast_to(array[:1], array.shape) if array.shape[0] else array
    if layout == "broadcast to one number":
        return np.broadcast_to(array.flat[0], array.shape) if array.size else array
    if layout == "read-only":
        array = np.array(array)
        array.flags.writeable = False
        return array
    if layout == "unaligned" and array.dtype.kind in "fiu" and array.size:
        memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
        made = np.ndarray(array.shape, array.dtype, buffer=memory, offset=1)
        made[...] = array
        return made
    if layout == "masked":
        return np.ma.MaskedArray(array, mask=np.arange(array.size).reshape(array.shape) % 3 == 0)
    if layout == "matrix" and array.ndim == 2:
        return np.matrix(array)
    if layout == "list":
        return array.tolist()
    if layout == "tuple of rows" and array.ndim:
        return tuple(array)
    if layout == "memory view" and array.dtype.kind in "fiu" and array.flags.c_contiguous:
        return memoryview(array)
    if layout == "sparse" and array.ndim == 2 and array.dtype.kind in "fiu" and array.dtype.itemsize in (4, 8):
        return scipy.sparse.csr_matrix(array.astype(array.dtype.newbyteorder("=")))
    return array


LAYOUTS = [
    *("fortran", "negative strides", "sliced", "broadcast", "broadcast to one number", "read-only", "unaligned"),
    *("masked", "matrix", "list", "tuple of rows", "memory view", "sparse"),
]


@st.composite
def arrays(draw: st.DrawFn, shapes: list[tuple[int, ...]] = SHAPES) -> Any:
    return laid_out(np.asarray(draw(plain_arrays(shapes))), draw(st.sampled_from(["as it is", *LAYOUTS])))


OTHERS = st.sampled_from(
    [None, 3, "text", b"bytes", [], {}, {"a": 1}, object(), [[1, 2], [3]], [["a", "b"]], [[10**400]], range(3)]
    + [lambda: 0]
    + [[[None, 1.0, 2.0]] * 5, iter([1, 2]), np.float64(3), True, float("nan"), sluice.StreamRegressor, Path(".")]
)
INPUTS = st.one_of(arrays(), arrays([(5, 3), (40, 3), (1, 3)]), OTHERS)
OUTPUTS = st.one_of(arrays(), arrays([(5,), (40,), (1,), (5, 2), (40, 1)]), OTHERS)


def require_finite(model: sluice.StreamRegressor) -> None:
    predicted = model.predict(np.ones((2, model.n_features_in_)))
    assert np.isfinite(predicted).all()
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()


@few
@given(X=INPUTS, y=OUTPUTS)
@example(X=[[10**400]], y=[1])
@example(X=None, y=None)
def test_fit_learns_or_says_why_not(X: Any, y: Any) -> None:
    model = sluice.StreamRegressor()
    if tried(lambda: model.fit(X, y)) is not None:
        require_finite(model)
        predicted = tried(lambda: model.predict(X))
        assert predicted is None or np.isfinite(predicted).all()


def learned(outputs: int = 1) -> sluice.StreamRegressor:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    return sluice.StreamRegressor().fit(X, X[:, 0] if outputs == 1 else X[:, :outputs])


FITTED = {1: pickle.dumps(learned(1)), 2: pickle.dumps(learned(2))}


@few
@given(X=INPUTS, y=OUTPUTS, outputs=st.sampled_from([1, 2]))
@example(X=None, y=None, outputs=1)
@example(X=np.array([[1.0, 2, 3], [np.inf, 1, 2]]), y=np.ones(2), outputs=1)
def test_later_rows_are_learnt_or_refused_before_any_of_them_is_learnt(X: Any, y: Any, outputs: int) -> None:
    model = pickle.loads(FITTED[outputs])
    if tried(lambda: model.partial_fit(X, y)) is None:
        assert model._core.to_file() == pickle.loads(FITTED[outputs])._core.to_file()
    require_finite(model)
    if tried(lambda: model.predict_then_learn(X, y)) is not None:
        require_finite(model)


@few
@given(X=INPUTS, outputs=st.sampled_from([1, 2]))
@example(X=None, outputs=1)
def test_predictions_are_finite_or_refused(X: Any, outputs: int) -> None:
    model = pickle.loads(FITTED[outputs])
    predicted = tried(lambda: model.predict(X))
    assert predicted is None or np.isfinite(predicted).all()
    tried(lambda: model.predict_interval(X))
    tried(lambda: model.score(X, np.ones(5)))


@few
@given(
    rows=st.lists(st.lists(VALUES | st.floats(), min_size=3, max_size=3), min_size=1, max_size=30),
    seed=st.integers(0, 9),
)
def test_any_doubles_leave_finite_predictions(rows: list[list[float]], seed: int) -> None:
    X = np.asarray(rows)
    y = np.where(np.arange(len(X)) % 4 == seed % 4, np.nan, X[:, seed % 3])
    model = pickle.loads(FITTED[1])
    for x, outcome in zip(X, y, strict=True):
        tried(lambda x=x, outcome=outcome: model.partial_fit(x[None], [outcome]))
        require_finite(model)


def test_a_file_mapped_to_memory_is_learnt(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(50, 3))
    mapped = np.memmap(tmp_path / "rows", dtype="f8", mode="w+", shape=X.shape)
    mapped[:] = X
    for made in (mapped, np.memmap(tmp_path / "rows", dtype="f8", mode="r", shape=X.shape)):
        model = sluice.StreamRegressor().fit(made, made[:, 0]).partial_fit(made, made[:, 0])
        expected = sluice.StreamRegressor().fit(X, X[:, 0]).partial_fit(X, X[:, 0])
        np.testing.assert_array_equal(model.coef_, expected.coef_)


# ---- options

NAMES = list(inspect.signature(sluice.StreamRegressor).parameters)
BAD = st.sampled_from(
    [None, "", "text", "auto", "none", "1e3", "1,2", "-1", "nan", b"x", -1, 0, 1, 2, 7]
    + [10**6, 2**63, 10**30, -(10**30)]
    + [0.5, -0.5, 1.5, 1e-300, 1e300, float("nan"), float("inf"), float("-inf"), True, False]
    + [[], [1], [1, 2, 3], [-1]]
    + [["a"], [[1]], [None], (1, 2), {}, {"a": 1}, object()]
    + [np.array([1, 2]), np.array(3), np.float32(0.5), np.int64(2)]
    + [np.array([]), np.array(["a"]), lambda: 1, int, 1j, "\x00", "\ud800", "x" * 5000, [0.5] * 2000]
)


@settings(few, max_examples=400)
@given(options=st.dictionaries(st.sampled_from(NAMES), BAD, min_size=1, max_size=3))
@example(options={"keep": "\ud800"})
@example(options={"coverage": "text"})
@example(options={"coverage": 10**400})
def test_an_option_is_taken_or_refused(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3))
    model = sluice.StreamRegressor(**options)
    if tried(lambda: model.fit(X, X[:, 0])) is not None:
        require_finite(model)


class Unwilling:
    def __repr__(self) -> str:
        raise KeyError("no text")

    def item(self) -> None:
        raise KeyError("no item")


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_raises_gives_its_own_error(name: str) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        sluice.StreamRegressor(**{name: Unwilling()}).fit(np.ones((2, 2)), [1.0, 2.0])


def test_a_list_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises((ValueError, TypeError, RecursionError)):
        sluice.StreamRegressor(keep=endless).fit(np.ones((2, 2)), [1.0, 2.0])


# ---- saved state


STATE = learned(2)._core.__getstate__()
FILE = STATE[0]


def restored(state: Any) -> _core.Stream:
    stream = _core.Stream.__new__(_core.Stream)
    stream.__setstate__(state)
    return stream


def used(stream: _core.Stream) -> None:
    """Everything that reads the state."""
    X = np.random.default_rng(0).normal(size=(30, stream.inputs))
    assert np.isfinite(stream.predict(X)).all()
    stream.learn(X, np.ascontiguousarray(np.tile(X[:, :1], stream.outputs)))
    assert np.isfinite(stream.predict(X)).all()
    model = sluice.StreamRegressor()
    model._core, model._single, model._named = stream, stream.outputs == 1, False
    for name in ("events_", "report_", "importances_", "one_step_r2_", "coef_", "stability_", "selected_names_"):
        getattr(model, name)
    restored(stream.__getstate__())


@settings(few, max_examples=300)
@given(
    part=st.sampled_from([0, 1]),
    cuts=st.tuples(st.integers(0, len(FILE)), st.integers(0, len(FILE))),
    flips=st.lists(st.tuples(st.integers(0, len(FILE) - 1), st.integers(1, 255)), max_size=4),
)
def test_damaged_bytes_are_refused(part: int, cuts: tuple[int, int], flips: list[tuple[int, int]]) -> None:
    saved = bytearray(STATE[part])
    for at, change in flips:
        saved[at % len(saved)] ^= change
    del saved[min(cuts) : max(cuts) if cuts[0] % 2 else min(cuts)]
    state = list(STATE)
    state[part] = bytes(saved)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            used(restored(tuple(state)))
            if part == 0:
                used(_core.Stream.from_file(bytes(saved), 0.9))
        except (ValueError, TypeError):
            assert state[part] != STATE[part]


NUMBERS = st.one_of(VALUES, st.integers(-3, 3), st.sampled_from([2**63, 2**64, -(2**70), None, "a", b"", [], ()]))
INDICES = st.one_of(st.lists(st.integers(-1, 5), max_size=3), NUMBERS)
KINDS = st.sampled_from(["drift", "suspect", "entered", "left", "x", "", "\x00", "\ud800", 3, None])
SCORE = st.one_of(st.lists(NUMBERS, max_size=6).map(tuple), st.tuples(*[NUMBERS] * 5), NUMBERS)
EVENT = st.one_of(
    st.tuples(NUMBERS, KINDS, INDICES, INDICES, NUMBERS, NUMBERS), st.lists(NUMBERS, max_size=7).map(tuple), NUMBERS
)


@settings(few, max_examples=400)
@given(
    scores=st.one_of(st.lists(SCORE, max_size=3), st.just(STATE[2]), NUMBERS),
    events=st.one_of(st.lists(EVENT, max_size=3), st.just([]), NUMBERS),
)
@example(scores=[()], events=[])
@example(scores=STATE[2], events=[()])
@example(scores=STATE[2], events=[(1, "drift", [], [], float("nan"), 0.0)])
@example(scores=STATE[2], events=[(1, "drift", [2], [1], 1.0, 0.0)] * 1001)
@example(scores=[(1, 0.0, 1.0, 1.0, 10**9)] * 2, events=[])
def test_damaged_tuples_are_refused(scores: Any, events: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            stream = restored((STATE[0], STATE[1], scores, events))
        except (ValueError, TypeError):
            return
        used(stream)


@few
@given(data=st.data())
def test_a_damaged_pickle_is_refused(data: st.DataObject) -> None:
    """The pickle's own bytes are Python's to check; those of the model are ours."""
    saved = FITTED[1]
    start = saved.index(FILE[:8])
    at = data.draw(st.integers(start, start + len(FILE) // 2))
    damaged = saved[:at] + bytes([saved[at] ^ data.draw(st.integers(1, 255))]) + saved[at + 1 :]
    with pytest.raises((ValueError, TypeError)):
        pickle.loads(damaged)


@few
@given(state=st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=6))
def test_a_state_of_another_kind_is_refused(state: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        restored(state)


@few
@given(path_bytes=st.binary(max_size=200))
def test_load_refuses_other_files(path_bytes: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(path_bytes)
    with pytest.raises(ValueError):
        sluice.StreamRegressor.load(tmp_path / "file")


# ---- the compiled class itself

ATTRIBUTES = [name for name in dir(_core.Stream) if not name.startswith("__")]


@pytest.mark.parametrize("name", [*ATTRIBUTES, "__getstate__"])
def test_an_object_without_init_is_refused_everywhere(name: str) -> None:
    raw = _core.Stream.__new__(_core.Stream)
    if name == "from_file":
        pytest.skip("a static method")
    rows = np.ones((2, 3))
    learning = ("learn", "learn_as_is", "learn_and_predict")
    arguments: dict[str, Any] = {"rename": ([], []), **dict.fromkeys(learning, (rows, rows))}
    with pytest.raises(TypeError):
        attribute = getattr(raw, name)
        attribute(*arguments.get(name, (rows,) if "predict" in name else ()))


def test_an_object_without_init_cannot_be_pickled_or_copied_and_can_be_deleted() -> None:
    raw = _core.Stream.__new__(_core.Stream)
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            action(raw)
    del raw


def test_an_object_cannot_be_made_twice() -> None:
    stream = pickle.loads(FITTED[1])._core
    before = stream.to_file()
    with pytest.raises(TypeError):
        stream.__init__(2, 1, {}, None)
    with pytest.raises(TypeError):
        stream.__setstate__(STATE)
    assert stream.to_file() == before


def test_the_short_way_of_predicting_is_for_one_output() -> None:
    """It wrote the second output of the last row behind its memory: `free(): invalid next size`."""
    rows = np.ones((3, 3))
    assert pickle.loads(FITTED[2])._core.predict_as_is(rows) is None
    assert pickle.loads(FITTED[1])._core.predict_as_is(rows).shape == (3,)


METHODS = ["learn", "learn_as_is", "learn_and_predict", "predict", "predict_as_is", "predict_interval"]


@few
@given(method=st.sampled_from(METHODS), X=INPUTS, y=OUTPUTS, outputs=st.sampled_from([1, 2]))
def test_methods_of_the_compiled_class_take_or_refuse_any_object(method: str, X: Any, y: Any, outputs: int) -> None:
    stream = pickle.loads(FITTED[outputs])._core
    try:
        getattr(stream, method)(*((X, y) if method.startswith("learn") else (X,)))
    except (ValueError, TypeError):
        pass
    used(stream)


@few
@given(
    inputs=st.sampled_from([0, 1, 3, -1, 2**32, 2**62, 2**63, 2**64, 1.5, "a", None]),
    outputs=st.sampled_from([0, 1, 2, -1, 2**32, 2**62, 2**63, None]),
    options=st.sampled_from([{}, {"keep": 1}, {1: 2}, {"unknown": 3}, None, []]),
    coverage=BAD,
)
def test_the_constructor_of_the_compiled_class_takes_or_refuses_any_object(
    inputs: Any, outputs: Any, options: Any, coverage: Any
) -> None:
    try:
        stream = _core.Stream(inputs, outputs, options, coverage)
    except (ValueError, TypeError, MemoryError):
        return
    used(stream)


TEXTS = st.one_of(st.lists(st.text(max_size=5), max_size=4), st.lists(NUMBERS, max_size=4), NUMBERS)


@few
@given(inputs=TEXTS, targets=TEXTS)
@example(inputs=["a", "b", "c"], targets=["a"])
@example(inputs=["", "\x00", "é"], targets=["t"])
def test_names_are_taken_or_refused_and_come_back(inputs: Any, targets: Any) -> None:
    stream = pickle.loads(FITTED[1])._core
    try:
        stream.rename(inputs, targets)
        file = stream.to_file()
    except (ValueError, TypeError):
        return
    again = _core.Stream.from_file(file, None)
    assert (again.input_names, again.target_names) == (list(inputs), list(targets))


@few
@given(
    columns=st.lists(st.one_of(st.text(max_size=3), st.sampled_from(["y", "\ud800", "a@-1"])), min_size=1, max_size=4),
    target=st.one_of(st.text(max_size=2), st.none()),
)
@example(columns=["\ud800"], target=None)
@example(columns=["a"], target="\ud800")
def test_names_of_a_frame_are_kept_or_refused(columns: list[str], target: str | None) -> None:
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(1).normal(size=(20, len(columns)))
    frame, outputs = tried(lambda: pandas.DataFrame(X, columns=columns)), pandas.Series(X[:, 0], name=target)
    model = sluice.StreamRegressor()
    if tried(lambda: model.fit(frame, outputs)) is not None:
        assert list(pickle.loads(pickle.dumps(model)).feature_names_in_) == columns
        assert model._core.input_names == columns
