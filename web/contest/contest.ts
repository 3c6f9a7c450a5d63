// Shows a contest: its table, ratings, comparisons, faults and games.
import type { Stay, ContestData, ContestGame, Mishap } from "../data.d.ts";
import type { Column } from "../parts/tables.ts";
import { boot } from "../kernel/boot.ts";
import { byId, make, makeHead, makeSvg, on } from "../kernel/dom.ts";
import { compare, fillTable, Sorted } from "../parts/tables.ts";

const [BLUE, ORANGE] = ["0, 114, 178", "230, 159, 0"]; // from the palette of Okabe and Ito
const HIGH = 24; // the height of a bot in the picture, in pixels
const A_PAGE = 50; // games on one page of the list
const [NAMED, SHORT] = [8, 16]; // the most columns with room for names, and the most letters of such a name

export type Data = ContestData;

export type Game = ContestGame;

const say = (number: number) => number.toLocaleString("en");

/** Draw the ratings, a line for each bot; lengths are parts of the window's width, or pixels. */
function drawRatings({ bots, order, ratings }: Data) {
  const [low, high] = [
    Math.min(...ratings.map(([, from]) => from)),
    Math.max(...ratings.map(([, , to]) => to)),
  ];
  const at = (rating: number) => `${(100 * (rating - low)) / (high - low || 1)}%`;
  const line = (x1: number, x2: number, y1: number, y2: number, more = {}) =>
    makeSvg("line", { x1: at(x1), x2: at(x2), y1, y2, ...more });
  const bottom = HIGH * (ratings.length + 1);
  const step = [0.5, 1, 2, 5, 10, 20].find((n) => n * 10 >= high - low) ?? 50;
  const first = Math.ceil(low / step);
  const ticks = Array.from(
    { length: Math.floor(high / step) - first + 1 },
    (_, i) => (first + i) * step,
  ).flatMap((tick) => [
    line(tick, tick, HIGH, bottom, { class: "tick" }),
    ...[16, bottom + 18].map((y) => makeSvg("text", { x: at(tick), y }, String(tick))),
  ]);
  const bars = ratings.map(([rating, from, to], i) => {
    const y = HIGH * (i + 1.5);
    const says = `${bots[order[i]]}: ${rating.toFixed(1)}, ${from.toFixed(1)} to ${to.toFixed(1)}`;
    const ends = [from, to].map((end) => line(end, end, y - 5, y + 5));
    return makeSvg("g", {}, [
      makeSvg("title", {}, says),
      line(from, to, y, y),
      ...ends,
      makeSvg("circle", { cx: at(rating), cy: y, r: 5 }),
    ]);
  });
  const names = ratings.map(([, , , separated], i) =>
    make("span", bots[order[i]], { class: separated ? "separated" : "" }),
  );
  byId("chart").replaceChildren(
    make("div", names),
    makeSvg("svg", { height: bottom + HIGH }, [...ticks, ...bars]),
  );
}

/* The list of games: it shows a page of those that are asked for. */
class Games {
  data: ContestData;
  /** The first game that is shown. */
  first = 0;
  /** Those that were asked for. */
  chosen: Game[] = [];
  said: Set<number>[];
  fields: boolean;

  constructor(data: Data) {
    this.data = data;
    this.said = data.said.map((numbers) => new Set(numbers));
    const options = (names: [string, number][]) => [
      make("option", "all", { value: "" }),
      ...names.map(([name, value]) => make("option", name, { value })),
    ];
    const number = (names: string[]): [string, number][] => names.map((name, i) => [name, i]);
    byId("bot").append(...options(number(data.bots).sort(([a], [b]) => compare(a, b))));
    byId("field").append(...options(number(data.fields)));
    this.fields = data.fields.length > 1;
    byId("field-name").textContent = data.field;
    byId("by-field").hidden = !this.fields;
    for (const id of ["bot", "field", "which"]) on(id, () => this.choose(), "change");
    on("back", () => this.write(this.first - A_PAGE));
    on("on", () => this.write(this.first + A_PAGE));
    const replays = data.games.filter((game) => game[5]).length;
    const left = data.left
      ? ` The ${say(data.left)} games that ended before these are left out.`
      : "";
    // A game whose record was not kept cannot be drawn.
    const able = data.games.filter((game) => game[5] || game[6]).length;
    const more = replays < able ? ` With --replays all, ${say(able)} have one.` : "";
    byId("replays").textContent =
      `${say(replays)} of ${say(data.games.length)} games have a replay.${more}${left}`;
    this.choose();
  }

  choose() {
    const [bot, field, which] = ["bot", "field", "which"].map((id) => byId(id).value);
    this.chosen = this.data.games.filter(
      ([, on, , stays, , replay]) =>
        (bot === "" || stays.some(([who]) => who === Number(bot))) &&
        (field === "" || on === Number(field)) &&
        (which === "all" || (which === "replay" ? replay : stays.some((stay) => stay.length > 3))),
    );
    this.write(0);
  }

