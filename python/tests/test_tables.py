"""Data from numpy, pandas, polars, pyarrow and any Arrow stream enter as the same numbers, with their names."""

from __future__ import annotations

import decimal
import pickle
import struct
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sluice
from arrow_producer import Chunk, Column, Producer
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sluice import _core
from sluice._tables import checked_inputs, checked_outputs, distinct_targets

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

NAMES = ["a", "b", "c"]


def rows_and_outputs(rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rows, 3))
    X[::7, 1] = np.nan
    return X, X[:, 0] - 0.5 * X[:, 2]


def as_null(X: np.ndarray) -> Any:
    return pl.DataFrame(X, schema=NAMES).fill_nan(None)


def frames(X: np.ndarray) -> dict[str, Any]:
    """The same rows in each library, what is missing as the library has it."""
    table = as_null(X).to_arrow()
    half = len(X) // 2
    return {
        "pandas": pd.DataFrame(X, columns=NAMES),
        "pandas nullable": pd.DataFrame(X, columns=NAMES).convert_dtypes(),
        "polars": as_null(X),
        "polars with NaN": pl.DataFrame(X, schema=NAMES),
        "polars in two chunks": pl.concat([as_null(X[:half]), as_null(X[half:])], rechunk=False),
        "polars slice": as_null(np.vstack([X[:5], X, X[:3]]))[5:-3],
        "pyarrow table": table,
        "pyarrow table in chunks": pa.Table.from_batches(table.to_batches(max_chunksize=7)),
        "pyarrow batch": table.combine_chunks().to_batches()[0],
        "pyarrow reader": table.to_reader(max_chunksize=11),
        "by hand": Producer([hand_made(X[:half]), hand_made(X[half:])]),
    }


def bits(flags: Any) -> bytes:
    return np.packbits(np.asarray(flags, dtype=bool), bitorder="little").tobytes()


def hand_made(X: np.ndarray) -> Chunk:
    columns = [
        Column(name.encode(), b"g", [bits(~np.isnan(X[:, j])), X[:, j].tobytes()], len(X), null_count=-1)
        for j, name in enumerate(NAMES)
    ]
    return Chunk(columns, len(X))


def read(table: Any) -> np.ndarray:
    return _core.read_arrow(table, "X")[1]


# ---- the same numbers from every library


@pytest.mark.parametrize("kind", frames(rows_and_outputs()[0]))
def test_every_library_gives_the_model_of_numpy(kind: str) -> None:
    X, y = rows_and_outputs()
    expected = sluice.StreamRegressor().fit(X, y)
    model = sluice.StreamRegressor().fit(frames(X)[kind], y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict(frames(X)[kind]), expected.predict(X))
    assert list(model.feature_names_in_) == NAMES
    assert model.n_features_in_ == 3
    assert model.selected_names_ == tuple(NAMES[j] for j in expected.selected_)


def test_a_contiguous_array_of_doubles_is_not_copied() -> None:
    X = np.ones((10, 3))
    assert checked_inputs(BaseEstimator(), X, reset=True) is X
    y = np.ones((10, 2))
    assert checked_outputs(y)[0] is y
    locked = X.view()
    locked.flags.writeable = False
    assert np.shares_memory(checked_inputs(BaseEstimator(), locked, reset=True), X)


