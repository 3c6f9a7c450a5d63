// Shows a replay: beside its board, what lies there, what is wrong, and the board as text.
import { byId, make, readData } from "./dom.js";
import { frameTile, Player } from "./player.js";

readData().then(async (data) => {
  const { rows, columns, looks, shape, violations: { length } } = data;
  const legend = data.legend.map((entry) => ({ ...entry, text: make("span") }));
  byId("legend").append(...legend.map(({ tile, text }) => make("li", [frameTile(tile, shape), text])));
  byId("verdict").textContent = length === 0 ? "Consistent with the rules" : length === 1 ? "1 violation" : `${length} violations`;
  byId("text").addEventListener("toggle", () => writeRows());
  const wide = shape.hexes ? Math.max(...looks.map(({ symbol }) => symbol.length)) : 0;
  const player = new Player(document, { show });
  listMoves();
  let waits;
  const asked = () => Number(location.hash.match(/^#turn-(\d+)$/)?.[1] ?? NaN);
  const drawn = player.load({ ...data, start: Number.isNaN(asked()) ? data.start : asked() });
  addEventListener("hashchange", () => { if (!Number.isNaN(asked())) player.goTo(asked()); });

  function show() {
    const counts = new Array(looks.length + 1).fill(0);
    for (const number of player.cells) counts[number] += 1;
    for (const { name, symbols, text, counted } of legend) {
      text.textContent = counted ? `${name}: ${symbols.reduce((sum, symbol) => sum + counts[symbol], 0)}` : name;
    }
    byId("tallies").hidden = !byId("tally").firstChild;
    byId("moves").selectedIndex = player.step;
    if (byId("text").open) writeRows();
    clearTimeout(waits); // browsers do not let an address change at every step
    waits = setTimeout(() => history.replaceState(null, "", `#turn-${player.turn}`), 300);
  }

  /* A line for each turn, with what was done in it where the rules say that, which leads to it. */
  function listMoves() {
    const beside = new Map();
    byId("moves").append(...data.steps.map(([caption, , news]) => {
      for (const [label, value] of news) beside.set(label, value);
      const done = [...beside].filter(([label]) => /\bturn$/.test(label)).map(([, value]) => value);
      return make("option", [caption, ...done].join(": "));
    }));
    byId("moves").addEventListener("change", () => player.goTo(data.first + byId("moves").selectedIndex));
  }

  /* Hexes stand as in a board's file, every second row half a hex to the right. */
  function writeRows() {
    byId("rows").textContent = Array.from({ length: rows }, (_, row) => {
      const symbols = Array.from(player.cells.subarray(row * columns, (row + 1) * columns), (number) => looks[number - 1]?.symbol ?? " ");
      const shift = row % 2 ? " ".repeat((wide + 1) / 2) : "";
      return shape.hexes ? shift + symbols.map((symbol) => symbol.padEnd(wide)).join(" ").trimEnd() : symbols.join("");
    }).join("\n");
  }
  await drawn;
  window.replay = player;
  document.documentElement.dataset.ready = "yes";
});