  /** Show all games of a bot, or of all. */
  of(bot: number | "") {
    for (const [id, value] of [
      ["bot", String(bot)],
      ["field", ""],
      ["which", "all"],
    ])
      byId(id).value = value;
    this.choose();
  }

  /** Show one game, whatever was asked for before. */
  show(number: number) {
    const at = this.data.games.findIndex((game) => game[0] === number);
    if (at < 0) return;
    this.of("");
    this.write(at - (at % A_PAGE));
    const line = byId(`game-${number}`);
    line.classList.add("shown");
    line.scrollIntoView({ block: "center" });
    line.querySelector("th").focus();
  }

  /** Show a page of them, from a number on. */
  write(first: number) {
    this.first = first;
    const shown = this.chosen.slice(first, first + A_PAGE);
    const last = first + shown.length;
    byId("where").textContent = shown.length
      ? `${say(first + 1)} to ${say(last)} of ${say(this.chosen.length)}`
      : "no such game";
    byId("back").disabled = first === 0;
    byId("on").disabled = last === this.chosen.length;
    const heads = [
      "game",
      "see",
      ...(this.fields ? [this.data.field] : []),
      this.data.seats > 1 ? "place, bot, player" : "bot",
      "turns",
      "faults",
    ];
    fillTable(
      byId("list"),
      heads,
      shown.map((game) => this.line(game)),
    );
  }

  line(game: Game) {
    const [number, field, turns, stays] = game;
    const ordered = [...stays.entries()].sort(([, [, one]], [, [, other]]) => one - other);
    const faults = ordered.flatMap(([, [bot, , , counts, detail]]) =>
      counts
        ? [make("li", `${this.data.bots[bot]}: ${this.sayFaults(counts)}, first: ${detail}`)]
        : [],
    );
    const bots = ordered.map(([seat, stay]) => {
      const isFirst = stay[1] === 1 && ordered.length > 1;
      return make("li", make(isFirst ? "strong" : "span", this.sayStay(seat, stay)));
    });
    return make(
      "tr",
      [
        makeHead(say(number), "row", { tabindex: -1 }),
        make("td", this.links(game), { class: "see" }),
        ...(this.fields ? [make("td", this.data.fields[field], { class: "map" })] : []),
        make("td", make("ul", bots), { class: "bots" }),
        make("td", say(turns)),
        make("td", make("ul", faults), { class: "faults" }),
      ],
      { id: `game-${number}` },
    );
  }

  sayStay(seat: number, [bot, place, score]: Stay) {
    const { bots, figures, countsIf, seats } = this.data;
    if (seats > 1) return `${place}. ${bots[bot]}, player ${seat + 1}: ${score[0]} ${figures[0]}`;
    const said = figures.map((figure, i) =>
      figure === countsIf ? (score[i] ? figure : `not ${figure}`) : `${score[i]} ${figure}`,
    );
    return `${bots[bot]}: ${said.filter((_, i) => figures[i] !== "turns").join(", ")}`;
  }

  /** The counts of each kind of fault in words. */
  sayFaults(counts: number[]) {
    return counts
      .map((count, i) => (count ? `${say(count)} ${this.data.faults[i]}` : ""))
      .filter(Boolean)
      .join(", ");
  }

  links([number, , , stays, record, replay, kept]: Game) {
    const { replays, records, logs, seats } = this.data;
    const link = (text: string, href: string) =>
      make("a", [text, make("span", ` of game ${number}`, { class: "unseen" })], { href });
    const stem = record.replace(/\.txt$/, "");
    const found: HTMLElement[] = [];
    if (replay) found.push(make("strong", link("\u25B6 replay", `${replays}/${stem}.html`)));
    if (kept) found.push(link("record (text)", `${records}/${record}`));
    stays.forEach(([bot], seat) => {
      if (this.said[bot].has(number))
        found.push(link(seats > 1 ? `log of player ${seat + 1}` : "log", `${logs[bot]}/${record}`));
    });
    return found;
  }
}

class Page {
  data: ContestData;
  /** Until the first game has been played. */
  games: Games | null = null;

