/* What one can begin with: the examples and the rulings of the rule files, and a card in one line. */

import type { BoardData } from "../data.d.ts";
import type { Rules } from "./rules.ts";
import type { Board } from "../mirror/board.ts";
import { byId, make, on } from "../kernel/dom.ts";
import { ReadError } from "../mirror/board.ts";

const EXAMPLE = /^%\*!\s*Example: *(.*)\n([^]*?)\*%/gm;
const CLAIM = /^(?:[a-z][^:\n]*:|with )/m; // the beginning of an example's assertions
const RULING =
  /^% ruling: (.*)\n(?:% \(with [01], ([^]*?)\)\n)?(?:% values: .*\n)?#const (\w+) = ([01])\./gm;

/** What is done when something is chosen; it may say something of it. */
export type Act = () => string | void;

/** `check` throws an error if a text is not a board. */
export function offerBeginnings(
  { card, uses }: BoardData,
  rules: Rules,
  { check, take }: { check: (text: string) => Board; take: (rows: Board) => void },
) {
  const acts: Record<"examples" | "rulings", Act[]> = { examples: [], rulings: [] };
  const offer = (id: "examples" | "rulings", name: string, found: [string, Act][]) => {
    if (!found.length) return;
    byId(id).append(
      make(
        "optgroup",
        found.map(([title, act]) => make("option", title, { value: acts[id].push(act) })),
        { label: name },
      ),
    );
  };
  for (const { name, text } of rules.of(uses.scores)) {
    offer(
      "examples",
      name,
      [...text.matchAll(EXAMPLE)].flatMap(([, title, body]) => {
        const rows = readRows(body.split(CLAIM)[0], check);
        return rows
          ? [
              [
                title,
                () => {
                  rules.open(name);
                  take(rows);
                },
              ],
            ]
          : [];
      }),
    );
    offer(
      "rulings",
      name,
      [...text.matchAll(RULING)].map(([, title, other, constant, given]) => [
        `not: ${title}`,
        () => {
          let value: number | undefined;
          const line = new RegExp(`(#const ${constant} = )([01])\\.`);
          rules.write(
            name,
            rules
              .get(name)
              .text.replace(line, (_, before, old) => `${before}${(value = 1 - Number(old))}.`),
          );
          return `${constant} is ${value} now, in ${name}: ${value === Number(given) ? title : other.replaceAll(/\n% */g, " ")}. If no figure changes, nothing on this board depends on it.`;
        },
      ]),
    );
  }
  for (const [id, own] of Object.entries(acts)) {
    on(
      id,
      () => {
        const says = own[byId(id).value - 1]?.() ?? "";
        Object.assign(byId("note"), { textContent: says, hidden: !says });
        byId(id).value = "";
      },
      "change",
    );
  }
  on("one-line", () => rules.write(card.name, card.text));
}

/** The rows of a text; null if it is not a board. */
function readRows(text: string, check: (text: string) => Board) {
  try {
    return check(text);
  } catch (error) {
    if (error instanceof ReadError) return null; // such as a game
    throw error;
  }
}
