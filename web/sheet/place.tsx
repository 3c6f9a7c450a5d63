// The second step of the sheet: a tap for each house, on one quadrant at a time, or on the whole board where there is room.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { fit, HexBoard } from "../kernel/board.ts";
import { nameAll, PLACES, SIDE } from "../kernel/kb.ts";
import { Part } from "../kernel/view.tsx";
import { Thumbnail } from "../kernel/picture.ts";
import { placeIn, type State, WIDTH } from "./game.ts";
import type { Page } from "./sheet.tsx";
import { HouseOf } from "./view.tsx";

const LEAST = 28; // pixels that a hex of the whole board is wide at least

export function Place({ page }: { page: Page }) {
  const { shown, store } = page;
  const { state } = store;
  const { most } = page.data;
  const names = nameAll(state.names);
  const name = names[shown.player - 1];
  return (
    <main>
      <h2 class="unseen" tabIndex={-1}>
        Place the houses
      </h2>
      <div id="who" role="group" aria-label="whose houses">
        {names.map((each, at) => {
          const count = page.sheet.count(state, at + 1);
          return (
            <button
              type="button"
              key={at}
              id={`who-${at + 1}`}
              aria-pressed={shown.player === at + 1}
              aria-label={`${each}, ${count} of ${most}`}
              onClick={() => page.show({ player: at + 1 })}
            >
              <HouseOf page={page} player={at + 1} />
              <b>{each}</b>
              <small class={count < most ? "few" : ""}>
                {count}/{most}
              </small>
            </button>
          );
        })}
      </div>
      <Board page={page} />
      <div class="tools">
        {!shown.isWhole && <Map page={page} state={state} />}
        <p id="hint" class="dim">
          Tap or drag where {name} has houses; tap one again to remove it.
        </p>
        <button type="button" id="undo" disabled={!store.canUndo} onClick={() => page.undo()}>
          Undo
        </button>
        <button type="button" id="redo" disabled={!store.canRedo} onClick={() => page.redo()}>
          Redo
        </button>
      </div>
    </main>
  );
}

/** The places of the whole board that are shown. */
const listPlaces = ({ isWhole, quadrant }: Page["shown"]) =>
  Array.from({ length: isWhole ? WIDTH * WIDTH : SIDE * SIDE }, (_, at) =>
    isWhole ? at : placeIn(quadrant, at),
  );

/** What is on a hex, in words. */
function tell(page: Page, place: number, state = page.store.state) {
  const { looks, numbers } = page.data;
  const look = looks[numbers[page.sheet.groundsOf(state)[place]] - 1];
  const owner = Number(state.houses[place].replace(".", "0"));
  const where = `row ${Math.floor(place / WIDTH) + 1}, column ${(place % WIDTH) + 1}`;
  const tile = page.sheet.titlesOf(state)[place];
  const house = owner ? `${nameAll(state.names)[owner - 1]}’s house on ` : "";
  return `${house}${[look.name, tile].filter(Boolean).join(", ")}, ${where}`;
}

/** The board. It is made once for a step, and shows the state whenever that changes. */
function Board({ page }: { page: Page }) {
  const folder = useRef<HTMLDivElement>(null);
  const board = useRef<HexBoard | null>(null);
  const { shown, store } = page;
  const { state } = store;

  const draw = (drawn: State) => {
    const { data, sheet } = page;
    const places = listPlaces(page.shown);
    const titles = sheet.titlesOf(drawn);
    const named = places.flatMap((place, at) => (titles[place] ? [[at, titles[place]]] : []));
    const side = page.shown.isWhole ? WIDTH : SIDE;
    const symbols = sheet.symbolsOf(drawn);
    board.current?.show(
      { ...data, rows: side, columns: side, titles: Object.fromEntries(named) },
      places.map((place) => data.numbers[symbols[place]]),
    );
  };

  useLayoutEffect(() => {
    const place = folder.current;
    if (!place) return;
    const at = (shownAt: number) => listPlaces(page.shown)[shownAt];
    const made = new HexBoard(place, {
      tap: (where) => page.act(page.sheet.tap(page.store.state, at(where), page.shown.player)),
      stroke: (places, isDone) => {
        const now = page.store.state;
        const deed = page.sheet.stroke(now, places.map(at), page.shown.player);
        if (isDone) page.act(deed);
        else draw({ ...now, ...deed.change });
      },
      drop: () => draw(page.store.state),
      tell: (where) => tell(page, at(where)),
      key: (event) => {
        if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
        const isRedo = event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey);
        if (!isRedo && event.key !== "z") return false;
        if (isRedo) page.redo();
        else page.undo();
        return true;
      },
    });
    board.current = made;
    page.picture = () => made.picture.state;
    // Whether there is room for the whole board.
    const size = { rows: WIDTH, columns: WIDTH, shape: page.data.shape };
    const hasRoom = () => fit(size, place.clientWidth, place.clientHeight) >= LEAST;
    const look = () => {
      const isWhole = hasRoom();
      if (isWhole !== page.shown.isWhole) page.show({ isWhole });
    };
    page.shown = { ...page.shown, isWhole: hasRoom() };
    queueMicrotask(() => page.show({})); // the map, which was shown for another board
    const watch = new ResizeObserver(look);
    watch.observe(place);
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => draw(state), [state, shown.isWhole, shown.quadrant]);

  return (
    <div class="field">
      <div
        id="board"
        ref={folder}
        tabIndex={0}
        role="application"
        aria-label="board"
        aria-describedby="hint"
      />
      <p class="told unseen" aria-live="polite" />
    </div>
  );
}

/** The four quadrants, one of which is shown large. */
function Map({ page, state }: { page: Page; state: State }) {
  return (
    <div id="map" role="group" aria-label="part of the board">
      {PLACES.map((label, at) => (
        <button
          type="button"
          key={at}
          id={`map-${at}`}
          aria-label={label}
          aria-pressed={page.shown.quadrant === at}
          onClick={() => page.show({ quadrant: at })}
        >
          <Small page={page} state={state} at={at} />
        </button>
      ))}
    </div>
  );
}

/** A small picture of a quadrant, with its houses. */
function Small({ page, state, at }: { page: Page; state: State; at: number }) {
  const { data, sheet } = page;
  const symbols = sheet.symbolsOf(state);
  const places = Array.from({ length: SIDE * SIDE }, (_, place) => placeIn(at, place));
  const cells = places.map((place) => data.numbers[symbols[place]]);
  const picture = useMemo(
    () => new Thumbnail({ ...data, rows: SIDE, columns: SIDE, cells }),
    [state.quadrants],
  );
  useLayoutEffect(() => picture.show(cells), [picture, state.houses]);
  return <Part element={picture.element} />;
}
