/* A record of a game in turns: its verdict and its pictures, by the rules as they are. */

import { byId, make, makeHead } from "../../kb_score/shell/page/dom.js";
import { Player } from "../../kb_score/shell/page/player.js";
import { Looks } from "./looks.js";
import { write, writeSentence } from "./terms.js";

export class Record {
  constructor(data, why) {
    for (const part of document.querySelectorAll(".of-record")) part.hidden = false;
    const open = (number) => why(this.violations[number].atom, this.violations[number].asked);
    Object.assign(this, { data, player: new Player(byId("drawn"), { open }) });
    byId("lifted").textContent = data.lifted.join(", ");
    for (const part of document.querySelectorAll(".of-lifted")) part.hidden = !data.lifted.length;
    byId("parts").hidden = data.parts.length === 1;
  }

  /* Ask the rules about each part; whether all that they were asked for is shown. */
  answer(derive) { return this.answerAbout(derive, this.data.parts.map(({ facts }) => facts)); }

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
    await this.show(answers);
    return true;
  }

  tell(answers) {
    const result = (answers.at(-1)["result/2"] ?? []).map(([key, value]) => [write(key), writeSentence(value)]);
    result.sort(([a], [b]) => (a < b ? -1 : 1));
    byId("result").replaceChildren(make("tbody", result.map(([key, value]) => make("tr", [makeHead(key, "row"), make("td", value)]))));
    this.violations = answers.flatMap((rows, i) => readViolations(rows, this.data.parts[i].before, this.data.who));
    const suspects = answers.flatMap((rows) => rows["suspect/1"] ?? []).map(([turn]) => turn).sort((a, b) => a - b);
    const count = this.violations.length;
    const isRight = !count && !suspects.length;
    const counted = count ? `: ${count} violation${count > 1 ? "s" : ""}` : "";
    byId("verdict").textContent = isRight ? "consistent with the rules" : `not consistent with the rules${counted}`;
    byId("verdict").classList.toggle("trouble", !isRight);
    byId("suspects").hidden = !suspects.length;
    byId("suspects").textContent = `By these rules the record goes astray after turn ${suspects.join(", ")}.`;
  }

  show(answers) {
    const { data, player, violations } = this;
    const { shape } = data.styles;
    const looks = new Looks(answers, data.styles);
    const [first, steps] = readSteps(answers, data, looks);
    byId("nothing").hidden = steps.length > 0;
    byId("drawn").hidden = !steps.length;
    const start = player.data?.steps.length ? player.turn : violations[0]?.turn ?? Infinity;
    const [rows, columns] = data.size;
    const listed = violations.map(({ turn, text }) => [turn, turn, text]);
    const titles = Object.fromEntries(answers.flatMap((found) => (found["titled/3"] ?? []).map(([row, column, name]) => [row * columns + column, write(name)])));
    return player.load({ rows, columns, shape, looks: looks.list, first, start, steps, violations: listed, titles });
  }

  write() { return ""; }

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

/* The first turn, and the steps of a replay: what each picture says, changes, tells and points at. */
function readSteps(answers, { parts, size: [rows, columns] }, looks) {
  const steps = new Map();
  answers.forEach((found, i) => {
    const { before, caption } = parts[i];
    for (const [first, last] of found["pictures/2"] ?? []) {
      for (let own = first; own <= last; own += 1) {
        const says = caption.replaceAll("{turn}", own + before).replaceAll("{own}", own);
        steps.set(own + before, { says, cells: [], tally: new Map(), points: [] });
      }
    }
    const put = (key, take) => { for (const [own, ...row] of found[key] ?? []) if (steps.has(own + before)) take(steps.get(own + before), row); };
    const isInside = (row, column) => row >= 0 && row < rows && column >= 0 && column < columns;
    put("paints/4", ({ cells }, [row, column, symbol]) => { if (isInside(row, column)) cells.push([row * columns + column, looks.number(String(symbol))]); });
    put("points/3", ({ points }, [row, column]) => { if (isInside(row, column)) points.push(row * columns + column); });
    put("tally/3", ({ tally }, row) => {
      const [label, value] = row.map(writeSentence);
      tally.set(label, (tally.get(label) ?? new Set()).add(value));
    });
  });
  const turns = [...steps.keys()].sort((a, b) => a - b);
  const count = turns.length && turns.at(-1) - turns[0] + 1;
  return [turns[0], Array.from({ length: count }, (_, i) => writeStep(steps.get(turns[0] + i)))];
}

function writeStep(step) {
  if (!step) return ["the rules cannot follow the record here", [], [], []];
  const { says, cells, tally, points } = step;
  const changes = cells.flatMap(([place, number], i) => [place - (cells[i - 1]?.[0] ?? 0), number]);
  const beside = [...tally].map(([label, values]) => [label, [...values].sort().join(", ")]);
  // Names of people, a letter each, stand behind what is counted.
  beside.sort(([a], [b]) => (a.length === 1) - (b.length === 1) || (a < b ? -1 : 1));
  return [says, changes, beside, points];
}
