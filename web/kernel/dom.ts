// Functions on the document that all pages use.
import type { Ways } from "./share.ts";

/** What an element may hold: texts, elements, or lists of them. */
export type Content = string | Node | (string | Node)[];

/** Returns an element, of the kind that the page has there. */
export const byId = (id: string): any => document.getElementById(id);

/** What was thrown, in words. */
export const sayError = (error: unknown) =>
  error instanceof Error ? error.message : String(error);

/** Call a function when the element of this name is clicked, or of another event. */
export const on = (id: string, act: (event: any) => void, kind = "click") =>
  byId(id).addEventListener(kind, act);

export const setAll = <T extends Element>(made: T, attributes: Record<string, any>) => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

const finish = <T extends Element>(made: T, attributes: Record<string, any>, content: Content) => {
  setAll(made, attributes).append(...[content].flat());
  return made;
};

/** Make an element. */
export const make = (
  tag: string,
  content: Content = [],
  attributes: Record<string, any> = {},
): any => finish(document.createElement(tag), attributes, content);
/** Make an element of SVG. */
export const makeSvg = (
  tag: string,
  attributes: Record<string, any> = {},
  content: Content = [],
): any => finish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, content);

/** A cell at the head of a column or a row. */
export const makeHead = (content: Content, scope = "col", more = {}) =>
  make("th", content, { scope, ...more });

export function makeButton(
  content: Content,
  click: (event: any) => void,
  more: Record<string, any> = {},
): HTMLButtonElement {
  const button = make("button", content, { type: "button", ...more });
  button.addEventListener("click", click);
  return button;
}

/** Show lines, texts or elements, as the items of a list. */
export const list = (id: string, lines: Content[]) =>
  byId(id).replaceChildren(...lines.map((line) => make("li", line)));

/** Show the parts of a class, or hide them. */
export const reveal = (name: string, isShown = true) =>
  document.querySelectorAll(`.${name}`).forEach((part) => part.toggleAttribute("hidden", !isShown));

/** Have the browser save a text as a file. */
export function save(name: string, text: BlobPart, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Copy a text; whether the browser lets us. Where the page has no secure address, an older way does it. */
export async function copyText(text: string) {
  if (
    navigator.clipboard &&
    (await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    ))
  )
    return true;
  const area = make("textarea", text, { "aria-hidden": "true" });
  const focused = document.activeElement as HTMLElement;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return isDone;
}

/** A key for what the browser stores for this page; pages with other data have other keys. */
export function nameStore() {
  let hash = 0x811c9dc5; // FNV-1a
  for (const letter of byId("data").textContent)
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return `${document.title} ${hash.toString(36)}`;
}

/** Unpack base64 as bytes; a plain loop, for there may be millions. */
export function toBytes(text: string) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The data that the page was made with. */
export function readData<T>(): Promise<T> {
  const stream = new Blob([toBytes(byId("data").textContent.trim())])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The values of each key, in their order; `Map.groupBy` is younger than many telephones. */
export function groupBy<Value, Key>(values: Iterable<Value>, keyOf: (value: Value) => Key) {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** What this browser has to send files. */
export const browserWays = (): Ways => ({
  canShare: navigator.canShare?.bind(navigator),
  share: navigator.share?.bind(navigator),
  save: (name, file) => save(name, file, file.type),
});
