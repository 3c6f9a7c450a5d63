// The table of gold: pointing at a figure shows what pays it, and marks that on the board.
import type { Content } from "../kernel/dom.ts";
import type { Asked } from "../mirror/terms.ts";
import type { Picture, Piece } from "../kernel/picture.ts";
import type { Column } from "./tables.ts";
import { byId, groupBy, list, make, makeButton } from "../kernel/dom.ts";
import { frameTile } from "../kernel/picture.ts";
import { Sorted } from "./tables.ts";

/** What a card pays for: the reason, the gold, and the hexes that show it; also the atom of the reason if the page can explain it. */
export type Payment = Piece & { why: string; gold: number | string; atom?: string };

/** A card, or a sum of cards, which has no number. There is no text if the name says enough. */
export type Card = { name: string; number?: number; text?: string };

/** The data of the table: for each card the gold and evidence of each player, in the order of the names. */
export type Shown = {
  cards: Card[];
  players: number[];
  names: string[];
  gold: Record<string, (number | undefined)[]>;
  evidence: Record<string, Payment[][]>;
  total: number[] | null;
  chosen: string[];
  asked?: Asked;
};

/** Texts that a page may replace: `head` stands before a card's figures, `name` is the name of a card in sentences,
 * `sayPaid` returns the words for pieces of one kind, and `why` is called with the atom of a reason that is clicked. */
export type Sayings = {
  head?: (card: Card) => Content;
  name?: (word: string) => string;
  why?: ((atom: string, asked?: Asked) => void) | null;
  sayPaid?: ((kind: string, gold: number | string, which: string[]) => string) | null;
};

/** A card with number 0 pays in every game, and is known by its name alone. */
export const nameCard = ({ name, number }: Card) => (number ? `${number} ${name}` : name);

/** The head of a player's column: what says that it is a player may be left out where there is little room. */
const sayHead = (name: string) =>
  /^player \d+$/.test(name) ? [make("span", "player ", { class: "word" }), name.slice(7)] : name;

export class Gold {
  picture: Picture;
  head: (card: Card) => Content;
  name: (word: string) => string;
  why: ((atom: string, asked?: Asked) => void) | null;
  sayPaid: ((kind: string, gold: number | string, which: string[]) => string) | null;
  table: HTMLTableElement;
  /** The figure that is shown: its card and its player. */
  key: string | null = null;
  scores: Shown | undefined;

