/* A record of a game in turns: its verdict and its pictures, by the rules as they are. */

import { byId, make } from "./dom.js";
import { Picture } from "./picture.js";
import { write, writeSentence } from "./terms.js";

export class Record {
  constructor(data, why) {
    for (const part of document.querySelectorAll(".of-record")) part.hidden = false;
    Object.assign(this, { data, why, steps: [] });
    this.picture = new Picture(byId("field"), data.styles, () => {});
    byId("lifted").textContent = data.lifted.join(", ");
    for (const part of document.querySelectorAll(".of-lifted")) part.hidden = !data.lifted.length;
    byId("parts").hidden = data.parts.length === 1;
    byId("slider").addEventListener("input", () => this.show(Number(byId("slider").value)));
    for (const [id, step] of [["back", -1], ["on", 1]]) byId(id).addEventListener("click", () => this.go(this.turn + step));
  }

  /* Ask the rules about each part; whether all that they were asked for is shown. */
  answer(derive) {
    return this.answerAbout(derive, this.data.parts.map(({ facts }) => facts));
  }

  /* Ask about facts; `check` may throw before anything is shown. */
  async answerAbout(derive, parts, check = () => {}) {
    const answers = [];
    for (const facts of parts) {
      const rows = await derive("record", facts);
      if (!rows) return false;
      answers.push(rows);
    }
    check(answers);
    this.tell(answers);
    this.steps = readSteps(answers, this.data);
    const list = (key) => answers.flatMap((rows) => rows[key] ?? []).map(([symbol, colour, mark, name]) => [String(symbol), { colour, mark, name: write(name) }]);
    const pieces = new Map(list("piece/4"));
    this.looks = new Map(list("look/4").map(([symbol, look]) => [symbol, { ...look, piece: pieces.get(symbol) }]));
    byId("nothing").hidden = this.steps.length > 0;
    if (this.steps.length) this.begin();
    return true;
  }

  tell(answers) {
    const result = (answers.at(-1)["result/2"] ?? []).map(([key, value]) => [write(key), writeSentence(value)]);
    result.sort(([a], [b]) => (a < b ? -1 : 1));
    byId("result").replaceChildren(make("tbody", result.map(([key, value]) => make("tr", [make("th", key, { scope: "row" }), make("td", value)]))));
    this.violations = answers.flatMap((rows, i) => readViolations(rows, this.data.parts[i].before, this.data.who));
    const suspects = answers.flatMap((rows) => rows["suspect/1"] ?? []).map(([turn]) => turn).sort((a, b) => a - b);
    const count = this.violations.length;
    const isRight = !count && !suspects.length;
    const counted = count ? `: ${count} violation${count > 1 ? "s" : ""}` : "";
    byId("verdict").textContent = isRight ? "consistent with the rules" : `not consistent with the rules${counted}`;
    byId("verdict").classList.toggle("trouble", !isRight);
    byId("violations").replaceChildren(...this.violations.map(({ turn, text, atom, asked }) => {
      const button = make("button", text, { type: "button" });
      button.addEventListener("click", () => {
        this.go(turn);
        this.why(atom, asked);
      });
      return make("li", button);
    }));
    byId("suspects").hidden = !suspects.length;
    byId("suspects").textContent = `By these rules the record goes astray after turn ${suspects.join(", ")}.`;
  }

  begin() {
    const [first, last] = [this.steps[0].turn, this.steps.at(-1).turn];
    Object.assign(byId("slider"), { min: first, max: last });
    this.go(this.turn ?? this.violations[0]?.turn ?? last);
  }

  go(turn) {
    if (!this.steps.length) return;
    const shown = Math.max(this.steps[0].turn, Math.min(this.steps.at(-1).turn, turn));
    byId("slider").value = shown;
    this.show(shown);
  }

  /* Put the picture of a turn together from all that was painted up to it. */
  show(turn) {
    this.turn = turn;
    const [rows, columns] = this.data.size;
    const symbols = Array.from({ length: rows }, () => Array(columns).fill(" "));
    const tally = new Map();
    let step;
    for (const other of this.steps) {
      if (other.turn > turn) break;
      step = other;
      for (const [row, column, symbol] of step.cells) if (row in symbols && column in symbols[row]) symbols[row][column] = symbol;
      for (const [label, value] of step.tally) tally.set(label, value);
    }
    this.picture.draw(symbols, this.looks);
    this.picture.mark(step.points);
    byId("caption").textContent = step.caption;
    byId("slider").setAttribute("aria-valuetext", step.caption);
    byId("tally").replaceChildren(...[...tally].map(([label, value]) => make("div", [make("dt", label), make("dd", value)])));
  }

  write() {
    return "";
  }

  check(text) {
    if (text) throw new Error("it is about a board, and this page about a record");
  }

  take() {}
}

function readViolations(rows, before, who) {
  const found = (rows["violation/4"] ?? []).map((row) => {
    const [turn, code, whom, detail] = row;
    const said = typeof whom === "number" ? who.replace("{}", whom) : writeSentence(tuple(whom));
    const at = turn + before;
    return { turn: at, text: `turn ${at}: ${write(code)}${said ? ` (${said})` : ""}: ${writeSentence(detail)}`, atom: row.text, asked: rows.asked };
  });
  return found.sort((a, b) => a.turn - b.turn || (a.text < b.text ? -1 : 1));
}

/* A place, such as that of a robot, is a tuple: it is one word of a sentence. */
const tuple = (value) => ({ name: "", args: [value] });

/* The pictures of all parts: what each turn paints, points at and tells. */
function readSteps(answers, { parts }) {
  const steps = new Map();
  answers.forEach((rows, i) => {
    const { before, caption } = parts[i];
    for (const [first, last] of rows["pictures/2"] ?? []) {
      for (let turn = first; turn <= last; turn += 1) {
        const says = caption.replaceAll("{turn}", turn + before).replaceAll("{own}", turn);
        steps.set(turn + before, { turn: turn + before, caption: says, cells: [], points: [], tally: [] });
      }
    }
    const put = (key, list, make) => {
      for (const [turn, ...rest] of rows[key] ?? []) steps.get(turn + before)?.[list].push(make(rest));
    };
    put("paints/4", "cells", ([row, column, symbol]) => [row, column, String(symbol)]);
    put("points/3", "points", (place) => place.join(","));
    put("tally/3", "tally", ([label, value]) => [writeSentence(label), writeSentence(value)]);
  });
  const sorted = [...steps.values()].sort((a, b) => a.turn - b.turn);
  // Names of people, a letter each, stand behind what is counted.
  for (const step of sorted) {
    const tally = new Map();
    for (const [label, value] of step.tally) tally.set(label, [...(tally.get(label) ?? []), value]);
    step.tally = [...tally].map(([label, values]) => [label, values.sort().join(", ")]);
    step.tally.sort(([a], [b]) => (a.length === 1) - (b.length === 1) || (a < b ? -1 : 1));
  }
  return sorted;
}