def test_learning_many_rows_of_numpy_needs_no_second_copy_of_them() -> None:
    X = np.random.default_rng(1).normal(size=(50_000, 20))
    y = X[:, 0].copy()
    model = sluice.StreamRegressor(threads=1).fit(X[:100], y[:100])
    tracemalloc.start()
    model.partial_fit(X, y)
    model.predict_then_learn(X[:1000], y[:1000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10


NUMBERS = [0, 1, 2, 100]


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
)
def test_numbers_of_every_width_are_read_with_nulls(kind: str) -> None:
    values = [*NUMBERS, None] if kind.startswith("u") else [-3, *NUMBERS, None]
    array = pa.array([None if v is None else np.dtype(kind).type(v) for v in values], type=getattr(pa, kind)())
    expected = np.array([np.nan if v is None else v for v in values])
    np.testing.assert_array_equal(read(pa.table({"a": array}))[:, 0], expected)
    np.testing.assert_array_equal(read(array), expected)
    np.testing.assert_array_equal(read(pa.table({"a": array.slice(2, 2)}))[:, 0], expected[2:4])


def test_halves_are_those_of_numpy() -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(read(pa.array(halves)), halves.astype(np.float64))


@pytest.mark.parametrize("value", [2**53 + 1, 2**62 + 1, -(2**63), 2**63 - 1])
def test_large_integers_are_rounded_as_numpy_does(value: int) -> None:
    assert read(pa.array([value], type=pa.int64()))[0] == np.float64(np.int64(value))
    assert read(pa.array([2**64 - 1], type=pa.uint64()))[0] == np.float64(np.uint64(2**64 - 1))


def test_booleans_are_0_and_1_at_any_offset() -> None:
    flags = [True, None, False, True, True, False, None, False, True, True, False]
    expected = np.array([np.nan if flag is None else float(flag) for flag in flags])
    for start in range(len(flags)):
        np.testing.assert_array_equal(read(pa.array(flags)[start:]), expected[start:])


def test_the_null_type_is_missing_throughout() -> None:
    table = pa.table({"a": pa.nulls(3), "b": [1.0, 2.0, 3.0]})
    np.testing.assert_array_equal(read(table), [[np.nan, 1], [np.nan, 2], [np.nan, 3]])


@pytest.mark.parametrize("kind", ["decimal32", "decimal64", "decimal128"])
def test_decimals_are_the_nearest_doubles(kind: str) -> None:
    texts = ["1.25", "-0.10", "1234567.89", "0.00", "-9999999.99"]
    array = pa.array([*map(decimal.Decimal, texts), None], type=getattr(pa, kind)(9, 2))
    np.testing.assert_array_equal(read(array), [*map(float, texts), np.nan])


@pytest.mark.parametrize(("digits", "scale"), [(38, 0), (38, 10), (38, 37), (20, 19), (5, -4)])
def test_long_decimals_are_the_nearest_doubles(digits: int, scale: int) -> None:
    rng = np.random.default_rng(digits + scale)
    values = []
    for _ in range(200):
        sign = int(rng.integers(2))
        figures = tuple(int(d) for d in rng.integers(0, 10, size=rng.integers(1, digits + 1)))
        values.append(decimal.Decimal((sign, figures, -scale)))
    array = pa.array(values, type=pa.decimal128(digits, scale))
    assert list(read(array)) == [float(value) for value in values]


def test_a_null_row_of_a_struct_is_missing_in_all_columns() -> None:
    rows = pa.array([{"a": 1.0, "b": 2}, None, {"a": None, "b": 4}])
    names, values, is_table = _core.read_arrow(rows, "X")
    assert (names, is_table) == (["a", "b"], True)
    np.testing.assert_array_equal(values, [[1, 2], [np.nan, np.nan], [np.nan, 4]])
    np.testing.assert_array_equal(read(rows.slice(1)), values[1:])
    np.testing.assert_array_equal(read(rows.slice(2)), values[2:])


@pytest.mark.parametrize("shape", [(1, 1), (63, 7), (64, 8), (257, 9), (1000, 17), (256, 64), (5, 100), (0, 3), (3, 0)])
def test_any_shape_is_transposed(shape: tuple[int, int]) -> None:
    X = np.random.default_rng(1).normal(size=shape)
    columns = [Column(b"c%d" % j, b"g", [None, X[:, j].tobytes()], len(X)) for j in range(shape[1])]
    np.testing.assert_array_equal(read(Producer([Chunk(columns, len(X))])), X)


def test_columns_of_several_types_and_many_chunks_are_joined() -> None:
    rng = np.random.default_rng(2)
    batches, expected = [], []
    for size in (1, 0, 300, 5, 1000):
        x, k, b = rng.normal(size=size), rng.integers(-5, 5, size=size), rng.integers(2, size=size).astype(bool)
        mask = rng.random(size) < 0.3
        batches.append(
            pa.record_batch({"x": pa.array(x, mask=mask), "k": pa.array(k, type=pa.int16()), "b": pa.array(b)})
        )
        expected.append(np.column_stack([np.where(mask, np.nan, x), k, b]))
    np.testing.assert_array_equal(read(pa.Table.from_batches(batches)), np.vstack(expected))


# ---- what cannot be read


@pytest.mark.parametrize(
    ("array", "type_name"),
    [
        (["x", "y"], "string"),
        (pa.array(["x", "y"], type=pa.large_string()), "large_string"),
        (pa.array(["x", "y"], type=pa.string_view()), "string_view"),
        (pa.array([b"x", b"y"]), "binary"),
        (pa.array(["x", "y"]).dictionary_encode(), "dictionary"),
        (pa.array([1, 2], type=pa.timestamp("ns")), "timestamp"),
        (pa.array([1, 2], type=pa.date32()), "date"),
        (pa.array([1, 2], type=pa.duration("s")), "duration"),
        (pa.array([1, 2], type=pa.time32("s")), "time"),
        ([[1.0], [2.0]], "list"),
        ([{"u": 1}, {"u": 2}], "struct"),
        (pa.array([decimal.Decimal(1), decimal.Decimal(2)], type=pa.decimal256(50, 2)), "decimal256"),
    ],
)
def test_a_column_without_numbers_is_an_error_with_its_name_its_type_and_what_to_do(array: Any, type_name: str) -> None:
    table = pa.table({"n": [1.0, 2.0], "grade": array})
    with pytest.raises(ValueError, match=f"column 'grade' of X has the type {type_name}.*: .*leave the column out"):
        sluice.StreamRegressor().fit(table, [1.0, 2.0])
    if type_name not in ("list", "struct"):
        with pytest.raises(ValueError, match=f"^y has the type {type_name}"):
            sluice.StreamRegressor().fit(np.ones((2, 1)), table["grade"])


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_a_column_name_twice_is_an_error(library: str) -> None:
    table: Any = pa.table([[1.0, 2.0], [3.0, 4.0]], names=["u", "u"])
    if library == "pandas":
        table = pd.DataFrame([[1.0, 3.0], [2.0, 4.0]], columns=["u", "u"])
    with pytest.raises(ValueError, match="2 columns named 'u': each column needs a name of its own"):
        sluice.StreamRegressor().fit(table, [1.0, 2.0])
    with pytest.raises(ValueError, match="2 columns named 'u'"):
        sluice.StreamRegressor().fit(np.ones((2, 1)), table)


def test_infinite_values_are_refused_as_from_numpy() -> None:
    X, y = rows_and_outputs()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        sluice.StreamRegressor().fit(pl.DataFrame(X, schema=NAMES), y)
    with pytest.raises(ValueError, match="Input y contains infinity"):
        sluice.StreamRegressor().fit(np.ones((2, 1)), pl.Series([1.0, np.inf]))


def test_a_query_that_has_not_run_is_an_error_that_names_collect() -> None:
    X, y = rows_and_outputs()
    with pytest.raises(TypeError, match="X is a LazyFrame, a query that has not run: call its collect"):
        sluice.StreamRegressor().fit(pl.DataFrame(X, schema=NAMES).lazy(), y)


def test_a_single_column_as_x_is_an_error() -> None:
    for column in (pl.Series("u", [1.0, 2.0]), pa.array([1.0, 2.0])):
        with pytest.raises(ValueError, match="X is a single column .*, a table is needed"):
            sluice.StreamRegressor().fit(column, [1.0, 2.0])


def test_no_rows_and_no_columns_are_errors() -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        sluice.StreamRegressor().fit(pl.DataFrame(schema={"u": pl.Float64}), [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        sluice.StreamRegressor().fit(Producer([Chunk([], 2)]), [1.0, 2.0])


def test_masked_values_of_numpy_are_missing() -> None:
    X, y = rows_and_outputs()
    filled = np.nan_to_num(X, nan=1e6)
    masked = np.ma.MaskedArray(filled, mask=np.isnan(X))
    model = sluice.StreamRegressor().fit(masked, y)
    np.testing.assert_array_equal(model.coef_, sluice.StreamRegressor().fit(X, y).coef_)
    expected = model.predict(X)
    np.testing.assert_array_equal(model.predict(masked), expected)
    model.partial_fit(masked, np.ma.MaskedArray(y, mask=y > 0))
    again = sluice.StreamRegressor().fit(X, y).partial_fit(X, np.where(y > 0, np.nan, y))
    np.testing.assert_array_equal(model.coef_, again.coef_)


# ---- names, by scikit-learn's rules


def message(action: Any) -> str:
    with pytest.raises(ValueError) as error:
        action()
    return str(error.value)


@pytest.mark.parametrize(
    "names", [["c", "b", "a"], ["a", "b"], ["a", "b", "x"], list("abcdefghij"), list("efghijklmn")]
)
def test_other_names_are_the_error_of_scikit_learn(names: list[str]) -> None:
    X, y = rows_and_outputs()
    X = np.nan_to_num(X)
    other = pl.DataFrame({name: X[:, 0] for name in names})
    known = pd.DataFrame({name: X[:, 0] for name in names})
    ours = sluice.StreamRegressor().fit(pl.DataFrame(X, schema=NAMES), y)
    theirs = LinearRegression().fit(pd.DataFrame(X, columns=NAMES), y)
    expected = message(lambda: theirs.predict(known))
    assert message(lambda: ours.predict(other)) == expected
    assert message(lambda: ours.partial_fit(other, y)) == expected
    assert message(lambda: ours.predict(known)) == expected


def test_an_array_after_names_and_names_after_an_array_give_the_warnings_of_scikit_learn() -> None:
    X, y = rows_and_outputs()
    frame = pl.DataFrame(X, schema=NAMES)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but StreamRegressor was fitted with"):
        sluice.StreamRegressor().fit(frame, y).predict(X)
    with pytest.warns(UserWarning, match="X has feature names, but StreamRegressor was fitted without feature names"):
        sluice.StreamRegressor().fit(X, y).predict(frame)


def test_the_wrong_number_of_columns_is_the_error_of_scikit_learn() -> None:
    X, y = rows_and_outputs()
    frame = pl.DataFrame(X[:, :2], schema=["a", "b"])
    with warnings.catch_warnings(), pytest.raises(ValueError) as error:
        warnings.simplefilter("ignore")
        sluice.StreamRegressor().fit(X, y).predict(frame)
    assert str(error.value) == "X has 2 features, but StreamRegressor is expecting 3 features as input."


def test_fitting_again_without_names_forgets_them() -> None:
    X, y = rows_and_outputs()
    model = sluice.StreamRegressor().fit(pl.DataFrame(X, schema=NAMES), y).fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    model.fit(pl.DataFrame(X, schema=["u", "v", "w"]), y)
    assert list(model.feature_names_in_) == ["u", "v", "w"]


def test_names_that_are_numbers_are_no_names_as_in_scikit_learn() -> None:
    X, y = rows_and_outputs()
    assert not hasattr(sluice.StreamRegressor().fit(pd.DataFrame(X), y), "feature_names_in_")
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        sluice.StreamRegressor().fit(pd.DataFrame(X, columns=["a", 1, "b"]), y)


def test_a_name_that_is_no_utf8_is_an_error() -> None:
    column = Column(b"\xff\xfe", b"g", [None, struct.pack("d", 1.0)], 1)
    with pytest.raises(ValueError, match="the name of column 0 is not UTF-8: rename it"):
        read(Producer([Chunk([column], 1)]))


# ---- outputs


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (lambda y: pl.Series("t", y), ["t"]),
        (lambda y: pl.Series(y), ["y"]),
        (lambda y: pd.Series(y, name="t"), ["t"]),
        (lambda y: pd.Series(y), ["y"]),
        (lambda y: pa.array(y), ["y"]),
        (lambda y: pa.chunked_array([y[:7], y[7:]]), ["y"]),
        (lambda y: list(y), ["y"]),
    ],
)
def test_one_output_of_any_library_keeps_its_name(given: Any, names: list[str]) -> None:
    X, y = rows_and_outputs()
    for inputs in (X, pl.DataFrame(X, schema=NAMES)):
        model = sluice.StreamRegressor().fit(inputs, given(y))
        assert model.predict(inputs).shape == y.shape
        assert model._core.target_names == names
        np.testing.assert_array_equal(model.coef_, sluice.StreamRegressor().fit(X, y).coef_)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_several_outputs_keep_their_names(library: Any) -> None:
    X, y = rows_and_outputs()
    model = sluice.StreamRegressor().fit(X, library({"t": y, "u": -y}))
    assert model._core.target_names == ["t", "u"]
    assert model.predict(X).shape == (len(X), 2)


def test_a_frame_of_one_output_gives_predictions_of_one_column() -> None:
    X, y = rows_and_outputs()
    assert sluice.StreamRegressor().fit(X, pl.DataFrame({"t": y})).predict(X).shape == (len(X), 1)


def test_null_outputs_are_missing() -> None:
    X, y = rows_and_outputs()
    missing = np.where(y > 1, np.nan, y)
    model = sluice.StreamRegressor().fit(X, pl.Series(missing).fill_nan(None))
    np.testing.assert_array_equal(model.coef_, sluice.StreamRegressor().fit(X, missing).coef_)


def test_a_target_with_the_name_of_an_input_gets_another_one_so_that_the_model_can_be_saved(tmp_path: Path) -> None:
    X, y = rows_and_outputs()
    model = sluice.StreamRegressor().fit(pl.DataFrame(X, schema=NAMES), pl.Series("a", y))
    assert model._core.target_names == ["a_target"]
    model.save(tmp_path / "model")
    assert pickle.loads(pickle.dumps(model))._core.target_names == ["a_target"]
    named_y = sluice.StreamRegressor().fit(pl.DataFrame(X, schema=["u", "v", "y"]), y)
    named_y.save(tmp_path / "model")
    assert distinct_targets(["a", "a_target"], ["a", "b"]) == ["a_target_", "a_target"]


# ---- producers that fail, and those whose arrays are damaged


def doubles(*values: float) -> bytes:
    return struct.pack(f"{len(values)}d", *values)


def test_everything_is_released_once() -> None:
    producer = Producer([hand_made(rows_and_outputs()[0]) for _ in range(3)])
    read(producer)
    assert (producer.released_arrays, producer.released_schemas, producer.released_streams) == (3, 1, 1)


def test_a_stream_that_fails_is_a_runtime_error_with_its_message_and_is_released() -> None:
    for fail_at in (0, 2):
        producer = Producer([hand_made(rows_and_outputs()[0]) for _ in range(3)], fail_at=fail_at)
        with pytest.raises(RuntimeError, match="the Arrow stream of X failed: the disk is on fire"):
            read(producer)
        assert (producer.released_arrays, producer.released_schemas, producer.released_streams) == (fail_at, 1, 1)
    with pytest.raises(RuntimeError, match="failed: error 5"):
        read(Producer([hand_made(rows_and_outputs()[0])], fail_at=1, message=None))


DAMAGED = {
    "too short": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1)], 2),
    "too short for the offset": Chunk([Column(b"a", b"g", [None, doubles(1.0, 2.0)], 2)], 2, offset=1),
    "negative length": Chunk([Column(b"a", b"g", [None, doubles(1.0)], -1)], 1),
    "negative rows": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1)], -1),
    "negative offset": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1, offset=-1)], 1),
    "negative offset of rows": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1)], 1, offset=-1),
    "huge offset": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1, offset=2**63 - 1)], 1),
    "huge rows": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 2**63 - 1)], 2**63 - 1, offset=2**63 - 1),
    "no values": Chunk([Column(b"a", b"g", [None, None], 1)], 1),
    "one buffer": Chunk([Column(b"a", b"g", [None], 1)], 1),
    "no buffers": Chunk([Column(b"a", b"g", [], 1)], 1),
    "nulls without bits": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1, null_count=1)], 1),
    "null rows without bits": Chunk([Column(b"a", b"g", [None, doubles(1.0)], 1)], 1, null_count=1),
    "columns missing": Chunk([], 1),
    "null column": Chunk([], 1, n_children=1),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_array_is_a_value_error_and_everything_is_released(damage: str) -> None:
    producer = Producer([DAMAGED[damage]], schema=[Column(b"a", b"g", [], 0)])
    with pytest.raises(ValueError, match="an error of the library that made it"):
        read(producer)
    assert (producer.released_arrays, producer.released_schemas, producer.released_streams) == (1, 1, 1)


