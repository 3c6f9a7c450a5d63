/* A record of a game in turns: its verdict and its pictures, by the rules as they are. */

import { byId, make, makeHead, on, reveal } from "./dom.js";
import { Player } from "./player.js";
import { ReadError } from "./board.js";
import { Looks } from "./looks.js";
import { write, writeSentence } from "./terms.js";
import { readTurns } from "./turns.js";

export class Record {
  constructor(data, why) {
    const open = (number) => why(this.violations[number].atom, this.violations[number].asked);
    this.data = data;
    this.player = new Player(byId("drawn"), { open });
    byId("lifted").textContent = data.lifted.join(", ");
    reveal("of-lifted", data.lifted.length > 0);
    byId("parts").hidden = data.parts.length === 1;
  }

  /* Ask the rules about each part; whether all that they were asked for is shown.
     `check` may throw before anything is shown. */
  async answer(derive, parts = this.data.parts.map(({ facts }) => facts), check = (answers) => {}) {
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
    const list = (key) => answers.flatMap((rows) => rows[key] ?? []);
    const result = (answers.at(-1)["result/2"] ?? []).map(([key, value]) => [write(key), writeSentence(value)]).sort(([a], [b]) => (a < b ? -1 : 1));
    byId("result").replaceChildren(make("tbody", result.map(([key, value]) => make("tr", [makeHead(key, "row"), make("td", value)]))));
    this.violations = answers.flatMap((rows, i) => readViolations(rows, this.data.parts[i].before, this.data.who));
    const suspects = list("suspect/1").map(([turn]) => turn).sort((a, b) => a - b);
    const { length } = this.violations;
    const isRight = !length && !suspects.length;
    byId("verdict").textContent = `${isRight ? "" : "not "}consistent with the rules${length ? `: ${length} violation${length > 1 ? "s" : ""}` : ""}`;
    byId("verdict").classList.toggle("trouble", !isRight);
    byId("suspects").hidden = !suspects.length;
    byId("suspects").textContent = `By these rules the record goes astray after turn ${suspects.join(", ")}.`;
  }

  show(answers) {
    const { data: { size: [rows, columns], styles }, player, violations } = this;
    const looks = new Looks(answers, styles);
    const [first, steps] = readSteps(answers, this.data, looks);
    byId("nothing").hidden = steps.length > 0;
    byId("drawn").hidden = !steps.length;
    const start = player.data?.steps.length ? player.turn : violations[0]?.turn ?? Infinity;
    const listed = violations.map(({ turn, text }) => [turn, turn, text]);
    const named = answers.flatMap((found) => found["titled/3"] ?? []).map(([row, column, name]) => [row * columns + column, write(name)]);
    const begin = new Map((answers[0]["paints/4"] ?? []).filter(([turn]) => !turn).map(([, row, column, symbol]) => [row * columns + column, symbol]));
    const signs = Object.fromEntries(named.filter(([, name]) => styles.marks[name]).map(([place, name]) => [name, looks.draw("", { ...looks.known.get(begin.get(place)), mark: name })]));
    return player.load({ rows, columns, shape: styles.shape, looks: looks.list, first, start, steps, violations: listed, titles: Object.fromEntries(named), signs });
  }

  write() { return ""; }
  check(text) { if (text) throw new Error("it is about a board, and this page about a record"); }
  take() {}
}

/* A game of Kingdom Builder: a record whose turns can be changed. */
export class Game extends Record {
  constructor(data, change, why) {
    super(data, why);
    this.take(data.turns);
    on("turns", change, "input");
  }

  /* Ask about the turns; what cannot be read is told, and then what is shown stays. */
  async answer(derive) {
    let wrong = "";
    let isShown = true;
    try {
      const said = this.read(this.write());
      isShown = await super.answer(derive, [`${this.data.parts[0].facts} ${said.facts}`], ([rows]) => {
        said.check(new Set((rows["tile/4"] ?? []).map(([name]) => name)));
      });
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      wrong = error.message;
    }
    byId("turns-error").textContent = wrong;
    byId("turns-wrong").hidden = !wrong;
    return isShown;
  }

  read(text) { return readTurns(text, this.data); }
  write() { return byId("turns").value; }
  check() {}
  take(text) { byId("turns").value = text; }
}

function readViolations(rows, before, who) {
  const found = (rows["violation/4"] ?? []).map((row) => {
    const [turn, code, whom, detail] = row;
    const said = typeof whom === "number" ? who.replace("{}", whom) : writeSentence({ name: "", args: [whom] }); // a place is one word
    const at = turn + before;
    return { turn: at, text: `turn ${at}: ${write(code)}${said ? ` (${said})` : ""}: ${writeSentence(detail)}`, atom: row.text, asked: rows.asked };
  });
  return found.sort((a, b) => a.turn - b.turn || (a.text < b.text ? -1 : 1));
}

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
  beside.sort(([a], [b]) => Number(a.length === 1) - Number(b.length === 1) || (a < b ? -1 : 1));
  return [says, changes, beside, points];
}
