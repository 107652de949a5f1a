// live_page.ts -- the page of a server: which stream is shown, whether it goes on, and what the connection does.
import type { History } from "./data";
import { choice, el, labelled } from "./dom";
import { count, plural } from "./format";
import { Live, type SpanName, type State } from "./live";
import { showPage } from "./page";
import { NeedsToken, hasToken, read, useToken } from "./server";
import { shapeOf } from "./shape";
import { View } from "./view";

interface ModelEntry {
  name: string;
  rows: number;
  problem: string | null;
}

const ASK_AGAIN = 2000;
const RATE_OVER = 5000;

export class LivePage {
  private models: ModelEntry[] = [];
  private model = "";
  private span: SpanName = "latest";
  private live: Live | null = null;
  private view: View | null = null;
  private shape = "";
  private state: State = "connecting";
  private rows = 0;
  private readonly seen: { at: number; rows: number }[] = [];
  private readonly status = el("span", { class: "status", role: "status" });
  private readonly pauseButton = el("button", { type: "button", class: "pause", click: () => this.togglePause() }, "Pause");
  private paused = false;

  constructor() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    this.model = wanted.get("model") ?? "";
    if (wanted.get("span") === "whole") this.span = "whole";
    void this.findModels();
  }

  /** Asks until there is a model. */
  private async findModels(): Promise<void> {
    for (;;) {
      try {
        this.models = (await read<{ models: ModelEntry[] }>("/v1/models")).models;
        if (this.models.length > 0) break;
        this.say("There are no models yet. PUT /v1/models/NAME makes one, and POST /v1/models/NAME/rows gives it rows; /v1/openapi.json describes all of it.");
      } catch (error) {
        if (error instanceof NeedsToken) return this.askToken();
        this.say("The server does not answer. Trying again.");
      }
      await new Promise((done) => setTimeout(done, ASK_AGAIN));
    }
    if (!this.models.some((m) => m.name === this.model)) {
      this.model = this.models.reduce((most, m) => (m.rows > most.rows ? m : most)).name;
    }
    this.follow();
  }

  private askToken(): void {
    this.live?.end();
    const input = el("input", { type: "password", autocomplete: "off", size: 40 });
    const form = el(
      "form",
      {
        class: "waiting",
        submit: (e) => {
          e.preventDefault();
          useToken(input.value);
          this.say("Asking the server.");
          void this.findModels();
        },
      },
      hasToken() && el("p", { role: "alert" }, "The server does not accept this token."),
      el("p", {}, "This server wants its token. It is in the file that `sluice serve --token-file` was given."),
      el("div", { class: "controls" }, labelled("Token", input), el("button", { type: "submit" }, "Show")),
    );
    this.leave();
    document.getElementById("page")!.replaceChildren(form);
    input.focus();
  }

  private leave(): void {
    this.view?.end();
    this.view = null;
    this.shape = "";
  }

  private say(text: string): void {
    this.leave();
    document.getElementById("page")!.replaceChildren(el("p", { class: "waiting", role: "status" }, text));
  }

  private follow(): void {
    this.live?.end();
    this.paused = false;
    this.seen.length = 0;
    history.replaceState(null, "", `#${new URLSearchParams({ model: this.model, span: this.span })}`);
    this.say(`Waiting for rows of ${this.model}.`);
    this.live = new Live(this.model, this.span, {
      show: (shown) => this.show(shown),
      tell: (state, rows) => this.tell(state, rows),
      needsToken: () => this.askToken(),
    });
  }

  private show(shown: History): void {
    const shape = shapeOf(shown);
    if (this.view && shape === this.shape) {
      this.view.setHistory(shown);
      return;
    }
    const before = this.view;
    before?.end();
    this.shape = shape;
    this.view = new View(shown);
    this.view.live = true;
    this.view.span_name = this.span === "latest" ? "latest rows" : "whole stream";
    if (before) {
      this.view.target = Math.min(before.target, shown.targets.length - 1);
      this.view.continueFrom(before);
    }
    showPage(this.view, this.bar(), `sluice ${shown.sluice}. This page talks to its own server and to nobody else.`);
    this.writeStatus();
  }

  private bar(): HTMLElement {
    const spans: [string, string][] = [
      ["latest", "latest rows, one by one"],
      ["whole", "whole stream"],
    ];
    const parts: HTMLElement[] = [this.pauseButton, this.status];
    if (this.models.length > 1) {
      const names = this.models.map((m): [string, string] => [m.name, m.name]);
      parts.push(
        labelled(
          "Model",
          choice(names, this.model, (v) => {
            this.model = v;
            this.follow();
          }),
        ),
      );
    }
    parts.push(
      labelled(
        "Show",
        choice(spans, this.span, (v) => {
          this.span = v as SpanName;
          this.follow();
        }),
      ),
    );
    return el("div", { class: "live controls" }, ...parts);
  }

  private togglePause(): void {
    this.paused = !this.paused;
    this.live?.pause(this.paused);
  }

  private tell(state: State, rows: number): void {
    this.state = state;
    this.rows = rows;
    const now = performance.now();
    this.seen.push({ at: now, rows });
    while (this.seen.length > 2 && this.seen[0].at < now - RATE_OVER) this.seen.shift();
    if (state === "gone") {
      this.live?.end();
      void this.findModels();
      return;
    }
    this.writeStatus();
  }

  private writeStatus(): void {
    const first = this.seen[0];
    const last = this.seen[this.seen.length - 1];
    const seconds = first && last ? (last.at - first.at) / 1000 : 0;
    const rate = seconds > 1 ? (last.rows - first.rows) / seconds : 0;
    const speed = rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1);
    const behind = this.rows - (this.view?.history.last_row ?? 0);
    const text: Record<State, string> = {
      connecting: "connecting",
      live: `live: row ${count(this.rows)}${rate > 0 ? `, ${speed} rows/s` : ""}`,
      paused: `paused: ${plural(Math.max(behind, 0), "row")} behind`,
      empty: "no rows yet",
      lost: "the connection is lost; trying again",
      gone: "the model was deleted",
    };
    if (this.status.textContent !== text[this.state]) this.status.textContent = text[this.state];
    this.status.dataset.state = this.state;
    this.pauseButton.textContent = this.paused ? "Go on" : "Pause";
    this.pauseButton.setAttribute("aria-pressed", String(this.paused));
  }
}
