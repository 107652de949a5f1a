// live.ts -- follows a stream that runs: reads its history, then what comes, and connects again where the connection is lost.
import { continues, takeIncrement, takeSnapshot, type History, type Part } from "./data";
import { NeedsToken, Refused, events, read } from "./server";

export type SpanName = "latest" | "whole";
export type State = "connecting" | "live" | "paused" | "empty" | "lost" | "gone";

export interface Listener {
  /** There is more to show: at most every SHOW_EVERY milliseconds. */
  show(history: History): void;
  /** `rows`: that the stream has. */
  tell(state: State, rows: number): void;
  needsToken(): void;
}

interface Update {
  row: number;
  history: Part | null;
}

const SHOW_EVERY = 100;
const TRY_AGAIN = 1000;
// Pages that lose their history at the same time do not all ask for it at once.
const READ_WITHIN = 300;

const pause = (time: number): Promise<void> => new Promise((done) => setTimeout(done, time));

export class Live {
  private history: History | null = null;
  private rows = 0;
  private paused = false;
  private reading = false;
  private timer = 0;
  private readonly ending = new AbortController();
  private readonly path: string;

  constructor(
    model: string,
    private readonly span: SpanName,
    private readonly listener: Listener,
  ) {
    this.path = `/v1/models/${encodeURIComponent(model)}`;
    void this.follow();
  }

  end(): void {
    this.ending.abort();
    clearTimeout(this.timer);
  }

  pause(paused: boolean): void {
    if (paused) this.show(); // what was taken is shown: the page stands still at one row
    this.paused = paused;
    this.tell("live");
    if (!paused) void this.readHistory(0);
  }

  private get ended(): boolean {
    return this.ending.signal.aborted;
  }

  private tell(state: State): void {
    if (!this.ended) this.listener.tell(this.paused && state === "live" ? "paused" : state, this.rows);
  }

  private async follow(): Promise<void> {
    while (!this.ended) {
      try {
        for await (const event of events(`${this.path}/events?span=${this.span}`, this.ending.signal)) {
          if (event.name === "state") {
            this.rows = (JSON.parse(event.data) as { rows: number }).rows;
            this.tell(this.rows > 0 ? "live" : "empty");
            if (this.rows > 0) void this.readHistory(0);
          } else if (event.name === "update") {
            this.update(JSON.parse(event.data) as Update);
          }
        }
        this.tell("lost");
      } catch (error) {
        if (this.ended) return;
        if (error instanceof NeedsToken) return this.listener.needsToken();
        this.tell(error instanceof Refused && error.status === 404 ? "gone" : "lost");
      }
      await pause(TRY_AGAIN);
    }
  }

  private update(update: Update): void {
    this.rows = update.row;
    this.tell("live");
    if (this.paused) return;
    if (!this.history || !update.history || !continues(this.history, update.history)) {
      void this.readHistory(READ_WITHIN * Math.random());
      return;
    }
    this.history = takeIncrement(this.history, update.history);
    this.showSoon();
  }

  private async readHistory(wait: number): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      await pause(wait);
      const part = await read<Part>(`${this.path}/history?span=${this.span}`, this.ending.signal);
      if (this.paused) return;
      this.history = takeSnapshot(part);
      this.showSoon();
    } catch {
      // The next update asks again.
    } finally {
      this.reading = false;
    }
  }

  private showSoon(): void {
    if (this.timer !== 0) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.show();
    }, SHOW_EVERY);
  }

  private show(): void {
    if (!this.paused && this.history && !this.ended) this.listener.show(this.history);
  }
}
