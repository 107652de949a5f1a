"""How a model looks in a notebook."""

from __future__ import annotations

import html.parser
import threading
from typing import Any

import numpy as np
import pytest
import sklearn
import sluice
from sluice import datasets
from sluice._html import _events
from sluice._records import Event


class Reader(html.parser.HTMLParser):
    """Text and tags; fails where tags do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.widths: list[float] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        style = dict(attrs).get("style") or ""
        if tag == "i":
            self.widths.append(float(style.removeprefix("width:").removesuffix("%")))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def shown(model: Any) -> Reader:
    return Reader(model._repr_html_())


@pytest.fixture(scope="module")
def model() -> Any:
    data = datasets.make_selection(inputs=30, drivers=3, signal_to_noise=50.0, change_at=200, rows=400, seed=1)
    return sluice.StreamRegressor().fit(data.X, data.y)


def test_the_display_names_what_is_selected_with_bars_of_importance(model: Any) -> None:
    page = shown(model)
    importances = model.importances_
    assert f"selected {len(model.selected_)} of 30 inputs" in page.text
    assert "rows met 400" in page.text
    assert f"one-step R\u00b2 {model.one_step_r2_[0]:.3f}" in page.text
    largest = max(importance.contribution for importance in importances)
    expected = [100 * importance.contribution / largest for importance in importances[:12]]
    np.testing.assert_allclose(page.widths, expected, atol=0.051)  # one decimal
    for importance in importances[:12]:
        assert importance.input in page.text
        assert f"{importance.contribution:.3f}" in page.text
    for index in model.selected_[:12]:
        assert f"{100 * model.stability_[index]:.0f} %" in page.text


def test_names_are_text_and_not_markup() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    evil = '<script>alert("x")</script>&'
    X = pandas.DataFrame(rng.normal(size=(200, 3)), columns=[evil, "b<i>", "c"])
    y = pandas.Series(X[evil] + X["b<i>"] + 0.1 * rng.normal(size=200), name="<b>target</b>")
    page = shown(sluice.StreamRegressor().fit(X, y))
    assert "script" not in page.tags
    assert "b" in page.tags  # our own
    assert evil in page.text
    assert "b<i>" in page.text
    assert "<b>target</b>" in page.text


def test_an_unfitted_model_has_scikit_learns_display() -> None:
    text = sluice.StreamRegressor()._repr_html_()
    assert "sk-estimator" in text
    assert "sluice-model" not in text


def test_notebooks_get_the_same_as_a_bundle(model: Any) -> None:
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"] == model._repr_html_()
    assert bundle["text/plain"] == repr(model)
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_long_names_and_many_inputs_are_cut() -> None:
    rng = np.random.default_rng(1)
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rng.normal(size=(400, 20)), columns=[f"{i} " + "n" * 100 for i in range(20)])
    page = shown(sluice.StreamRegressor(number="most", names=20).fit(X, X.sum(axis=1) + rng.normal(size=400)))
    assert len(page.widths) == 12
    assert "and 8 more" in page.text
    assert "n" * 60 not in page.text.split("options")[0]


def test_several_targets_have_a_score_each() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    model = sluice.StreamRegressor().fit(X, np.column_stack([X[:, 0], X[:, 1] + rng.normal(size=200)]))
    assert "y0 0.9" in shown(model).text
    assert f"y1 {model.one_step_r2_[1]:.3f}".replace("-", "\u2212") in shown(model).text


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_model_of_few_rows_is_shown(rows: int) -> None:
    page = shown(sluice.StreamRegressor().fit(np.arange(rows)[:, None], np.arange(rows)))
    assert f"rows met {rows}" in page.text


def test_fixed_options_are_shown_without_importances() -> None:
    data = datasets.make_paper(rows=100, seed=1)
    options: dict[str, Any] = dict(components=2, keep=5, forgetting=0.98, shrinkage=5.0)
    fixed = sluice.StreamRegressor(**options, intercept="fixed", alarms=False, robust=False).fit(data.X, data.y)
    page = shown(fixed)
    assert fixed.importances_ == () or page.widths
    for name in fixed.selected_names_[:10]:
        assert name in page.text
    assert "keep=5" in page.text


def test_events_that_repeat_are_one_line_and_the_last_change_is_kept() -> None:
    events = [Event(3, "drift", ("a",), (), 1)]
    events += [Event(row, "entered", (f"x{row}", ), (), None) for row in range(10, 20)]
    events += [Event(20, "left", ("p",), (), None), Event(20, "left", ("q",), (), None)]
    events += [Event(row, "suspect", ("s",), (), None) for row in range(30, 35)]
    text = Reader(_events(tuple(events))).text
    assert text.startswith("rows 30 to 34: values that cannot be believed: srow 20: no longer selected: q, p")
    assert text.endswith("row 3: sudden change since about row 1; selected since: a")
    assert _events(()) == ""


def test_a_model_in_use_by_another_thread_says_so() -> None:
    data = datasets.make_paper(rows=1500, seed=1)
    model = sluice.StreamRegressor().fit(data.X[:100], data.y[:100])

    def learn_when_alone() -> None:
        while True:
            try:
                model.partial_fit(data.X, data.y)
                return
            except RuntimeError:  # the other thread came first
                pass

    thread = threading.Thread(target=learn_when_alone)
    thread.start()
    seen = False
    while thread.is_alive() and not seen:
        seen = "another thread is using this model" in model._repr_html_()
    thread.join()
    assert seen
    assert "sluice-model" in model._repr_html_()
