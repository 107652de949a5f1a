// view.ts -- what is shown: the span of rows, the target, and the row under the pointer. Every part of the page listens.
import type { History } from "./data";
import { TimeScale } from "./format";

export type Change = "span" | "target" | "cursor" | "data" | "theme" | "size";

export class View {
  history: History;
  scale: TimeScale;
  from: number;
  to: number;
  target = 0;
  /** What all rows of the history are. */
  span_name = "whole stream";
  /** Rows still come. */
  live = false;
  cursor: number | null = null;
  private listeners: ((change: Set<Change>) => void)[] = [];
  private endings: (() => void)[] = [];
  private pending = new Set<Change>();
  private whole = true;

  constructor(history: History) {
    this.history = history;
    this.scale = new TimeScale(history);
    this.from = history.first_row;
    this.to = Math.max(history.last_row, history.first_row + 1);
  }

  listen(listener: (change: Set<Change>) => void): void {
    this.listeners.push(listener);
  }

  /** Called when the page is put together again, for another view. */
  onEnd(ending: () => void): void {
    this.endings.push(ending);
  }
  end(): void {
    for (const ending of this.endings) ending();
    this.endings = [];
    this.listeners = [];
  }

  /** Listeners are called once before the next frame. */
  change(what: Change): void {
    if (this.pending.size === 0) requestAnimationFrame(() => this.tell());
    this.pending.add(what);
  }
  private tell(): void {
    const changes = this.pending;
    this.pending = new Set();
    for (const listener of this.listeners) listener(changes);
  }

  setSpan(from: number, to: number): void {
    const h = this.history;
    const last = Math.max(h.last_row, h.first_row + 1);
    const shortest = Math.min(10, last - h.first_row);
    const width = Math.min(Math.max(to - from, shortest), last - h.first_row);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - width / 2, h.first_row), last - width);
    this.to = this.from + width;
    this.whole = this.isWhole();
    this.change("span");
  }
  isWhole(): boolean {
    return this.from <= this.history.first_row && this.to >= this.history.last_row;
  }
  showAll(): void {
    this.setSpan(this.history.first_row, this.history.last_row);
  }
  zoom(factor: number, around = (this.from + this.to) / 2): void {
    this.setSpan(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }
  /** By a share of what is shown. */
  pan(share: number): void {
    const step = (this.to - this.from) * share;
    this.setSpan(this.from + step, this.to + step);
  }

  setTarget(target: number): void {
    this.target = target;
    this.change("target");
  }
  setCursor(row: number | null): void {
    if (row === this.cursor) return;
    this.cursor = row;
    this.change("cursor");
  }
  /** Shows the same span as another view did, as far as that is possible. */
  continueFrom(other: View): void {
    if (other.whole) return;
    const at_end = other.to >= other.history.last_row;
    const last = at_end ? this.history.last_row : other.to;
    this.setSpan(last - (other.to - other.from), last);
  }

  /** More rows have come. What shows everything, or the end, goes with them. */
  setHistory(history: History): void {
    const at_end = this.to >= this.history.last_row;
    const width = this.to - this.from;
    this.history = history;
    this.scale = new TimeScale(history);
    if (this.whole) this.showAll();
    else if (at_end) this.setSpan(history.last_row - width, history.last_row);
    this.change("data");
  }
}

/** Keys that every picture understands. True where the key was one of them. */
export function spanKey(view: View, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (event.key) {
    case "+":
    case "=":
      view.zoom(0.5, view.cursor ?? undefined);
      return true;
    case "-":
      view.zoom(2, view.cursor ?? undefined);
      return true;
    case "0":
      view.showAll();
      return true;
    case "[":
      view.pan(-0.25);
      return true;
    case "]":
      view.pan(0.25);
      return true;
  }
  return false;
}
