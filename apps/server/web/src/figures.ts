// figures.ts -- the errors of the span in numbers, beside those of two forecasts that need no model.
import { card, el, soon } from "./dom";
import { count, decimals, figure, percent, plural } from "./format";
import { score } from "./scores";
import type { View } from "./view";

export class Figures {
  readonly section: HTMLElement;
  private readonly body: HTMLElement;
  private readonly about = el("p", { class: "about" });

  constructor(private readonly view: View) {
    const parts = card("figures", "How good the predictions are", "");
    this.section = parts.section;
    this.body = parts.body;
    this.section.insertBefore(this.about, this.body);
    const write = soon(() => this.write());
    const later = soon(() => this.write(), 1000); // rows that come do not change it much
    view.listen((change) => {
      if (change.has("span") || change.has("target")) write();
      else if (change.has("data")) later();
    });
    this.write();
  }

  private write(): void {
    const view = this.view;
    const h = view.history;
    const target = h.targets[view.target];
    const s = score(h, target, view.from, view.to);
    const span = `${view.scale.name(Math.ceil(view.from), false)} to ${view.scale.name(Math.floor(view.to), false)}`;
    this.about.textContent =
      s.rows > 0
        ? `${target.name}, ${span}: ${plural(s.rows, "row")} whose value is known. Every prediction was made before.`
        : `${target.name}, ${span}: there is no row with a prediction and a known value.`;
    if (s.rows === 0) return this.body.replaceChildren();
    const best = Math.min(s.model, s.last_value, s.mean);
    const line = (name: string, squares: number): HTMLElement =>
      el(
        "tr",
        squares === best ? { class: "best" } : {},
        el("th", { scope: "row" }, name),
        el("td", {}, figure(Math.sqrt(squares))),
        el("td", {}, s.variance > 0 ? figure(squares / s.variance, 3) : "–"),
        el("td", {}, s.variance > 0 ? decimals(1 - squares / s.variance) : "–"),
      );
    const table = el(
      "table",
      { class: "numbers" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "forecast"),
          el("th", { scope: "col", title: "root mean squared error, in the unit of the target" }, "error"),
          el("th", { scope: "col", title: "mean squared error over the variance of the target" }, "error / variance"),
          el("th", { scope: "col", title: "1 minus error over variance" }, "R²"),
        ),
      ),
      el("tbody", {}, line("Sluice", s.model), line("the last value", s.last_value), line("the mean", s.mean)),
    );
    const notes = [`The largest error is ${figure(s.peak)}, at ${view.scale.name(s.peak_row)}.`];
    if (s.with_interval > 0) {
      notes.unshift(
        `${percent(s.inside / s.with_interval)} of ${count(s.with_interval)} values lie inside their interval.`,
      );
    }
    if (h.targets_left_out > 0) notes.push(`${plural(h.targets_left_out, "target")} more are not on this page.`);
    this.body.replaceChildren(table, el("p", { class: "about" }, notes.join(" ")));
  }
}
