// lines.ts -- lines over time by uPlot, with a legend that has the values under the pointer.
import uPlot from "uplot";
import type { Values } from "./data";
import { el, svg } from "./dom";
import { allOf, mostOf, type Extent } from "./extent";
import { figure, plural } from "./format";
import { RIGHT, eventsIn, gutterFor, ticksFor } from "./plot";
import { binCentre, binsIn } from "./scores";
import { kindColour, kindOf, theme, type Theme } from "./theme";
import { spanKey, type View } from "./view";

export interface Line {
  name: string;
  colour: keyof Theme;
  values: Values;
  dash?: number[];
  width?: number;
}
export interface Band {
  name: string;
  low: Values;
  high: Values;
  colour: keyof Theme;
}
export interface LineSpec {
  /** Drawn from the first to the last: bands lie below all lines. */
  bands: Band[];
  lines: Line[];
  height: number;
  format?: (value: number | null) => string;
  /** Of the axis; without, what is in sight. */
  range?: [number, number];
  zero?: boolean;
  /** Values far away from the others lie beyond the axis, where they are marked, until somebody asks for all. */
  most?: boolean;
}

/** Values between gaps are drawn as points, because no line leads to them. */
function isolated(u: uPlot, series: number): number[] {
  const data = u.data[series];
  const out: number[] = [];
  for (let i = 0; i < data.length; i++) {
    if (data[i] != null && data[i - 1] == null && data[i + 1] == null) out.push(i);
  }
  return out;
}

export class LineChart {
  readonly element: HTMLElement;
  private readonly legend = el("div", { class: "legend" });
  private readonly place: HTMLElement;
  private plot: uPlot | null = null;
  private spec: LineSpec;
  private values: HTMLElement[] = [];
  private show_all = false;
  private readonly beyond = el("span", { class: "entry" });
  private readonly all_box = el("input", {
    type: "checkbox",
    change: () => {
      this.show_all = this.all_box.checked;
      this.rebuild(true);
    },
  });
  private readonly far_away = el("div", { class: "legend far-away", hidden: true }, this.beyond, el("label", {}, this.all_box, " Show all values"));
  // What is not in sight is drawn when it comes into sight.
  private in_sight = true;
  private stale: "" | "span" | "spec" | "style" = "";

