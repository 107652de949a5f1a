// heatmap.ts -- which inputs were selected when: a line to an input, dark where its weight is large. Only the lines in sight
// are drawn, so that thousands of them scroll.
import { card, choice, el, labelled, soon, svg } from "./dom";
import { figure, plural } from "./format";
import { largestWeight, levelsOf } from "./levels";
import { cellNote, eventNote } from "./notes";
import { Box, RIGHT, drawLabel, drawMarkers, drawTimeAxis, eventNear, eventsIn, gutterFor, hideTip, prepare, showTip } from "./plot";
import { heatRows, type HeatRow, type Order, type RowChoice } from "./rows";
import { HEAT_LEVELS, kindColour, kindOf, shapePath, theme, type Kind } from "./theme";
import { spanKey, type View } from "./view";


export class HeatMap {
  readonly section: HTMLElement;
  readonly controls: HTMLElement;
  rows: HeatRow[] = [];
  private readonly scroll = el("div", {
    class: "heat",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "heat map",
    "aria-label":
      "Selection over time. Up and down choose an input, left and right a row, Enter unfolds the lags of a tag, " +
      "plus and minus zoom, square brackets move, 0 shows everything.",
  });
  private readonly spacer = el("div", { class: "spacer" });
  private readonly canvas = el("canvas", {});
  private readonly axis = el("canvas", { class: "axis" });
  private readonly about = el("span", {});
  private readonly kinds = el("span", { class: "kinds" });
  private readonly key = el("canvas", {});
  private readonly keyLabel = el("span", {});
  private readonly spoken = el("p", { class: "spoken", "aria-live": "polite" });
  private readonly state: RowChoice;
  private line = 0;
  private keyed = false;
  private largest = 1;
  private drag: { x: number; now: number; pan: boolean } | null = null;

  constructor(private readonly view: View) {
    const h = view.history;
    const parts = card(
      "selection",
      "Which inputs were selected, and when",
      (h.has_weights
        ? "Each line is an input. It is coloured while the input is used for the prediction: the stronger the colour, the larger its weight."
        : "Each line is an input. It is coloured while the input is used for the prediction.") +
        " Drag to choose a span of time.",
    );
    this.section = parts.section;
    this.controls = parts.controls;
    const components = new Set(h.variables.flatMap((v) => v.tracks.map((t) => t.component)));
    const tags = new Set(h.variables.map((v) => v.tag));
    const lagged = tags.size < h.variables.length;
    this.state = {
      order: "stability",
      component: null,
      grouped: lagged,
      unfolded: new Set(),
      filter: "",
      from: view.from,
      to: view.to,
    };
    const update = (): void => this.rebuild();
    const orders: [Order, string][] = [
      ["stability", "longest selected first"],
      ["importance", h.has_weights ? "largest weight first" : "most important at the end first"],
      ["first", "first selected first"],
      ["name", "by name"],
    ];
    this.controls.append(
      labelled(
        "Order",
        choice(orders, "stability", (v) => {
          this.state.order = v as Order;
          update();
        }),
      ),
    );
    if (components.size > 1) {
      const options: [string, string][] = [...components].sort((a, b) => a - b).map((c) => [String(c), String(c + 1)]);
      this.controls.append(
        labelled(
          "Component",
          choice([["", "all together"], ...options], "", (v) => {
            this.state.component = v === "" ? null : Number(v);
            update();
          }),
        ),
      );
    }
    if (lagged) {
      const box = el("input", {
        type: "checkbox",
        checked: true,
        change: () => {
          this.state.grouped = box.checked;
          update();
        },
      });
      this.controls.append(labelled("Lags as groups", box));
      const unfold = el(
        "button",
        {
          type: "button",
          click: () => {
            const all = this.rows.filter((r) => r.unfolded !== null).map((r) => r.tag);
            this.state.unfolded = this.state.unfolded.size > 0 ? new Set() : new Set(all);
            update();
          },
        },
        "Unfold",
      );
      this.unfoldButton = unfold;
      this.controls.append(unfold);
    }
    const find = el("input", {
      type: "search",
      size: 10,
      input: () => {
        this.state.filter = find.value;
        update();
      },
    });
    if (h.variables.length > 12) this.controls.append(labelled("Find", find));
    this.spacer.append(this.canvas);
    this.scroll.append(this.spacer);
    const key = h.has_weights && el("span", { class: "scale" }, "weight 0", this.key, this.keyLabel);
    parts.body.append(this.scroll, this.axis, el("div", { class: "below" }, this.about, this.kinds, key), this.spoken);
    this.listen();
    this.rebuild();
  }
  private unfoldButton: HTMLButtonElement | null = null;

