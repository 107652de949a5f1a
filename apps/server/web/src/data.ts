// data.ts -- the history of a stream as the page holds it. A report has one snapshot; a stream that runs sends increments.
// src/report/history_json.cpp writes both.

export type Values = (number | null)[];
export interface Ranges {
  mean: Values;
  min?: Values;
  max?: Values;
}
export interface Target {
  name: string;
  predicted: Ranges;
  observed: Ranges;
  low?: Values;
  high?: Values;
  with_interval?: number[];
  inside?: number[];
  scored: number[];
  squares: Values;
  squares_last_value: Values;
  squares_mean: Values;
  centre: Values;
  spread: Values;
  peak: Values;
  peak_row: number[];
}
export interface Cells {
  runs: number[];
  weight_scale: number;
  weights: string;
  gain_scale?: number;
  gains?: string;
}
interface TrackPart {
  component: number;
  /** How many stays of the track come before these. */
  from_stay: number;
  stays: number[];
  why: number[];
  cells?: Cells;
}
interface VariablePart {
  id: number;
  name: string;
  rows: number;
  tracks: TrackPart[];
}
export interface StreamEvent {
  kind: string;
  row: number;
  last_row?: number;
  count?: number;
  at?: number | string;
  text: string;
  columns?: string[];
  entered?: string[];
  left?: string[];
}
export interface Part {
  version: number;
  sluice: string;
  /** Of an increment: the last row that its reader has seen. 0: everything. */
  since: number;
  /** Increments continue only what has the same revision and the same first row. */
  revision: number;
  title: string;
  source: string;
  inputs: number;
  rows: number;
  first_row: number;
  last_row: number;
  rows_per_bin: number;
  bins: number;
  from_bin: number;
  horizon: number;
  has_interval: boolean;
  has_weights: boolean;
  has_tuning: boolean;
  shortest_gap: number;
  bins_per_cell: number;
  time: { kind: "none" | "date" | "number" | "text"; values?: (number | string | null)[]; last?: number | string };
  bin_rows: number[];
  tuned: { names: Ranges; forgetting: Ranges; shrinkage?: Ranges; last_value_share?: Ranges };
  targets_left_out: number;
  targets: Target[];
  variables_known: number;
  variables_left_out: number;
  variables: VariablePart[];
  now: (number | null)[];
  events_counted: number;
  events: StreamEvent[];
}

/** An input in one component. Stays are flat: from, to, entries, rows. */
export interface Track {
  component: number;
  stays: number[];
  why: Map<number, { without: number; with: number }>;
  /** By cell; NaN where it is not selected or not known. */
  weights?: Float32Array;
  gains?: Float32Array;
  first_cell: number;
}
export interface Variable {
  id: number;
  name: string;
  rows: number;
  tag: string;
  lag: number | null;
  tracks: Track[];
}
export type History = Omit<Part, "variables" | "since" | "from_bin"> & { variables: Variable[]; by_id: Map<number, Variable> };

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGIT = new Int16Array(128);
for (let i = 0; i < 64; i++) DIGIT[DIGITS.charCodeAt(i)] = i;

function unpack(cells: Cells, text: string, decode: (n: number) => number): { first: number; values: Float32Array } {
  const runs = cells.runs;
  const first = runs[0];
  const last = runs[runs.length - 2] + runs[runs.length - 1];
  const values = new Float32Array(last - first).fill(NaN);
  let at = 0;
  for (let r = 0; r < runs.length; r += 2) {
    for (let i = 0; i < runs[r + 1]; i++, at += 2) {
      values[runs[r] - first + i] = decode(DIGIT[text.charCodeAt(at)] * 64 + DIGIT[text.charCodeAt(at + 1)]);
    }
  }
  return { first, values };
}

function trackOf(part: TrackPart): Track {
  const track: Track = { component: part.component, stays: part.stays, why: new Map(), first_cell: 0 };
  for (let i = 0; i < part.why.length; i += 3) {
    track.why.set(part.why[i], { without: part.why[i + 1], with: part.why[i + 2] });
  }
  const cells = part.cells;
  if (cells && cells.runs.length > 0) {
    const weights = unpack(cells, cells.weights, (n) => (cells.weight_scale * n) / 4095);
    track.weights = weights.values;
    track.first_cell = weights.first;
    const scale = cells.gain_scale;
    if (cells.gains && scale != null) {
      track.gains = unpack(cells, cells.gains, (n) => (scale * (n - 2048)) / 2047).values;
    }
  }
  return track;
}

/** "u@-3" is tag u, three rows back; "u" itself may be a lag of zero. */
export function tagOf(name: string): { tag: string; lag: number | null } {
  const match = /^(.+)@-(\d+)$/.exec(name);
  return match ? { tag: match[1], lag: Number(match[2]) } : { tag: name, lag: null };
}

function variableOf(part: VariablePart): Variable {
  return { id: part.id, name: part.name, rows: part.rows, ...tagOf(part.name), tracks: part.tracks.map(trackOf) };
}

/** Everything at once. */
export function takeSnapshot(part: Part): History {
  const variables = part.variables.map(variableOf);
  return { ...part, variables, by_id: new Map(variables.map((v) => [v.id, v])) };
}

