/* Rule files to one text for clingo, and clingo's messages back to the files. */

import { listHeads, tokens } from "./rules.ts";

const MESSAGE = /^-:(\d+):(\d+)-(?:(\d+):)?(\d+): (error|info|warning|note): (.*)$/;
const NO_ATOMS = "no atoms over signature occur in program";
const NOT_HERE: Record<string, string> = {
  "#script": "a page runs no Python or Lua scripts",
  "#include": "a page has no other files: make a new file instead",
};
const HINTS = {
  "unsafe variables": "every variable must occur in a positive condition of the rule's body",
  "syntax error": "a rule ends with a full stop, and variables begin with a capital letter",
  function: "a page runs no Python or Lua functions",
  "operation undefined": "a sum or a product needs numbers",
  "atom does not occur in any rule head": "no rule or fact defines this predicate",
  "tuple ignored": "the first term of a #sum must be a number",
};

/** A message about a place in a file: lines count from 1, columns from 0. A message about no file has no name. */
export type Message = {
  name: string | null;
  kind: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  text: string;
};

/** The place of a file in the text for clingo: its first line there, and its number of lines. */
type Placed = { name: string; text: string; first: number; count: number };

/** Mistakes that clingo would not report, or at the wrong place, since all files are one text for it; `ours` has the predicates that
 * only our rules derive, each with its file. */
export function checkFile(
  { name, text, isNew }: { name: string; text: string; isNew: boolean },
  ours: Record<string, string> = {},
) {
  const found: Message[] = [];
  const tell = (at: number, message: string, length = 1) => {
    const before = text.slice(0, at).split("\n");
    const column = before[before.length - 1].length;
    found.push({
      name,
      kind: "error",
      line: before.length,
      column,
      endLine: before.length,
      endColumn: column + length,
      text: message,
    });
  };
  let last = "";
  let end = 0;
  for (const [word, at] of tokens(text)) {
    if (word === "%*") {
      tell(at, "this comment has no end: *% ends it", 2);
      continue;
    }
    if (NOT_HERE[word]) tell(at, `${word} is not possible here: ${NOT_HERE[word]}`, word.length);
    if (isNew && word === "#show")
      tell(at, "#show is not allowed in your rules: kb-score decides what is shown", word.length);
    [last, end] = [word, at];
  }
  for (const [predicate, at] of isNew ? listHeads(text) : []) {
    const [word] = predicate.split("/");
    if (Object.hasOwn(ours, predicate))
      tell(
        at,
        `our rules already derive ${predicate}, in ${ours[predicate]}: choose another name, such as my_${word}`,
        word.length,
      );
  }
  // A weak constraint ends with its weight.
  if (last && last !== "." && last !== "]")
    tell(end, "the last rule is missing its full stop", last.length);
  return found;
}

/** Put files together: each begins in the base part, as it does for clingo alone. */
export function join(facts: string, files: { name: string; text: string }[]) {
  const lines = [facts];
  let line = 2;
  const places = files.map(({ name, text }) => {
    lines.push("#program base.", text);
    const count = text.split("\n").length;
    const place = { name, text, first: line + 1, count };
    line += 1 + count;
    return place;
  });
  return { text: `${lines.join("\n")}\n`, places };
}

/** clingo counts bytes, an editor the units of a text. */
function toColumn(line: string, column: number) {
  const bytes = new TextEncoder().encode(line).slice(0, column - 1);
  return new TextDecoder().decode(bytes).length;
}

function locate(places: Placed[], line: number, column: number) {
  const place = places.findLast(({ first }) => first <= line);
  if (!place) return { name: null, line: 1, column: 0 };
  const lines = place.text.split("\n");
  const row = Math.min(line - place.first, lines.length - 1);
  return {
    name: place.name,
    line: row + 1,
    column: toColumn(lines[row], row < line - place.first ? Infinity : column),
  };
}

/** A message as clingo writes it, with the lines that follow it, or the notes. */
type Noted = Message & { more: string[]; notes?: string[] };

/** Lead clingo's messages back to their files. */
export function readMessages(err: string, places: Placed[]) {
  const found: Noted[] = [];
  for (const line of err.split("\n")) {
    const parts = MESSAGE.exec(line);
    if (parts) {
      const [, row, column, endRow, endColumn, kind, text] = parts;
      const begin = locate(places, Number(row), Number(column));
      const end = locate(places, Number(endRow ?? row), Number(endColumn));
      const isHere = end.name === begin.name;
      const [endLine, last] = isHere ? [end.line, end.column] : [begin.line, begin.column + 1];
      found.push({ ...begin, kind, text, endLine, endColumn: last, more: [] });
    } else if (line.startsWith("  ")) {
      found.at(-1)?.more.push(line.trim());
    }
  }
  return merge(found).filter(({ text }) => !text.includes(NO_ATOMS));
}

/** A note points at each unsafe variable of the rule in the message before it. */
function merge(found: Noted[]): Message[] {
  const merged: Noted[] = [];
  for (const message of found) {
    const before = merged.at(-1);
    if (message.kind === "note" && before) {
      const { line, column, endLine, endColumn } = message;
      if (!before.notes) Object.assign(before, { line, column, endLine, endColumn });
      before.notes = [...(before.notes ?? []), message.text.replace(" is unsafe", "")];
    } else {
      merged.push(message);
    }
  }
  return merged.map(({ more, notes, ...message }) => {
    const detail = (notes ?? more).join(notes ? ", " : " ");
    const said = message.text.replace(/:$/, "") + (detail ? `: ${detail}` : "");
    const hint = Object.entries(HINTS).find(([part]) => said.includes(part));
    return { ...message, text: hint ? `${said} (${hint[1]})` : said };
  });
}
