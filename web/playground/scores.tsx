/* The table of gold, with a box at each card for whether the game is played with it, and what a change has changed. */

import type { Picture } from "../kernel/picture.ts";
import type { Read } from "../parts/scores.ts";
import { byId } from "../kernel/dom.ts";
import {
  type Card,
  type Changes,
  Gold,
  mountGold,
  nameCard,
  type Scores,
  type Ways,
} from "../parts/gold.tsx";
import { sayWinners } from "../parts/scores.ts";

const MOST_SAID = 12; // the most differences that are named; if there are more, only the sums are

/** "+4", or nothing for 0. */
const sayMore = (more: number) => (more ? `${more > 0 ? "+" : "\u2212"}${Math.abs(more)}` : "");

export class ChosenGold extends Gold {
  chosen: Set<string> = new Set();

  /** `change` is called when cards are chosen. */
  constructor(picture: Picture, why: Ways["why"], change: () => void) {
    const choose = (name: string, isChosen: boolean) => {
      if (isChosen) this.chosen.add(name);
      else this.chosen.delete(name);
      change();
    };
    const head = ({ name, number }: Card) =>
      number ? (
        <label>
          <input
            type="checkbox"
            id={`card-${name}`}
            checked={this.chosen.has(name)}
            onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
          />
          {nameCard({ name, number })}
        </label>
      ) : (
        name
      );
    super(picture, mountGold(), { why, head });
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.scores) this.show("");
    });
  }

  /** Show the differences between two scores, in the table and in words: since a change, or for a preview of one. */
  tell(before: Scores | null | undefined, after = this.scores) {
    this.isPreview = after !== this.scores;
    this.changes = before && after ? compareScores(before, after) : new Map();
    this.draw(this);
    const said = before && after ? sayChanges(this.changes, after) : "";
    byId("changed").setAttribute("aria-live", this.isPreview ? "off" : "polite");
    byId("changed").textContent = said || !this.isPreview ? said : "This would change nothing.";
  }

  fill(scores: Read) {
    this.changes = new Map();
    super.fill(scores);
    const { names, players, total, winners } = scores;
    byId("winner").textContent = total
      ? sayWinners(
          winners.map((player) => names[players.indexOf(player)]),
          Math.max(...total),
        )
      : "";
    // This line stays visible when the table is out of sight.
    byId("totals").textContent = total
      ? `Total: ${total.map((sum, i) => `${names[i]} ${sum}`).join(", ")}`
      : "";
    byId("nobody").hidden = players.length > 0;
  }
}

/** What each card, and the total, pays more or less than before. */
function compareScores(before: Scores, after: Scores): Changes {
  const compare = (old: (number | undefined)[] = [], now: (number | undefined)[]) => {
    const found = new Map<number, string>();
    after.players.forEach((player, i) => {
      const said = sayMore((now[i] ?? NaN) - (old[before.players.indexOf(player)] ?? 0));
      if (said) found.set(player, said);
    });
    return found;
  };
  const changes: Changes = new Map();
  for (const { name } of after.cards) {
    const found = compare(before.gold[name], after.gold[name]);
    if (found.size) changes.set(name, found);
  }
  if (changes.size && before.total && after.total)
    changes.set("total", compare(before.total, after.total));
  return changes;
}

/** The changes of each player in words. */
function sayChanges(changes: Changes, { cards, names, players }: Scores) {
  const named = cards.filter(({ name }) => changes.has(name));
  const count = named.reduce((sum, { name }) => sum + (changes.get(name)?.size ?? 0), 0);
  const lines = players.flatMap((player, i) => {
    const own = named.flatMap(({ name }) => {
      const said = changes.get(name)?.get(player);
      return said ? [{ name, said }] : [];
    });
    if (!own.length) return [];
    const sum = own.reduce((all, { said }) => all + Number(said.replace("\u2212", "-")), 0);
    const said =
      count > MOST_SAID
        ? `${sum} from ${own.length} cards`
        : own.map(({ name, said: more }) => `${more} ${name}`).join(", ");
    return [`${names[i]}: ${said}`];
  });
  return lines.join("; ");
}
