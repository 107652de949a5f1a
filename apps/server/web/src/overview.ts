// overview.ts -- the whole stream in one strip, on which a span is chosen, and the controls that stay in sight.
import { choice, el, labelled } from "./dom";
import { mostOf } from "./extent";
import { count, plural } from "./format";
import { Box, RIGHT, drawMarkers, gutterFor, prepare } from "./plot";
import { theme } from "./theme";
import { spanKey, View } from "./view";

const HEIGHT = 46;

export class Overview {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", {});
  private readonly strip: HTMLElement;
  private readonly from = el("input", {});
  private readonly to = el("input", {});
  private drag: { x: number; from: number; to: number; pan: boolean } | null = null;

  constructor(private readonly view: View) {
    this.strip = el(
      "div",
      { class: "strip", tabindex: 0, role: "slider", "aria-label": "Span of rows that is shown", "aria-valuemin": 0 },
      this.canvas,
    );
    const button = (label: string, about: string, act: () => void): HTMLElement =>
      el("button", { type: "button", title: about, "aria-label": about, click: act }, label);
    const controls = el("div", { class: "controls" });
    const h = view.history;
    if (h.targets.length > 1) {
      const targets = h.targets.map((t, i): [string, string] => [String(i), t.name]);
      controls.append(labelled("Target", choice(targets, "0", (v) => view.setTarget(Number(v)))));
    }
    const kind = view.scale.kind === "date" ? (view.scale.whole_days ? "date" : "datetime-local") : "number";
    for (const input of [this.from, this.to]) {
      input.type = kind;
      input.addEventListener("change", () => this.typed());
    }
    const unit = kind === "number" ? " row" : "";
    controls.append(
      labelled(`From${unit}`, this.from),
      labelled("to", this.to),
      el(
        "span",
        { class: "buttons" },
        button("◀", "Earlier", () => view.pan(-0.5)),
        button("▶", "Later", () => view.pan(0.5)),
        button("+", "Zoom in", () => view.zoom(0.5)),
        button("−", "Zoom out", () => view.zoom(2)),
        button("All", "Show everything", () => view.showAll()),
      ),
    );
    this.element = el("div", { class: "overview" }, controls, this.strip);
    this.listen();
  }

  private box(): Box {
    const width = this.strip.clientWidth;
    const left = gutterFor(width);
    const h = this.view.history;
    const whole = { from: h.first_row, to: Math.max(h.last_row, h.first_row + 1), history: h, scale: this.view.scale } as View;
    return new Box(whole, left, Math.max(10, width - left - RIGHT));
  }

  private typed(): void {
    const view = this.view;
    const read = (input: HTMLInputElement, otherwise: number): number => {
      if (!input.value) return otherwise;
      if (input.type === "number") return Number(input.value);
      const seconds = Date.parse(input.value + (input.type === "date" ? "T00:00Z" : "Z")) / 1000;
      return Number.isFinite(seconds) ? view.scale.rowAt(seconds) : otherwise;
    };
    const from = read(this.from, view.from);
    const to = read(this.to, view.to);
    if (to > from) view.setSpan(from, to);
    else this.draw();
  }