  constructor(
    private readonly view: View,
    readonly name: string,
    private readonly make: () => LineSpec,
  ) {
    this.place = el("div", {
      class: "lines",
      tabindex: 0,
      role: "img",
      "aria-label": `${name}. Plus and minus zoom, square brackets move, 0 shows everything.`,
      keydown: ((e: KeyboardEvent) => {
        if (spanKey(view, e)) e.preventDefault();
        else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
          const step = Math.max(1, (view.to - view.from) / 50) * (e.key === "ArrowRight" ? 1 : -1);
          const row = (view.cursor ?? (view.from + view.to) / 2) + step;
          view.setCursor(Math.min(Math.max(row, view.from), view.to));
          e.preventDefault();
        }
      }) as EventListener,
    });
    this.element = el("div", { class: "chart" }, this.legend, this.far_away, this.place);
    this.spec = make();
    view.listen((change) => {
      if (change.has("theme")) this.rebuild(true);
      else if (change.has("data") || change.has("target")) this.rebuild();
      else if (change.has("span")) this.applySpan();
      else if (change.has("cursor") && this.in_sight) this.applyCursor();
    });
    const sight = new IntersectionObserver((entries) => {
      this.in_sight = entries[entries.length - 1].isIntersecting;
      if (!this.in_sight || !this.stale) return;
      if (this.stale === "span") this.applySpan();
      else this.rebuild(this.stale === "style");
    });
    sight.observe(this.element);
    const size = new ResizeObserver(() => this.resize());
    size.observe(this.place);
    view.onEnd(() => {
      sight.disconnect();
      size.disconnect();
      this.plot?.destroy();
      this.plot = null;
    });
  }

  current(): LineSpec {
    if (this.stale === "spec" || this.stale === "style") this.spec = this.make();
    return this.spec;
  }

  rebuild(restyled = false): void {
    const style = restyled || this.stale === "style";
    this.stale = this.in_sight ? "" : style ? "style" : "spec";
    if (!this.in_sight) return;
    const before = this.spec;
    this.spec = this.make();
    if (this.plot && !restyled && sameShape(before, this.spec)) {
      this.plot.setData(this.data(), false);
      this.applySpan();
      return;
    }
    this.plot?.destroy();
    this.plot = null;
    this.resize();
  }

  /** What the axis of values shows, without room at its ends; null where nothing is in sight. */
  extent(): Extent | null {
    const spec = this.spec;
    if (spec.range) return { low: spec.range[0], high: spec.range[1] };
    const [first, last] = binsIn(this.view.history, this.view.from, this.view.to);
    const series = [...spec.lines.map((l) => l.values), ...spec.bands.flatMap((b) => [b.low, b.high])];
    const extent = spec.most && !this.show_all ? mostOf(series, first, last) : allOf(series, first, last);
    return extent && spec.zero ? { low: Math.min(0, extent.low), high: extent.high } : extent;
  }

  /** Marks where values lie beyond the axis, and says how many. */
  private markBeyond(u: uPlot, colours: Theme): void {
    const { min, max } = u.scales.y;
    if (min == null || max == null) return;
    Object.assign(this.place.dataset, { low: min, high: max }); // for tests: a canvas does not say what it shows
    if (!this.spec.most) return;
    const [first, last] = binsIn(this.view.history, this.view.from, this.view.to);
    const size = 5 * devicePixelRatio;
    const places = new Set<number>();
    let farthest = 0;
    for (const line of this.spec.lines) {
      u.ctx.fillStyle = colours[line.colour] as string;
      for (let i = Math.max(0, first); i <= last; i++) {
        const value = line.values[i];
        if (value === null || (value >= min && value <= max)) continue;
        places.add(i);
        if (Math.abs(value) > Math.abs(farthest)) farthest = value;
        const x = u.valToPos(u.data[0][i], "x", true);
        const edge = value > max ? u.bbox.top : u.bbox.top + u.bbox.height;
        const inwards = value > max ? size * 1.6 : -size * 1.6;
        u.ctx.beginPath();
        u.ctx.moveTo(x, edge);
        u.ctx.lineTo(x - size, edge + inwards);
        u.ctx.lineTo(x + size, edge + inwards);
        u.ctx.fill();
      }
    }
    const text =
      places.size > 0
        ? `${plural(places.size, "point lies", "points lie")} beyond this scale, marked at its edge; the farthest is ${(this.spec.format ?? figure)(farthest)}.`
        : "";
    if (this.beyond.textContent !== text) this.beyond.textContent = text;
    this.far_away.hidden = places.size === 0 && !this.show_all;
  }

  /** Rows, then two series for each band and one for each line. */
  private data(): uPlot.AlignedData {
    const h = this.view.history;
    const x = Array.from({ length: h.bins }, (_, i) => binCentre(h, i));
    const values = [...this.spec.bands.flatMap((b) => [b.high, b.low]), ...this.spec.lines.map((l) => l.values)];
    return [x, ...values] as uPlot.AlignedData;
  }

  private resize(): void {
    const width = this.place.clientWidth;
    if (width === 0) return;
    if (this.plot && this.plot.width === width) return;
    if (this.stale === "spec" || this.stale === "style") this.spec = this.make();
    this.stale = "";
    this.plot?.destroy();
    this.build(width);
  }

  private applySpan(): void {
    if (!this.in_sight) this.stale ||= "span";
    else this.stale = "";
    if (this.in_sight) this.plot?.setScale("x", { min: this.view.from, max: this.view.to });
  }

  private applyCursor(): void {
    const u = this.plot;
    if (!u) return;
    const row = this.view.cursor;
    if (row === null) u.setCursor({ left: -10, top: -10 }, false);
    else u.setCursor({ left: u.valToPos(row, "x"), top: 10 }, false);
    this.showValues();
  }

  private showValues(): void {
    const u = this.plot;
    if (!u) return;
    const row = this.view.cursor;
    const index = row === null ? null : u.valToIdx(row);
    const format = this.spec.format ?? figure;
    this.spec.lines.forEach((line, i) => {
      this.values[i].textContent = index === null ? "" : ` ${format(line.values[index])}`;
    });
  }

  private drawLegend(colours: Theme): void {
    this.values = this.spec.lines.map(() => el("span", { class: "value" }));
    const swatch = (band: boolean, colour: string, line?: Line): SVGElement =>
      svg(
        "svg",
        { width: 24, height: 10, "aria-hidden": "true" },
        band
          ? svg("rect", { width: 24, height: 10, fill: colour })
          : svg("line", {
              x1: 0,
              x2: 24,
              y1: 5,
              y2: 5,
              stroke: colour,
              "stroke-width": line!.width ?? 1.5,
              "stroke-dasharray": (line!.dash ?? []).join(" "),
            }),
      );
    this.legend.replaceChildren(
      ...this.spec.lines.map((line, i) =>
        el("span", { class: "entry" }, swatch(false, colours[line.colour] as string, line), ` ${line.name}`, this.values[i]),
      ),
      ...this.spec.bands
        .filter((band) => band.name)
        .map((band) => el("span", { class: "entry" }, swatch(true, fillOf(colours, band)), ` ${band.name}`)),
    );
  }

  private build(width: number): void {
    const view = this.view;
    const colours = theme();
    const spec = this.spec;
    const gutter = gutterFor(width);
    const hidden = { stroke: "transparent", width: 0, points: { show: false } };
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    for (const band of spec.bands) {
      series.push({ ...hidden }, { ...hidden });
      bands.push({ series: [series.length - 2, series.length - 1], fill: fillOf(colours, band) });
    }
    for (const line of spec.lines) {
      series.push({
        stroke: colours[line.colour] as string,
        width: line.width ?? 1.5,
        dash: line.dash,
        points: { show: true, size: 4, fill: colours[line.colour] as string, filter: isolated },
      });
    }
    const grid = { stroke: colours.grid, width: 1 };
    const ticksOf = (): { row: number; label: string }[] =>
      view.scale
        .ticks(view.from, view.to, ticksFor(width - gutter))
        .map((t) => (fits(t, view, width - gutter - RIGHT) ? t : { row: t.row, label: "" }));
    const options: uPlot.Options = {
      width,
      height: spec.height,
      padding: [8, RIGHT, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: () => [view.from, view.to] },
        y: spec.range
          ? { range: spec.range }
          : {
              range: () => {
                const extent = this.extent();
                if (!extent) return [0, 1];
                const { low, high } = extent;
                const room = high > low ? (high - low) * 0.05 : Math.abs(high) * 0.1 || 1;
                return [spec.zero ? 0 : low - room, high + room];
              },
            },
      },
      axes: [
        {
          stroke: colours.dim,
          font: colours.font,
          grid,
          ticks: grid,
          size: () => (view.scale.hasTwoLines(view.from, view.to) ? 44 : 30),
          splits: () => ticksOf().map((t) => t.row),
          values: () => ticksOf().map((t) => t.label),
        },
        {
          stroke: colours.dim,
          font: colours.font,
          grid,
          ticks: grid,
          size: gutter,
          space: 28,
          values: (_u, splits) => splits.map((v) => (spec.format ?? figure)(v)),
        },
      ],
      series,
      bands,
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
        bind: {
          dblclick: () => () => {
            view.showAll();
            return null;
          },
        },
      },
      hooks: {
        setSelect: [
          (u) => {
            if (u.select.width > 4) {
              view.setSpan(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
            }
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setCursor: [
          (u) => {
            const left = u.cursor.left ?? -1;
            if (u.cursor.event) view.setCursor(left >= 0 ? u.posToVal(left, "x") : null);
          },
        ],
        draw: [(u) => this.markBeyond(u, colours)],
        drawClear: [
          (u) => {
            for (const event of eventsIn(view.history, view)) {
              if (event.kind !== "drift") continue;
              u.ctx.fillStyle = kindColour(kindOf(event.kind));
              u.ctx.fillRect(Math.round(u.valToPos(event.row, "x", true)), u.bbox.top, devicePixelRatio, u.bbox.height);
            }
          },
        ],
      },
    };
    this.plot = new uPlot(options, this.data(), this.place);
    this.applySpan();
    this.drawLegend(colours);
  }
}

/** Whether only the values differ. */
function sameShape(a: LineSpec, b: LineSpec): boolean {
  const shape = (s: LineSpec): string =>
    JSON.stringify([s.lines.map((l) => [l.name, l.colour, l.dash, l.width]), s.bands.map((l) => [l.name, l.colour]), s.height, s.range, s.zero, s.most]);
  return shape(a) === shape(b);
}

/** Whether half of a label, of 3.5 pixels to a letter, has room between its tick and the right edge. */
function fits(tick: { row: number; label: string }, view: View, width: number): boolean {
  const longest = Math.max(...tick.label.split("\n").map((line) => line.length));
  return ((view.to - tick.row) / (view.to - view.from)) * width + RIGHT > 3.5 * longest;
}

/** Bands are transparent, so that what lies below them is seen. */
export function fillOf(colours: Theme, band: Band): string {
  const colour = colours[band.colour] as string;
  return band.colour === "interval" ? colour : `${colour}33`;
}
