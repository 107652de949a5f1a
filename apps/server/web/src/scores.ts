// scores.ts -- errors over a span, from the sums of its bins.
import { rowOfBin, type History, type Target } from "./data";

export interface Score {
  rows: number;
  model: number;
  last_value: number;
  mean: number;
  variance: number;
  with_interval: number;
  inside: number;
  peak: number;
  peak_row: number;
}

/** Bins whose middle lies in the span. */
export function binsIn(h: History, from: number, to: number): [number, number] {
  const half = (h.rows_per_bin - 1) / 2;
  const first = Math.max(0, Math.ceil((from - half - h.first_row) / h.rows_per_bin));
  const last = Math.min(h.bins - 1, Math.floor((to - half - h.first_row) / h.rows_per_bin));
  return [first, last];
}

/** Mean squares, and the variance of what was observed. */
export function score(h: History, target: Target, from: number, to: number): Score {
  const out: Score = {
    rows: 0,
    model: 0,
    last_value: 0,
    mean: 0,
    variance: 0,
    with_interval: 0,
    inside: 0,
    peak: -1,
    peak_row: 0,
  };
  let centre = 0;
  const [first, last] = binsIn(h, from, to);
  for (let i = first; i <= last; i++) {
    const n = target.scored[i];
    if (target.with_interval && target.inside) {
      out.with_interval += target.with_interval[i];
      out.inside += target.inside[i];
    }
    if (!n) continue;
    const apart = (target.centre[i] ?? 0) - centre;
    out.variance += (target.spread[i] ?? 0) + (apart * apart * n * out.rows) / (n + out.rows);
    centre += (apart * n) / (n + out.rows);
    out.rows += n;
    out.model += target.squares[i] ?? 0;
    out.last_value += target.squares_last_value[i] ?? 0;
    out.mean += target.squares_mean[i] ?? 0;
    const peak = target.peak[i];
    if (peak !== null && peak > out.peak) {
      out.peak = peak;
      out.peak_row = target.peak_row[i];
    }
  }
  for (const key of ["model", "last_value", "mean", "variance"] as const) out[key] /= out.rows;
  return out;
}

/** Root mean squares of the last `window` rows at each bin, or of all rows since the first bin of the span. */
export function rootMeanSquares(
  h: History,
  target: Target,
  key: "squares" | "squares_last_value" | "squares_mean",
  window: number | null,
  from: number,
): (number | null)[] {
  const bins = window === null ? 0 : Math.max(1, Math.round(window / h.rows_per_bin));
  const [first] = binsIn(h, from, from);
  const begin = window === null ? Math.max(0, first) : 0;
  const out: (number | null)[] = new Array(h.bins).fill(null);
  let squares = 0;
  let rows = 0;
  for (let i = begin; i < h.bins; i++) {
    squares += target[key][i] ?? 0;
    rows += target.scored[i];
    if (bins > 0 && i >= bins) {
      squares -= target[key][i - bins] ?? 0;
      rows -= target.scored[i - bins];
    }
    if (rows > 0 && target.scored[i] > 0) out[i] = Math.sqrt(Math.max(squares, 0) / rows);
  }
  return out;
}

export function windows(h: History): number[] {
  const all = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000];
  return all.filter((w) => w >= 2 * h.rows_per_bin && w <= h.rows / 2);
}

export const binCentre = (h: History, bin: number): number =>
  Math.min(rowOfBin(h, bin) + (h.rows_per_bin - 1) / 2, h.last_row);
