// The table of gold: pointing at a figure shows what pays it, and marks that on the board.
import { type ComponentChildren, render } from "preact";
import { useMemo } from "preact/hooks";
import type { Asked } from "../mirror/terms.ts";
import type { Picture, Piece } from "../kernel/picture.ts";
import { groupBy } from "../kernel/dom.ts";
import { type Column, SortedTable } from "../kernel/table.tsx";
import { Tile } from "../kernel/view.tsx";

/** What a card pays for: the reason, the gold, and the hexes that show it; also the atom of the reason if the page can explain it. */
export type Payment = Piece & { why: string; gold: number | string; atom?: string };

/** A card, or a sum of cards, which has no number. There is no text if the name says enough. */
export type Card = { name: string; number?: number; text?: string };

/** The data of the table: for each card the gold and evidence of each player, in the order of the names. */
export type Scores = {
  cards: Card[];
  players: number[];
  names: string[];
  gold: Record<string, (number | undefined)[]>;
  evidence: Record<string, Payment[][]>;
  total: number[] | null;
  chosen: string[];
  asked?: Asked;
};

/** What a page shows its own way: what stands before a card's figures, the marks on the board, and why an atom holds. */
export interface Ways {
  head?: (card: Card) => ComponentChildren;
  mark?: (pieces: Piece[]) => void;
  why?: (atom: string, asked?: Asked) => void;
}

/** What has changed by a card, or the total, for the players that it has changed for: "+4". */
export type Changes = Map<string, Map<number, string>>;

/** A card with number 0 pays in every game, and is known by its name alone. */
export const nameCard = ({ name, number }: Card) => (number ? `${number} ${name}` : name);

const splitKey = (key: string) => {
  const at = key.lastIndexOf(" ");
  return { name: key.slice(0, at), player: Number(key.slice(at + 1)) };
};

/** The gold of a board: its figures, and which of them is explained. */
export class Gold {
  scores: Scores | undefined;
  /** The figure that is explained: its card and its player. */
  key = "";
  /** The figure that Tab leads to. */
  reached = "";
  changes: Changes = new Map();
  /** Whether the changes are those that a click would make. */
  isPreview = false;
  readonly picture: Picture;
  readonly draw: (gold: Gold) => void;
  readonly ways: Ways;

  /** `picture` shows the marks, and `draw` draws the views anew. */
  constructor(picture: Picture, draw: (gold: Gold) => void, ways: Ways = {}) {
    this.picture = picture;
    this.draw = draw;
    this.ways = ways;
  }

  /** Show other figures; the one that is explained stays so if it is there. */
  fill(scores: Scores) {
    this.scores = scores;
    const keys = this.lines.flatMap(({ name }) =>
      scores.players.map((player) => `${name} ${player}`),
    );
    const known = new Set(keys);
    if (!known.has(this.reached)) this.reached = keys[0] ?? "";
    this.show(known.has(this.key) ? this.key : "");
  }

  /** The cards with their figures, and the total. */
  get lines() {
    const { cards = [], total = null } = this.scores ?? {};
    return [...cards, ...(total ? [{ name: "total" }] : [])];
  }

  /** Explain a figure, and mark the hexes; "" takes the marks away. */
  show(key: string) {
    this.key = key;
    if (key) this.reached = key;
    (this.ways.mark ?? ((pieces) => this.picture.mark(pieces)))(
      this.paying.flatMap(({ paid }) => paid),
    );
    this.draw(this);
  }

  /** The cards that the figure is of, with what they pay the player for. */
  get paying() {
    const { cards = [], players = [], evidence = {}, chosen = [] } = this.scores ?? {};
    const { name, player } = splitKey(this.key);
    const isPaying = (card: Card) =>
      name === "total" ? chosen.includes(card.name) : card.name === name;
    const at = players.indexOf(player);
    return cards.filter(isPaying).map((card) => ({ card, paid: evidence[card.name]?.[at] ?? [] }));
  }

  /** "miners, player 3: 11 gold" */
  label(name: string, player: number) {
    const { names = [], players = [] } = this.scores ?? {};
    return `${name}, ${names[players.indexOf(player)]}: ${this.figure(name, player) ?? "?"} gold`;
  }

  figure(name: string, player: number) {
    const { gold = {}, players = [], total } = this.scores ?? {};
    return (name === "total" ? total : gold[name])?.[players.indexOf(player)];
  }
}

/** What stands on the board for a player, if anything does. */
function Player({ gold, name, player }: { gold: Gold; name: string; player: number }) {
  const { looks, shape } = gold.picture;
  const called = (wanted: string) =>
    looks.find((look) => look.name === wanted) ??
    looks.find((look) => look.name.endsWith(`, ${wanted}`));
  const look = called(name) ?? called(`player ${player}`);
  return look ? <Tile tile={look.tile} shape={shape} /> : null;
}

/** Of the head of a player's column, what says that it is a player may be left out where there is little room. */
const sayHead = (name: string) =>
  /^player \d+$/.test(name) ? (
    <>
      <span class="word">player </span>
      {name.slice(7)}
    </>
  ) : (
    name
  );