  /** `picture` shows the marks. */
  constructor(
    picture: Picture,
    { head = nameCard, name = (word) => word, why = null, sayPaid = null }: Sayings = {},
  ) {
    this.picture = picture;
    this.head = head;
    this.name = name;
    this.why = why;
    this.sayPaid = sayPaid;
    this.table = byId("gold");
    this.table.addEventListener("keydown", (event) => this.move(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.scores) this.show(null);
    });
  }

  /** Fill the table. What is shown or has the focus keeps it. */
  fill(scores: Shown) {
    const { dataset, id } = this.table.contains(document.activeElement)
      ? (document.activeElement as HTMLElement)
      : { dataset: null, id: "" };
    const { cards, players, names, gold, total } = scores;
    this.scores = scores;
    type Line = { name: string; number?: number; gold: (number | undefined)[] };
    const figures: Column<Line>[] = players.map((player, i) => ({
      label: names[i],
      shown: sayHead(names[i]),
      icon: this.drawPlayer(names[i]) || this.drawPlayer(`player ${player}`),
      value: (row) => row.gold[i],
      cell: (row, value) =>
        this.makeFigure(
          `${row.name} ${player}`,
          value ?? "?",
          `${this.name(row.name)}, ${names[i]}: ${value ?? "?"} gold`,
        ),
    }));
    const columns: typeof figures = [
      {
        label: "card",
        heads: true,
        value: (row) => `${row.number} ${row.name}`,
        cell: (row) => this.head(row),
      },
      ...figures,
    ];
    const sums: Line[] = total ? [{ name: "total", gold: total }] : [];
    new Sorted(
      this.table,
      columns,
      cards.map((card) => ({ ...card, gold: gold[card.name] })),
      sums,
    );
    const first: HTMLButtonElement | null =
      this.find(this.key) ?? this.table.querySelector("td button");
    if (first) first.tabIndex = 0; // without settlements there are no figures
    this.show(this.find(this.key) ? this.key : null);
    if (dataset) (byId(id) ?? this.find(dataset.key) ?? first ?? this.picture.folder).focus();
  }

  /** What stands on the board for a player, for the head of his column. */
  drawPlayer(name: string) {
    const { looks, shape } = this.picture;
    const found =
      looks.find((look) => look.name === name) ??
      looks.find((look) => look.name.endsWith(`, ${name}`));
    return found ? frameTile(found.tile, shape) : "";
  }

  makeFigure(key: string, value: string | number, label: string) {
    const button = makeButton(
      String(value),
      () => {
        this.show(key);
        // In a wide window the figures would move away from the pointer.
        if (innerWidth < 768) byId("why").scrollIntoView({ block: "nearest" });
      },
      { tabindex: -1, "aria-label": label, "data-key": key },
    );
    for (const kind of ["focus", "mouseenter"]) button.addEventListener(kind, () => this.show(key));
    return button;
  }

  find(key: string | null | undefined): HTMLButtonElement | undefined {
    const buttons: NodeListOf<HTMLButtonElement> = this.table.querySelectorAll("td button");
    return [...buttons].find(({ dataset }) => dataset.key === key);
  }

  /** Tell what a figure is paid for, and mark the hexes; null takes the marks away. */
  show(key: string | null) {
    this.key = key;
    this.table.querySelector("[aria-current]")?.removeAttribute("aria-current");
    byId("why").hidden = !key;
    const { cards = [], players = [], evidence = {}, chosen = [] } = this.scores ?? {};
    const [, name, player] = key?.match(/(.*) (\d+)$/) ?? [];
    const paying = cards.filter((card) =>
      name === "total" ? chosen.includes(card.name) : card.name === name,
    );
    const paid = paying.map((card) => evidence[card.name]?.[players.indexOf(Number(player))] ?? []);
    this.picture.mark(paid.flat());
    const button = this.find(key);
    if (!key || !button) return;
    button.setAttribute("aria-current", "true");
    byId("paid").textContent = button.getAttribute("aria-label");
    byId("pays").textContent = name === "total" ? "all cards of the game" : paying[0].text;
    const lines = paid.flatMap((pieces, i) =>
      this.say(pieces, name === "total" ? `${this.name(paying[i].name)}: ` : ""),
    );
    list("reasons", lines.length ? lines : ["No gold."]);
  }

  /** Reasons of one kind that pay the same share a line. */
  say(pieces: Payment[], before: string) {
    const kinds = groupBy(pieces, ({ why, gold }) =>
      `${gold} gold for ${why.split(" ").slice(0, -1).join(" ")}`.trim(),
    );
    return [...kinds].map(([kind, all]) => {
      if (this.sayPaid) {
        const [{ gold, why }] = all;
        return `${before}${this.sayPaid(
          why.split(" ").slice(0, -1).join(" "),
          gold,
          all.map((one) => one.why.split(" ").at(-1) ?? ""),
        )}`;
      }
      const which = all.map(({ why, atom }) => {
        const word = why.split(" ").at(-1) ?? "";
        return this.why && atom
          ? makeButton(word, () => this.why?.(atom, this.scores?.asked))
          : word;
      });
      const count = all.length > 1 ? `${all.length} \u00D7 ` : "";
      return [`${before}${count}${kind} `, ...which.flatMap((one, i) => (i ? ["; ", one] : one))];
    });
  }

  /** Arrow keys lead from figure to figure, Home and End to the first and the last of a row. */
  move(event: any) {
    const cell = event.target.closest("td");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const line = cell.parentNode;
    const lines = [...this.table.querySelectorAll("tbody tr, tfoot tr")];
    const at = lines.indexOf(line);
    const next: Record<string, any> = {
      ArrowLeft: cell.previousElementSibling,
      ArrowRight: cell.nextElementSibling,
      ArrowUp: lines[at - 1]?.children[cell.cellIndex],
      ArrowDown: lines[at + 1]?.children[cell.cellIndex],
      Home: line.querySelector("td:has(button)"),
      End: line.lastElementChild,
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    const button = next[event.key]?.querySelector("button");
    if (!button) return;
    event.target.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  }
}
