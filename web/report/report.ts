// Shows the scores of boards, and the hexes that pay for a figure.
import type { ReportData, ReportBoard } from "../data.d.ts";
import type { Column } from "../parts/tables.ts";
import { boot } from "../kernel/boot.ts";
import { byId, list, make, on } from "../kernel/dom.ts";
import { Gold, nameCard } from "../parts/gold.ts";
import { Picture, writeSvg } from "../kernel/picture.ts";
import { SAVES, showLegend } from "../parts/player.ts";
import { Sorted } from "../parts/tables.ts";

export type Board = ReportBoard;

class Page {
  data: ReportData;
  /** That which is shown. */
  board: Board;
  picture: Picture;
  gold: Gold;
  /** The line of each board in the list, if there is one. */
  links: HTMLElement[] = [];
  drawn: Promise<void> | null;

  constructor(data: ReportData) {
    this.data = data;
    this.board = data.boards[0];
    this.picture = new Picture(byId("field"));
    this.gold = new Gold(this.picture);

    for (const card of data.cards)
      byId("cards").append(make("dt", nameCard(card)), make("dd", card.text));
    byId("list").hidden = data.boards.length === 1;
    if (data.boards.length > 1) this.listBoards();
    for (const [id, ending] of SAVES)
      on(id, () =>
        this.picture.save(`${this.board.name.replace(/.*[/\\]|\.\w+$/g, "")}.${ending}`),
      );
    addEventListener("hashchange", () => this.open(this.asked(), true));
    this.drawn = this.open(this.asked() ?? 0);
  }

  /* The board that the address names, if any. */
  asked() {
    const number = Number(location.hash.replace("#board-", "")) - 1;
    return number in this.data.boards ? number : undefined;
  }

  listBoards() {
    const { boards, cards } = this.data;
    const names = [boards[0].total ? "total" : "all cards", ...cards.map((card) => card.name)];
    byId("figure").append(...names.map((name) => make("option", name)));
    for (const [id, kind] of [
      ["figure", "change"],
      ["filter", "input"],
    ])
      on(id, () => this.listGold(), kind);
    // A picture is made when its row comes into view, so that a long list opens at once.
    const watch = new IntersectionObserver((seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        const image = target as HTMLImageElement;
        image.src = URL.createObjectURL(
          new Blob([writeSvg(boards[Number(image.dataset.number)])], { type: "image/svg+xml" }),
        );
      }
    });
    this.links = boards.map((board, number) => {
      const image = make("img", "", { alt: "", width: 96, height: 84, "data-number": number });
      watch.observe(image);
      const link = make("a", [image, make("span", board.name)], { href: `#board-${number + 1}` });
      link.addEventListener("click", () => this.open(number, true));
      return link;
    });
    this.listGold();
  }

  listGold() {
    const { boards } = this.data;
    const name = byId("figure").value;
    const add = (board: Board, at: number) =>
      Object.values(board.gold).reduce((sum, paid) => sum + paid[at], 0);
    const figure = (board: Board, player: number) => {
      const at = board.players.indexOf(player);
      if (at < 0) return undefined;
      return name === "all cards"
        ? add(board, at)
        : (board.total && name === "total" ? board.total : board.gold[name])[at];
    };
    const word = byId("filter").value.trim().toLowerCase();
    const sayWinners = ({ winners, players, names }: Board) =>
      (winners ?? [])
        .map((player) => names[players.indexOf(player)].replace(/^player /, ""))
        .join(", ");
    const columns: Column<Board>[] = [
      {
        label: "board",
        heads: true,
        value: (board) => board.name,
        cell: (board) => this.links[boards.indexOf(board)],
      },
      ...this.data.players.map(([player, label]) => ({
        label,
        value: (board: Board) => figure(board, player),
      })),
      ...(boards[0].total ? [{ label: "winner", value: sayWinners }] : []),
      { label: "findings", value: ({ findings }) => findings.length },
    ];
    new Sorted(
      byId("boards"),
      columns,
      boards.filter((board) => board.name.toLowerCase().includes(word)),
    );
  }

  /** Show a board; ends when it is drawn. */
  open(number: number | undefined, moves = false) {
    if (number === undefined) return null;
    const board = this.data.boards[number];
    this.board = board;
    byId("name").textContent = board.name;
    byId("winner").textContent = board.saying;
    byId("winner").hidden = !board.winners;
    const count = board.findings.length;
    byId("found").hidden = count === 0;
    byId("found").open = count <= 3; // a long list would push the board away
    byId("count").textContent = count === 1 ? "1 finding" : `${count} findings`;
    list(
      "findings",
      board.findings.map(([code, detail]) => `${code}: ${detail}`),
    );
    this.picture.begin(board);
    showLegend(board, board.cells);
    const cards = this.data.cards.filter((card) => card.name in board.gold);
    this.gold.fill({ ...board, cards, chosen: Object.keys(board.gold) });
    this.gold.show(null);
    this.links.forEach((link, i) => {
      if (i === number) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    if (moves) byId("name").focus();
    return this.picture.draw(board.cells);
  }
}

boot<ReportData>(async (data) => {
  const page = new Page(data);
  await page.drawn;
  return {
    get state() {
      return { picture: page.picture.state };
    },
    settled: async () => {},
    reset: async () => page.open(0),
  };
});
