// The third step of the sheet: who has won, what each card pays and why, and ways to send the result.
import { useLayoutEffect, useRef } from "preact/hooks";
import { HexBoard } from "../kernel/board.ts";
import { orderByGold, sayResult, title } from "../kernel/kb.ts";
import { colourOf } from "../kernel/view.tsx";
import { type Answer, sayPayments } from "./answer.ts";
import { WIDTH } from "./game.ts";
import { NO_CARDS, type Page } from "./sheet.tsx";
import { HouseOf } from "./view.tsx";

const TINTS = [1, 0.72, 0.5, 0.34]; // how strong the colours of a player's cards are

export function Result({ page }: { page: Page }) {
  const { answer, fault, figure } = page.shown;
  const { date, title: said } = page.store.state;
  return (
    <main class={figure ? "explained" : ""}>
      <Verdict page={page} />
      {fault && <p class="error">{fault}</p>}
      <p id="when" class="dim">
        {[said, date].filter(Boolean).join(" · ")}
      </p>
      <div class="parts">
        <div class="ranks">
          {answer?.total && <Ranking page={page} answer={answer} total={answer.total} />}
          {answer && <Doubts answer={answer} />}
        </div>
        <Board page={page} />
        <div class="rest">
          {answer && <Table page={page} answer={answer} />}
          <p class="row unprinted">
            <button type="button" id="save-card" onClick={() => void page.saveCard()}>
              Save the picture
            </button>
            <button type="button" id="save-board" onClick={() => page.saveText()}>
              Save as text
            </button>
            {location.protocol.startsWith("http") && (
              <button type="button" id="copy-link" onClick={() => void page.copyLink()}>
                Copy the link
              </button>
            )}
          </p>
        </div>
      </div>
      {answer && figure && <Why page={page} answer={answer} />}
    </main>
  );
}

