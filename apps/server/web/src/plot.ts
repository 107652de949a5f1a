// plot.ts -- what all pictures share: the place of the plot, the axis of time, markers of events and the note that follows
// the pointer.
import { el } from "./dom";
import type { History, StreamEvent } from "./data";
import { kindColour, kindOf, shapePath, theme } from "./theme";
import type { View } from "./view";

export const RIGHT = 24;
export const gutterFor = (width: number): number => (width < 620 ? 92 : 150);
export const ticksFor = (width: number): number => Math.max(3, Math.floor(width / 85));

export class Box {
  constructor(
    readonly view: View,
    readonly left: number,
    readonly width: number,
  ) {}
  x(row: number): number {
    return this.left + ((row - this.view.from) / (this.view.to - this.view.from)) * this.width;
  }
  row(x: number): number {
    return this.view.from + ((x - this.left) / this.width) * (this.view.to - this.view.from);
  }
}

/** A canvas for a size in CSS pixels, cleared. */
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** Events of the span with their places, in rows. */
export function eventsIn(h: History, view: View): StreamEvent[] {
  return h.events.filter((e) => (e.last_row ?? e.row) >= view.from && e.row <= view.to);
}

export function drawTimeAxis(ctx: CanvasRenderingContext2D, box: Box, top: number): void {
  const colours = theme();
  ctx.font = colours.font;
  ctx.fillStyle = colours.dim;
  ctx.strokeStyle = colours.grid;
  ctx.textBaseline = "top";
  const view = box.view;
  let free = -Infinity;
  for (const tick of view.scale.ticks(view.from, view.to, ticksFor(box.width))) {
    const x = Math.round(box.x(tick.row)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + 4);
    ctx.stroke();
    const lines = tick.label.split("\n");
    const width = Math.max(...lines.map((l) => ctx.measureText(l).width));
    const begin = Math.min(Math.max(x - width / 2, box.left - 20), box.left + box.width + RIGHT - width);
    if (begin < free) continue;
    ctx.textAlign = "left";
    lines.forEach((line, i) => ctx.fillText(line, begin, top + 6 + 14 * i));
    free = begin + width + 8;
  }
}

export function drawMarkers(ctx: CanvasRenderingContext2D, box: Box, y: number): void {
  for (const event of eventsIn(box.view.history, box.view)) {
    const kind = kindOf(event.kind);
    ctx.fillStyle = kindColour(kind);
    ctx.fill(new Path2D(shapePath(kind.shape, Math.max(box.x(event.row), box.left), y, 4)));
  }
}

/** The event whose marker is at x, if there is one. */
export function eventNear(box: Box, x: number): StreamEvent | null {
  let best: StreamEvent | null = null;
  let nearest = 7;
  for (const event of eventsIn(box.view.history, box.view)) {
    const apart = Math.abs(box.x(event.row) - x);
    if (apart < nearest) {
      nearest = apart;
      best = event;
    }
  }
  return best;
}

export const tip = el("div", { class: "tip", role: "status", hidden: true });

/** A note at a place of the window: a heading and lines. */
export function showTip(x: number, y: number, heading: string, lines: string[]): void {
  tip.replaceChildren(el("strong", {}, heading), ...lines.map((line) => el("div", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? Math.max(4, x - box.width - 14) : x + 14;
  const top = y + 14 + box.height > innerHeight ? Math.max(4, y - box.height - 14) : y + 14;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}
export function hideTip(): void {
  tip.hidden = true;
}

/** A name that is too long loses its middle: names often differ at both ends. */
export function drawLabel(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, room: number): void {
  let shown = text;
  for (let kept = text.length - 1; kept > 1 && ctx.measureText(shown).width > room; kept--) {
    shown = `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  }
  ctx.textAlign = "left";
  ctx.fillText(shown, x, y);
}
