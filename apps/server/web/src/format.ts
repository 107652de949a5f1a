// format.ts -- numbers and times as a person writes them.
import { binOf, rowOfBin, type History } from "./data";

const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
export const count = (n: number): string => grouped.format(n);
export const plural = (n: number, one: string, many = one + "s"): string => `${count(n)} ${n === 1 ? one : many}`;

/** Four digits; very large and very small ones as 1.2 × 10⁻⁷. */
export function figure(value: number | null | undefined, digits = 4): string {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
    const power = Math.floor(Math.log10(size));
    const raised = String(power).replace(/[-\d]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));
    const front = (value / 10 ** power).toPrecision(Math.min(digits, 3));
    return `${minus(String(Number(front)))} × 10${raised}`;
  }
  const shown = Number(value.toPrecision(digits));
  return minus(new Intl.NumberFormat("en-GB", { maximumSignificantDigits: digits }).format(shown));
}
const minus = (text: string): string => text.replace("-", "−");

/** Three decimals, and more where 0.9999 would be 1. */
export function decimals(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return minus(String(Number(value.toFixed(value > 0.9985 ? 5 : 3))));
}

export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  return `${(100 * share).toFixed(share > 0.1 && share < 0.9995 ? 0 : 1)} %`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const two = (n: number): string => String(n).padStart(2, "0");
const DAY = 86400;

export interface TimeStep {
  seconds: number;
  months: number;
}
const STEPS: TimeStep[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200].map((seconds) => ({
    seconds,
    months: 0,
  })),
  ...[1, 2, 7, 14].map((days) => ({ seconds: days * DAY, months: 0 })),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 240, 600].map((months) => ({ seconds: months * 30.44 * DAY, months })),
];

/** The moment as a person writes it; `whole_days`: the stream has one row a day or fewer. */
export function moment(seconds: number, whole_days: boolean): string {
  const d = new Date(seconds * 1000);
  const day = `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
  if (whole_days && seconds % DAY === 0) return day;
  const clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
  const s = d.getUTCSeconds();
  return `${day}, ${clock}${s ? ":" + two(s) : ""}`;
}

function tickLabel(seconds: number, step: TimeStep, before: number | null): string {
  const d = new Date(seconds * 1000);
  const b = before === null ? null : new Date(before * 1000);
  const month = MONTHS[d.getUTCMonth()].slice(0, 3);
  const year = String(d.getUTCFullYear());
  const new_year = !b || b.getUTCFullYear() !== d.getUTCFullYear();
  if (step.months >= 12) return year;
  if (step.months > 0) return new_year ? `${month} ${year}` : month;
  if (step.seconds >= DAY) return `${d.getUTCDate()} ${month}${new_year ? ` ${year}` : ""}`;
  const new_day = !b || Math.floor(before! / DAY) !== Math.floor(seconds / DAY);
  const clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}${step.seconds < 60 ? ":" + two(d.getUTCSeconds()) : ""}`;
  return new_day ? `${clock}\n${d.getUTCDate()} ${month}${new_year ? ` ${year}` : ""}` : clock;
}

function dateTicks(from: number, to: number, most: number): { value: number; label: string }[] {
  // Years are short labels: more of them have room.
  const room = (s: TimeStep): number => (s.months >= 12 ? 1.8 * most : most);
  const step = STEPS.find((s) => (to - from) / s.seconds <= room(s)) ?? STEPS[STEPS.length - 1];
  const out: { value: number; label: string }[] = [];
  let before: number | null = null;
  const push = (value: number): void => {
    if (value < from || value > to) return;
    out.push({ value, label: tickLabel(value, step, before) });
    before = value;
  };
  if (step.months > 0) {
    const start = new Date(from * 1000);
    const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step.months) * step.months;
    for (let m = first; out.length <= 2 * most + 2; m += step.months) {
      const value = Date.UTC(Math.floor(m / 12), m % 12, 1) / 1000;
      if (value > to) break;
      push(value);
    }
  } else {
    for (let value = Math.ceil(from / step.seconds) * step.seconds; value <= to; value += step.seconds) push(value);
  }
  return out;
}

export function niceStep(span: number, most: number): number {
  const rough = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10) * power;
}

/** From rows to times and back; rows lie evenly on every axis. */
export class TimeScale {
  readonly kind: History["time"]["kind"];
  readonly whole_days: boolean;
  /** Whether times between the first rows of bins are known, because all bins last equally long. */
  readonly exact: boolean;
  constructor(private readonly h: History) {
    this.kind = h.time.kind;
    const values = (h.time.values ?? []).filter((v): v is number => typeof v === "number");
    this.whole_days = this.kind === "date" && values.every((v) => v % DAY === 0);
    const step = values[1] - values[0];
    this.exact = h.rows_per_bin === 1 || values.every((v, i) => i === 0 || Math.abs(v - values[i - 1] - step) < 1e-6 * step);
  }

  /** Seconds or the number at a row; between the first rows of two bins, in proportion. */
  valueAt(row: number): number {
    const h = this.h;
    const values = h.time.values as number[];
    const bin = binOf(h, row);
    const start = values[bin];
    const first = rowOfBin(h, bin);
    const is_last = bin + 1 >= h.bins;
    const next = is_last ? (h.time.last as number) : values[bin + 1];
    const next_row = is_last ? h.last_row : rowOfBin(h, bin + 1);
    if (start == null || next == null || next_row <= first) return start ?? NaN;
    return start + ((next - start) * (row - first)) / (next_row - first);
  }

  rowAt(value: number): number {
    let low = this.h.first_row;
    let high = this.h.last_row;
    while (high - low > 1e-3) {
      const mid = (low + high) / 2;
      if (this.valueAt(mid) < value) low = mid;
      else high = mid;
    }
    return high;
  }

  /** "15 September 2008 (row 684)"; "row 684" where there is no time. */
  name(row: number, with_row = true): string {
    const whole = Math.round(row);
    const at = `row ${count(whole)}`;
    const text = this.timeOnly(whole);
    return text ? (with_row ? `${text} (${at})` : text) : at;
  }

  timeOnly(row: number): string {
    if (this.kind === "none") return "";
    if (this.kind === "text") return String((this.h.time.values as string[])[binOf(this.h, row)] ?? "");
    const value = this.valueAt(row);
    if (!Number.isFinite(value)) return "";
    if (this.kind === "number") return `time ${figure(value, 7)}`;
    const first_of_bin = (Math.round(row) - this.h.first_row) % this.h.rows_per_bin === 0;
    const exact = this.exact || first_of_bin || row >= this.h.last_row;
    const rounded = this.whole_days ? Math.round(value / DAY) * DAY : Math.round(value / 60) * 60;
    return (exact ? "" : "about ") + moment(exact ? value : rounded, this.whole_days);
  }

  /** Whether the axis has the day below the time of day. */
  hasTwoLines(from: number, to: number): boolean {
    return this.kind === "date" && this.ticks(from, to, 10).some((t) => t.label.includes("\n"));
  }

  ticks(from: number, to: number, most: number): { row: number; label: string }[] {
    if (this.kind === "date") {
      return dateTicks(this.valueAt(from), this.valueAt(to), most).map((t) => ({ row: this.rowAt(t.value), label: t.label }));
    }
    const step = Math.max(1, niceStep(to - from, most));
    const out: { row: number; label: string }[] = [];
    for (let row = Math.ceil(from / step) * step; row <= to; row += step) {
      const text = this.kind === "none" ? count(row) : this.timeOnly(row);
      out.push({ row, label: text.length > 16 ? text.slice(0, 15) + "…" : text });
    }
    return out;
  }
}
