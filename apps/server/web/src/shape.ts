// shape.ts -- what the controls of the page depend on: where it changes, the page is put together again.
import type { History } from "./data";

export function shapeOf(h: History): string {
  const components = new Set(h.variables.flatMap((v) => v.tracks.map((t) => t.component)));
  return JSON.stringify([
    h.targets.map((t) => [t.name, !!t.low]),
    h.time.kind,
    h.has_weights,
    h.has_tuning,
    h.horizon,
    h.rows_per_bin > 1 ? h.rows_per_bin : 1,
    components.size > 1 ? [...components].sort() : 0,
    h.variables.some((v) => v.lag !== null),
    h.variables.length > 12,
  ]);
}
