// The scores of boards, and the hexes that pay for a figure.
import { render } from "preact";
import type { ReportBoard, ReportData } from "../data.d.ts";
import { boot } from "../kernel/boot.ts";
import { make } from "../kernel/dom.ts";
import { Picture } from "../kernel/picture.ts";
import { Gold } from "../parts/gold.tsx";
import { View } from "./view.tsx";

/** The board that is shown, and the list: the figure in it, and what the names of its boards contain. */
interface State {
  board: number;
  figure: string;
  filter: string;
}

export class Page {
  readonly data: ReportData;
  readonly field = make("div", [], { id: "field" });
  readonly picture = new Picture(this.field);
  readonly gold = new Gold(this.picture, () => this.draw());
  state: State;
  private readonly place = document.getElementById("app") as HTMLElement;

  constructor(data: ReportData) {
    this.data = data;
    this.state = { board: 0, figure: data.boards[0].total ? "total" : "all cards", filter: "" };
    this.place.replaceChildren();
    this.draw(); // the picture needs its place
    addEventListener("hashchange", () => {
      const asked = this.asked();
      if (asked !== undefined) void this.open(asked);
    });
  }

  get board(): ReportBoard {
    return this.data.boards[this.state.board];
  }

  /** The board that the address names, if any. */
  asked() {
    const number = Number(location.hash.replace("#board-", "")) - 1;
    return number in this.data.boards ? number : undefined;
  }

  draw() {
    render(<View page={this} />, this.place);
  }

  // The actions.

  /** List other boards, or another figure of them. */
  list(change: Partial<State>) {
    this.state = { ...this.state, ...change };
    this.draw();
  }

  /** Show a board; ends when it is drawn. */
  show(number: number) {
    this.state = { ...this.state, board: number };
    const { board } = this;
    const cards = this.data.cards.filter((card) => card.name in board.gold);
    this.picture.begin(board);
    this.gold.key = "";
    this.gold.fill({ ...board, cards, chosen: Object.keys(board.gold) });
    return this.picture.draw(board.cells);
  }

  /** Show a board, and lead the reader to it. */
  open(number: number) {
    const drawn = this.show(number);
    document.getElementById("name")?.focus();
    return drawn;
  }
}

boot<ReportData>(async (data) => {
  const page = new Page(data);
  await page.show(page.asked() ?? 0);
  return {
    get state() {
      return { picture: page.picture.state };
    },
    settled: async () => {},
    reset: async () => page.show(0),
  };
});