/** What cannot be right, or should be looked at. */
function Doubts({ answer: { findings, total } }: { answer: Answer }) {
  if (!findings.length) return null;
  const { length } = findings;
  return (
    <details id="found" open={!total}>
      <summary>{length === 1 ? "1 thing to check" : `${length} things to check`}</summary>
      <ul id="findings">
        {findings.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

function Verdict({ page }: { page: Page }) {
  const { answer, fault } = page.shown;
  const total = answer?.total;
  const winners = answer && total ? answer.winners : [];
  const houses = (answer?.names ?? []).flatMap((name, i) =>
    winners.includes(name) ? [answer?.players[i] ?? 0] : [],
  );
  const [who, how] = total
    ? sayResult(winners, total)
    : [answer ? NO_CARDS : fault ? "The rules cannot score this." : "Counting …", ""];
  return (
    <div class="verdict">
      {houses.map((player) => (
        <HouseOf key={player} page={page} player={player} size={houses.length > 1 ? 32 : 56} />
      ))}
      <h2 id="verdict" key="verdict" tabIndex={-1} aria-live="polite">
        {who} {how && <small>{how}</small>}
      </h2>
    </div>
  );
}

/** The players in the order of their gold, each with a bar of what the cards pay. */
function Ranking({ page, answer, total }: { page: Page; answer: Answer; total: number[] }) {
  const most = Math.max(1, ...total);
  const { looks, numbers } = page.data;
  return (
    <>
      <ol id="ranking">
        {orderByGold(total).map((at) => {
          const player = answer.players[at];
          const colour = colourOf(looks[numbers[player] - 1].tile);
          const parts = answer.cards.map(({ name }) => ({ name, gold: answer.gold[name][at] }));
          return (
            <li key={player} class={answer.winners.includes(answer.names[at]) ? "wins" : ""}>
              <HouseOf page={page} player={player} />
              <span class="name">{answer.names[at]}</span>
              <span class="bar" aria-hidden="true">
                {parts.map(({ name, gold }, i) => (
                  <span
                    key={name}
                    title={`${title(name)} ${gold}`}
                    style={{
                      width: `${(100 * Math.max(0, gold)) / most}%`,
                      background: colour,
                      opacity: TINTS[i % TINTS.length],
                    }}
                  />
                ))}
              </span>
              <b>{total[at]}</b>
            </li>
          );
        })}
      </ol>
      <p class="dim key">
        Bars, from the left: {answer.cards.map(({ name }) => title(name)).join(" · ")}
      </p>
    </>
  );
}

/** Gold by card and player; a figure tells what it is paid for. */
function Table({ page, answer }: { page: Page; answer: Answer }) {
  const { cards, names, players, gold, total } = answer;
  const lines = [
    ...cards.map(({ name }) => ({ name, figures: gold[name] })),
    ...(total ? [{ name: "total", figures: total }] : []),
  ];
  const figure = (name: string, at: number, value: number) => {
    const key = `${name} ${players[at]}`;
    return (
      <td key={key}>
        <button
          type="button"
          class="quiet"
          data-key={key}
          aria-label={`${title(name)}, ${names[at]}: ${value} gold`}
          aria-pressed={page.shown.figure === key}
          onClick={() => page.show({ figure: page.shown.figure === key ? "" : key })}
        >
          {value}
        </button>
      </td>
    );
  };
  return (
    <details id="details" open>
      <summary>Card by card: tap a number to see why</summary>
      <table id="gold">
        <thead>
          <tr>
            <th scope="col">card</th>
            {names.map((name, at) => (
              <th scope="col" key={players[at]}>
                <HouseOf page={page} player={players[at]} />
                <span>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, figures }) => (
            <tr key={name} class={name === "total" ? "total" : ""}>
              <th scope="row">{title(name)}</th>
              {figures.map((value, at) => figure(name, at, value))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What a figure is paid for: the card, its player, and the payments. */
function explain(answer: Answer, figure: string) {
  const [, name, player] = /(.*) (\d+)$/.exec(figure) ?? [];
  const at = answer.players.indexOf(Number(player));
  const paying = answer.cards.filter((card) => name === "total" || card.name === name);
  return {
    name,
    at,
    cards: paying.map((card) => ({ card, paid: answer.evidence[card.name]?.[at] ?? [] })),
  };
}

/** The reasons of a figure, in a sheet that rises from below. */
function Why({ page, answer }: { page: Page; answer: Answer }) {
  const { name, at, cards } = explain(answer, page.shown.figure);
  const value = name === "total" ? answer.total?.[at] : answer.gold[name]?.[at];
  const lines = cards.flatMap(({ card, paid }) =>
    sayPayments(paid).map((line) => (name === "total" ? `${title(card.name)}: ${line}` : line)),
  );
  return (
    <aside id="why" aria-live="polite">
      <h3 id="paid">
        {title(name)}, {answer.names[at]}: {value} gold
      </h3>
      {name !== "total" && <p id="pays">{cards[0]?.card.text}</p>}
      <ul id="reasons">
        {(lines.length ? lines : ["No gold."]).map((line, i) => (
          <li key={i}>{line}</li>
        ))}
      </ul>
      <button type="button" id="close-why" onClick={() => page.show({ figure: "" })}>
        Close
      </button>
    </aside>
  );
}

/** The whole board, on which what pays for a figure is marked. */
function Board({ page }: { page: Page }) {
  const folder = useRef<HTMLDivElement>(null);
  const board = useRef<HexBoard | null>(null);
  const { answer, figure } = page.shown;
  const { state } = page.store;
  const { data, sheet } = page;
  useLayoutEffect(() => {
    if (!folder.current) return;
    const made = new HexBoard(folder.current, { tap: () => {}, tell: () => "" });
    board.current = made;
    page.picture = () => made.picture.state;
  }, []);
  useLayoutEffect(() => {
    const cells = sheet.symbolsOf(state).map((symbol) => data.numbers[symbol]);
    const titles = sheet.titlesOf(state);
    board.current?.show({ ...data, rows: WIDTH, columns: WIDTH, titles }, cells);
  }, [state]);
  useLayoutEffect(() => {
    const paid =
      answer && figure ? explain(answer, figure).cards.flatMap(({ paid: all }) => all) : [];
    board.current?.mark(paid);
  }, [state, answer, figure]);
  return (
    <div class="field">
      <div id="field" ref={folder} role="img" aria-label="the board of the game" />
    </div>
  );
}