@pytest.mark.parametrize(
    "form",
    [b"", b"?", b"gg", b"d:", b"d:5", b"d:5,", b"d:5,x", b"d:5,2,", b"d:5,2,7", b"d:5,2,128,1", b"d:9,99999", b"+"],
)
def test_an_unknown_format_is_a_value_error(form: bytes) -> None:
    producer = Producer([Chunk([Column(b"a", form, [None, doubles(1.0, 2.0)], 1)], 1)])
    with pytest.raises(ValueError, match="column 'a' of X has the .*type .*: turn it into float64"):
        read(producer)
    assert (producer.released_schemas, producer.released_streams) == (1, 1)


def test_a_stream_that_was_read_is_an_error() -> None:
    class Once:
        capsule = pa.table({"a": [1.0]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    once = Once()
    read(once)
    with pytest.raises(ValueError, match="was read before"):
        read(once)


def test_an_interface_that_gives_something_else_is_a_type_error() -> None:
    class Wrong:
        def __init__(self, result: object) -> None:
            self.result = result

        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return self.result

    stream = pa.table({"a": [1.0]}).__arrow_c_stream__()
    for wrong in (None, 3, (), (1, 2), (stream, stream), [stream, stream]):
        with pytest.raises(TypeError, match="X.*convert it to numpy"):
            read(Wrong(wrong))
    with pytest.raises(TypeError, match="neither __arrow_c_stream__ nor"):
        read(3)


def test_an_exception_in_the_interface_reaches_the_caller() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        read(Broken())


def test_an_infinity_is_refused_with_its_row_and_column() -> None:
    table = np.ones((3, 2))
    table[1, 1] = np.inf
    y = np.arange(3.0)
    with pytest.raises(ValueError, match=r"Input X contains infinity .*: row 1, column 1\. Give NaN"):
        sluice.StreamRegressor().fit(table, y)
    with pytest.raises(ValueError, match=r"row 1, column 'flow'"):
        sluice.StreamRegressor().fit(pd.DataFrame(table, columns=["temperature", "flow"]), y)
    with pytest.raises(ValueError, match=r"Input y contains infinity .*: row 2\."):
        sluice.StreamRegressor().fit(np.ones((3, 2)), [0.0, 1.0, -np.inf])
