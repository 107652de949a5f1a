// levels.ts -- how strong the colour of an input is at each pixel of its line.
import { weightAt, type Track } from "./data";
import { HEAT_LEVELS } from "./theme";
import type { View } from "./view";

/** The colour of each pixel of a line: 0 is none, then the levels. */
export function levelsOf(view: View, tracks: Track[], width: number, largest: number): Uint8Array {
  const out = new Uint8Array(width);
  const h = view.history;
  const scale = width / (view.to - view.from);
  for (const track of tracks) {
    const s = track.stays;
    let low = 0;
    let high = s.length / 4;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (s[mid * 4 + 1] + 1 < view.from) low = mid + 1;
      else high = mid;
    }
    for (let i = low * 4; i < s.length && s[i] <= view.to; i += 4) {
      const begin = Math.max(0, Math.floor((s[i] - view.from) * scale));
      const end = Math.min(width, Math.max(begin + 1, Math.ceil((s[i + 1] + 1 - view.from) * scale)));
      const share = s[i + 3] / (s[i + 1] - s[i] + 1);
      for (let x = begin; x < end; x++) {
        const weight = track.weights ? weightAt(h, track, view.from + (x + 0.5) / scale) : largest * 0.6;
        const size = largest > 0 && weight > 0 ? Math.sqrt(Math.min(weight / largest, 1)) * Math.sqrt(share) : 0;
        out[x] = Math.max(out[x], 1 + Math.min(HEAT_LEVELS - 1, Math.floor(size * HEAT_LEVELS)));
      }
    }
  }
  return out;
}

/** The largest weight that a colour shows: larger ones, one in fifty, have the same colour. */
export function largestWeight(view: View): number {
  const all: number[] = [];
  const tracks = view.history.variables.flatMap((v) => v.tracks).filter((t) => t.weights);
  const step = Math.max(1, Math.floor(tracks.reduce((n, t) => n + t.weights!.length, 0) / 20000));
  let skip = 0;
  for (const { weights } of tracks) {
    for (; skip < weights!.length; skip += step) if (weights![skip] >= 0) all.push(weights![skip]);
    skip -= weights!.length;
  }
  all.sort((a, b) => a - b);
  return all.length > 0 ? all[Math.floor(0.98 * (all.length - 1))] : 1;
}
