/* What a new game is played with: who plays, the board and the cards. */

import { clean, findNameFault, LONGEST_NAME } from "../kernel/kb.ts";
import type { Setup } from "./game.ts";
import type { TableData } from "../data.d.ts";
import { byId, make, on, sayError } from "../kernel/dom.ts";
import { draw, joinQuadrants, readTurn } from "./game.ts";

const PLACES = ["north-west", "north-east", "south-west", "south-east"];
const [RANDOM, NOBODY, NONE] = ["at random", "nobody", "none"];

const offer = (id: string, labels: string[], listOptions: (at: number) => string[]) =>
  byId(id).append(
    ...labels.map((label, i) =>
      make("label", [
        `${label} `,
        make(
          "select",
          listOptions(i).map((text) => make("option", text)),
        ),
      ]),
    ),
  );
const selectsOf = (id: string): HTMLSelectElement[] => [...byId(id).querySelectorAll("select")];
/** Choose values; `other` is shown where there is none. */
const fill = (id: string, values: string[], other: string = "") =>
  selectsOf(id).forEach((select, i) => {
    select.value = values[i] ?? other;
  });
/** The values that are chosen, but for `other`, which is none. */
const read = (id: string, other?: string) =>
  selectsOf(id)
    .map(({ value }) => value)
    .filter((value) => value !== other);
const number = (word: string, many: number) =>
  Array.from({ length: many }, (_, i) => `${word} ${i + 1}`);

export class Form {
  data: TableData;
  seed: number;
  deal: (setup: Setup) => void;
  isBegun: () => boolean;
  /** What is done if the game may end. */
  private agreed: () => void = () => {};

  /** `deal` begins a game. `isBegun` tells whether one would be lost. */
  constructor(data: TableData, deal: (setup: Setup) => void, isBegun: () => boolean) {
    this.data = data;
    this.seed = data.setup.seed;
    this.deal = deal;
    this.isBegun = isBegun;
    offer("seats", number("player", data.most), (i) => [
      ...data.seats,
      ...(i < data.least ? [] : [NOBODY]),
    ]);
    [...byId("seats").children].forEach((label, i) =>
      label.append(
        make("input", [], {
          type: "text",
          "aria-label": `name of player ${i + 1}`,
          placeholder: "name",
          maxlength: LONGEST_NAME,
          autocomplete: "off",
        }),
      ),
    );
    offer("quarters", PLACES, () => data.quadrants.flatMap(({ name }) => [name, `${name}/180`]));
    offer("cards", number("card", data.dealt), () => [RANDOM, ...data.cards, ...data.in_game]);
    offer("queenies", number("small set", Object.keys(data.queenies).length), () => [
      NONE,
      ...Object.keys(data.queenies),
    ]);
    on(
      "setup",
      (event) => {
        event.preventDefault();
        const setup = this.read();
        if (setup) this.ask(() => this.begin(setup));
      },
      "submit",
    );
    on("end-game", () => {
      byId("asking").close();
      this.agreed();
    });
    on("keep-game", () => byId("asking").close());
    const begin = (players: string[]) =>
      this.ask(() => {
        fill("seats", players, NOBODY);
        const setup = this.read();
        if (setup) this.begin(setup);
      });
    on("two-people", () => begin(["human", "human"]));
    on("one-computer", () => begin(["human", "settler"]));
    on("other-game", () => this.open(selectsOf("seats")[0]));
    on("shuffle", () =>
      fill(
        "quarters",
        draw(data.quadrants, Math.random, PLACES.length).map(
          ({ name }) => name + (Math.random() < 0.5 ? "/180" : ""),
        ),
      ),
    );
  }

  /** Ask before a game that has begun ends. */
  private ask(agreed: () => void) {
    if (!this.isBegun()) {
      agreed();
      return;
    }
    this.agreed = agreed;
    byId("asking").showModal();
  }

  /** Open the form, at a part of it. */
  open(part: HTMLElement) {
    byId("new").open = true;
    part.scrollIntoView({ block: "nearest" });
    part.focus();
  }

  /** Where the names of the players stand. */
  get inputs(): HTMLInputElement[] {
    return [...byId("seats").querySelectorAll("input")];
  }

  /* The names of those who play, empty for those who have none. */
  get names() {
    const taken = selectsOf("seats").map(({ value }) => value !== NOBODY);
    return this.inputs.filter((_, i) => taken[i]).map(({ value }) => clean(value).trim());
  }

  /** Show the setup of a game. */
  show({ board, cards, names = [], players, queenies = [], seed }: Setup) {
    this.seed = seed;
    fill("seats", players, NOBODY);
    this.inputs.forEach((input, i) => {
      input.value = names[i] ?? "";
    });
    fill("quarters", board);
    fill("cards", cards, RANDOM);
    fill("queenies", queenies, NONE);
  }

  /** What the form says; nothing if it cannot be, which is told. */
  private read(): Setup | null {
    const {
      data: { cards, dealt },
    } = this;
    const wanted = [...new Set(read("cards", RANDOM))];
    const others = cards.filter((card) => !wanted.includes(card));
    const setup = {
      seed: (this.seed + 1) % 2 ** 31,
      board: read("quarters"),
      players: read("seats", NOBODY),
      names: this.names,
      queenies: [...new Set(read("queenies", NONE))],
      cards: wanted.length ? [...wanted, ...draw(others, Math.random, dealt - wanted.length)] : [],
    };
    try {
      this.check({ ...setup, lines: [], now: null });
      byId("setup-error").textContent = "";
      return setup;
    } catch (error) {
      byId("setup-error").textContent = sayError(error);
      return null;
    }
  }

  private begin(setup: Setup) {
    byId("new").open = false;
    scrollTo(0, 0);
    this.deal(setup);
  }

  /** Check a game that somebody else may have written; an error says what is wrong with it. */
  check(state: any) {
    const { seats, least, most, cards, in_game: inGame, queenies } = this.data;
    const isList = (value: unknown, check: (one: any) => boolean) =>
      Array.isArray(value) && value.every(check);
    const isText = (value: unknown) => typeof value === "string";
    const need = (isSo: unknown, says: string) => {
      if (!isSo) throw new Error(says);
    };
    need(
      Number.isSafeInteger(state?.seed) &&
        isList(state.board, isText) &&
        isList(state.lines, isText) &&
        (state.now === null || isText(state.now?.said)),
      "it contains no game",
    );
    const names = state.names ?? [];
    need(
      isList(names, (name) => isText(name) && name.length <= LONGEST_NAME && clean(name) === name),
      "it has names that cannot be shown",
    );
    const fault = findNameFault(names);
    need(!fault, fault);
    need(
      isList(state.players, (kind) => seats.includes(kind)) &&
        state.players.length >= least &&
        state.players.length <= most,
      `expected ${least} to ${most} players`,
    );
    need(
      isList(state.cards, (card) => [...cards, ...inGame].includes(card)),
      "it has unknown cards",
    );
    need(
      isList(state.queenies ?? [], (word) => Object.hasOwn(queenies, word)),
      "it has unknown small sets",
    );
    joinQuadrants(this.data, state.board);
    state.lines.forEach(readTurn);
  }
}
