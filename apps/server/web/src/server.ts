// server.ts -- requests to the server that gave this page, with its token where it wants one.

/** The server wants a token, or another one. */
export class NeedsToken extends Error {}
/** The server has answered that it will not do this. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

let token = "";
export function useToken(text: string): void {
  token = text.trim();
}
export const hasToken = (): boolean => token !== "";

async function ask(path: string, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { headers, signal, cache: "no-store" });
  if (answer.status === 401) throw new NeedsToken();
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, body?.error?.message ?? `the server answered ${answer.status}`);
  }
  return answer;
}

export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, signal)).json()) as T;
}

export interface ServerEvent {
  name: string;
  data: string;
}

/** Server-sent events until the connection ends. EventSource cannot send a token. */
export async function* events(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await ask(path, signal);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event: ServerEvent = { name: "", data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        if (line.startsWith("event: ")) event.name = line.slice(7);
        else if (line.startsWith("data: ")) event.data += line.slice(6);
      }
      text = text.slice(end + 2);
      if (event.name) yield event;
    }
  }
}