export function GoldTable({ gold }: { gold: Gold }) {
  const { changes, lines, scores, ways } = gold;
  if (!scores) return null;
  const { cards, players, names } = scores;
  const figures = players.map((player, i): Column<Card> => ({
    label: names[i],
    head: (
      <>
        <Player gold={gold} name={names[i]} player={player} />
        {sayHead(names[i])}
      </>
    ),
    value: ({ name }) => gold.figure(name, player),
    cell: ({ name }) => <Figure gold={gold} name={name} player={player} />,
  }));
  const columns: Column<Card>[] = [
    {
      label: "card",
      heads: true,
      value: ({ name, number }) => `${number} ${name}`,
      cell: ways.head ?? nameCard,
    },
    ...figures,
    ...(changes.size ? [changeColumn(gold)] : []),
  ];
  return (
    <div class={gold.isPreview ? "preview" : undefined} onKeyDown={(event) => moveFocus(event)}>
      <SortedTable id="gold" columns={columns} rows={cards} sums={lines.slice(cards.length)} />
    </div>
  );
}

function Figure({ gold, name, player }: { gold: Gold; name: string; player: number }) {
  const key = `${name} ${player}`;
  const show = () => gold.show(key);
  const click = () => {
    show();
    // In a wide window the figures would move away from the pointer.
    if (innerWidth < 768) document.getElementById("why")?.scrollIntoView({ block: "nearest" });
  };
  const isReached = gold.reached === key;
  const isShown = gold.key === key;
  const label = gold.label(name, player);
  // Most figures stay as they are when another one is pointed at.
  return useMemo(
    () => (
      <button
        type="button"
        tabIndex={isReached ? 0 : -1}
        aria-label={label}
        aria-current={isShown ? "true" : undefined}
        data-key={key}
        onClick={click}
        onFocus={show}
        onMouseEnter={show}
      >
        {gold.figure(name, player) ?? "?"}
      </button>
    ),
    [isReached, isShown, key, label],
  );
}

/** A last column with what each player has gained or lost by a card. */
function changeColumn(gold: Gold): Column<Card> {
  const { names = [], players = [] } = gold.scores ?? {};
  const cell = ({ name }: Card) =>
    players.map((player, i) => {
      const said = gold.changes.get(name)?.get(player) ?? "";
      return (
        <span key={player} class={said.startsWith("+") ? "more" : "less"}>
          {said && <span class="unseen">{names[i]} </span>}
          {said}
        </span>
      );
    });
  const head = (
    <>
      <span class="unseen">change</span>
      {players.map((player, i) => (
        <span key={player}>
          <Player gold={gold} name={names[i]} player={player} />
        </span>
      ))}
    </>
  );
  return { label: "change", head, class: "change", isFixed: true, value: () => undefined, cell };
}

/** Arrow keys lead from figure to figure, Home and End to the first and the last of a row. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }) {
  const cell = (event.target as Element).closest<HTMLTableCellElement>("td");
  const line = cell?.closest("tr");
  if (!cell || !line || event.ctrlKey || event.altKey || event.metaKey) return;
  const lines = [
    ...event.currentTarget.querySelectorAll<HTMLTableRowElement>("tbody tr, tfoot tr"),
  ];
  const at = lines.indexOf(line);
  const figures = line.querySelectorAll("td:has(button)");
  const next: Record<string, Element | null | undefined> = {
    ArrowLeft: cell.previousElementSibling,
    ArrowRight: cell.nextElementSibling,
    ArrowUp: lines[at - 1]?.cells[cell.cellIndex],
    ArrowDown: lines[at + 1]?.cells[cell.cellIndex],
    Home: figures[0],
    End: figures[figures.length - 1],
  };
  if (!(event.key in next)) return;
  event.preventDefault();
  next[event.key]?.querySelector("button")?.focus();
}

/** What a figure is paid for. */
export function Why({ gold }: { gold: Gold }) {
  const { key, paying, scores, ways } = gold;
  const { name, player } = splitKey(key);
  const isTotal = name === "total";
  const lines = paying.flatMap(({ card, paid }) => {
    // Reasons of one kind that pay the same share a line.
    const kinds = groupBy(paid, ({ why, gold: pays }) =>
      `${pays} gold for ${why.split(" ").slice(0, -1).join(" ")}`.trim(),
    );
    return [...kinds].map(([kind, all]) => {
      const count = all.length > 1 ? `${all.length} \u00D7 ` : "";
      return { says: `${isTotal ? `${card.name}: ` : ""}${count}${kind} `, all };
    });
  });
  const piece = ({ why, atom }: Payment) => {
    const word = why.split(" ").at(-1);
    if (!ways.why || !atom) return word;
    return (
      <button type="button" onClick={() => ways.why?.(atom, scores?.asked)}>
        {word}
      </button>
    );
  };
  return (
    <div id="why" class="why" hidden={!key}>
      <h3 id="paid" aria-live="polite">
        {key && gold.label(name, player)}
      </h3>
      <p id="pays">{isTotal ? "all cards of the game" : paying[0]?.card.text}</p>
      <ul id="reasons">
        {key && !lines.length && <li>No gold.</li>}
        {lines.map(({ says, all }) => (
          <li key={says}>
            {says}
            {all.map((one, i) => (
              <span key={one.why}>
                {i > 0 && "; "}
                {piece(one)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Draw the table and its reasons into a page that is not on the kernel yet. */
export function mountGold() {
  const find = (id: string) => document.getElementById(id) as HTMLElement;
  const [table, why] = [find("gold-table"), find("gold-why")];
  table.replaceChildren(); // what is seen before a script runs
  return (gold: Gold) => {
    render(<GoldTable gold={gold} />, table);
    render(<Why gold={gold} />, why);
  };
}
