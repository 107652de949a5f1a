// notes.ts -- sentences about inputs and events.
import { gainAt, stayAt, weightAt, type History, type StreamEvent, type Track } from "./data";
import { count, figure, moment, plural } from "./format";
import { kindOf } from "./theme";
import type { HeatRow } from "./rows";
import type { View } from "./view";

export function why(track: Track, stay: number): string {
  const reason = track.why.get(stay / 4);
  if (!reason) return "";
  return `error without it ${figure(reason.without, 3)}, with it ${figure(reason.with, 3)}`;
}

/** What is known of the cell of a line at a row. */
export function cellNote(view: View, line: HeatRow, row: number): { heading: string; lines: string[] } {
  const h = view.history;
  const at = Math.round(Math.min(Math.max(row, h.first_row), h.last_row));
  const lines: string[] = [view.scale.name(at)];
  const present = line.tracks
    .map((track) => ({ track, stay: stayAt(track, at), name: nameOf(line, track) }))
    .filter((p) => p.stay >= 0);
  if (present.length === 0) return { heading: line.label, lines: [...lines, "not selected here"] };
  const several = line.variables.length > 1;
  const heading = several ? line.label : line.variables[0].name;
  for (const { track, stay, name } of present.slice(0, several ? 6 : 3)) {
    const s = track.stays;
    if (several) {
      const weight = weightAt(h, track, at);
      lines.push(`${name}${Number.isFinite(weight) ? `: weight ${figure(weight, 3)}` : ": selected"}`);
      continue;
    }
    if (line.tracks.length > 1) lines.push(`component ${track.component + 1}:`);
    const until = s[stay + 1] >= h.last_row ? "to the end" : `to ${view.scale.name(s[stay + 1])}`;
    lines.push(`selected from ${view.scale.name(s[stay])} ${until}`);
    if (s[stay + 2] > 1) lines.push(`entered ${plural(s[stay + 2], "time")} in between, in ${plural(s[stay + 3], "row")}`);
    const weight = weightAt(h, track, at);
    const gain = gainAt(h, track, at);
    if (Number.isFinite(weight)) lines.push(`weight ${figure(weight, 3)}`);
    if (Number.isFinite(gain)) lines.push(`gain: the error over variance would rise by ${figure(gain, 3)} without it`);
    const reason = why(track, stay);
    if (reason) lines.push(`why it entered: ${reason}`);
  }
  if (several && present.length > 6) lines.push(`and ${plural(present.length - 6, "other")}`);
  return { heading, lines };
}

function nameOf(line: HeatRow, track: Track): string {
  return line.variables.find((v) => v.tracks.includes(track))?.name ?? line.label;
}

export function eventTime(view: View, event: StreamEvent): string {
  if (typeof event.at === "number" && view.scale.kind === "date") {
    return moment(event.at, view.scale.whole_days);
  }
  return typeof event.at === "string" ? event.at : view.scale.timeOnly(event.row);
}

export function eventNote(view: View, event: StreamEvent): { heading: string; lines: string[] } {
  const time = eventTime(view, event);
  const place = `row ${count(event.row)}${event.last_row ? ` to ${count(event.last_row)}` : ""}`;
  const times = event.count ? `, ${count(event.count)} times` : "";
  const lines = [time ? `${time} (${place})` : place, event.text];
  return { heading: kindOf(event.kind).name + times, lines };
}

/** What entered and left: as the event says, or as the stays begin and end at its row. */
export function turnover(h: History, event: StreamEvent): { entered: string[]; left: string[] } {
  if (event.entered || event.left) return { entered: event.entered ?? [], left: event.left ?? [] };
  const entered: string[] = [];
  const left: string[] = [];
  if (event.count) return { entered, left }; // of many rows: it would be most of the inputs
  const last = event.row;
  for (const v of h.variables) {
    for (const t of v.tracks) {
      for (let i = 0; i < t.stays.length; i += 4) {
        if (t.stays[i] >= event.row && t.stays[i] <= last && t.stays[i] > h.first_row) entered.push(v.name);
        const gone = t.stays[i + 1] + 1;
        if (gone >= event.row && gone <= last && gone <= h.last_row) left.push(v.name);
      }
    }
  }
  const distinct = (names: string[]): string[] => [...new Set(names)];
  return { entered: distinct(entered), left: distinct(left) };
}
