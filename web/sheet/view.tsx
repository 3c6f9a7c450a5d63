// What the sheet looks like: its three steps, the bar below them, and the dialogs.
import { Dialog, House } from "../kernel/view.tsx";
import { STEPS } from "./game.ts";
import { Place } from "./place.tsx";
import { Result } from "./result.tsx";
import { Chooser, Setup } from "./setup.tsx";
import type { Page } from "./sheet.tsx";

const FORWARD: Record<string, string> = {
  setup: "Place the houses",
  place: "Show the scores",
  result: "Share the result",
};
const BACK: Record<string, string> = { place: "Back", result: "Fix something" };

export function View({ page }: { page: Page }) {
  const { store } = page;
  const { step, dialog } = store;
  const at = STEPS.indexOf(step as (typeof STEPS)[number]);
  return (
    <div class={`sheet ${step}`}>
      <header>
        <h1>Score a game</h1>
        <button type="button" id="new-game" class="quiet" onClick={() => store.go(`${step}:new`)}>
          New game
        </button>
        <ol id="steps" aria-label={`Step ${at + 1} of ${STEPS.length}`}>
          {STEPS.map((name, i) => (
            <li
              key={name}
              class={i <= at ? "done" : ""}
              aria-current={i === at ? "step" : undefined}
            />
          ))}
        </ol>
      </header>
      {step === "setup" ? (
        <Setup page={page} />
      ) : step === "place" ? (
        <Place page={page} />
      ) : (
        <Result page={page} />
      )}
      <Bar page={page} />
      <Told page={page} />
      {dialog.startsWith("quadrant") && <Chooser page={page} at={Number(dialog.slice(-1))} />}
      {dialog === "new" && <Asking page={page} />}
    </div>
  );
}

/** The bar at the lower edge. */
function Bar({ page }: { page: Page }) {
  const { step } = page.store;
  const goBack = () => page.goTo(STEPS[STEPS.indexOf(step as (typeof STEPS)[number]) - 1]);
  const isReady = step !== "result" || Boolean(page.shown.answer?.total);
  return (
    <nav aria-label="steps">
      {BACK[step] && (
        <button type="button" id="back" key="back" onClick={goBack}>
          {BACK[step]}
        </button>
      )}
      {/* A button for each step: the second tap of a double one meets another button. */}
      <button
        type="button"
        id="forward"
        class="primary"
        key={step}
        onClick={() =>
          step !== "result" ? page.goOn() : isReady ? void page.share() : page.goTo("setup")
        }
      >
        {isReady ? FORWARD[step] : page.shown.answer ? "Choose your cards" : FORWARD[step]}
      </button>
    </nav>
  );
}

/** What is told for a while, with a way back where something has gone. */
function Told({ page }: { page: Page }) {
  const { told } = page.shown;
  return (
    <div id="told" class={told.text ? "shown" : ""}>
      <p role="status" id="said" key="said">
        {told.text}
      </p>
      {told.isUndo && (
        <button type="button" class="quiet" onClick={() => page.undo()}>
          Undo
        </button>
      )}
    </div>
  );
}

function Asking({ page }: { page: Page }) {
  const { store } = page;
  return (
    <Dialog label="Start a new game?" id="asking" onClose={() => store.close()}>
      <p>It has the same names. You can take this game back until the next one is begun.</p>
      <p class="row">
        <button type="button" id="begin-anew" class="primary" onClick={() => page.begin()}>
          New game
        </button>
        <button type="button" onClick={() => store.close()}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}

/** The house of a player of the page. */
export function HouseOf({ page, player, size }: { page: Page; player: number; size?: number }) {
  const { looks, numbers, shape } = page.data;
  return <House tile={looks[numbers[player] - 1].tile} shape={shape} size={size} />;
}
