// save.ts -- pictures as SVG and PNG, numbers as CSV. All are made here: nothing leaves the page.
import { el } from "./dom";
import type { Events } from "./events";
import { figure, niceStep } from "./format";
import type { HeatMap } from "./heatmap";
import { inUse } from "./inuse";
import { levelsOf } from "./levels";
import { fillOf, type LineChart } from "./lines";
import { eventsIn } from "./plot";
import { binCentre, binsIn } from "./scores";
import { kindColour, kindOf, shapePath, theme, type Theme } from "./theme";
import type { View } from "./view";

const WIDTH = 1000;
const LEFT = 150;
const RIGHT = 20;

// XML has no place for control characters.
const escape = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�")
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const n = (value: number): string => value.toFixed(1);

export function download(name: string, type: string, content: string | Blob): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function label(x: number, y: number, text: string, colour: string, anchor = "start", size = 12, weight = ""): string {
  const bold = weight ? ` font-weight="${weight}"` : "";
  return `<text x="${n(x)}" y="${n(y)}" fill="${colour}" text-anchor="${anchor}" font-size="${size}"${bold}>${escape(text)}</text>`;
}

function timeAxis(view: View, colours: Theme, top: number, x: (row: number) => number, grid: number): string {
  let out = "";
  for (const tick of view.scale.ticks(view.from, view.to, 8)) {
    out += `<line x1="${n(x(tick.row))}" x2="${n(x(tick.row))}" y1="${n(grid)}" y2="${n(top + 4)}" stroke="${colours.grid}"/>`;
    tick.label.split("\n").forEach((line, i) => (out += label(x(tick.row), top + 18 + 14 * i, line, colours.dim, "middle")));
  }
  return out;
}

function frame(height: number, colours: Theme, content: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${n(height)}" viewBox="0 0 ${WIDTH} ${n(height)}" ` +
    `font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="${colours.panel}"/>${content}</svg>`
  );
}

const xOf =
  (view: View): ((row: number) => number) =>
  (row) =>
    LEFT + ((row - view.from) / (view.to - view.from)) * (WIDTH - LEFT - RIGHT);

function chartSvg(view: View, chart: LineChart, top: number, colours: Theme): { height: number; content: string } {
  const spec = chart.current();
  const h = view.history;
  const x = xOf(view);
  const [first, last] = binsIn(h, view.from, view.to);
  let { low, high } = chart.extent() ?? { low: 0, high: 1 };
  if (!(high > low)) [low, high] = [low - 1, low + 1];
  const height = spec.height;
  const plot_top = top + 26;
  const bottom = plot_top + height - 70;
  // Values beyond the axis end at its edge.
  const y = (v: number): number =>
    bottom - ((Math.min(Math.max(v, low), high) - low) / (high - low)) * (bottom - plot_top);
  let out = "";
  let at = LEFT;
  for (const line of spec.lines) {
    out += `<line x1="${at}" x2="${at + 22}" y1="${top + 9}" y2="${top + 9}" stroke="${colours[line.colour]}" stroke-width="${line.width ?? 1.5}" stroke-dasharray="${(line.dash ?? []).join(" ")}"/>`;
    out += label(at + 28, top + 13, line.name, colours.text);
    at += 46 + 7 * line.name.length;
  }
  const step = niceStep(high - low, 5);
  for (let v = Math.ceil(low / step) * step; v <= high + step / 1e6; v += step) {
    out += `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${n(y(v))}" y2="${n(y(v))}" stroke="${colours.grid}"/>`;
    out += label(LEFT - 8, y(v) + 4, (spec.format ?? figure)(Math.abs(v) < step / 1e6 ? 0 : v), colours.dim, "end");
  }
  out += timeAxis(view, colours, bottom, x, plot_top);
  const rows = (i: number): number => x(binCentre(h, i));
  for (const band of spec.bands) {
    let run: number[] = [];
    const flush = (): void => {
      if (run.length > 0) {
        const up = run.map((i) => `${n(rows(i))},${n(y(band.high[i]!))}`);
        const down = run.reverse().map((i) => `${n(rows(i))},${n(y(band.low[i]!))}`);
        out += `<polygon points="${[...up, ...down].join(" ")}" fill="${fillOf(colours, band)}"/>`;
      }
      run = [];
    };
    for (let i = Math.max(0, first); i <= last; i++) {
      if (band.low[i] === null || band.high[i] === null) flush();
      else run.push(i);
    }
    flush();
  }
  for (const line of spec.lines) {
    let path = "";
    let pen = "M";
    for (let i = Math.max(0, first); i <= last; i++) {
      const v = line.values[i];
      if (v === null) pen = "M";
      else {
        path += `${pen}${n(rows(i))} ${n(y(v))}`;
        pen = "L";
      }
    }
    out += `<path d="${path}" fill="none" stroke="${colours[line.colour]}" stroke-width="${line.width ?? 1.5}" stroke-linecap="round" stroke-dasharray="${(line.dash ?? []).join(" ")}"/>`;
  }
  return { height: height - 10, content: out };
}