/** Whether an increment continues what the page has. */
export function continues(history: History, part: Part): boolean {
  return part.since > 0 && part.since <= history.last_row && part.revision === history.revision && part.first_row === history.first_row;
}

function splice<T>(to: T[] | undefined, from: T[] | undefined, at: number): T[] | undefined {
  return from ? (to ?? []).slice(0, at).concat(from) : to;
}
function spliceRanges(to: Ranges | undefined, from: Ranges | undefined, at: number): Ranges | undefined {
  if (!from) return to;
  return {
    mean: splice(to?.mean, from.mean, at)!,
    min: splice(to?.min, from.min, at),
    max: splice(to?.max, from.max, at),
  };
}

/** Numbers by cell: those of `to` before the first of `from`, then those of `from`. */
function joinCells(to: Float32Array | undefined, to_first: number, from: Float32Array, from_first: number): Float32Array {
  if (!to) return from;
  const out = new Float32Array(from_first + from.length - to_first).fill(NaN);
  out.set(to.subarray(0, Math.max(0, from_first - to_first)));
  out.set(from, from_first - to_first);
  return out;
}

/** The track itself is changed, so that whoever holds it sees what is new. */
function extendTrack(track: Track, part: TrackPart): void {
  const fresh = trackOf(part);
  track.stays.length = 4 * part.from_stay;
  for (const number of part.stays) track.stays.push(number);
  for (const [stay, reason] of fresh.why) track.why.set(stay, reason);
  if (!fresh.weights) return;
  const first = track.weights ? track.first_cell : fresh.first_cell;
  if (fresh.gains) track.gains = joinCells(track.gains, first, fresh.gains, fresh.first_cell);
  track.weights = joinCells(track.weights, first, fresh.weights, fresh.first_cell);
  track.first_cell = first;
}

function extendVariable(variable: Variable, part: VariablePart): void {
  variable.rows = part.rows;
  for (const one of part.tracks) {
    const track = variable.tracks.find((t) => t.component === one.component);
    if (track) extendTrack(track, one);
    else variable.tracks.push(trackOf(one));
  }
}

/** What has come since. Only where it continues the history, whose inputs it changes. */
export function takeIncrement(history: History, part: Part): History {
  const at = part.from_bin;
  const targets = part.targets.map((from, j) => {
    const to = history.targets[j];
    const merged: Record<string, unknown> = { name: from.name };
    for (const key of Object.keys(from) as (keyof Target)[]) {
      if (key === "name") continue;
      const value = from[key];
      merged[key] = Array.isArray(value)
        ? splice(to?.[key] as unknown[], value as unknown[], at)
        : spliceRanges(to?.[key] as Ranges, value as Ranges, at);
    }
    return merged as unknown as Target;
  });
  for (const one of part.variables) {
    const known = history.by_id.get(one.id);
    if (known) {
      extendVariable(known, one);
      continue;
    }
    const added = variableOf(one);
    history.variables.push(added);
    history.by_id.set(one.id, added);
  }
  const events = history.events.slice();
  for (const event of part.events) {
    const same = events.findIndex((e) => e.kind === event.kind && e.row === event.row && e.text === event.text);
    if (same >= 0) events[same] = event;
    else events.push(event);
  }
  return {
    ...part,
    time: { ...part.time, values: splice(history.time.values, part.time.values, at) },
    bin_rows: splice(history.bin_rows, part.bin_rows, at)!,
    tuned: {
      names: spliceRanges(history.tuned.names, part.tuned.names, at)!,
      forgetting: spliceRanges(history.tuned.forgetting, part.tuned.forgetting, at)!,
      shrinkage: spliceRanges(history.tuned.shrinkage, part.tuned.shrinkage, at),
      last_value_share: spliceRanges(history.tuned.last_value_share, part.tuned.last_value_share, at),
    },
    targets,
    variables: history.variables,
    by_id: history.by_id,
    events,
  };
}

export const binOf = (h: History, row: number): number =>
  Math.min(Math.max(Math.floor((row - h.first_row) / h.rows_per_bin), 0), h.bins - 1);
export const rowOfBin = (h: History, bin: number): number => h.first_row + bin * h.rows_per_bin;

/** Index of the stay (times 4) that has this row, or -1. */
export function stayAt(track: Track, row: number): number {
  const stays = track.stays;
  let low = 0;
  let high = stays.length / 4 - 1;
  while (low <= high) {
    const mid = (low + high) >> 1;
    if (stays[mid * 4 + 1] < row) low = mid + 1;
    else if (stays[mid * 4] > row) high = mid - 1;
    else return mid * 4;
  }
  return -1;
}

export function cellAt(h: History, track: Track, row: number): number {
  return Math.floor(binOf(h, row) / h.bins_per_cell) - track.first_cell;
}
export function weightAt(h: History, track: Track, row: number): number {
  const value = track.weights?.[cellAt(h, track, row)];
  return value === undefined ? NaN : value;
}
export function gainAt(h: History, track: Track, row: number): number {
  const value = track.gains?.[cellAt(h, track, row)];
  return value === undefined ? NaN : value;
}
