/* The board and the changed rules as a fragment of an address; it is data, checked before use. */

import { sayError, toBytes } from "./dom.ts";

const PREFIX = "#kb1=";
const OPEN = "#open=";
const MOST = 400_000;
const MOST_UNPACKED = 2_000_000;
const MOST_FILES = 200;
export const FILE_NAME = /^[a-z][a-z0-9_]{0,39}\.lp$/;

/** The user's changes: the text of the board or of the turns, files by name, and the cards that are ticked. */
export type State = { board: string; files: Record<string, string>; cards: string[] };

export const writeFragment = async (state: State) => PREFIX + (await pack(state));

/** Write a value in letters that may stand in an address. */
export async function pack(value: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const packed = await pipe(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Read the fragment that names the file to open, as in #open=miners.lp; null if it is no such one. */
export function readOpen(fragment: string) {
  if (!fragment.startsWith(OPEN)) return null;
  const name = fragment.slice(OPEN.length);
  if (!FILE_NAME.test(name)) throw new Error("it does not name a rule file");
  return name;
}

/** Read a fragment; null if it is none of ours, an error if there is something wrong with it. */
export async function readFragment(fragment: string) {
  if (!fragment.startsWith(PREFIX)) return null;
  return checkState(await unpack(fragment.slice(PREFIX.length)));
}

/** Read what `pack` has written; an error if that cannot be. */
export async function unpack(text: string): Promise<any> {
  if (text.length > MOST) throw new Error("it is too long");
  if (!/^[\w-]+$/.test(text)) throw new Error("it is incomplete");
  try {
    const bytes = toBytes(text.replaceAll("-", "+").replaceAll("_", "/"));
    const unpacked = await pipe(bytes, new DecompressionStream("deflate-raw"), MOST_UNPACKED);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(unpacked));
  } catch (error) {
    const says = sayError(error);
    throw new Error(says === "it is too long" ? says : "it is incomplete");
  }
}

/** Check what anybody may have written. */
function checkState(state: any) {
  const isObject = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const need = (isSo: unknown, says: string) => {
    if (!isSo) throw new Error(says);
  };
  need(
    isObject(state) && typeof state.board === "string" && isObject(state.files),
    "it does not contain a board and rules",
  );
  const files: [string, string][] = Object.entries(state.files);
  need(files.length <= MOST_FILES, "it contains too many files");
  for (const [name, text] of files) {
    need(FILE_NAME.test(name), "it contains a file with an invalid name");
    need(typeof text === "string" && !text.includes("\0"), `its ${name} is not text`);
  }
  const { board, cards = [] }: State = state;
  need(
    Array.isArray(cards) && cards.every((name) => typeof name === "string"),
    "its cards are not names",
  );
  return { board, cards, files: new Map(files) };
}

/** Compress or decompress bytes; throws an error if the result has more than `limit` bytes. */
async function pipe(bytes: BlobPart, through: GenericTransformStream, limit = Infinity) {
  const pieces = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > limit) throw new Error("it is too long");
    pieces.push(read.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
