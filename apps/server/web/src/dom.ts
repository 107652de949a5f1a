// dom.ts -- elements with text. Names of columns come from data: they are set as text, never as HTML.
type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

function put(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  for (const child of children) if (child) node.append(child);
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  put(node, attributes, children);
  return node;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  put(node, attributes, children);
  return node;
}

let ids = 0;
export function labelled(text: string, control: HTMLElement): HTMLElement {
  control.id ||= `control-${++ids}`;
  return el("span", { class: "control" }, el("label", { for: control.id }, text), control);
}

export function choice(options: [string, string][], value: string, onChange: (value: string) => void): HTMLSelectElement {
  const select = el(
    "select",
    { change: () => onChange(select.value) },
    ...options.map(([v, text]) => el("option", { value: v, selected: v === value }, text)),
  );
  return select;
}

export interface Card {
  section: HTMLElement;
  controls: HTMLElement;
  body: HTMLElement;
}
/** A titled part of the page. `about` says how to read it. */
export function card(id: string, title: string, about: string): Card {
  const controls = el("div", { class: "controls" });
  const body = el("div", { class: "body" });
  const section = el(
    "section",
    { id, class: "card", "aria-labelledby": `${id}-title` },
    el("div", { class: "head" }, el("h2", { id: `${id}-title` }, title), controls),
    about ? el("p", { class: "about" }, about) : null,
    body,
  );
  return { section, controls, body };
}

/** Calls `act` once, this number of milliseconds after the first of many requests: for what is too slow for every frame. */
export function soon(act: () => void, wait = 100): () => void {
  let timer = 0;
  return () => {
    if (timer === 0) {
      timer = window.setTimeout(() => {
        timer = 0;
        act();
      }, wait);
    }
  };
}
