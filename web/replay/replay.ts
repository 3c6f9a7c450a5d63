// Shows a replay, and beside its board the legend, the violations, and the board as text.
import type { ReplayData } from "../data.d.ts";
import { boot } from "../kernel/boot.ts";
import { byId, groupBy, make, makeSvg, on } from "../kernel/dom.ts";
import { countLooks, crossLabels, Player, showLegend } from "../parts/player.ts";

const LINES = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00"]; // the colours of players
const HIGH = 100; // the height of a picture of curves, which is one unit wide for each turn

/** Figures over time: what they are called, and pairs of a step and a number. */
type Curve = [string, [number, number][]];

async function start(data: ReplayData) {
  const {
    rows,
    columns,
    looks,
    shape,
    steps,
    violations: { length },
  } = data;
  byId("verdict").textContent =
    length === 0
      ? "Consistent with the rules"
      : length === 1
        ? "1 violation"
        : `${length} violations`;
  on("text", () => writeRows(), "toggle");
  const wide = shape.hexes ? Math.max(...looks.map(({ symbol }) => symbol.length)) : 0;
  const player = new Player(document, { show });
  listMoves();
  let waits: number | undefined;
  const asked = () => location.hash.match(/^#turn-(\d+)$/)?.[1];
  const drawn = player.load({ ...data, start: Number(asked() ?? data.start) });
  drawCurves();
  addEventListener("hashchange", () => {
    if (asked()) player.goTo(Number(asked()));
  });

  function show() {
    showLegend(data, player.cells);
    byId("tallies").hidden = !document.querySelector("#tally div, #crossed tr");
    byId("moves").selectedIndex = player.step;
    byId("caption").dataset.more =
      byId("moves").selectedOptions[0]?.textContent.replace(/^[^:]*/, "") ?? "";
    for (const now of document.querySelectorAll("#curves .now"))
      now.setAttribute("d", `M${player.step} 0V${HIGH}`);
    if (byId("text").open) writeRows();
    clearTimeout(waits); // browsers do not let an address change at every step
    waits = setTimeout(() => history.replaceState(null, "", `#turn-${player.turn}`), 300);
  }

  /* A line for each turn, with what was done in it where the rules say that, which leads to it. */
  function listMoves() {
    const beside: Map<string, string> = new Map();
    byId("moves").append(
      ...steps.map(([caption, , news]) => {
        for (const [label, value] of news) beside.set(label, value);
        const done = [...beside]
          .filter(([label]) => /\bturn$/.test(label))
          .map(([, value]) => value);
        return make("option", [caption, ...done].join(": "));
      }),
    );
    on("moves", () => player.goTo(data.first + byId("moves").selectedIndex), "change");
  }

  /* Figures over time, those beside the board or else what the legend counts: a picture for each kind. */
  function drawCurves() {
    const figures: Map<string, Curve[1]> = new Map();
    steps.forEach(([, , news], step) => {
      for (const [label, value] of news)
        if (/^-?\d+$/.test(value))
          figures.set(label, [...(figures.get(label) ?? []), [step, Number(value)]]);
    });
    const crossed = crossLabels([...figures.keys()]);
    const kinds: Map<string, Curve[]> = groupBy(
      figures,
      ([label]) => crossed.get(label)?.[1] ?? label,
    );
    if (!figures.size) {
      const counts = steps.map((_, step) => countLooks(data, player.stateAt(step).cells));
      kinds.set(
        "on the board",
        counts[0].map(([name], i) => [name, counts.map((found, step) => [step, found[i][1]])]),
      );
    }
    byId("curves").append(
      ...[...kinds].map(([kind, curves]) =>
        drawKind(kind, curves, (label) => crossed.get(label)?.[0] ?? label),
      ),
    );
    byId("curves").parentNode.hidden = steps.length < 3 || !kinds.size;
  }

  function drawKind(kind: string, curves: Curve[], nameRow: (label: string) => string) {
    const most = Math.max(1, ...curves.flatMap(([, points]) => points.map(([, value]) => value)));
    // A player with pieces on the board has their colour.
    const known = new Map(
      data.legend.filter(({ counted }) => counted).map(({ name, colour }) => [name, colour]),
    );
    const colours = curves.map(
      ([label], i) => known.get(nameRow(label)) ?? LINES[i % LINES.length],
    );
    const lines = curves.map(([, points], i) => {
      const [[x, y], ...more] = points.map(([step, value]) => [step, HIGH * (1 - value / most)]);
      const d = [
        `M${x} ${y}`,
        ...more.map(([at, value]) => `H${at}V${value}`),
        `H${steps.length - 1}`,
      ].join("");
      return makeSvg("path", { d, fill: "none", stroke: colours[i] });
    });
    const now = makeSvg("path", { class: "now", d: `M0 0V${HIGH}` });
    const says = `${kind.trim()} (up to ${most})`;
    const svg = makeSvg(
      "svg",
      {
        viewBox: `0 0 ${steps.length - 1} ${HIGH}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": says,
      },
      [...lines, now],
    );
    svg.addEventListener("click", ({ offsetX }: MouseEvent) => {
      player.goTo(data.first + Math.round((offsetX / svg.clientWidth) * player.last));
    });
    const names =
      curves.length > 1
        ? curves.map(([label], i) =>
            make("span", nameRow(label), { style: `border-color: ${colours[i]}` }),
          )
        : [];
    return make("figure", [make("figcaption", [says, ...names]), svg]);
  }

  /* Hexes stand as in a board's file, every second row half a hex to the right. */
  function writeRows() {
    byId("rows").textContent = Array.from({ length: rows }, (_, row) => {
      const symbols = Array.from(
        player.cells.subarray(row * columns, (row + 1) * columns),
        (number) => looks[number - 1]?.symbol ?? " ",
      );
      const shift = row % 2 ? " ".repeat((wide + 1) / 2) : "";
      return shape.hexes
        ? shift +
            symbols
              .map((symbol) => symbol.padEnd(wide))
              .join(" ")
              .trimEnd()
        : symbols.join("");
    }).join("\n");
  }
  await drawn;
  return {
    get state() {
      return { turn: player.turn, picture: player.picture.state };
    },
    settled: async () => {},
    reset: async () => player.goTo(data.start),
  };
}

boot<ReplayData>(start);