function markers(view: View, y: number): string {
  const x = xOf(view);
  return eventsIn(view.history, view)
    .map((event) => {
      const kind = kindOf(event.kind);
      return `<path d="${shapePath(kind.shape, x(Math.max(event.row, view.from)), y, 4)}" fill="${kindColour(kind)}"><title>${escape(event.text)}</title></path>`;
    })
    .join("");
}

export function chartsSvg(view: View, charts: LineChart[], title: string): string {
  const colours = theme();
  let top = 40;
  let content = label(16, 24, title, colours.text, "start", 15, "600");
  for (const chart of charts) {
    const part = chartSvg(view, chart, top, colours);
    content += part.content;
    top += part.height;
  }
  return frame(top + 8, colours, content);
}

const MOST_LINES = 300;
export function heatSvg(view: View, heat: HeatMap, title: string): string {
  const colours = theme();
  const rows = heat.rows.slice(0, MOST_LINES);
  const width = WIDTH - LEFT - RIGHT;
  let content = label(16, 24, title, colours.text, "start", 15, "600");
  rows.forEach((row, i) => {
    const y = 40 + 15 * i;
    const name = row.label.length > 22 ? row.label.slice(0, 21) + "…" : row.label;
    content += label(8 + 10 * row.depth, y + 11, name, colours.text, "start", 11);
    const levels = levelsOf(view, row.tracks, width, heat.largestShown);
    for (let x = 0; x < width; ) {
      const level = levels[x];
      let end = x + 1;
      while (end < width && levels[end] === level) end++;
      if (level > 0) content += `<rect x="${LEFT + x}" y="${y}" width="${end - x}" height="13" fill="${colours.heat[level - 1]}"/>`;
      x = end;
    }
  });
  const bottom = 44 + 15 * rows.length;
  content += markers(view, bottom + 4) + timeAxis(view, colours, bottom + 10, xOf(view), 40);
  const left_out = heat.rows.length - rows.length;
  if (left_out > 0) content += label(LEFT, bottom + 60, `and ${left_out} more inputs`, colours.dim);
  return frame(bottom + 66, colours, content);
}

