/* Atoms in words: the sentence of a predicate with values in place of the names of its arguments. */

import { parseAtom } from "./terms.js";
import { spell } from "./shapes.js";

/* Say an atom, whose arguments are spelt, or undefined if they are open. */
export function say(says, name, args) {
  const [names, sentence] = says[name] ?? [[], ""];
  const values = new Map(names.map((key, at) => [key, args[at]]).filter(([, text]) => text !== undefined));
  if (!values.size) return sentence;
  const wanted = [...values.keys()].sort((a, b) => b.length - a.length).join("|");
  const pattern = new RegExp(`(?!^A )\\b(this much |these |this )?(${wanted})\\b`, "g");
  return sentence.replace(pattern, (_, before, key) => {
    const value = sayValue(parseAtom(values.get(key)));
    const word = key.length > 1 ? key.toLowerCase() : key;
    if (!before) return value;
    return before === "this " ? `${word} ${value}` : `${value} ${word}`;
  });
}

/* A text without its quotes; a tuple that holds one is a sentence. */
function sayValue(value) {
  if (typeof value === "string") return value;
  const isSentence = value.name === "" && value.args.some((part) => typeof part === "string");
  return isSentence ? value.args.map(sayPart).join(" ") : spell(value);
}

const sayPart = (part) => (part.name === "" ? part.args.map(sayValue).join(",") : sayValue(part));
