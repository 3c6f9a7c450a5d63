// The first step of the sheet: who played, on which quadrants, with which cards, and when.
import { useMemo, useRef } from "preact/hooks";
import { bare, LONGEST_NAME, LONGEST_TITLE, nameAll, PLACES, SIDE, title } from "../kernel/kb.ts";
import { Dialog, Part } from "../kernel/view.tsx";
import { groupBy } from "../kernel/dom.ts";
import { Thumbnail } from "../kernel/picture.ts";
import type { Page } from "./sheet.tsx";
import { HouseOf } from "./view.tsx";

export function Setup({ page }: { page: Page }) {
  return (
    <main>
      <Names page={page} />
      <Cards page={page} />
      <Boards page={page} />
      <When page={page} />
    </main>
  );
}

function Names({ page }: { page: Page }) {
  const { sheet, store } = page;
  const { names } = store.state;
  const [least, most] = page.data.players;
  const add = () => {
    page.act(sheet.addPlayer(store.state));
    document.getElementById(`name-${names.length + 1}`)?.focus();
  };
  return (
    <section>
      <div class="heading">
        <h2 tabIndex={-1}>Who played?</h2>
        <OpenFile page={page} />
        <p id="open-error" class="error" role="alert">
          {page.shown.unread}
        </p>
      </div>
      {store.last && !names.some(Boolean) && (
        <p>
          <button type="button" id="take-last" class="quiet" onClick={() => page.takeLast()}>
            Open my last game: {nameAll(store.last.names).join(", ")}
          </button>
        </p>
      )}
      <div id="names">
        {names.map((name, at) => (
          <label key={at}>
            <HouseOf page={page} player={at + 1} />
            <input
              id={`name-${at + 1}`}
              value={name}
              placeholder={`Player ${at + 1}`}
              aria-label={`name of player ${at + 1}`}
              maxLength={LONGEST_NAME}
              autocomplete="off"
              autocapitalize="words"
              onInput={(event) => {
                const { value } = event.currentTarget;
                page.act(sheet.rename(store.state, at + 1, value), `name ${at}`);
              }}
            />
          </label>
        ))}
      </div>
      <p class="row">
        {names.length < most && (
          <button type="button" id="add-player" key="add" onClick={add}>
            + Add a player
          </button>
        )}
        {names.length > least && (
          <button
            type="button"
            id="remove-player"
            class="quiet"
            key="remove"
            onClick={() => page.act(sheet.removePlayer(store.state))}
          >
            − Remove last player
          </button>
        )}
      </p>
      <p id="names-error" class="error" role="alert">
        {sheet.findNameFault(store.state)}
      </p>
    </section>
  );
}

/** A button that opens what *Save as text* has written. */
function OpenFile({ page }: { page: Page }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" id="open-game" class="quiet" onClick={() => input.current?.click()}>
        Open a saved game
      </button>
      <input
        ref={input}
        type="file"
        id="game-file"
        accept=".txt,text/plain"
        hidden
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file) page.open(file);
          currentTarget.value = ""; // the same file can be chosen again
        }}
      />
    </>
  );
}

/** The four quadrants as they lie on the table. */
function Boards({ page }: { page: Page }) {
  const { sheet, store } = page;
  return (
    <section>
      <h2>Which boards?</h2>
      <p class="dim">Match them to your table: tap one to change it, or turn it upside down.</p>
      <div id="quadrants">
        {store.state.quadrants.map((name, at) => (
          <div key={at}>
            <button
              type="button"
              id={`quadrant-${at}`}
              class="quadrant"
              aria-label={`${PLACES[at]}: ${title(bare(name))}; choose another one`}
              onClick={() => store.go(`setup:quadrant-${at}`)}
            >
              <Quadrant page={page} name={name} />
              <span>{title(bare(name))}</span>
            </button>
            <button
              type="button"
              id={`turn-${at}`}
              class="turn"
              aria-label={`turn ${title(bare(name))}`}
              onClick={() => page.act(sheet.turn(store.state, at))}
            >
              <span aria-hidden="true">⟳</span>
            </button>
          </div>
        ))}
      </div>
    </section>
  );
}

