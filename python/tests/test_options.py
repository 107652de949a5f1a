"""The options of on-line models have the names and the defaults of the C++ structs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import sluice
from sluice import _core
from sluice._options import OnlineOptions

PARAMETERS = {
    name: parameter.default
    for name, parameter in inspect.signature(OnlineOptions.__init__).parameters.items()
    if name != "self"
}
OF_THE_CORE = [name for name, _values, _help in _core.adaptive_fields()]


def texts(options: dict[str, Any]) -> dict[str, str]:
    """Every option of a model made with these, as the core writes it."""
    written: dict[str, str] = _core.Stream(5, 2, options, None).options
    return written


def test_the_keywords_are_the_options_of_the_core_in_their_order_and_the_coverage() -> None:
    assert list(PARAMETERS) == [*OF_THE_CORE, "coverage"]


def test_every_keyword_is_an_attribute_of_the_same_value() -> None:
    values = {name: object() for name in PARAMETERS}
    assert vars(OnlineOptions(**values)) == values


@pytest.mark.parametrize("name", OF_THE_CORE)
def test_a_default_is_that_of_the_core(name: str) -> None:
    assert texts({name: PARAMETERS[name]}) == texts({})


def test_all_defaults_together_are_those_of_the_core() -> None:
    assert texts({name: PARAMETERS[name] for name in OF_THE_CORE}) == texts({})


def test_the_texts_of_the_core_show_an_option_that_was_changed() -> None:
    changed = texts({"ridge": 2e-5})
    assert {name for name, text in changed.items() if text != texts({})[name]} == {"ridge"}
    assert list(changed) == OF_THE_CORE


def test_intervals_are_made_for_nine_outputs_in_ten_unless_told() -> None:
    assert sluice.StreamRegressor().coverage == 0.9


def test_the_help_has_a_line_for_every_option_of_the_core() -> None:
    lines = sluice.option_help().splitlines()
    assert [line.split(" ")[0] for line in lines] == OF_THE_CORE


def test_every_option_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"(?s)ridge.*penalty") as caught:
        texts({"ridge": "much", "penalty": "none such"})
    assert "none such" in str(caught.value)
