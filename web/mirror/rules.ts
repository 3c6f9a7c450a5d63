/* The text of rule files: words, statements, heads and conditions. */

const TOKEN = /%\*|%[^\n]*|"(?:\\.|[^"\\\n])*"|#[a-z]+|\.\.|\s+|[A-Za-z_][\w']*|[^]/gy;

/** The words of a text with their places; comments and blanks are none, but a comment without an end is. */
export function* tokens(text: string): Generator<[string, number]> {
  const pattern = new RegExp(TOKEN);
  for (let token = pattern.exec(text); token; token = pattern.exec(text)) {
    const [word] = token;
    const close = word === "%*" ? closeComment(text, token.index) : 0;
    if (close) pattern.lastIndex = close < 0 ? text.length : close;
    if (close < 0 || !/^[%\s]/.test(word)) yield [word, token.index];
  }
}

/** Where the comment that begins at a place ends; -1 if it does not. */
function closeComment(text: string, begin: number) {
  const sign = /%\*|\*%/g;
  sign.lastIndex = begin;
  let depth = 0;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    depth += found[0] === "%*" ? 1 : -1;
    if (!depth) return sign.lastIndex;
  }
  return -1;
}

/** Where the statements of a text stand, without their full stops. */
export function* findStatements(text: string) {
  let begin = -1;
  let depth = 0;
  for (const [word, at] of tokens(text)) {
    if (word === "." && !depth) {
      if (begin >= 0) yield { begin, end: at };
      begin = -1;
    } else if (begin < 0 && !depth && word !== "[") begin = at; // a weight ends the statement before
    depth += Number("([{".includes(word)) - Number(")]}".includes(word));
  }
}

/** The pieces of a text between signs that stand in no brackets, each of one letter or two. */
export function splitAt(text: string, ...signs: string[]) {
  const pieces = [""];
  let [depth, end] = [0, 0];
  for (const [word, at] of tokens(text)) {
    if (at < end) continue;
    const sign = depth ? "" : signs.find((one) => text.startsWith(one, at));
    depth += Number("([{".includes(word)) - Number(")]}".includes(word));
    const blank = at > end && end && !sign ? " " : "";
    end = at + (sign || word).length;
    if (sign) pieces.push("");
    else pieces.push(pieces.pop() + (pieces.at(-1) === "" ? "" : blank) + word);
  }
  return pieces.map((piece) => piece.trim());
}

/** What stands before, in and after the braces of a text; null if it has none. */
export function splitBraces(text: string) {
  const words = [...tokens(text)];
  const begin = words.find(([word]) => word === "{")?.[1];
  const end = words.findLast(([word]) => word === "}")?.[1];
  if (begin === undefined || end === undefined) return null;
  const before = text.slice(0, begin).trim();
  const inside = text.slice(begin + 1, end);
  return { before, inside, after: text.slice(end + 1), hasTuples: /#\w+\+?$/.test(before) };
}

/** The texts that a text with pools stands for, such as p(1) and p(2) for p(1;2). */
export function unpool(text: string): string[] {
  /** Of each bracket that is open: its place, and those of its semicolons. */
  const open: number[][] = [];
  let pool: number[] | undefined;
  for (const [word, at] of tokens(text)) {
    if ("([{".includes(word)) open.push([at]);
    else if (word === ";") open.at(-1)?.push(at);
    else if (")]}".includes(word)) {
      const places = [...(open.pop() ?? []), at];
      // The outermost pool comes first.
      if (word === ")" && places.length > 2 && places[0] < (pool?.[0] ?? Infinity)) pool = places;
    }
  }
  if (!pool) return [text];
  const [begin, end] = [pool[0], pool[pool.length - 1]];
  return pool
    .slice(1)
    .flatMap((at, i) =>
      unpool(text.slice(0, begin + 1) + text.slice(pool[i] + 1, at) + text.slice(end)),
    );
}

/** All choices of values for the pools of a head and of conditions; those in conditions with a scope of their own are left. */
export function unpoolAll(texts: string[]) {
  const values = texts.map((text) =>
    splitBraces(text) || splitAt(text, ":").length > 1 ? [text] : unpool(text),
  );
  return values.reduce<string[][]>(
    (found, own) => own.flatMap((text) => found.map((before) => [...before, text])),
    [[]],
  );
}

/** The conditions of a body; a comma after a colon goes on with what the colon began. */
export function splitBody(body: string, ...signs: string[]) {
  return splitAt(body, ";", ...signs)
    .filter(Boolean)
    .flatMap((piece) => {
      const parts = splitAt(piece, ",");
      const at = parts.findIndex((part) => splitAt(part, ":").length > 1);
      return at < 0 ? parts : [...parts.slice(0, at), parts.slice(at).join(", ")];
    });
}

/** Whether what stands before a rule's ":-" is the head of a rule, and the statement no constraint and no directive. */
export const isHead = (head: string) => !/^$|^:|^#(?!count|sum|min\b|max\b)/.test(head);

/** The atoms of a head, each with the conditions that it has there, and whether they are a choice. */
export function readHeads(head: string) {
  const braces = splitBraces(head);
  const elements = braces ? splitAt(braces.inside, ";") : splitBody(head, "|");
  const pieces = elements.map((element) => {
    const [atom = "", conditions = ""] = splitAt(element, ":").slice(braces?.hasTuples ? 1 : 0);
    return [atom, ...splitBody(conditions)];
  });
  const isChoice = braces !== null || pieces.length > 1 || pieces.some(({ length }) => length > 1);
  return { heads: pieces.filter(([atom]) => /^(?!not\s)-?_*[a-z]/.test(atom)), isChoice };
}

/** The predicate of an atom, such as "gold/4". */
export const nameOf = (atom: string) => `${atom.split("(")[0].trim()}/${argumentsOf(atom).length}`;

export function argumentsOf(atom: string) {
  const [, inside] = atom.match(/\((.*)\)$/s) ?? [];
  return inside ? splitAt(inside, ",") : [];
}

/** The predicates that rules derive, such as "gold/4", each with its place. */
export function* listHeads(text: string): Generator<[string, number]> {
  for (const { begin, end } of findStatements(text)) {
    const rule = text.slice(begin, end);
    const [head] = splitAt(rule, ":-");
    for (const [pooled] of isHead(head) ? readHeads(head).heads : []) {
      const word = pooled.match(/\w[\w']*/)?.[0];
      const [, at] = [...tokens(rule)].find(([one]) => one === word) ?? ["", 0];
      for (const name of new Set(unpool(pooled).map(nameOf))) yield [name, begin + at];
    }
  }
}
