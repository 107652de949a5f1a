// inuse.ts -- the inputs in use at the end of the span: how much each does, since when, and why it entered.
import { gainAt, stayAt, weightAt, type History, type Track, type Variable } from "./data";
import { card, el, svg, soon } from "./dom";
import { figure, plural } from "./format";
import { why } from "./notes";
import type { View } from "./view";

export interface InUse {
  variable: Variable;
  track: Track;
  stay: number;
  weight: number;
  gain: number;
}

/** The most important first, as far as that is known. */
export function inUse(h: History, row: number): InUse[] {
  const out: InUse[] = [];
  const at_end = row >= h.last_row;
  const place = new Map<number, number>();
  for (let i = 0; i < h.now.length; i += 3) if (!place.has(h.now[i]!)) place.set(h.now[i]!, i);
  for (const variable of h.variables) {
    for (const track of variable.tracks) {
      const stay = stayAt(track, row);
      if (stay < 0) continue;
      const now = at_end ? place.get(variable.id) : undefined;
      const single = variable.tracks.length === 1 && now !== undefined;
      const weight = single ? (h.now[now + 1] ?? NaN) : weightAt(h, track, row);
      const gain = single ? (h.now[now + 2] ?? NaN) : gainAt(h, track, row);
      out.push({ variable, track, stay, weight, gain });
    }
  }
  const rank = (one: InUse): number => (at_end ? (place.get(one.variable.id) ?? 1e9) : 0);
  const size = (one: InUse): number => (Number.isFinite(one.weight) ? one.weight : -1);
  return out.sort(
    (a, b) => a.track.component - b.track.component || size(b) - size(a) || rank(a) - rank(b) || b.variable.rows - a.variable.rows,
  );
}

const WIDTH = 120;
const HEIGHT = 20;

/** The weight over the span; where it is not known, when the input was selected. */
function sparkline(view: View, track: Track): SVGElement {
  const h = view.history;
  const picture = svg("svg", { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "spark" });
  const values: number[] = [];
  for (let x = 0; x < WIDTH; x++) {
    const row = Math.round(view.from + ((x + 0.5) / WIDTH) * (view.to - view.from));
    const weight = stayAt(track, row) < 0 ? NaN : track.weights ? weightAt(h, track, row) : 1;
    values.push(weight);
  }
  const largest = Math.max(...values.filter(Number.isFinite), 1e-300);
  let path = "";
  for (let x = 0; x < WIDTH; x++) {
    if (!Number.isFinite(values[x])) continue;
    path += `M${x + 0.5} ${HEIGHT}V${(HEIGHT - 1 - (values[x] / largest) * (HEIGHT - 3)).toFixed(1)}`;
  }
  picture.append(svg("path", { d: path, class: "spark-fill" }));
  return picture;
}

export class InUseTable {
  readonly section: HTMLElement;
  readonly controls: HTMLElement;
  private readonly body: HTMLElement;
  private readonly about = el("p", { class: "about" });
  private readonly frame = el("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Inputs in use" });

  constructor(private readonly view: View) {
    const parts = card("in-use", "Inputs in use", "");
    this.section = parts.section;
    this.controls = parts.controls;
    this.body = parts.body;
    this.section.insertBefore(this.about, this.body);
    this.body.append(this.frame);
    const write = soon(() => this.write());
    const later = soon(() => this.write(), 1000); // rows that come do not change it much
    view.listen((change) => {
      if (change.has("span")) write();
      else if (change.has("data")) later();
    });
    this.write();
  }

  rows(): InUse[] {
    return inUse(this.view.history, Math.floor(this.view.to));
  }

  private write(): void {
    const view = this.view;
    const h = view.history;
    const all = this.rows();
    const components = new Set(all.map((one) => one.track.component)).size > 1;
    const weighed = all.some((one) => Number.isFinite(one.weight));
    const gains = all.some((one) => Number.isFinite(one.gain));
    const reasons = all.some((one) => why(one.track, one.stay));
    this.about.textContent =
      `${plural(all.length, "input")} at ${view.scale.name(Math.floor(view.to))}, the end of the span.` +
      (weighed && h.has_tuning
        ? " Weight: how much of the prediction moves with the input. Gain: by how much the error over variance would rise without it."
        : all.length > 0 && !weighed
          ? " The log has no weights: `sluice stream --weights` writes them."
          : "");
    const largest = Math.max(...all.map((one) => (Number.isFinite(one.weight) ? one.weight : 0)), 1e-300);
    const head = ["input", components && "component", weighed && "weight", gains && "gain", "over the span", "selected since", reasons && "why it entered"];
    const cell = (label: string, ...content: (Node | string)[]): HTMLElement =>
      el("td", { "data-label": label }, ...content);
    const lines = all.map((one) => {
      const bar = el("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${(Math.max(one.weight, 0) / largest) * 70 || 0}px`;
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, one.variable.name),
        components && cell("component", String(one.track.component + 1)),
        weighed && cell("weight", el("span", { class: "number" }, figure(one.weight, 3)), bar),
        gains && cell("gain", el("span", { class: "number" }, figure(one.gain, 3))),
        cell("over the span", sparkline(view, one.track)),
        cell("selected since", view.scale.name(one.track.stays[one.stay])),
        reasons && cell("why it entered", why(one.track, one.stay) || "–"),
      );
    });
    this.frame.replaceChildren(
      el(
        "table",
        { class: "in-use" },
        el("thead", {}, el("tr", {}, ...head.filter((text): text is string => !!text).map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, ...lines),
      ),
    );
  }
}
