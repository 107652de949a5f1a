// rows.ts -- the lines of the selection picture: inputs in an order, lags of one tag as a group that unfolds.
import { stayAt, weightAt, type History, type Track, type Variable } from "./data";

export type Order = "stability" | "importance" | "first" | "name";
export interface HeatRow {
  label: string;
  depth: number;
  variables: Variable[];
  tracks: Track[];
  /** Of a group: whether its lags are shown below it. */
  unfolded: boolean | null;
  tag: string;
}

export interface RowChoice {
  order: Order;
  component: number | null;
  grouped: boolean;
  unfolded: Set<string>;
  filter: string;
  from: number;
  to: number;
}

function rowsIn(tracks: Track[], from: number, to: number): number {
  let rows = 0;
  for (const track of tracks) {
    const s = track.stays;
    for (let i = 0; i < s.length; i += 4) {
      const overlap = Math.min(s[i + 1], to) - Math.max(s[i], from) + 1;
      if (overlap > 0) rows += overlap * (s[i + 3] / (s[i + 1] - s[i] + 1));
    }
  }
  return rows;
}

/** Mean weight over the span; where weights are not known, the place in the last row. */
function importance(h: History, tracks: Track[], variables: Variable[], from: number, to: number): number {
  if (h.has_weights) {
    let sum = 0;
    const steps = 200;
    for (let i = 0; i <= steps; i++) {
      const row = Math.round(from + ((to - from) * i) / steps);
      for (const track of tracks) {
        if (stayAt(track, row) >= 0) sum += weightAt(h, track, row) || 0;
      }
    }
    return sum;
  }
  let best = -Infinity;
  for (const v of variables) {
    for (let i = 0; i < h.now.length; i += 3) if (h.now[i] === v.id) best = Math.max(best, -i);
  }
  return best;
}

const firstRow = (tracks: Track[]): number => Math.min(...tracks.map((t) => t.stays[0]));

function comparer(h: History, choice: RowChoice): (rows: HeatRow[]) => HeatRow[] {
  const { from, to, order } = choice;
  return (rows) => {
    const stability = new Map(rows.map((r) => [r, rowsIn(r.tracks, from, to)]));
    const key = new Map(
      rows.map((r) => [
        r,
        order === "importance"
          ? importance(h, r.tracks, r.variables, from, to)
          : order === "first"
            ? -firstRow(r.tracks)
            : stability.get(r)!,
      ]),
    );
    const collator = new Intl.Collator("en", { numeric: true });
    return rows.sort((a, b) => {
      if (order === "name") return collator.compare(a.label, b.label);
      return key.get(b)! - key.get(a)! || stability.get(b)! - stability.get(a)! || collator.compare(a.label, b.label);
    });
  };
}

export function heatRows(h: History, choice: RowChoice): HeatRow[] {
  const wanted = choice.filter.trim().toLowerCase();
  const single = (v: Variable, depth: number, label: string): HeatRow => ({
    label,
    depth,
    variables: [v],
    tracks: v.tracks.filter((t) => choice.component === null || t.component === choice.component),
    unfolded: null,
    tag: v.tag,
  });
  const all = h.variables
    .filter((v) => v && (!wanted || v.name.toLowerCase().includes(wanted)))
    .map((v) => single(v, 0, v.name))
    .filter((r) => r.tracks.length > 0);
  const sort = comparer(h, choice);
  if (!choice.grouped) return sort(all);
  const groups = new Map<string, HeatRow[]>();
  for (const row of all) groups.set(row.tag, [...(groups.get(row.tag) ?? []), row]);
  const tops: HeatRow[] = [];
  for (const [tag, members] of groups) {
    if (members.length === 1) {
      tops.push(members[0]);
      continue;
    }
    tops.push({
      label: `${tag} (${members.length})`,
      depth: 0,
      variables: members.map((m) => m.variables[0]),
      tracks: members.flatMap((m) => m.tracks),
      unfolded: choice.unfolded.has(tag),
      tag,
    });
  }
  const out: HeatRow[] = [];
  for (const top of sort(tops)) {
    out.push(top);
    if (top.unfolded) {
      const members = groups.get(top.tag)!.sort((a, b) => (a.variables[0].lag ?? 0) - (b.variables[0].lag ?? 0));
      for (const m of members) out.push({ ...m, depth: 1 });
    }
  }
  return out;
}
