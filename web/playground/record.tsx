/* A record of a game in turns: its verdict and its pictures, by the rules as they are. */

import { render } from "preact";
import type { RecordData, GameData, RecordBase, ReplayStep } from "../data.d.ts";
import type { Why, Derive } from "./kingdom.ts";
import type { Signature, Rows, Asked } from "../mirror/terms.ts";
import { byId, make, makeHead, on, reveal } from "../kernel/dom.ts";
import { Player, Screen, Tally, Violations } from "../parts/player.tsx";
import { ReadError } from "../mirror/board.ts";
import { Looks } from "../mirror/looks.ts";
import { write, writeSentence } from "../mirror/terms.ts";
import { countTurns } from "../mirror/steps.ts";
import { readTurns } from "../mirror/turns.ts";

/** A violation in words, in a turn of the record, with its atom and the question whose answer has it. */
type Violation = { turn: number; text: string; atom?: string; asked?: Asked };

/** A step under construction: places with the numbers of their looks, and the values of each label. */
export type Step = {
  says: string;
  cells: [number, number][];
  tally: Map<string, Set<string>>;
  points: number[];
};

export class Record {
  violations: Violation[] = [];
  data: GameData | RecordData;
  player: Player;

  constructor(data: RecordData | GameData, why: Why) {
    const open = (number: number) => {
      const { atom, asked } = this.violations[number];
      if (atom) why(atom, asked);
    };
    const draw = () => {
      const { player } = this;
      const seen = (
        <>
          <Screen player={player} />
          <Tally player={player} />
        </>
      );
      render(seen, byId("drawn"));
      render(<Violations player={player} open={open} />, byId("violations-list"));
    };
    this.data = data;
    this.player = new Player(draw);
    byId("drawn").addEventListener("keydown", (event: KeyboardEvent) => this.player.key(event));
    draw(); // the picture needs its place
    byId("lifted").textContent = data.lifted.join(", ");
    reveal("of-lifted", data.lifted.length > 0);
    byId("parts").hidden = data.parts.length === 1;
  }

  /** Ask the rules about each part; returns whether all answers are shown. `check` may throw before anything is shown. */
  async answer(
    derive: Derive,
    parts: string[] = this.data.parts.map(({ facts }) => facts),
    check: (answers: Rows[]) => void = () => {},
  ) {
    const answers: Rows[] = [];
    for (const [i, facts] of parts.entries()) {
      const rows = await derive("record", facts);
      if (!rows) return false;
      answers.push(countTurns(rows, this.data.parts[i].turnOf));
    }
    check(answers);
    this.tell(answers);
    await this.show(answers);
    return true;
  }

