// A contest: its table, ratings, comparisons, faults and games. Its state is which games are listed.
import { render } from "preact";
import type { ContestData, ContestGame } from "../data.d.ts";
import { boot } from "../kernel/boot.ts";
import { View } from "./view.tsx";

export const A_PAGE = 50; // games on one page of the list

/** Which games are listed: by bot, map and kind, from a number on; and the one that the address names. */
export interface State {
  bot: string;
  field: string;
  which: string;
  first: number;
  shown: number | null;
}

const ALL: State = { bot: "", field: "", which: "all", first: 0, shown: null };

export class Page {
  readonly data: ContestData;
  state: State = ALL;
  private readonly place = document.getElementById("app") as HTMLElement;

  constructor(data: ContestData) {
    this.data = data;
    this.place.replaceChildren();
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** The games that are asked for. */
  get chosen(): ContestGame[] {
    const { bot, field, which } = this.state;
    return this.data.games.filter(([, on, , stays, , replay]) => {
      const isOf = bot === "" || stays.some(([who]) => who === Number(bot));
      const isOn = field === "" || on === Number(field);
      const isKind = which === "replay" ? replay : stays.some((stay) => stay.length > 3);
      return isOf && isOn && (which === "all" || isKind);
    });
  }

  // The actions.

  show(change: Partial<State>) {
    this.state = { ...this.state, ...change };
    render(<View page={this} />, this.place);
  }

  /** List other games, from the first one on. */
  choose(change: Partial<State>) {
    this.show({ first: 0, shown: null, ...change });
  }

  /** List all games of a bot. */
  listOf(bot: number) {
    this.choose({ ...ALL, bot: String(bot) });
  }

  turn(by: number) {
    this.show({ first: this.state.first + by * A_PAGE });
  }

  /** Go to the game that the address names, if any, whatever was asked for before. */
  private follow() {
    const number = Number(/^#game-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    const at = this.data.games.findIndex((game) => game[0] === number);
    if (at < 0) {
      this.show({});
      return;
    }
    this.show({ ...ALL, first: at - (at % A_PAGE), shown: number });
    const line = document.getElementById(`game-${number}`);
    line?.scrollIntoView({ block: "center" });
    line?.querySelector("th")?.focus();
  }
}

boot<ContestData>(async (data) => {
  new Page(data);
  return { state: data, settled: async () => {}, reset: async () => {} };
});