/** A picture of a picture: what the SVG shows, twice as fine. */
export function savePng(name: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: image.width * 2, height: image.height * 2 });
      const ctx = canvas.getContext("2d")!;
      ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        if (blob) download(name, "image/png", blob);
        resolve();
      }, "image/png");
    };
    image.onerror = () => reject(new Error("the picture could not be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

// A cell that begins like a formula is not one: spreadsheets would run it.
function cell(value: unknown): string {
  if (value === null || value === undefined || (typeof value === "number" && !Number.isFinite(value))) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${String(value)}` : String(value);
  return /[",\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const csv = (lines: unknown[][]): string => lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";

const timeOf = (view: View, row: number): string => {
  const kind = view.scale.kind;
  if (kind === "date") return new Date(view.scale.valueAt(row) * 1000).toISOString().slice(0, view.scale.whole_days ? 10 : 19);
  return kind === "none" ? "" : kind === "number" ? String(view.scale.valueAt(row)) : view.scale.timeOnly(row);
};

export function chartsCsv(view: View, charts: LineChart[]): string {
  const h = view.history;
  const specs = charts.map((chart) => chart.current());
  const columns = specs.flatMap((spec) => [
    ...spec.lines.map((line) => ({ name: line.name, values: line.values })),
    ...spec.bands.flatMap((band, i) => {
      const of = band.name || (spec.lines[i - (spec.bands.length - spec.lines.length)]?.name ?? spec.lines[0].name);
      return [
        { name: `${of}, lowest`, values: band.low },
        { name: `${of}, highest`, values: band.high },
      ];
    }),
  ]);
  const [first, last] = binsIn(h, view.from, view.to);
  const lines: unknown[][] = [["first_row", "rows", "time", ...columns.map((c) => c.name)]];
  for (let i = Math.max(first, 0); i <= last; i++) {
    const row = h.first_row + i * h.rows_per_bin;
    lines.push([row, h.bin_rows[i], timeOf(view, row), ...columns.map((c) => c.values[i])]);
  }
  return csv(lines);
}

export function staysCsv(view: View): string {
  const lines: unknown[][] = [["input", "component", "from_row", "to_row", "from_time", "to_time", "entries", "rows", "error_without", "error_with"]];
  for (const v of view.history.variables) {
    for (const t of v.tracks) {
      for (let i = 0; i < t.stays.length; i += 4) {
        const [from, to, entries, rows] = t.stays.slice(i, i + 4);
        if (to < view.from || from > view.to) continue;
        const why = t.why.get(i / 4);
        lines.push([v.name, t.component + 1, from, to, timeOf(view, from), timeOf(view, to), entries, rows, why?.without, why?.with]);
      }
    }
  }
  return csv(lines);
}

export function eventsCsv(view: View, events: Events): string {
  const lines: unknown[][] = [["event", "row", "last_row", "count", "time", "columns", "entered", "left", "text"]];
  for (const e of events.inSpan()) {
    const list = (names?: string[]): string => (names ?? []).join("|");
    lines.push([e.kind, e.row, e.last_row ?? e.row, e.count ?? 1, e.at ?? timeOf(view, e.row), list(e.columns), list(e.entered), list(e.left), e.text]);
  }
  return csv(lines);
}

export function inUseCsv(view: View): string {
  const lines: unknown[][] = [["input", "component", "weight", "gain", "since_row", "since_time", "error_without", "error_with"]];
  for (const one of inUse(view.history, Math.floor(view.to))) {
    const since = one.track.stays[one.stay];
    const why = one.track.why.get(one.stay / 4);
    lines.push([one.variable.name, one.track.component + 1, one.weight, one.gain, since, timeOf(view, since), why?.without, why?.with]);
  }
  return csv(lines);
}

export interface Savers {
  name: string;
  svg?: () => string;
  csv: () => string;
}
export function saveButtons(savers: Savers): HTMLElement {
  const { name } = savers;
  const button = (kind: string, act: () => void): HTMLElement =>
    el("button", { type: "button", class: "small", "aria-label": `Save ${name.replaceAll("-", " ")} as ${kind}`, click: act }, kind);
  const made = savers.svg;
  return el(
    "span",
    { class: "save" },
    "Save ",
    made && button("PNG", () => void savePng(`${name}.png`, made())),
    made && button("SVG", () => download(`${name}.svg`, "image/svg+xml", made())),
    button("CSV", () => download(`${name}.csv`, "text/csv;charset=utf-8", savers.csv())),
  );
}
