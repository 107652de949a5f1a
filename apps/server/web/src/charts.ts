// charts.ts -- the lines of the page: predicted and observed, the errors, and what was tuned.
import type { Ranges, Values } from "./data";
import { card, choice, el, labelled } from "./dom";
import { count, figure, percent } from "./format";
import { LineChart, type Band, type LineSpec } from "./lines";
import { rootMeanSquares, windows } from "./scores";
import type { Theme } from "./theme";
import type { View } from "./view";

export interface Picture {
  section: HTMLElement;
  controls: HTMLElement;
  charts: LineChart[];
}

function extremes(ranges: Ranges, colour: keyof Theme): Band[] {
  return ranges.min && ranges.max ? [{ name: "", low: ranges.min, high: ranges.max, colour }] : [];
}

export function predictedPicture(view: View): Picture {
  const h = view.history;
  const rows_ahead = h.horizon > 1 ? `, ${count(h.horizon)} rows before` : h.horizon === 1 ? ", one row before" : "";
  const many = h.rows_per_bin > 1 ? ` A point is the mean of ${count(h.rows_per_bin)} rows; the shade beside it reaches from the smallest to the largest.` : "";
  const parts = card("predicted", "Predicted and observed", `Each value was predicted before it was known${rows_ahead}.${many}`);
  const chart = new LineChart(view, "Predicted and observed values", () => {
    const target = view.history.targets[view.target];
    const bands: Band[] = [];
    if (target.low && target.high) bands.push({ name: "interval", low: target.low, high: target.high, colour: "interval" });
    bands.push(...extremes(target.observed, "observed"), ...extremes(target.predicted, "predicted"));
    return {
      height: 260,
      most: true,
      bands,
      lines: [
        { name: "observed", colour: "observed", values: target.observed.mean, width: 3 },
        { name: "predicted", colour: "predicted", values: target.predicted.mean, width: 1.25 },
      ],
    };
  });
  parts.body.append(chart.element);
  return { section: parts.section, controls: parts.controls, charts: [chart] };
}

type Mode = "window" | "cumulated" | "rows";

export function errorPicture(view: View): Picture {
  const parts = card("errors", "Error of the prediction", "");
  const about = el("p", { class: "about" });
  parts.section.insertBefore(about, parts.body);
  let mode: Mode = "window";
  let known = windows(view.history);
  let window = known.find((w) => w >= view.history.rows / 50) ?? known[known.length - 1] ?? 10;
  const chart = new LineChart(view, "Error of the prediction", (): LineSpec => {
    const h = view.history;
    const target = h.targets[view.target];
    about.textContent =
      mode === "rows"
        ? h.rows_per_bin > 1
          ? `The largest error among each ${count(h.rows_per_bin)} rows, in the unit of ${target.name}.`
          : `The error of each row, in the unit of ${target.name}.`
        : mode === "window"
          ? `Root mean squared error over the last ${count(window)} rows, in the unit of ${target.name}. Lower is better.`
          : `Root mean squared error over all rows from the beginning of the span, in the unit of ${target.name}. Lower is better.`;
    if (mode === "rows") {
      return { height: 200, bands: [], zero: true, most: true, lines: [{ name: "Sluice", colour: "predicted", values: target.peak }] };
    }
    const over = mode === "window" ? window : null;
    const values = (key: "squares" | "squares_last_value" | "squares_mean"): Values =>
      rootMeanSquares(h, target, key, over, view.from);
    return {
      height: 200,
      bands: [],
      zero: true,
      most: true,
      lines: [
        { name: "the mean so far", colour: "mean", values: values("squares_mean"), dash: [2, 3], width: 1.5 },
        { name: "the last value", colour: "last", values: values("squares_last_value"), dash: [7, 3], width: 1.5 },
        { name: "Sluice", colour: "predicted", values: values("squares"), width: 2.25 },
      ],
    };
  });
  const sizes = choice([], "", (v) => {
    window = Number(v);
    chart.rebuild();
  });
  const pick = labelled("rows", sizes);
  const offer = (): void => {
    sizes.replaceChildren(...known.map((w) => el("option", { value: w, selected: w === window }, count(w))));
    pick.hidden = mode !== "window" || known.length === 0;
  };
  offer();
  parts.controls.append(
    labelled(
      "Show",
      choice(
        [
          ["window", "in a window"],
          ["cumulated", "cumulated over the span"],
          ["rows", view.history.rows_per_bin > 1 ? "largest errors" : "row by row"],
        ],
        mode,
        (v) => {
          mode = v as Mode;
          offer();
          chart.rebuild();
        },
      ),
    ),
  );
  parts.controls.append(pick);
  view.listen((change) => {
    const now = change.has("data") ? windows(view.history) : known;
    if (now.length !== known.length) {
      known = now;
      if (!known.includes(window)) window = known[known.length - 1] ?? window;
      offer();
    }
    if (change.has("span") && mode === "cumulated") chart.rebuild();
  });
  parts.body.append(chart.element);
  return { section: parts.section, controls: parts.controls, charts: [chart] };
}

export function tunedPicture(view: View): Picture {
  const h = view.history;
  const parts = card("tuned", h.has_tuning ? "What was tuned" : "Settings", "");
  const small = (name: string, about: string, ranges: () => Ranges, rest: Partial<LineSpec>): LineChart => {
    const chart = new LineChart(view, name, () => ({
      height: 128,
      bands: extremes(ranges(), "predicted"),
      lines: [{ name, colour: "predicted", values: ranges().mean }],
      ...rest,
    }));
    parts.body.append(el("p", { class: "about" }, about), chart.element);
    return chart;
  };
  const charts = [
    small("inputs in use", "How many inputs predict.", () => view.history.tuned.names, { zero: true }),
    small(
      "forgetting factor",
      "How much of its memory the model keeps at each row: 1 forgets nothing, 0.99 remembers about 100 rows.",
      () => view.history.tuned.forgetting,
      { format: (v) => figure(v, 5) },
    ),
  ];
  if (h.tuned.last_value_share) {
    charts.push(
      small(
        "share of the last value",
        "How much of the prediction only repeats the last known value.",
        () => view.history.tuned.last_value_share!,
        { range: [0, 1], format: (v) => (v === null ? "–" : percent(v)) },
      ),
    );
  }
  return { section: parts.section, controls: parts.controls, charts };
}
