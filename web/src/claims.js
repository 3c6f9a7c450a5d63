/* Claimed scores: a pasted text to claims, and a table in which wrong figures are marked. */

import { byId, list, make, makeHead, on } from "./dom.js";
import { fillTable } from "./tables.js";
import { normalise, ReadError } from "./board.js";
import { write } from "./terms.js";

const MAX_NUMBER = 2 ** 31 - 1;
const HEADING = /^[ \t]*[A-Za-z][^:0-9]*$/;
const TOTALS = /^[ \t]*\d/;
const CARD = /^[ \t]*[A-Za-z_]\w*[ \t]*:/;

export class Claims {
  constructor(change) {
    on("check", () => {
      this.text = byId("claims").value;
      change();
    });
  }

  /* Check what has been claimed; `derive` has the rules' rows for some facts. Whether it is shown. */
  async check({ cards, players }, derive) {
    if (this.text === undefined) return true;
    try {
      const claims = parseClaims(this.text, cards, players);
      const rows = await derive(claimFacts(claims, players));
      if (rows) this.show(claims, players, cards, readVerdict(rows));
      return Boolean(rows);
    } catch (error) {
      for (const part of ["checked", "blamed"]) byId(part).replaceChildren();
      byId("claims-verdict").textContent = error.message;
      return true;
    }
  }

  show(claims, players, cards, { wrong, blamed }) {
    const names = new Map(cards.map(({ name, number }) => [number, name]));
    const lines = claims.map(({ line, numbers, gold, isTotal }) => {
      const name = isTotal ? `cards ${numbers.join(" ")}` : names.get(numbers[0]);
      const cells = gold.map((value, i) => {
        const derived = wrong.get(`${line},${players[i]}`);
        return derived === undefined ? make("td", String(value)) : make("td", `${value}, not ${derived}`, { class: "wrong" });
      });
      return make("tr", [makeHead(`line ${line}: ${name}`, "row"), ...cells]);
    });
    fillTable(byId("checked"), ["claim", ...players.map((p) => `player ${p}`)], lines);
    const lineCount = new Set([...wrong.keys()].map((key) => key.split(",")[0])).size;
    byId("claims-verdict").textContent = lineCount ? `${lineCount} of ${claims.length} claims are wrong.` : `All ${claims.length} claims agree with the rules.`;
    list("blamed", blamed);
  }
}

/* Read claims: {line, numbers, gold, isTotal} each; `cards` have name and number. */
function parseClaims(text, cards, players) {
  const claims = [];
  normalise(text).split("\n").forEach((line, i) => {
    if (!line.trim() || /^[ \t]*%/.test(line)) return;
    if (TOTALS.test(line) || CARD.test(line)) claims.push(readClaim(line, i + 1, cards, players));
    else if (!HEADING.test(line)) {
      const expected = 'a claim such as "1 3 7  52 46 43 62" or "miners: 4, 12, 11, 4" is expected';
      throw new ReadError(expected, i + 1, line.length - line.trimStart().length + 1);
    }
  });
  if (!claims.length) throw new ReadError('there is no claim in it, such as "1 3 7  52 46 43 62"');
  return claims;
}

function readClaim(text, line, cards, players) {
  const isTotal = TOTALS.test(text) && !text.includes(":");
  const fail = (at, message) => { throw new ReadError(message, line, at + 1); };
  const values = [...text.matchAll(/[^\s,:]+/g)];
  const heads = values.splice(0, isTotal ? 3 : 1);
  const first = isTotal ? heads.at(-1).index + heads.at(-1)[0].length : text.indexOf(":") + 1;
  let end = first;
  for (const { 0: word, index } of values) {
    const between = text.slice(end, index);
    const isFirst = end === first && !isTotal;
    if (!/^[ \t]*,?[ \t]*$/.test(between) || (isFirst && between.includes(","))) fail(end, "blanks or one comma are expected between two values");
    if (!/^\d{1,12}$/.test(word)) fail(index, `a number is expected, not '${word.slice(0, 20)}'`);
    if (Number(word) > MAX_NUMBER) fail(index, `${word.slice(0, 20)} is more gold than there is`);
    end = index + word.length;
  }
  if (text.slice(end).trim()) fail(end, "nothing more is expected");
  const known = new Map(cards.flatMap(({ name, number }) => [[name, number], [String(number), number]]));
  const strange = heads.find(([word]) => !known.has(word));
  const names = cards.map(({ name, number }) => `${number} ${name}`).join(", ");
  if (strange) fail(strange.index, `there is no card '${strange[0].slice(0, 20)}': the cards are ${names}`);
  const numbers = heads.map(([word]) => known.get(word));
  if (new Set(numbers).size < numbers.length) fail(heads[0].index, "three different cards are expected");
  if (values.length !== players.length) {
    const kind = isTotal ? "3 cards and a total" : "gold";
    fail(text.trimEnd().length, `expected ${kind} for each of ${players.length} players, not ${values.length} values`);
  }
  return { line, numbers, gold: values.map(([word]) => Number(word)), isTotal };
}

function claimFacts(claims, players) {
  return claims.flatMap(({ line, numbers, gold, isTotal }) => [
    `claim(${line},${isTotal ? "total" : "card"}).`,
    ...numbers.map((number) => `claimed_card(${line},${number}).`),
    ...gold.map((value, i) => `claimed_gold(${line},${players[i]},${value}).`),
  ]).join(" ");
}

/* What is wrong: by line and player, the derived gold; and for a player the card to blame. */
function readVerdict(rows) {
  const wrong = new Map((rows["wrong/4"] ?? []).map(([line, player, , derived]) => [`${line},${player}`, derived]));
  const blamed = (rows["accounts_for/4"] ?? []).map(([card, player, claimed, derived]) =>
    `player ${player}: a mistake in the card ${write(card)} explains it: ${claimed} claimed, ${derived} derived`);
  return { wrong, blamed: blamed.sort() };
}
