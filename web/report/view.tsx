// What is seen of a report: the list of boards, a board with its gold, and what the cards pay.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CardData, ReportBoard } from "../data.d.ts";
import { writeSvg } from "../kernel/picture.ts";
import { type Column, SortedTable } from "../kernel/table.tsx";
import { Part, useKeys } from "../kernel/view.tsx";
import { GoldTable, nameCard, Why } from "../parts/gold.tsx";
import { Legend, Saves } from "../parts/player.tsx";
import type { Page } from "./report.tsx";

const FEW = 3; // findings that do not push the board away

interface Props {
  page: Page;
}

export function View({ page }: Props) {
  const { cards, boards } = page.data;
  useKeys(({ key }) => {
    if (key === "Escape") page.gold.show("");
  });
  // A figure that is pointed at changes neither the list nor the cards.
  const list = useMemo(() => boards.length > 1 && <Boards page={page} />, [page.state]);
  const texts = useMemo(() => <Cards cards={cards} />, []);
  return (
    <>
      <header>
        <h1>{document.title}</h1>
      </header>
      <main class="report">
        {list}
        <Board page={page} />
        {texts}
      </main>
    </>
  );
}

function Cards({ cards }: { cards: CardData[] }) {
  return (
    <section class="whole" aria-labelledby="cards-heading">
      <h2 id="cards-heading">What the cards pay</h2>
      <dl id="cards" class="cards">
        {cards.map((card) => (
          <>
            <dt>{nameCard(card)}</dt>
            <dd>{card.text}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** All boards, with what a card pays their players. */
function Boards({ page }: Props) {
  const { boards, cards, players } = page.data;
  const { figure, filter } = page.state;
  const word = filter.trim().toLowerCase();
  const columns: Column<ReportBoard>[] = [
    {
      label: "board",
      heads: true,
      value: (board) => board.name,
      cell: (board) => <Link key={board.name} page={page} number={boards.indexOf(board)} />,
    },
    ...players.map(([player, label]) => ({
      label,
      value: (board: ReportBoard) => findGold(board, figure, player),
    })),
    ...(boards[0].total ? [{ label: "winner", value: sayWinners }] : []),
    { label: "findings", value: ({ findings }) => findings.length },
  ];
  const all = boards[0].total ? "total" : "all cards";
  return (
    <section id="list" class="whole" aria-labelledby="list-heading">
      <h2 id="list-heading">Boards</h2>
      <p class="controls">
        <label>
          gold of{" "}
          <select
            id="figure"
            value={figure}
            onChange={({ currentTarget }) => page.list({ figure: currentTarget.value })}
          >
            {[all, ...cards.map(({ name }) => name)].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>{" "}
        <label>
          boards with{" "}
          <input
            type="search"
            id="filter"
            value={filter}
            onInput={({ currentTarget }) => page.list({ filter: currentTarget.value })}
          />
        </label>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="table of the boards">
        <SortedTable
          id="boards"
          columns={columns}
          rows={boards.filter(({ name }) => name.toLowerCase().includes(word))}
        />
      </div>
    </section>
  );
}

/** What a card pays a player, or all cards together. */
function findGold({ gold, players, total }: ReportBoard, figure: string, player: number) {
  const at = players.indexOf(player);
  if (at < 0) return undefined;
  if (figure === "total") return total?.[at];
  if (figure in gold) return gold[figure][at];
  return Object.values(gold).reduce((sum, paid) => sum + paid[at], 0);
}

const sayWinners = ({ winners, players, names }: ReportBoard) =>
  (winners ?? [])
    .map((player) => names[players.indexOf(player)].replace(/^player /, ""))
    .join(", ");

/** A picture and the name of a board, which show it. */
function Link({ page, number }: Props & { number: number }) {
  const board = page.data.boards[number];
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    // A picture is made when it comes into view, so that a long list opens at once.
    const watch = new IntersectionObserver((seen) => {
      if (!image.current || !seen.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      image.current.src = URL.createObjectURL(
        new Blob([writeSvg(board)], { type: "image/svg+xml" }),
      );
    });
    if (image.current) watch.observe(image.current);
    return () => watch.disconnect();
  }, [board]);
  return (
    <a
      href={`#board-${number + 1}`}
      aria-current={number === page.state.board ? "true" : undefined}
      onClick={() => void page.open(number)}
    >
      <img ref={image} alt="" width={96} height={84} />
      <span>{board.name}</span>
    </a>
  );
}

function Board({ page }: Props) {
  const { board, field, gold, picture } = page;
  const count = board.findings.length;
  const legend = useMemo(
    () => <Legend legend={board.legend} shape={board.shape} cells={board.cells} />,
    [board],
  );
  return (
    <section id="board" class="whole" aria-labelledby="name">
      <h2 id="name" tabIndex={-1}>
        {board.name}
      </h2>
      {board.winners && <p id="winner">{board.saying}</p>}
      {count > 0 && (
        <details id="found" key={board.name} open={count <= FEW}>
          <summary id="count">{count === 1 ? "1 finding" : `${count} findings`}</summary>
          <ul id="findings">
            {board.findings.map(([code, detail], i) => (
              <li key={i}>
                {code}: {detail}
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="pair">
        <section class="picture" aria-label="board">
          <Part element={field} />
        </section>
        <div class="beside">
          <div class="scroll" tabIndex={0} role="region" aria-label="table of the gold">
            <GoldTable gold={gold} />
          </div>
          <p class="controls">
            <Saves picture={picture} name={() => board.name.replace(/.*[/\\]|\.\w+$/g, "")} />{" "}
            <span id="place" class="dim" />
          </p>
          <p class="dim unprinted">
            Point at a number or tap it, or move to it with Tab and the arrow keys, to see which
            hexes earn it. Escape removes the marks.
          </p>
          <Why gold={gold} />
          {legend}
        </div>
      </div>
    </section>
  );
}