  constructor(data: Data) {
    this.data = data;
    byId("state").textContent = data.state;
    for (const part of document.querySelectorAll("section, nav"))
      part.toggleAttribute("hidden", !data.order.length);
    byId("compared").hidden = data.order.length < 2;
    if (!data.order.length) return;
    drawRatings(data);
    this.games = new Games(data);
    this.listTable();
    this.listMet();
    this.listMishaps();
    const shown = [...document.querySelectorAll("section:not([hidden])")];
    byId("contents").firstChild.append(
      ...shown.map((section) => {
        const heading = section.querySelector("h2")?.textContent ?? "";
        return make("li", make("a", heading, { href: `#${section.id}` }));
      }),
    );
    byId("unrated").textContent = this.sayFirst(data.ratings.length);
    byId("uncompared").textContent = this.sayFirst(data.compared.length);
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  sayFirst(count: number) {
    const all = this.data.order.length;
    return count < all ? `These are the first ${say(count)} of ${say(all)} bots.` : "";
  }

  /* Go to the game that the address names, if any. */
  follow() {
    const [, number] = location.hash.match(/^#game-(\d+)$/) ?? [];
    if (number) this.games?.show(Number(number));
  }

  /** A bot's name, which leads to its games. */
  name(bot: number) {
    const link = make("a", this.data.bots[bot], { href: "#games" });
    link.addEventListener("click", () => this.games?.of(bot));
    return link;
  }

  listTable() {
    const { columns, rows, order, note } = this.data;
    const lines = rows.map((row, i) => ({ row, bot: order[i] }));
    const figure = (cell: string | number) =>
      cell === "-" || cell === "" ? "" : parseFloat(String(cell));
    new Sorted(
      byId("table"),
      columns.map((label, k) => {
        const words = ["bot", "version", "next"].includes(label);
        return {
          label,
          heads: label === "bot",
          first: label === "place" ? "ascending" : undefined,
          value: ({ row }: { row: any }) => (words ? row[k] : figure(row[k])),
          cell: ({ row, bot }) => (label === "bot" ? this.name(bot) : String(row[k])),
        };
      }),
      lines,
    );
    byId("note").textContent = note;
    byId("separated").hidden = rows.length < 2;
  }

  listMet() {
    const { bots, order, compared, seats, field } = this.data;
    const names = order.slice(0, compared.length).map((bot) => bots[bot]);
    const numbered = names.length > NAMED || names.some((name) => name.length > SHORT);
    byId("how").textContent =
      (seats > 1
        ? "How often the row's bot beat the column's bot, out of their games."
        : `How often the row's bot did better than the column's bot, out of the games that both played on the same ${field} with the same luck.`) +
      " Blue: more often ahead than behind; orange: less often." +
      (numbered ? " The columns are numbered like the rows." : "");
    const head = names.map((name, i) =>
      makeHead(
        [numbered ? `${i + 1} ` : "", make("span", name, numbered ? { class: "unseen" } : {})],
        "col",
        { title: name },
      ),
    );
    fillTable(
      byId("met"),
      ["bot", ...head],
      compared.map((row, i) =>
        make("tr", [
          makeHead(numbered ? `${i + 1} ${names[i]}` : names[i], "row"),
          ...row.map((pair, j) =>
            i === j ? make("td", "", { class: "self" }) : this.cell(...pair),
          ),
        ]),
      ),
    );
  }

  cell(before: number, ties: number, met: number) {
    if (!met) return make("td", "\u2013");
    const cell = make("td", [
      `${say(before)} of ${say(met)}`,
      ...(ties ? [make("small", `${say(ties)} tied`)] : []),
    ]);
    const lead = (2 * before + ties) / met - 1;
    cell.style.background = lead
      ? `rgba(${lead > 0 ? BLUE : ORANGE}, ${(0.1 + 0.35 * Math.abs(lead)).toFixed(2)})`
      : "";
    return cell;
  }

  listMishaps() {
    const { bots, faults, mishaps } = this.data;
    const columns: Column<Mishap>[] = [
      { label: "bot", heads: true, value: ([bot]) => bots[bot], cell: ([bot]) => this.name(bot) },
      ...faults.map((label, i) => ({ label, value: ([, counts]: Mishap) => counts[i] })),
      ...["median time", "longest time"].map((label, i) => ({
        label,
        value: ([, , seconds]: Mishap) => seconds[i],
        cell: ([, , seconds]: Mishap) => `${seconds[i].toFixed(3)} s`,
      })),
      {
        label: "for example",
        value: ([, , , told]) => (told.length ? told[0][2] : ""),
        cell: (row) => this.tell(row),
      },
    ];
    new Sorted(byId("mishaps"), columns, mishaps);
  }

  tell([, , , told]: Mishap) {
    return make(
      "ul",
      told.map(([number, counts, detail]) => {
        const known = this.data.games.some((game) => game[0] === number);
        const where = known
          ? make("a", `game ${number}`, { href: `#game-${number}` })
          : `game ${number}`;
        return make("li", [where, ` (${this.games?.sayFaults(counts)}), first: ${detail}`]);
      }),
      { class: "text" },
    );
  }
}

boot<Data>(async (data) => {
  new Page(data);
  return { state: data, settled: async () => {}, reset: async () => {} };
});
