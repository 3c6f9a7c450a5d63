// What the page of a contest looks like.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ContestGame, Mishap, Stay } from "../data.d.ts";
import { type Column, compare, SortedTable } from "../kernel/table.tsx";
import { A_PAGE, type Page } from "./contest.tsx";

const [BLUE, ORANGE] = ["0, 114, 178", "230, 159, 0"]; // from the palette of Okabe and Ito
const HIGH = 24; // the height of a bot in the picture, in pixels
const [NAMED, SHORT] = [8, 16]; // the most columns with room for names, and the most letters of such a name
const SECTIONS = [
  ["standings", "Table", Standings],
  ["ratings", "Ratings", Ratings],
  ["compared", "Who beat whom", Compared],
  ["faults", "Faults and times", Faults],
  ["games", "Games", Games],
] as const;

type Props = { page: Page };

const say = (number: number) => number.toLocaleString("en");

export function View({ page }: Props) {
  const { data } = page;
  const shown = SECTIONS.filter(([id]) => data.order.length > (id === "compared" ? 1 : 0));
  return (
    <>
      <header>
        <h1>{document.title}</h1>
        <p id="state">{data.state}</p>
      </header>
      <main>
        {shown.length > 0 && (
          <nav id="contents" aria-label="parts of this page">
            <ul>
              {shown.map(([id, title]) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        {shown.map(([id, title, Part]) => (
          <section id={id} key={id} aria-labelledby={`${id}-heading`}>
            <h2 id={`${id}-heading`}>{title}</h2>
            <Part page={page} />
          </section>
        ))}
      </main>
    </>
  );
}

/** What has to be scrolled sideways can be reached by keys. */
function Scroll(more: { label: string; class?: string; children: ComponentChildren }) {
  const { label, children } = more;
  return (
    <div class={`scroll ${more.class ?? ""}`} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/** A bot's name, which leads to its games. */
function Name({ page, bot }: Props & { bot: number }) {
  return (
    <a href="#games" onClick={() => page.listOf(bot)}>
      {page.data.bots[bot]}
    </a>
  );
}

/** That only the first bots are there, if so. */
function First({ page, count }: Props & { count: number }) {
  const all = page.data.order.length;
  const text = `These are the first ${say(count)} of ${say(all)} bots.`;
  return <p class="dim">{count < all ? text : ""}</p>;
}

/** The columns that a phone has room for; the others are shown when they are asked for. */
const isMain = (label: string) => /^(place|bot|rating)$| a game$/.test(label);

function Standings({ page }: Props) {
  const [isWhole, setWhole] = useState(false);
  const { columns, rows, order, note } = page.data;
  const figure = (cell: string | number) =>
    cell === "-" || cell === "" ? "" : parseFloat(String(cell));
  const lines = rows.map((row, i) => ({ row, bot: order[i] }));
  return (
    <>
      <p class="narrow unprinted">
        <button type="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          All figures
        </button>
      </p>
      <Scroll label="table of the bots" class={isWhole ? "" : "main"}>
        <SortedTable
          id="table"
          rows={lines}
          columns={columns.map((label, k): Column<(typeof lines)[number]> => {
            const isText = ["bot", "version", "next"].includes(label);
            return {
              label,
              heads: label === "bot",
              class: isMain(label) ? undefined : "detail",
              first: label === "place" ? "ascending" : undefined,
              value: ({ row }) => (isText ? row[k] : figure(row[k])),
              cell: ({ row, bot }) => {
                if (label === "bot") return <Name page={page} bot={bot} />;
                const isFault = page.data.faults.includes(label) && Number(row[k]) > 0;
                return isFault ? <span class="fault">{row[k]}</span> : String(row[k]);
              },
            };
          })}
        />
      </Scroll>
      <p id="note">{note}</p>
      {rows.length > 1 && (
        <p id="separated">
          The last column compares a bot with the one below it. “Separated” means the two ranges do
          not overlap, so the order is very likely real. Otherwise it may be luck.
        </p>
      )}
    </>
  );
}

/** The ratings, a line for each bot; lengths are parts of the window's width, or pixels. */
function Ratings({ page }: Props) {
  const { bots, order, ratings } = page.data;
  const low = Math.min(...ratings.map(([, from]) => from));
  const high = Math.max(...ratings.map(([, , to]) => to));
  const at = (rating: number) => `${(100 * (rating - low)) / (high - low || 1)}%`;
  const bottom = HIGH * (ratings.length + 1);
  const step = [0.5, 1, 2, 5, 10, 20].find((n) => n * 10 >= high - low) ?? 50;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  const ticks = Array.from({ length: count }, (_, i) => (first + i) * step);
  const label = "ratings of the bots with their ranges; the table above has the figures";
  return (
    <>
      <p>
        Each dot is the rating of a bot, and the bar around it is the range; the bots are in the
        order of the table. The mean of all ratings is 25. A dashed line between two bots says that
        they are separated.
      </p>
      <div id="chart" role="img" aria-label={label}>
        <div>
          {ratings.map(([, , , separated], i) => (
            <span key={i} class={separated ? "separated" : ""}>
              {bots[order[i]]}
            </span>
          ))}
        </div>
        <svg height={bottom + HIGH}>
          {ticks.map((tick) => (
            <>
              <line class="tick" x1={at(tick)} x2={at(tick)} y1={HIGH} y2={bottom} />
              {[16, bottom + 18].map((y) => (
                <text x={at(tick)} y={y}>
                  {tick}
                </text>
              ))}
            </>
          ))}
          {ratings.map(([rating, from, to], i) => {
            const y = HIGH * (i + 1.5);
            const range = `${from.toFixed(1)} to ${to.toFixed(1)}`;
            return (
              <g key={i}>
                <title>{`${bots[order[i]]}: ${rating.toFixed(1)}, ${range}`}</title>
                <line x1={at(from)} x2={at(to)} y1={y} y2={y} />
                {[from, to].map((end) => (
                  <line x1={at(end)} x2={at(end)} y1={y - 5} y2={y + 5} />
                ))}
                <circle cx={at(rating)} cy={y} r={5} />
              </g>
            );
          })}
        </svg>
      </div>
      <First page={page} count={ratings.length} />
    </>
  );
}

function Compared({ page }: Props) {
  const { bots, order, compared, seats, field } = page.data;
  const names = order.slice(0, compared.length).map((bot) => bots[bot]);
  const isNumbered = names.length > NAMED || names.some((name) => name.length > SHORT);
  const how =
    seats > 1
      ? "How often the row's bot beat the column's bot, out of their games."
      : `How often the row's bot did better than the column's bot, out of the games that both played on the same ${field} with the same luck.`;
  return (
    <>
      <p id="how">
        {how} Blue: more often ahead than behind; orange: less often.
        {isNumbered ? " The columns are numbered like the rows." : ""}
      </p>
      <Scroll label="table of who beat whom">
        <table id="met">
          <thead>
            <tr>
              <th scope="col">bot</th>
              {names.map((name, i) => (
                <th scope="col" title={name} key={i}>
                  {isNumbered ? `${i + 1} ` : ""}
                  <span class={isNumbered ? "unseen" : undefined}>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {compared.map((row, i) => (
              <tr key={i}>
                <th scope="row">{isNumbered ? `${i + 1} ${names[i]}` : names[i]}</th>
                {row.map((pair, j) =>
                  i === j ? <td key={j} class="self" /> : <Met key={j} pair={pair} />,
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <First page={page} count={compared.length} />
    </>
  );
}

/** How often a bot was ahead of another one, and how often they tied. */
function Met({ pair: [before, ties, met] }: { pair: number[] }) {
  if (!met) return <td>–</td>;
  const lead = (2 * before + ties) / met - 1;
  const strength = (0.1 + 0.35 * Math.abs(lead)).toFixed(2);
  const background = lead ? `rgba(${lead > 0 ? BLUE : ORANGE}, ${strength})` : undefined;
  return (
    <td style={{ background }}>
      {say(before)} of {say(met)}
      {ties > 0 && <small>{say(ties)} tied</small>}
    </td>
  );
}

function Faults({ page }: Props) {
  const { bots, faults, mishaps } = page.data;
  const columns: Column<Mishap>[] = [
    {
      label: "bot",
      heads: true,
      value: ([bot]) => bots[bot],
      cell: ([bot]) => <Name page={page} bot={bot} />,
    },
    ...faults.map((label, i) => ({ label, value: ([, counts]: Mishap) => counts[i] })),
    ...["median time", "longest time"].map((label, i) => ({
      label,
      value: ([, , seconds]: Mishap) => seconds[i],
      cell: ([, , seconds]: Mishap) => `${seconds[i].toFixed(3)} s`,
    })),
    {
      label: "for example",
      value: ([, , , told]) => (told.length ? told[0][2] : ""),
      cell: (row) => <Examples page={page} mishap={row} />,
    },
  ];
  return (
    <>
      <p>
        The number of turns in which a bot was late, crashed, or gave an invalid answer. The times
        are those that a bot took for an answer: the median of a typical game, and the longest.
      </p>
      <Scroll label="faults of the bots">
        <SortedTable id="mishaps" columns={columns} rows={mishaps} />
      </Scroll>
    </>
  );
}

/** Games in which a bot had faults, with what was told first. */
function Examples({ page, mishap: [, , , told] }: Props & { mishap: Mishap }) {
  return (
    <ul class="text">
      {told.map(([number, counts, detail]) => {
        const isKnown = page.data.games.some((game) => game[0] === number);
        return (
          <li key={number}>
            {isKnown ? <a href={`#game-${number}`}>game {number}</a> : `game ${number}`}
            {` (${sayFaults(page, counts)}), first: ${detail}`}
          </li>
        );
      })}
    </ul>
  );
}

/** How many faults of each kind. */
const sayFaults = ({ data: { faults } }: Page, counts: number[]) =>
  counts
    .map((count, i) => (count ? `${say(count)} ${faults[i]}` : ""))
    .filter(Boolean)
    .join(", ");

/** The list of games: a page of those that are asked for. */
function Games({ page }: Props) {
  const { data, chosen, state } = page;
  const shown = chosen.slice(state.first, state.first + A_PAGE);
  const last = state.first + shown.length;
  const where = shown.length
    ? `${say(state.first + 1)} to ${say(last)} of ${say(chosen.length)}`
    : "no such game";
  const number = (names: string[]): [string, number][] => names.map((name, i) => [name, i]);
  const bots = number(data.bots).sort(([a], [b]) => compare(a, b));
  const heads = [
    "game",
    "see",
    ...(data.fields.length > 1 ? [data.field] : []),
    data.seats > 1 ? "place, bot, player" : "bot",
    "turns",
    "faults",
  ];
  return (
    <>
      <p id="replays">{sayReplays(page)}</p>
      <div class="controls">
        <Choice page={page} id="bot" label="bot" options={bots} />
        {data.fields.length > 1 && (
          <Choice page={page} id="field" label={data.field} options={number(data.fields)} />
        )}
        <label>
          games{" "}
          <select
            id="which"
            value={state.which}
            onChange={({ currentTarget: { value } }) => page.choose({ which: value })}
          >
            <option value="all">all</option>
            <option value="faults">with faults</option>
            <option value="replay">with a replay</option>
          </select>
        </label>
      </div>
      <div class="controls">
        <button
          id="back"
          type="button"
          aria-label="earlier games"
          disabled={state.first === 0}
          onClick={() => page.turn(-1)}
        >
          ◀{"\uFE0E"}
        </button>
        <span id="where" aria-live="polite">
          {where}
        </span>
        <button
          id="on"
          type="button"
          aria-label="later games"
          disabled={last === chosen.length}
          onClick={() => page.turn(1)}
        >
          ▶{"\uFE0E"}
        </button>
      </div>
      <Scroll label="list of the games">
        <table id="list">
          <thead>
            <tr>
              {heads.map((head) => (
                <th scope="col" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((game) => (
              <Line key={game[0]} page={page} game={game} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function Choice(more: Props & { id: "bot" | "field"; label: string; options: [string, number][] }) {
  const { page, id, label, options } = more;
  return (
    <label>
      {label}{" "}
      <select
        id={id}
        value={page.state[id]}
        onChange={({ currentTarget: { value } }) => page.choose({ [id]: value })}
      >
        <option value="">all</option>
        {options.map(([name, value]) => (
          <option key={value} value={String(value)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** How many games have a replay, could have one, and are left out. */
function sayReplays({ data: { games, left } }: Page) {
  const replays = games.filter((game) => game[5]).length;
  // A game whose record was not kept cannot be drawn.
  const able = games.filter((game) => game[5] || game[6]).length;
  const more = replays < able ? ` With --replays all, ${say(able)} have one.` : "";
  const before = left ? ` The ${say(left)} games that ended before these are left out.` : "";
  return `${say(replays)} of ${say(games.length)} games have a replay.${more}${before}`;
}

function Line({ page, game }: Props & { game: ContestGame }) {
  const { data, state } = page;
  const [number, field, turns, stays] = game;
  const ordered = [...stays.entries()].sort(([, [, one]], [, [, other]]) => one - other);
  return (
    <tr id={`game-${number}`} class={state.shown === number ? "shown" : undefined}>
      <th scope="row" tabIndex={-1}>
        {say(number)}
      </th>
      <td class="see">
        <Links page={page} game={game} />
      </td>
      {data.fields.length > 1 && <td class="map">{data.fields[field]}</td>}
      <td class="bots">
        <ul>
          {ordered.map(([seat, stay]) => {
            const said = sayStay(page, seat, stay);
            const isFirst = stay[1] === 1 && ordered.length > 1;
            return <li key={seat}>{isFirst ? <strong>{said}</strong> : <span>{said}</span>}</li>;
          })}
        </ul>
      </td>
      <td>{say(turns)}</td>
      <td class="faults">
        <ul>
          {ordered.flatMap(([seat, [bot, , , counts, detail]]) =>
            counts
              ? [
                  <li key={seat}>
                    {`${data.bots[bot]}: ${sayFaults(page, counts)}, first: ${detail}`}
                  </li>,
                ]
              : [],
          )}
        </ul>
      </td>
    </tr>
  );
}

/** What came of a bot in a game. */
function sayStay({ data }: Page, seat: number, [bot, place, score]: Stay) {
  const { bots, figures, countsIf, seats } = data;
  if (seats > 1) return `${place}. ${bots[bot]}, player ${seat + 1}: ${score[0]} ${figures[0]}`;
  const said = figures.map((figure, i) =>
    figure === countsIf ? (score[i] ? figure : `not ${figure}`) : `${score[i]} ${figure}`,
  );
  return `${bots[bot]}: ${said.filter((_, i) => figures[i] !== "turns").join(", ")}`;
}

/** Links to what is kept of a game. */
function Links({
  page,
  game: [number, , , stays, record, replay, kept],
}: Props & { game: ContestGame }) {
  const { replays, records, logs, said, seats } = page.data;
  const link = (text: string, href: string) => (
    <a href={href}>
      {text}
      <span class="unseen"> of game {number}</span>
    </a>
  );
  const stem = record.replace(/\.txt$/, "");
  return (
    <>
      {replay ? <strong>{link("▶ replay", `${replays}/${stem}.html`)}</strong> : null}
      {kept ? link("record (text)", `${records}/${record}`) : null}
      {stays.map(([bot], seat) =>
        said[bot].includes(number)
          ? link(seats > 1 ? `log of player ${seat + 1}` : "log", `${logs[bot]}/${record}`)
          : null,
      )}
    </>
  );
}
