/* The few things that every part of the page does with the document. */

export const byId = (id) => document.getElementById(id);

export function make(tag, content = "", attributes = {}) {
  const made = document.createElement(tag);
  made.append(...[content].flat());
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export function makeSvg(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/* Unpack base64 as bytes; a plain loop, for there may be millions. */
export function toBytes(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/* Pack or unpack bytes; an error if more than `limit` bytes would come out. */
export async function pipe(bytes, through, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const pieces = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > limit) {
      reader.cancel().catch(() => {});
      throw new Error("it is too long");
    }
    pieces.push(read.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/* Have the browser save a text as a file. */
export function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = make("a", "", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
