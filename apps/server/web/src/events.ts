// events.ts -- what happened, in words, with the inputs that entered and left.
import type { StreamEvent } from "./data";
import { card, el, svg, soon } from "./dom";
import { count, plural } from "./format";
import { eventTime, turnover } from "./notes";
import { isDark, kindColour, kindOf, shapePath } from "./theme";
import type { View } from "./view";

const SHOWN = 50;

export class Events {
  readonly section: HTMLElement;
  readonly controls: HTMLElement;
  private readonly body: HTMLElement;
  private readonly about = el("p", { class: "about" });
  private shown = SHOWN;
  private written = "";

  constructor(private readonly view: View) {
    const parts = card("events", "Events", "");
    this.section = parts.section;
    this.controls = parts.controls;
    this.body = parts.body;
    this.section.insertBefore(this.about, this.body);
    const write = soon(() => this.write());
    const later = soon(() => this.write(), 1000); // rows that come do not change it much
    view.listen((change) => {
      if (change.has("span") || change.has("theme")) write();
      else if (change.has("data")) later();
    });
    this.write();
  }

  /** Events of one kind in rows that follow each other are one in the list. */
  private grouped(): StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const event of this.inSpan()) {
      const last = out.findLast((e) => e.kind === event.kind);
      if (!last || event.row > (last.last_row ?? last.row) + 1) {
        out.push(event);
        continue;
      }
      out[out.indexOf(last)] = { ...last, last_row: event.last_row ?? event.row, count: (last.count ?? 1) + (event.count ?? 1) };
    }
    return out;
  }

  inSpan(): StreamEvent[] {
    const { from, to, history } = this.view;
    return history.events.filter((e) => (e.last_row ?? e.row) >= from && e.row <= to);
  }

  private write(): void {
    const events = this.grouped();
    // The same list is left as it is: somebody may be about to press one of its buttons.
    const written = JSON.stringify([events.map((e) => [e.kind, e.row, e.last_row]), this.shown, isDark()]);
    if (written === this.written) return;
    this.written = written;
    const total = events.reduce((n, e) => n + (e.count ?? 1), 0);
    this.about.textContent =
      events.length === 0
        ? "Nothing unusual happened in this span: no sudden change, no suspect row, no column that vanished."
        : `${plural(total, "event")} in this span. A button shows the rows around an event.`;
    const list = el("ul", { class: "events" }, ...events.slice(0, this.shown).map((e) => this.item(e)));
    this.body.replaceChildren(list);
    if (events.length > this.shown) {
      this.body.append(
        el(
          "button",
          {
            type: "button",
            click: () => {
              this.shown += 200;
              this.write();
            },
          },
          `Show more of the ${count(events.length)}`,
        ),
      );
    }
  }

  private item(event: StreamEvent): HTMLElement {
    const kind = kindOf(event.kind);
    const view = this.view;
    const rows = `row ${count(event.row)}${event.last_row ? ` to ${count(event.last_row)}` : ""}`;
    const time = eventTime(view, event);
    const change = turnover(view.history, event);
    const names = (label: string, list: string[]): HTMLElement | null =>
      list.length === 0
        ? null
        : el("div", { class: "turnover" }, `${label}: ${list.slice(0, 12).join(", ")}${list.length > 12 ? ` and ${plural(list.length - 12, "other")}` : ""}`);
    const half = Math.max(50, (view.history.last_row - view.history.first_row) / 40);
    const place = time ? `${time} (${rows})` : rows;
    return el(
      "li",
      {},
      svg(
        "svg",
        { width: 14, height: 14, "aria-hidden": "true" },
        svg("path", { d: shapePath(kind.shape, 7, 7, 5), fill: kindColour(kind) }),
      ),
      el(
        "div",
        {},
        el("strong", {}, kind.name + (event.count ? `, ${count(event.count)} times` : "")),
        ` · ${place} `,
        el(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": `Show the rows around the event at ${place}`,
            click: () => view.setSpan(event.row - half, (event.last_row ?? event.row) + half),
          },
          "Show",
        ),
        el("div", {}, sentence(event.text)),
        names("entered", change.entered),
        names("left", change.left),
      ),
    );
  }
}

// The lists of names follow: what the sentence says of them is left out.
function sentence(text: string): string {
  const cut = text.split("; selected since")[0].split("; no longer selected")[0];
  return cut.charAt(0).toUpperCase() + cut.slice(1) + ".";
}