  private listen(): void {
    this.view.listen(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.strip);
    this.strip.addEventListener("keydown", (e) => {
      if (spanKey(this.view, e)) e.preventDefault();
      else if (e.key === "ArrowLeft") this.view.pan(-0.1);
      else if (e.key === "ArrowRight") this.view.pan(0.1);
      else if (e.key === "ArrowUp") this.view.zoom(0.8);
      else if (e.key === "ArrowDown") this.view.zoom(1.25);
      else return;
      e.preventDefault();
    });
    const at = (e: PointerEvent): number => e.clientX - this.strip.getBoundingClientRect().left;
    this.strip.addEventListener("pointerdown", (e) => {
      const box = this.box();
      const x = at(e);
      const row = box.row(x);
      const pan = !this.view.isWhole() && row > this.view.from && row < this.view.to;
      this.drag = { x, from: this.view.from, to: this.view.to, pan };
      this.strip.setPointerCapture(e.pointerId);
    });
    this.strip.addEventListener("pointermove", (e) => {
      if (!this.drag) return;
      const box = this.box();
      const x = at(e);
      if (this.drag.pan) {
        const rows = box.row(x) - box.row(this.drag.x);
        this.view.setSpan(this.drag.from + rows, this.drag.to + rows);
      } else if (Math.abs(x - this.drag.x) > 4) {
        this.view.setSpan(box.row(Math.min(x, this.drag.x)), box.row(Math.max(x, this.drag.x)));
      }
    });
    this.strip.addEventListener("pointerup", () => (this.drag = null));
    this.strip.addEventListener("dblclick", () => this.view.showAll());
  }

  private draw(): void {
    const width = this.strip.clientWidth;
    if (width === 0) return;
    const ctx = prepare(this.canvas, width, HEIGHT);
    const colours = theme();
    const box = this.box();
    const view = this.view;
    const h = view.history;
    const observed = h.targets[view.target]?.observed;
    ctx.fillStyle = colours.grid;
    ctx.fillRect(box.left, 0, box.width, HEIGHT - 12);
    if (observed) {
      const low = observed.min ?? observed.mean;
      const high = observed.max ?? observed.mean;
      const { low: bottom, high: top } = mostOf([low, high], 0, h.bins - 1) ?? { low: 0, high: 1 };
      const y = (v: number): number =>
        HEIGHT - 14 - ((Math.min(Math.max(v, bottom), top) - bottom) / (top - bottom || 1)) * (HEIGHT - 18);
      ctx.strokeStyle = colours.dim;
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (let i = 0; i < h.bins; i++) {
        if (low[i] === null || high[i] === null) continue;
        const x = box.x(h.first_row + i * h.rows_per_bin);
        if (i === 0 || low[i - 1] === null) ctx.moveTo(x, y(low[i]!) + 0.5);
        else ctx.lineTo(x, y(low[i]!) + 0.5);
        ctx.lineTo(x, y(high[i]!) - 0.5);
      }
      ctx.stroke();
    }
    const x0 = box.x(view.from);
    const x1 = box.x(view.to);
    ctx.globalAlpha = 0.65;
    ctx.fillStyle = colours.panel;
    ctx.fillRect(box.left, 0, x0 - box.left, HEIGHT - 12);
    ctx.fillRect(x1, 0, box.left + box.width - x1, HEIGHT - 12);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.predicted;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(x0 + 0.5, 0.75, Math.max(x1 - x0 - 1, 2), HEIGHT - 13.5);
    drawMarkers(ctx, box, HEIGHT - 5);
    ctx.font = colours.font;
    ctx.fillStyle = colours.dim;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.fillText(view.span_name, 4, 12);
    ctx.fillText(plural(h.rows, "row"), 4, 27);
    this.write();
  }

  private write(): void {
    const view = this.view;
    const from = Math.ceil(view.from);
    const to = Math.floor(view.to);
    const whole = view.history.last_row - view.history.first_row || 1;
    this.strip.setAttribute("aria-valuemin", String(view.history.first_row));
    this.strip.setAttribute("aria-valuemax", String(view.history.last_row));
    this.strip.setAttribute("aria-valuenow", String(from));
    const share = Math.round((100 * (view.to - view.from)) / whole);
    this.strip.setAttribute("aria-valuetext", `${view.scale.name(from)} to ${view.scale.name(to)}: ${count(share)} % of the rows`);
    const put = (input: HTMLInputElement, row: number): void => {
      if (document.activeElement === input) return;
      if (input.type === "number") input.value = String(row);
      else input.value = new Date(view.scale.valueAt(row) * 1000).toISOString().slice(0, input.type === "date" ? 10 : 16);
    };
    put(this.from, from);
    put(this.to, to);
  }
}
