// extent.ts -- which values an axis shows: most of what is in sight, so that one wrong value does not flatten all others.
import type { Values } from "./data";

const SHARE = 0.04; // of the values, at either end: these may lie beyond the axis
const TIMES = 5; // but only where all values would need an axis this many times as long as the others do
const FEWEST = 20; // values that can show that others are far away

export interface Extent {
  low: number;
  high: number;
}

/** Of the values at the places `first` to `last` of each series; null where there are none. */
export function allOf(series: Values[], first: number, last: number): Extent | null {
  let low = Infinity;
  let high = -Infinity;
  for (const values of series) {
    for (let i = Math.max(0, first); i <= last; i++) {
      const v = values[i];
      if (v === null || v === undefined) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? { low, high } : null;
}

/** The same without those that are far away from the others. */
export function mostOf(series: Values[], first: number, last: number): Extent | null {
  const all = allOf(series, first, last);
  if (!all) return null;
  const known: number[] = [];
  for (const values of series) {
    for (let i = Math.max(0, first); i <= last; i++) {
      const v = values[i];
      if (v !== null && v !== undefined) known.push(v);
    }
  }
  if (known.length < FEWEST) return all;
  const sorted = Float64Array.from(known).sort();
  const left_out = Math.max(1, Math.floor(SHARE * sorted.length));
  const low = sorted[left_out];
  const high = sorted[sorted.length - 1 - left_out];
  const width = high - low;
  if (!(width > 0) || all.high - all.low <= TIMES * width) return all;
  return { low: Math.max(all.low, low - width), high: Math.min(all.high, high + width) };
}