  tell(answers: Rows[]) {
    const result = (answers.at(-1)?.["result/2"] ?? [])
      .map(([key, value]) => [write(key), writeSentence(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    byId("result").replaceChildren(
      make(
        "tbody",
        result.map(([key, value]) => make("tr", [makeHead(key, "row"), make("td", value)])),
      ),
    );
    this.violations = answers.flatMap((rows, i) => readViolations(rows, this.data.parts[i].before));
    const { length } = this.violations;
    byId("verdict").textContent =
      `${length ? "not " : ""}consistent with the rules${length ? `: ${length} violation${length > 1 ? "s" : ""}` : ""}`;
    byId("verdict").classList.toggle("trouble", length > 0);
  }

  show(answers: Rows[]) {
    const {
      data: {
        size: [rows, columns],
        styles,
      },
      player,
      violations,
    } = this;
    const looks = new Looks(answers, styles);
    const [first, steps] = readSteps(answers, this.data, looks);
    byId("nothing").hidden = steps.length > 0;
    byId("drawn").hidden = !steps.length;
    const start = player.data?.steps.length ? player.turn : (violations[0]?.turn ?? Infinity);
    const listed = violations.map(
      ({ turn, text }) => [turn, turn, text] as [number, number, string],
    );
    const named: [number, string][] = answers
      .flatMap((found) => found["titled/3"] ?? [])
      .map(([row, column, name]) => [row * columns + column, write(name)]);
    const begin: Map<number, string> = new Map(
      (answers[0]["paints/4"] ?? [])
        .filter(([turn]) => !turn)
        .map(([, row, column, symbol]) => [row * columns + column, symbol]),
    );
    const marked = named.filter(([, name]) => styles.marks[name]);
    const groundAt = (place: number) => looks.known.get(begin.get(place) ?? "");
    const signs = Object.fromEntries(
      marked.map(([place, name]) => [name, looks.draw("", { ...groundAt(place), mark: name })]),
    );
    return player.load({
      rows,
      columns,
      shape: styles.shape,
      looks: looks.list,
      first,
      start,
      steps,
      violations: listed,
      titles: Object.fromEntries(named),
      signs,
    });
  }

  /** The violations, with the atoms of the rules, and the picture that is shown. */
  get state() {
    return {
      violations: this.violations.map(({ turn, text, atom }) => ({ turn, text, atom })),
      picture: this.player.picture.state,
    };
  }

  reset() {
    this.take("");
    this.player.data = null;
  }

  write() {
    return "";
  }
  check(text: string) {
    if (text) throw new Error("it is about a board, but this page is about a record");
  }
  take(text: string) {}
}

/* A game of Kingdom Builder: a record whose turns can be changed. */
export class Game extends Record {
  game: GameData;

  /** `change` is called when the turns have changed. */
  constructor(data: GameData, change: () => void, why: Why) {
    super(data, why);
    this.game = data;
    this.take(data.turns);
    on("turns", change, "input");
  }

  /** Ask about the turns; if they cannot be read, that is reported, and the page does not change. */
  async answer(derive: Derive) {
    let wrong = "";
    let isShown = true;
    try {
      const said = this.read(this.write());
      isShown = await super.answer(
        derive,
        [`${this.data.parts[0].facts} ${said.facts}`],
        ([rows]) => {
          said.check(new Set((rows["tile/4"] ?? []).map(([name]) => name)));
        },
      );
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      wrong = error.message;
    }
    byId("turns-error").textContent = wrong;
    byId("turns-wrong").hidden = !wrong;
    return isShown;
  }

  reset() {
    this.take(this.game.turns);
    this.player.data = null;
  }

  read(text: string) {
    return readTurns(text, this.game);
  }
  write() {
    return byId("turns").value;
  }
  check() {}
  take(text: string) {
    byId("turns").value = text;
  }
}

/** The violations of a part of a record, before which there are so many turns. */
function readViolations(rows: Rows, before: number): Violation[] {
  // Where a turn has several steps, the rules speak of steps.
  const turnOf: Map<number, number> = new Map((rows["turn_of/2"] ?? []) as any);
  const found = (rows["violation/4"] ?? []).map((row) => {
    const [step, code, whom, detail] = row;
    const turn = turnOf.get(step) ?? step;
    const said =
      typeof whom === "number" ? `player ${whom}` : writeSentence({ name: "", args: [whom] }); // a place is one word
    const at = turn + before;
    return {
      turn: at,
      text: `turn ${at}: ${write(code)}${said ? ` (${said})` : ""}: ${writeSentence(detail)}`,
      atom: row.text,
      asked: rows.asked,
    };
  });
  return found.sort((a, b) => a.turn - b.turn || (a.text < b.text ? -1 : 1));
}

/** The first turn, and the steps of a replay: the caption, changes, values and points of each picture. */
function readSteps(
  answers: Rows[],
  { parts, size: [rows, columns] }: RecordBase,
  looks: Looks,
): [number, ReplayStep[]] {
  const steps: Map<number, Step> = new Map();
  answers.forEach((found, i) => {
    const { before, caption } = parts[i];
    const captions = new Map(
      (found["caption/2"] ?? []).map(([own, words]) => [own, writeSentence(words)]),
    );
    for (const [first, last] of found["pictures/2"] ?? []) {
      for (let own = first; own <= last; own += 1) {
        const says =
          captions.get(own) ??
          caption.replaceAll("{turn}", String(own + before)).replaceAll("{own}", String(own));
        steps.set(own + before, { says, cells: [], tally: new Map(), points: [] });
      }
    }
    const put = (key: Signature, take: (step: Step, row: any[]) => void) => {
      for (const [own, ...row] of found[key] ?? []) {
        const step = steps.get(own + before);
        if (step) take(step, row);
      }
    };
    const isInside = (row: number, column: number) =>
      row >= 0 && row < rows && column >= 0 && column < columns;
    put("paints/4", ({ cells }, [row, column, symbol]) => {
      if (isInside(row, column)) cells.push([row * columns + column, looks.number(String(symbol))]);
    });
    put("points/3", ({ points }, [row, column]) => {
      if (isInside(row, column)) points.push(row * columns + column);
    });
    put("tally/3", ({ tally }, row) => {
      const [label, value] = row.map(writeSentence);
      tally.set(label, (tally.get(label) ?? new Set()).add(value));
    });
  });
  const turns = [...steps.keys()].sort((a, b) => a - b);
  const count = turns.length && turns[turns.length - 1] - turns[0] + 1;
  return [turns[0], Array.from({ length: count }, (_, i) => writeStep(steps.get(turns[0] + i)))];
}

function writeStep(step: Step | undefined): ReplayStep {
  if (!step) return ["the rules cannot follow the record here", [], [], []];
  const { says, cells, tally, points } = step;
  const changes = cells.flatMap(([place, number], i) => [place - (cells[i - 1]?.[0] ?? 0), number]);
  const beside: [string, string][] = [...tally].map(([label, values]) => [
    label,
    [...values].sort().join(", "),
  ]);
  // Names of people, a letter each, come after the counts.
  beside.sort(([a], [b]) => Number(a.length === 1) - Number(b.length === 1) || (a < b ? -1 : 1));
  return [says, changes, beside, points];
}
