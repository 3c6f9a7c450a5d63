// @ts-check
// Functions on the document that all pages use.

/** What an element may hold: texts, elements, or lists of them. @typedef {string | Node | (string | Node)[]} Content */

/** @param {string} id @returns {any} an element, of the kind that the page has there */
export const byId = (id) => document.getElementById(id);

/** What was thrown, in words. @param {unknown} error */
export const sayError = (error) => (error instanceof Error ? error.message : String(error));

/** Call a function when the element of this name is clicked, or of another event. @param {string} id @param {(event: any) => void} act */
export const on = (id, act, kind = "click") => byId(id).addEventListener(kind, act);

/** @template {Element} T @param {T} made @param {Record<string, any>} attributes */
export const setAll = (made, attributes) => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

/** @template {Element} T @param {T} made @param {Record<string, any>} attributes @param {Content} content */
const finish = (made, attributes, content) => {
  setAll(made, attributes).append(...[content].flat());
  return made;
};

/** Make an element. @param {string} tag @param {Content} content @param {Record<string, any>} attributes @returns {any} */
export const make = (tag, content = [], attributes = {}) => finish(document.createElement(tag), attributes, content);
/** Make an element of SVG. @param {string} tag @param {Record<string, any>} attributes @param {Content} content @returns {any} */
export const makeSvg = (tag, attributes = {}, content = []) => finish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, content);

/** A cell at the head of a column or a row. @param {Content} content */
export const makeHead = (content, scope = "col", more = {}) => make("th", content, { scope, ...more });

/** @param {Content} content @param {(event: any) => void} click @param {Record<string, any>} more @returns {HTMLButtonElement} */
export function makeButton(content, click, more = {}) {
  const button = make("button", content, { type: "button", ...more });
  button.addEventListener("click", click);
  return button;
}

/** Show lines, texts or elements, as the items of a list. @param {string} id @param {Content[]} lines */
export const list = (id, lines) => byId(id).replaceChildren(...lines.map((line) => make("li", line)));

/** Show the parts of a class, or hide them. @param {string} name */
export const reveal = (name, isShown = true) => document.querySelectorAll(`.${name}`).forEach((part) => part.toggleAttribute("hidden", !isShown));

/** Have the browser save a text as a file. @param {string} name @param {BlobPart} text */
export function save(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Copy a text; whether the browser lets us. Where the page has no secure address, an older way does it. @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard && await navigator.clipboard.writeText(text).then(() => true, () => false)) return true;
  const area = make("textarea", text, { "aria-hidden": "true" });
  const focused = /** @type {HTMLElement} */ (document.activeElement);
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
  for (const letter of byId("data").textContent) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return `${document.title} ${hash.toString(36)}`;
}

/** Unpack base64 as bytes; a plain loop, for there may be millions. @param {string} text */
export function toBytes(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The data that the page was made with. @template T @returns {Promise<T>} */
export function readData() {
  const stream = new Blob([toBytes(byId("data").textContent.trim())]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
