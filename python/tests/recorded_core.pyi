from collections.abc import Sequence
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


def adaptive_fields() -> list:
    """Name, values and help of every option of StreamRegressor."""

def option_fields() -> list:
    """Name, values and help of every option of the off-line fits."""

class Stream:
    """An on-line model with names, intervals, scores and events."""

    def __init__(self, inputs: int, outputs: int, options: dict, coverage: object | None) -> None: ...

    def learn(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def learn_as_is(self, x: object | None, y: object | None) -> bool:
        """Whether the arrays could be learnt without conversion."""

    def predict(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

    def predict_as_is(self, x: object | None) -> NDArray[numpy.float64] | None:
        """
        One output; None where there are several or the array needs conversion.
        """

    def predict_interval(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
        """Predictions, lower and upper ends."""

    def learn_and_predict(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
        """The same, each row predicted before it is learnt."""

    def rename(self, inputs: Sequence[str], targets: Sequence[str]) -> None: ...

    def add_inputs(self, names: Sequence[str]) -> None:
        """Appends inputs that were missing in every row so far."""

    def __sizeof__(self) -> int: ...

    @property
    def inputs(self) -> int: ...

    @property
    def outputs(self) -> int: ...

    @property
    def rows_met(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def input_names(self) -> list[str]: ...

    @property
    def target_names(self) -> list[str]: ...

    @property
    def selected(self) -> list[int]: ...

    @property
    def importances(self) -> list: ...

    @property
    def stability(self) -> NDArray[numpy.float64]: ...

    @property
    def coefficients(self) -> NDArray[numpy.float64]: ...

    @property
    def intercept(self) -> NDArray[numpy.float64]: ...

    @property
    def coverage(self) -> float | None: ...

    @property
    def one_step_r2(self) -> NDArray[numpy.float64]: ...

    @property
    def events(self) -> list: ...

    @property
    def report(self) -> dict | None: ...

    @property
    def options(self) -> dict:
        """Every option of the model, as text."""

    def to_file(self) -> bytes:
        """
        The bytes of a model file, which `sluice predict`, `inspect` and `stream --resume` take.
        """

    @staticmethod
    def from_file(bytes: bytes, coverage: object | None) -> Stream: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[bytes, bytes, Sequence[tuple[bool, int, float, float, float, int]], Sequence[tuple[int, str, Sequence[int], Sequence[int], float, float]]], /) -> None: ...

class BatchMoments:
    """Means and second moments of rows."""

    def __init__(self, inputs: int, outputs: int, memory_limit: int = 17179869184) -> None: ...

    def add(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def merge(self, other: BatchMoments) -> None: ...

    @property
    def inputs(self) -> int: ...

    @property
    def outputs(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def input_means(self) -> NDArray[numpy.float64]: ...

    def to_bytes(self) -> bytes: ...

    @staticmethod
    def from_bytes(bytes: bytes, memory_limit: int = 17179869184) -> BatchMoments: ...

class Fit:
    """All rows fitted at once, with names."""

    def __init__(self, method: str, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: dict, tolerance: object, max_iterations: object, as_printed: bool, inputs: Sequence[str], targets: Sequence[str]) -> None: ...

    @staticmethod
    def from_moments(method: str, moments: BatchMoments, options: dict, tolerance: object, max_iterations: object, as_printed: bool, inputs: Sequence[str], targets: Sequence[str]) -> Fit:
        """The same fit without the rows."""

    def predict(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

    def transform(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """The scores of rows."""

    @property
    def method(self) -> str: ...

    @property
    def inputs(self) -> int: ...

    @property
    def outputs(self) -> int: ...

    @property
    def components(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def input_names(self) -> list[str]: ...

    @property
    def target_names(self) -> list[str]: ...

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

    @property
    def loadings(self) -> NDArray[numpy.float64]: ...

    @property
    def input_loadings(self) -> NDArray[numpy.float64]: ...

    @property
    def coefficients(self) -> NDArray[numpy.float64]: ...

    @property
    def intercept(self) -> NDArray[numpy.float64]: ...

    @property
    def score_coefficients(self) -> NDArray[numpy.float64]: ...

    @property
    def score_intercept(self) -> NDArray[numpy.float64]: ...

    @property
    def explained_inputs(self) -> NDArray[numpy.float64]: ...

    @property
    def explained_outputs(self) -> NDArray[numpy.float64]: ...

    @property
    def importance(self) -> NDArray[numpy.float64]: ...

    @property
    def scores(self) -> Annotated[numpy.typing.NDArray[numpy.float64], dict()] | None: ...

    @property
    def selected(self) -> list[list[int]]: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def options(self) -> dict:
        """Every option of the fit, as text."""

    def to_file(self) -> bytes:
        """
        The bytes of a model file, which `sluice predict`, `inspect` and `diff` take.
        """

    @staticmethod
    def from_file(bytes: bytes) -> Fit: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[bytes, tuple[Sequence[str], Sequence[str], Sequence[str], str], tuple[Sequence[int], int, Sequence[int]], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None], /) -> None: ...

def follow(stream: Stream, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], every: int) -> tuple:
    """
    Predictions, ends of intervals, recorded rows, starts, inputs and weights of selections, events.
    """

def simulate_paper(switching: bool, by_text: bool, rows: int, seed: int) -> tuple: ...

def simulate_factors(options: dict, rows: int, seed: int) -> tuple: ...

def simulate_selection(options: dict, rows: int, seed: int) -> tuple: ...

def simulate_market(options: dict, rows: int, seed: int) -> tuple: ...

def read_arrow(table: object, what: str) -> tuple:
    """
    Names, values row by row and whether it is a table; else it is a single column.
    """

class DictRows:
    """Dicts to rows of one stream."""

    def __init__(self, stream: object | None, inputs: dict, targets: dict | None, names: list, input_texts: dict, target_texts: dict) -> None: ...

    def learn_one(self, x: object | None, y: object | None) -> bool:
        """
        Whether the row was learnt; not where it has keys that the stream does not know.
        """

    def predict_one(self, x: object | None) -> object: ...

    def predict_interval_one(self, x: object | None) -> object: ...

    def new_keys(self, x: object) -> list: ...

    def find_inputs(self, keys: list) -> list[int]:
        """The column of each key; -1: none."""

    def find_targets(self, keys: list) -> list[int]:
        """The same; an unknown target is an error."""

def numbers(values: list, place: str) -> NDArray[numpy.float64]:
    """Numbers of any objects, by the rules for the values of a dict."""

def methods_named(names: Sequence[str]) -> list[str]:
    """Those of these names, or all of them for ["all"]."""

def run_method(name: str, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: int, season: int, warmup: int) -> dict:
    """Each row is predicted before it is learnt."""

class FleetConfig:
    """What the models of a fleet are created with."""

    def __init__(self, tree: object) -> None: ...

    @property
    def key(self) -> str: ...

    @property
    def sequence(self) -> str: ...

    @property
    def targets(self) -> list[str]: ...

    @property
    def has_interval(self) -> bool: ...

    @property
    def horizon(self) -> int: ...

    def json(self) -> str:
        """One text for each config."""

def fleet_step(config: FleetConfig, state: object | None, rows: object, key: str) -> tuple:
    """
    State, targets, and of each row: sequence, row, numbers, outcome, what is selected, events.
    """

__version__: str