  private get lineHeight(): number {
    return this.scroll.clientWidth < 620 ? 20 : 17;
  }
  private box(): Box {
    const width = this.scroll.clientWidth;
    const left = gutterFor(width);
    return new Box(this.view, left, Math.max(10, width - left - RIGHT));
  }

  private listen(): void {
    const rebuildSoon = soon(() => this.rebuild(), 500); // inputs that are new get their line then
    this.view.listen((change) => {
      if (change.has("data")) rebuildSoon();
      if (change.has("theme")) this.rebuild();
      else if (change.has("span") && this.state.order === "importance") this.rebuild();
      else this.draw();
    });
    this.scroll.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.layout()).observe(this.scroll);
    this.scroll.addEventListener("pointermove", (e) => this.pointed(e));
    this.scroll.addEventListener("pointerleave", () => {
      hideTip();
      this.view.setCursor(null);
    });
    this.scroll.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || e.pointerType === "touch") return;
      const x = this.local(e).x;
      if (x < this.box().left) return;
      this.drag = { x, now: x, pan: e.shiftKey };
      this.scroll.setPointerCapture(e.pointerId);
    });
    this.scroll.addEventListener("pointerup", (e) => this.released(e));
    this.scroll.addEventListener("click", (e) => {
      const { x, line } = this.local(e);
      if (x < this.box().left) this.toggle(line);
    });
    this.scroll.addEventListener("dblclick", () => this.view.showAll());
    this.scroll.addEventListener(
      "wheel",
      (e) => {
        if (e.ctrlKey || e.metaKey) {
          e.preventDefault();
          this.view.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.box().row(this.local(e).x));
        } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
          e.preventDefault();
          this.view.pan(e.deltaX / 800);
        }
      },
      { passive: false },
    );
    this.scroll.addEventListener("keydown", (e) => this.pressed(e));
    this.scroll.addEventListener("blur", () => {
      this.keyed = false;
      hideTip();
      this.draw();
    });
    this.axis.addEventListener("pointermove", (e) => {
      const x = e.clientX - this.axis.getBoundingClientRect().left;
      const event = eventNear(this.box(), x);
      if (!event) return hideTip();
      const note = eventNote(this.view, event);
      showTip(e.clientX, e.clientY, note.heading, note.lines);
    });
    this.axis.addEventListener("pointerleave", hideTip);
  }

  private local(e: MouseEvent): { x: number; line: number } {
    const box = this.scroll.getBoundingClientRect();
    const y = e.clientY - box.top + this.scroll.scrollTop;
    return { x: e.clientX - box.left, line: Math.floor(y / this.lineHeight) };
  }

  private pointed(e: PointerEvent): void {
    const { x, line } = this.local(e);
    const box = this.box();
    if (this.drag) {
      if (this.drag.pan) {
        const rows = ((this.drag.now - x) / box.width) * (this.view.to - this.view.from);
        this.view.setSpan(this.view.from + rows, this.view.to + rows);
      }
      this.drag.now = x;
      hideTip();
      this.draw();
      return;
    }
    const row = this.rows[line];
    this.keyed = false;
    if (!row || x > box.left + box.width) {
      hideTip();
      return;
    }
    this.line = line;
    if (x < box.left) {
      const more = row.unfolded === null ? [] : [row.unfolded ? "click to fold its lags" : "click to unfold its lags"];
      showTip(e.clientX, e.clientY, row.label, [`selected in ${plural(row.variables[0].rows, "row")}`, ...more]);
      return;
    }
    this.view.setCursor(box.row(x));
    const note = cellNote(this.view, row, box.row(x));
    showTip(e.clientX, e.clientY, note.heading, note.lines);
  }

  private released(e: PointerEvent): void {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    this.scroll.releasePointerCapture(e.pointerId);
    if (!drag.pan && Math.abs(drag.now - drag.x) > 4) {
      const box = this.box();
      const clamp = (x: number): number => box.row(Math.min(Math.max(x, box.left), box.left + box.width));
      this.view.setSpan(clamp(Math.min(drag.x, drag.now)), clamp(Math.max(drag.x, drag.now)));
    }
    this.draw();
  }

  private toggle(line: number): void {
    const row = this.rows[line];
    if (!row || row.unfolded === null) return;
    if (row.unfolded) this.state.unfolded.delete(row.tag);
    else this.state.unfolded.add(row.tag);
    this.rebuild();
  }

  private pressed(e: KeyboardEvent): void {
    const view = this.view;
    if (spanKey(view, e)) {
      e.preventDefault();
      return;
    }
    const step = Math.max(1, (view.to - view.from) / 50);
    const row = view.cursor ?? (view.from + view.to) / 2;
    const page = Math.max(1, Math.floor(this.scroll.clientHeight / this.lineHeight) - 1);
    if (e.key === "ArrowDown") this.line++;
    else if (e.key === "ArrowUp") this.line--;
    else if (e.key === "PageDown") this.line += page;
    else if (e.key === "PageUp") this.line -= page;
    else if (e.key === "Home") this.line = 0;
    else if (e.key === "End") this.line = this.rows.length - 1;
    else if (e.key === "ArrowRight") view.setCursor(Math.min(row + step, view.to));
    else if (e.key === "ArrowLeft") view.setCursor(Math.max(row - step, view.from));
    else if (e.key === "Enter" || e.key === " ") this.toggle(this.line);
    else if (e.key === "Escape") return hideTip();
    else return;
    e.preventDefault();
    this.line = Math.min(Math.max(this.line, 0), this.rows.length - 1);
    this.keyed = true;
    if (view.cursor === null) view.setCursor(row);
    this.showKeyed();
  }

  private showKeyed(): void {
    const line = this.rows[this.line];
    if (!line) return;
    const height = this.lineHeight;
    const top = this.line * height;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    if (top + height > this.scroll.scrollTop + this.scroll.clientHeight) {
      this.scroll.scrollTop = top + height - this.scroll.clientHeight;
    }
    const box = this.box();
    const at = this.scroll.getBoundingClientRect();
    const row = this.view.cursor ?? this.view.from;
    const note = cellNote(this.view, line, row);
    showTip(at.left + box.x(row), at.top + top - this.scroll.scrollTop + height, note.heading, note.lines);
    this.spoken.textContent = [note.heading, ...note.lines].join(". ");
    this.draw();
  }

  rebuild(): void {
    this.state.from = this.view.from;
    this.state.to = this.view.to;
    this.rows = heatRows(this.view.history, this.state);
    this.largest = largestWeight(this.view);
    const h = this.view.history;
    if (this.unfoldButton) {
      this.unfoldButton.textContent = this.state.unfolded.size > 0 ? "Fold all" : "Unfold all";
      this.unfoldButton.hidden = !this.state.grouped;
    }
    this.about.textContent =
      (h.inputs > 0 ? `${plural(h.variables_known, "input")} of ${h.inputs} were` : `${plural(h.variables_known, "input")} were`) +
      " selected at some time" +
      (this.rows.length * this.lineHeight > 442 ? "; scroll to see all of them." : ".") +
      (h.variables_left_out > 0 ? ` The ${plural(h.variables_left_out, "input")} with the fewest rows are not shown.` : "") +
      (h.shortest_gap > 1 ? ` Gaps shorter than ${plural(h.shortest_gap, "row")} are drawn closed.` : "");
    this.nameKinds();
    this.keyLabel.textContent = `${figure(this.largest, 2)} or more`;
    this.layout();
  }

  /** What the markers below the lines mean. */
  private nameKinds(): void {
    const kinds = [...new Set(this.view.history.events.map((e) => e.kind))].map(kindOf);
    const shown = new Map<string, { kind: Kind; names: string[] }>();
    for (const kind of kinds) {
      const key = kind.shape + kind.colour;
      shown.set(key, { kind, names: [...(shown.get(key)?.names ?? []), kind.name] });
    }
    this.kinds.replaceChildren(
      ...[...shown.values()].map(({ kind, names }) =>
        el(
          "span",
          { class: "entry" },
          svg(
            "svg",
            { width: 12, height: 12, "aria-hidden": "true" },
            svg("path", { d: shapePath(kind.shape, 6, 6, 4), fill: kindColour(kind) }),
          ),
          names.join(", "),
        ),
      ),
    );
  }

  private drawKey(heat: string[]): void {
    const ctx = prepare(this.key, 120, 10);
    for (let x = 0; x < 120; x++) {  // as levelsOf() colours a weight
      ctx.fillStyle = heat[Math.min(HEAT_LEVELS - 1, Math.floor(Math.sqrt(x / 120) * HEAT_LEVELS))];
      ctx.fillRect(x, 0, 1, 10);
    }
  }

  private layout(): void {
    const height = this.rows.length * this.lineHeight;
    this.spacer.style.height = `${height}px`;
    this.scroll.style.height = `${Math.min(Math.max(height, 40), 442)}px`;
    this.draw();
  }

  draw(): void {
    const width = this.scroll.clientWidth;
    const height = this.scroll.clientHeight;
    if (width === 0) return;
    const ctx = prepare(this.canvas, width, height);
    const colours = theme();
    const box = this.box();
    const line_height = this.lineHeight;
    const first = Math.floor(this.scroll.scrollTop / line_height);
    ctx.font = colours.font;
    ctx.textBaseline = "middle";
    if (this.rows.length === 0) {
      ctx.fillStyle = colours.dim;
      ctx.fillText("No input was selected.", box.left, height / 2);
    }
    const last = Math.min(this.rows.length, first + Math.ceil(height / line_height) + 1);
    const columns = Math.floor(box.width);
    for (let i = first; i < last; i++) {
      const row = this.rows[i];
      const y = i * line_height - this.scroll.scrollTop;
      ctx.fillStyle = colours.grid;
      ctx.fillRect(box.left, y + line_height - 1, box.width, 0.5);
      const levels = levelsOf(this.view, row.tracks, columns, this.largest);
      for (let x = 0; x < columns; ) {
        const level = levels[x];
        let end = x + 1;
        while (end < columns && levels[end] === level) end++;
        if (level > 0) {
          ctx.fillStyle = colours.heat[level - 1];
          ctx.fillRect(box.left + x, y + 1, end - x, line_height - 2.5);
        }
        x = end;
      }
      const here = i === this.line && (this.keyed || this.view.cursor !== null);
      ctx.fillStyle = here ? colours.text : colours.dim;
      const mark = row.unfolded === null ? "" : row.unfolded ? "▾ " : "▸ ";
      drawLabel(ctx, mark + row.label, 4 + 12 * row.depth, y + line_height / 2, box.left - 10 - 12 * row.depth);
      if (here && this.keyed) {
        ctx.strokeStyle = colours.text;
        ctx.strokeRect(0.5, y + 0.5, width - 1, line_height - 1);
      }
    }
    for (const event of eventsIn(this.view.history, this.view)) {
      if (event.kind !== "drift") continue;
      ctx.fillStyle = kindColour(kindOf(event.kind));
      ctx.fillRect(Math.round(box.x(event.row)), 0, 1, height);
    }
    if (this.view.cursor !== null) {
      ctx.fillStyle = colours.text;
      ctx.globalAlpha = 0.5;
      ctx.fillRect(Math.round(box.x(this.view.cursor)), 0, 1, height);
      ctx.globalAlpha = 1;
    }
    if (this.drag && !this.drag.pan) {
      ctx.globalAlpha = 0.2;
      ctx.fillStyle = colours.text;
      ctx.fillRect(Math.min(this.drag.x, this.drag.now), 0, Math.abs(this.drag.now - this.drag.x), height);
      ctx.globalAlpha = 1;
    }
    this.drawKey(colours.heat);
    const below = prepare(this.axis, width, this.view.scale.hasTwoLines(this.view.from, this.view.to) ? 52 : 38);
    drawMarkers(below, box, 8);
    drawTimeAxis(below, box, 16);
  }

  get choice(): RowChoice {
    return this.state;
  }
  get largestShown(): number {
    return this.largest;
  }
}