function Quadrant({ page, name }: { page: Page; name: string }) {
  const { data, quadrants } = page.sheet;
  const element = useMemo(() => {
    const rows = quadrants.get(name) ?? [];
    const cells = rows.flatMap((row) => [...row].map((symbol) => data.numbers[symbol]));
    const towns = cells.flatMap((number, at) =>
      number === data.numbers[data.town] ? [[at, bare(name)]] : [],
    );
    const { looks, shape, signs } = data;
    const titles = Object.fromEntries(towns);
    return new Thumbnail({ rows: SIDE, columns: SIDE, shape, looks, signs, titles, cells }).element;
  }, [name]);
  return <Part element={element} />;
}

/** The dialog in which another quadrant is chosen, by the box that it comes from. */
export function Chooser({ page, at }: { page: Page; at: number }) {
  const { sheet, store } = page;
  const used = store.state.quadrants.map(bare);
  const boxes = [...groupBy(page.data.quadrants, ({ expansion }) => expansion)];
  const choose = (name: string) => {
    page.act(sheet.lay(store.state, at, name));
    store.close();
    document.getElementById(`quadrant-${at}`)?.focus();
  };
  return (
    <Dialog
      label={`Which board is at the ${PLACES[at]}?`}
      id="chooser"
      onClose={() => store.close()}
    >
      <div id="offered">
        {boxes.map(([box, quadrants]) => (
          <section key={box}>
            <h3>{box || "Base game"}</h3>
            <div>
              {quadrants.map(({ name }) => (
                <button
                  type="button"
                  key={name}
                  class="quadrant"
                  data-name={name}
                  onClick={() => choose(name)}
                >
                  <Quadrant page={page} name={name} />
                  <span>
                    {title(name)}
                    {used.includes(name) && <small> on the table</small>}
                  </span>
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
      <p class="stick">
        <button type="button" id="close-chooser" onClick={() => store.close()}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}

function Cards({ page }: { page: Page }) {
  const { sheet, store } = page;
  const { cards, dealt } = page.data;
  const chosen = cards.filter(({ name }) => store.state.cards.includes(name));
  const isAsked = page.shown.asked && store.state.cards.length < dealt;
  return (
    <section>
      <h2>
        Your three cards{" "}
        <span id="chosen" class="dim">
          {store.state.cards.length} of {dealt}
        </span>
      </h2>
      <div id="cards">
        {cards
          .filter(({ number }) => number)
          .map(({ name, text }) => (
            <button
              type="button"
              key={name}
              id={`card-${name}`}
              title={text}
              aria-pressed={store.state.cards.includes(name)}
              onClick={() => page.act(sheet.choose(store.state, name))}
            >
              {title(name)}
            </button>
          ))}
      </div>
      <p id="cards-error" class="error" role="alert">
        {isAsked ? page.shown.asked : ""}
      </p>
      <ul id="cards-text" class="dim">
        {chosen.map(({ name, text }) => (
          <li key={name}>
            <b>{title(name)}</b>: {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function When({ page }: { page: Page }) {
  const { store } = page;
  return (
    <section>
      <h2>
        When was it? <span class="dim">(optional)</span>
      </h2>
      <p class="row">
        <input
          id="title"
          value={store.state.title}
          aria-label="title of the game"
          placeholder="Friday night"
          maxLength={LONGEST_TITLE}
          autocomplete="off"
          onInput={({ currentTarget: { value } }) =>
            page.act({ label: "the title", change: { title: value } }, "title")
          }
        />
        <input
          id="date"
          type="date"
          value={store.state.date}
          aria-label="date of the game"
          onInput={({ currentTarget: { value } }) =>
            page.act({ label: "the date", change: { date: value } }, "date")
          }
        />
      </p>
    </section>
  );
}
