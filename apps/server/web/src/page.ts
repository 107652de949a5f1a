// page.ts -- the parts of the page, for a history that is finished or that grows.
import { errorPicture, predictedPicture, tunedPicture, type Picture } from "./charts";
import type { History } from "./data";
import { choice, el, labelled } from "./dom";
import { Events } from "./events";
import { Figures } from "./figures";
import { plural } from "./format";
import { HeatMap } from "./heatmap";
import { InUseTable, inUse } from "./inuse";
import { Overview } from "./overview";
import { tip } from "./plot";
import { chartsCsv, chartsSvg, eventsCsv, heatSvg, inUseCsv, saveButtons, staysCsv } from "./save";
import { View } from "./view";

function titleOf(h: History): string {
  if (h.title) return h.title;
  const names = h.targets.map((t) => t.name);
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names;
  const list = shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}` : (shown[0] ?? "");
  return `Predicting ${list}`;
}

function summary(view: View): string {
  const h = view.history;
  const first = view.scale.name(h.first_row, false);
  const last = view.scale.name(h.last_row, false);
  const inputs = h.inputs > 0 ? ` from ${plural(h.inputs, "input")}` : "";
  const now = new Set(inUse(h, h.last_row).map((one) => one.variable.id)).size;
  return (
    `${plural(h.rows, "row")}${h.source && h.source !== "-" ? ` of ${h.source}` : ""}, ${first} to ${last}. ` +
    `${plural(h.targets.length + h.targets_left_out, "target")}${inputs}; ${plural(now, "input is", "inputs are")} in use ${view.live ? "now" : "at the end"}.`
  );
}

function themeChoice(view: View): HTMLElement {
  const options: [string, string][] = [
    ["", "as the system"],
    ["light", "light"],
    ["dark", "dark"],
  ];
  const select = choice(options, document.documentElement.dataset.theme ?? "", (v) => {
    if (v) document.documentElement.dataset.theme = v;
    else delete document.documentElement.dataset.theme;
    view.change("theme");
  });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const changed = (): void => view.change("theme");
  scheme.addEventListener("change", changed);
  view.onEnd(() => scheme.removeEventListener("change", changed));
  return labelled("Colours", select);
}

/** Puts the page together. `bar` comes first: the controls of a stream that runs. */
export function showPage(view: View, bar: HTMLElement | null, footer: string): void {
  const heading = el("h1", {}, titleOf(view.history));
  const about = el("p", { class: "summary" }, summary(view));
  document.title = `${titleOf(view.history)} · Sluice`;
  view.listen((change) => {
    if (change.has("data")) about.textContent = summary(view);
  });
  const overview = new Overview(view);
  const figures = new Figures(view);
  const heat = new HeatMap(view);
  heat.controls.append(
    saveButtons({ name: "selection", svg: () => heatSvg(view, heat, `${titleOf(view.history)}: selected inputs`), csv: () => staysCsv(view) }),
  );
  const withSave = (name: string, title: string, picture: Picture): Picture => {
    const heading = (): string => `${view.history.targets[view.target].name}: ${title}`;
    picture.controls.append(
      saveButtons({ name, svg: () => chartsSvg(view, picture.charts, heading()), csv: () => chartsCsv(view, picture.charts) }),
    );
    return picture;
  };
  const predicted = withSave("predicted", "predicted and observed", predictedPicture(view));
  const errors = withSave("errors", "error of the prediction", errorPicture(view));
  const tuned = withSave("tuned", "what was tuned", tunedPicture(view));
  const events = new Events(view);
  events.controls.append(saveButtons({ name: "events", csv: () => eventsCsv(view, events) }));
  const table = new InUseTable(view);
  table.controls.append(saveButtons({ name: "inputs-in-use", csv: () => inUseCsv(view) }));
  document.getElementById("page")!.replaceChildren(
    el("a", { href: "#selection", class: "skip" }, "Skip to the selection"),
    el("header", {}, el("div", { class: "head" }, heading, el("div", { class: "controls" }, themeChoice(view))), about),
    ...(bar ? [bar] : []),
    overview.element,
    el(
      "main",
      {},
      heat.section,
      predicted.section,
      el("div", { class: "pair" }, errors.section, figures.section),
      table.section,
      events.section,
      tuned.section,
    ),
    el("footer", {}, footer),
    tip,
  );
  Object.assign(window, { sluice: { heat, view } }); // for whoever looks into the page, and for its tests
}
