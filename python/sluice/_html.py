"""How a fitted model looks in a notebook: what is selected now, with importances, stability, errors and last events.

Colours are those of the notebook, light or dark; names are escaped as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from sklearn import get_config  # type: ignore[import-untyped,unused-ignore]
from sklearn.utils import estimator_html_repr  # type: ignore[import-untyped,unused-ignore]

from sluice._records import Event

_MOST_INPUTS = 12
_MOST_TARGETS = 6
_MOST_EVENTS = 5
_MOST_NAMES = 5  # of an event
_LONGEST_NAME = 60
_GAIN = "by how much the error over variance would rise without it"

# Colours with some transparency are seen on a light and on a dark ground alike.
_STYLE = """<style>
.sluice-model{font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:inherit;
max-width:46em;border:1px solid rgba(128,128,128,.35);border-radius:6px;padding:.7em 1em .6em;margin:.3em 0}
.sluice-model .sluice-head{font-weight:600;margin-bottom:.3em}
.sluice-model .sluice-soft{opacity:.7;font-weight:400}
.sluice-model .sluice-facts{display:flex;flex-wrap:wrap;gap:.2em 1.6em;margin-bottom:.6em}
.sluice-model .sluice-facts b{font-variant-numeric:tabular-nums}
.sluice-model table.sluice-inputs{border-collapse:collapse;width:100%;border:none;margin:0;color:inherit;font-size:12px}
.sluice-model .sluice-inputs tr,.sluice-model .sluice-inputs tr:hover{background:transparent!important}
.sluice-model .sluice-inputs th{font-weight:400;opacity:.7;text-align:left;white-space:nowrap;
padding:.1em .8em .2em 0;border:none;border-bottom:1px solid rgba(128,128,128,.35)}
.sluice-model .sluice-inputs td{padding:.12em .8em .12em 0;border:none;text-align:left;white-space:nowrap}
.sluice-model .sluice-inputs .sluice-number{text-align:right;font-variant-numeric:tabular-nums}
.sluice-model .sluice-bar{display:inline-block;width:100%;min-width:9em;height:.7em;background:rgba(128,128,128,.18);
border-radius:2px;overflow:hidden;vertical-align:middle}
.sluice-model .sluice-bar i{display:block;height:100%;background:#3584c8}
.sluice-model .sluice-events{margin:.5em 0 0;padding-left:1.2em}
.sluice-model details{margin-top:.5em}
.sluice-model pre{white-space:pre-wrap;margin:.3em 0 0;font-size:11.5px;background:transparent;color:inherit}
</style>"""


class HtmlDisplay:
    """Gives a model `_repr_html_`. Before it is fitted: scikit-learn's own display."""

    def _repr_html_inner(self) -> str:  # scikit-learn's _repr_html_ returns this method
        return model_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = model_html(self)
        return bundle


def model_html(model: Any) -> str:
    """The display of a StreamRegressor.

    >>> import numpy as np, sluice
    >>> X = np.random.default_rng(1).normal(size=(100, 3))
    >>> "of 3 inputs" in model_html(sluice.StreamRegressor().fit(X, X[:, 1]))
    True
    """
    try:
        core = model._core
        return str(estimator_html_repr(model)) if core is None else _fitted_html(model, core)
    except RuntimeError as error:  # another thread is using the model: scikit-learn's display would read it too
        return f"<pre>{escape(repr(model))}\n{escape(str(error))}</pre>"


def _fitted_html(model: Any, core: Any) -> str:
    parts = [
        _STYLE,
        f'<div class="sluice-model"><div class="sluice-head">{escape(type(model).__name__)} '
        f'<span class="sluice-soft">predicts {_targets(core.target_names)}</span></div>',
        _facts(core),
        _inputs(model, core),
        _events(model.events_),
        f"<details><summary>options</summary><pre>{escape(repr(model))}</pre></details></div>",
    ]
    return "\n".join(parts)


def _name(text: str) -> str:
    return escape(text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "\u2026")


def _targets(names: list[str]) -> str:
    shown = ", ".join(_name(name) for name in names[:_MOST_TARGETS])
    rest = len(names) - _MOST_TARGETS
    return f"{shown} and {rest} more" if rest > 0 else shown


def _facts(core: Any) -> str:
    scores = core.one_step_r2
    several = len(scores) > 1
    shown = ", ".join(
        (f"{_name(name)} " if several else "") + f"<b>{_figure(score)}</b>"
        for name, score in zip(core.target_names[:_MOST_TARGETS], scores, strict=False)
    )
    facts = [
        f"one-step R\u00b2 {shown}",
        f"rows met <b>{core.rows_met:,}</b>",
        f"selected <b>{len(core.selected):,} of {core.inputs:,} inputs</b>",
    ]
    report = core.report
    if report is not None and 0.0 < report["forgetting"] < 1.0:
        facts.append(f"remembers about <b>{1.0 / (1.0 - report['forgetting']):,.0f} rows</b>")
    return '<div class="sluice-facts">' + "".join(f"<span>{fact}</span>" for fact in facts) + "</div>"


def _figure(score: float) -> str:
    return "unknown" if np.isnan(score) else f"{score:.3f}".replace("-", "\u2212")


def _inputs(model: Any, core: Any) -> str:
    importances = model.importances_
    if not importances:
        return _plain_inputs(core)
    largest = max(importance.contribution for importance in importances) or 1.0
    stability = dict(zip(core.input_names, core.stability, strict=True))
    signs = _signs(core)
    gains = any(importance.gain > 0 for importance in importances)  # none where components choose the inputs
    rows = []
    for importance in importances[:_MOST_INPUTS]:
        width = 100.0 * importance.contribution / largest
        rows.append(
            f"<tr><td>{_name(importance.input)}</td>"
            f'<td style="width:45%"><span class="sluice-bar"><i style="width:{width:.1f}%"></i></span></td>'
            f'<td class="sluice-number">{signs.get(importance.input, "")}{importance.contribution:.3f}</td>'
            + (f'<td class="sluice-number">{importance.gain:.2g}</td>' if gains else "")
            + f'<td class="sluice-number">{100 * stability[importance.input]:.0f} %</td></tr>'
        )
    rest = len(importances) - _MOST_INPUTS
    if rest > 0:
        rows.append(f'<tr><td colspan="5" class="sluice-soft">and {rest} more</td></tr>')
    return (
        '<table class="sluice-inputs"><tr><th>input</th><th>contribution</th>'
        '<th class="sluice-number" title="standard deviation of its part of the prediction, in those of the output">'
        "sd of output</th>"
        + (f'<th class="sluice-number" title="{_GAIN}">gain</th>' if gains else "")
        + '<th class="sluice-number" title="share of recent rows in which it was selected">stability</th></tr>'
        + "".join(rows)
        + "</table>"
    )


def _signs(core: Any) -> dict[str, str]:
    """The direction of each selected input, where there is one output."""
    if core.outputs != 1:
        return {}
    names, coefficients = core.input_names, core.coefficients
    return {names[index]: "+" if coefficients[index, 0] >= 0 else "\u2212" for index in core.selected}


# Where the structure was given by options, there are no importances.
def _plain_inputs(core: Any) -> str:
    names = core.input_names
    selected = core.selected
    if not selected:
        return '<div class="sluice-soft">no input is selected: the means are predicted</div>'
    shown = ", ".join(_name(names[index]) for index in selected[:60])
    rest = len(selected) - 60
    return f"<div>{shown}{f' and {rest} more' if rest > 0 else ''}</div>"


def _events(events: tuple[Event, ...]) -> str:
    """The last ones, the newest first, and the last sudden change; what repeats itself in one line."""
    lines = _joined(events)
    shown = lines[:_MOST_EVENTS]
    shown += [line for line in lines[_MOST_EVENTS:] if line.kind == "drift"][:1]
    if not shown:
        return ""
    items = "".join(f"<li>{line.text()}</li>" for line in shown)
    return f'<ul class="sluice-events" title="last events, the newest first">{items}</ul>'


@dataclass
class _Line:
    """Events of one kind: of one row, or of the same inputs in rows that follow each other."""

    kind: str
    first: int
    last: int
    names: tuple[str, ...]
    since: int | None

    def takes(self, event: Event) -> bool:
        names = (*event.inputs, *event.outputs)
        if event.kind != self.kind or self.kind in ("drift", "fresh_start"):
            return False
        if event.row == self.first == self.last:
            self.names += names
            return True
        if names == self.names and event.row == self.first - 1:
            self.first = event.row
            return True
        return False

    def text(self) -> str:
        names = ", ".join(_name(name) for name in self.names[:_MOST_NAMES])
        more = len(self.names) - _MOST_NAMES
        names += f" and {more} more" if more > 0 else ""
        text = {
            "drift": "sudden change" + (f" since about row {self.since:,}" if self.since is not None else ""),
            "suspect": "values that cannot be believed",
            "fresh_start": "fresh start: what was learnt before the change no longer predicts",
            "entered": "selected",
            "left": "no longer selected",
        }.get(self.kind, escape(self.kind))
        rows = f"row {self.first:,}" if self.first == self.last else f"rows {self.first:,} to {self.last:,}"
        between = "; selected since: " if self.kind == "drift" else ": "
        return f"{rows}: {text}{between + names if names else ''}"


def _joined(events: tuple[Event, ...]) -> list[_Line]:
    lines: list[_Line] = []
    for event in reversed(events):
        if not lines or not lines[-1].takes(event):
            names = (*event.inputs, *event.outputs)
            lines.append(_Line(event.kind, event.row, event.row, names, event.since))
    return lines
