// theme.ts -- colours, as the style sheet defines them for light and dark. Lines differ in dashes too.
export interface Theme {
  text: string;
  dim: string;
  grid: string;
  panel: string;
  observed: string;
  predicted: string;
  interval: string;
  last: string;
  mean: string;
  font: string;
  heat: string[];
}

export const HEAT_LEVELS = 10;

function mix(from: number[], to: number[], share: number): number[] {
  return from.map((v, i) => Math.round(v + (to[i] - v) * share));
}
function heatColours(stops: number[][]): string[] {
  const out: string[] = [];
  for (let level = 0; level < HEAT_LEVELS; level++) {
    const at = (level / (HEAT_LEVELS - 1)) * (stops.length - 1);
    const i = Math.min(Math.floor(at), stops.length - 2);
    out.push(`rgb(${mix(stops[i], stops[i + 1], at - i).join(",")})`);
  }
  return out;
}

const LIGHT = heatColours([
  [190, 216, 238],
  [74, 144, 196],
  [8, 48, 107],
]);
const DARK = heatColours([
  [30, 70, 104],
  [62, 142, 194],
  [214, 238, 255],
]);

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    dim: colour("dim"),
    grid: colour("grid"),
    panel: colour("panel"),
    observed: colour("observed"),
    predicted: colour("predicted"),
    interval: colour("interval"),
    last: colour("last"),
    mean: colour("mean"),
    font: "12px system-ui, sans-serif",
    heat: isDark() ? DARK : LIGHT,
  };
}

export interface Kind {
  name: string;
  shape: "triangle" | "circle" | "square" | "diamond";
  colour: string;
}
const KINDS: Record<string, Kind> = {
  drift: { name: "sudden change", shape: "triangle", colour: "kind-drift" },
  suspect: { name: "suspect row", shape: "circle", colour: "kind-suspect" },
  column_vanished: { name: "column vanished", shape: "square", colour: "kind-column" },
  column_returned: { name: "column returned", shape: "square", colour: "kind-column" },
  column_new: { name: "new column", shape: "square", colour: "kind-column" },
  label_late: { name: "late label", shape: "diamond", colour: "kind-other" },
};
export function kindOf(kind: string): Kind {
  return KINDS[kind] ?? { name: kind.replaceAll("_", " "), shape: "diamond", colour: "kind-other" };
}
export function kindColour(kind: Kind): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${kind.colour}`).trim();
}
/** Of a marker of this size around (x, y). */
export function shapePath(shape: Kind["shape"], x: number, y: number, r: number): string {
  const n = (v: number): string => v.toFixed(1);
  switch (shape) {
    case "triangle":
      return `M${n(x)} ${n(y - r)}L${n(x + r)} ${n(y + r)}L${n(x - r)} ${n(y + r)}Z`;
    case "square":
      return `M${n(x - r)} ${n(y - r)}H${n(x + r)}V${n(y + r)}H${n(x - r)}Z`;
    case "diamond":
      return `M${n(x)} ${n(y - r)}L${n(x + r)} ${n(y)}L${n(x)} ${n(y + r)}L${n(x - r)} ${n(y)}Z`;
    case "circle":
      return `M${n(x - r)} ${n(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}
