// A replay: its board turn by turn, and beside it the violations, the turns, figures over time and the legend.
import { render } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ReplayData } from "../data.d.ts";
import { boot } from "../kernel/boot.ts";
import { useKeys } from "../kernel/view.tsx";
import { Legend, Player, Screen, Tally, Violations } from "../parts/player.tsx";
import { Curves } from "./curves.tsx";

class Page {
  readonly data: ReplayData;
  readonly player = new Player(() => this.draw());
  isText = false; // whether the board is shown as text, too
  /** What is done in each turn where the rules say that, after its caption. */
  readonly turns: string[];
  private readonly place = document.getElementById("app") as HTMLElement;
  private waits: number | undefined;

  constructor(data: ReplayData) {
    this.data = data;
    this.turns = listTurns(data);
    this.place.replaceChildren();
    this.draw(); // the picture needs its place
    addEventListener("hashchange", () => {
      const asked = this.asked();
      if (asked !== undefined) void this.player.goTo(asked);
    });
  }

  start() {
    return this.player.load({ ...this.data, start: this.asked() ?? this.data.start });
  }

  /** The turn that the address names, if any. */
  private asked() {
    const turn = /^#turn-(\d+)$/.exec(location.hash)?.[1];
    return turn === undefined ? undefined : Number(turn);
  }

  draw() {
    render(<View page={this} />, this.place);
    clearTimeout(this.waits); // browsers do not let an address change at every step
    const address = `#turn-${this.player.turn}`;
    if (this.player.data)
      this.waits = setTimeout(() => history.replaceState(null, "", address), 300);
  }

  showText(isText: boolean) {
    if (isText === this.isText) return;
    this.isText = isText;
    this.draw();
  }
}

/** A line for each turn: its caption, and what was done in it where the rules say that. */
function listTurns({ steps }: ReplayData) {
  const beside = new Map<string, string>();
  return steps.map(([caption, , news]) => {
    for (const [label, value] of news) beside.set(label, value);
    const done = [...beside].filter(([label]) => /\bturn$/.test(label)).map(([, value]) => value);
    return [caption, ...done].join(": ");
  });
}

function View({ page }: { page: Page }) {
  const { data, isText, player, turns } = page;
  useKeys((event) => player.key(event));
  const count = data.violations.length;
  const verdict = count === 1 ? "1 violation" : `${count} violations`;
  return (
    <>
      <header>
        <h1>{document.title}</h1>
      </header>
      <main class="replay">
        <section class="board" aria-label="board">
          <Screen player={player} more={turns[player.step].slice(player.caption.length)} />
          <details
            id="text"
            open={isText}
            onToggle={({ currentTarget }) => page.showText(currentTarget.open)}
          >
            <summary>the board as text</summary>
            <pre id="rows" tabIndex={0} aria-label="board as text">
              {isText && writeRows(data, player)}
            </pre>
          </details>
        </section>
        <section class="beside" aria-label="state of the game">
          {player.tally.size > 0 && (
            <div id="tallies">
              <h2 id="at-turn">This turn</h2>
              <Tally player={player} />
            </div>
          )}
          <h2 id="verdict">{count ? verdict : "Consistent with the rules"}</h2>
          <Violations player={player} />
          <Turns page={page} />
          <Curves data={data} player={player} />
          <h2>On the board</h2>
          <Legend legend={data.legend} shape={data.shape} cells={player.cells} />
        </section>
      </main>
    </>
  );
}

/** A list of the turns, each of which leads to itself. */
function Turns({ page: { player, turns } }: { page: Page }) {
  const list = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => {
    if (list.current) list.current.selectedIndex = player.step;
  }, [player.step]);
  const lines = useMemo(() => turns.map((line, step) => <option key={step}>{line}</option>), []);
  return (
    <>
      <h2>
        <label for="moves">Turns</label>
      </h2>
      <select
        id="moves"
        size={8}
        ref={list}
        onChange={({ currentTarget }) =>
          void player.goTo(player.first + currentTarget.selectedIndex)
        }
      >
        {lines}
      </select>
    </>
  );
}

/** The board as text; hexes stand as in a board's file, every second row half a hex to the right. */
function writeRows({ rows, columns, looks, shape }: ReplayData, { cells }: Player) {
  const wide = shape.hexes ? Math.max(...looks.map(({ symbol }) => symbol.length)) : 0;
  const all = Array.from(cells, (number) => looks[number - 1]?.symbol ?? " ");
  const lines = Array.from({ length: rows }, (_, row) => {
    const symbols = all.slice(row * columns, (row + 1) * columns);
    if (!shape.hexes) return symbols.join("");
    const shift = row % 2 ? " ".repeat((wide + 1) / 2) : "";
    return (
      shift +
      symbols
        .map((symbol) => symbol.padEnd(wide))
        .join(" ")
        .trimEnd()
    );
  });
  return lines.join("\n");
}

boot<ReplayData>(async (data) => {
  const page = new Page(data);
  const { player } = page;
  await page.start();
  return {
    get state() {
      return { turn: player.turn, picture: player.picture.state };
    },
    settled: async () => {},
    reset: async () => player.goTo(data.start),
  };
});
