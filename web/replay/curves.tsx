// Figures over time: a picture for each kind, with a curve for each figure of that kind.
import { useMemo } from "preact/hooks";
import type { ReplayData } from "../data.d.ts";
import { groupBy } from "../kernel/dom.ts";
import { countLooks, crossLabels, type Player } from "../parts/player.tsx";

const LINES = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00"]; // the colours of players
const HIGH = 100; // the height of a picture, which is one unit wide for each turn

interface Curve {
  name: string;
  colour: string;
  /** An SVG path. */
  line: string;
}

interface Kind {
  name: string;
  most: number;
  curves: Curve[];
}

type Points = [step: number, value: number][];

export function Curves({ data, player }: { data: ReplayData; player: Player }) {
  const isLoaded = player.data !== null;
  const kinds = useMemo(() => (isLoaded ? listKinds(data, player) : []), [isLoaded]);
  if (data.steps.length < 3 || !kinds.length) return null;
  return (
    <details open>
      <summary id="curves-heading">Figures over time</summary>
      <div id="curves">
        {kinds.map((kind) => (
          <Figures key={kind.name} kind={kind} player={player} />
        ))}
      </div>
    </details>
  );
}

function Figures({ kind: { name, most, curves }, player }: { kind: Kind; player: Player }) {
  const says = `${name.trim()} (up to ${most})`;
  const go = ({ offsetX, currentTarget }: MouseEvent & { currentTarget: SVGElement }) => {
    const step = Math.round((offsetX / currentTarget.clientWidth) * player.last);
    void player.goTo(player.first + step);
  };
  return (
    <figure>
      <figcaption>
        {says}
        {curves.length > 1 &&
          curves.map((curve) => (
            <span key={curve.name} style={{ borderColor: curve.colour }}>
              {curve.name}
            </span>
          ))}
      </figcaption>
      <svg
        viewBox={`0 0 ${player.last} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={says}
        onClick={go}
      >
        {curves.map((curve) => (
          <path key={curve.name} d={curve.line} fill="none" stroke={curve.colour} />
        ))}
        <path class="now" d={`M${player.step} 0V${HIGH}`} />
      </svg>
    </figure>
  );
}

/** The figures beside the board by what they count, or else the numbers of the legend. */
function listKinds(data: ReplayData, player: Player): Kind[] {
  const figures = listFigures(data);
  const crossed = crossLabels([...figures.keys()]);
  const kinds = groupBy(figures, ([label]) => crossed.get(label)?.[1] ?? label);
  if (!figures.size) {
    const counts = data.steps.map((_, step) => countLooks(data.legend, player.stateAt(step).cells));
    const points = ([name]: [string, number], i: number): [string, Points] => [
      name,
      counts.map((found, step) => [step, found[i][1]]),
    ];
    kinds.set("on the board", counts[0].map(points));
  }
  // A player with pieces on the board has their colour.
  const pieces = data.legend.filter(({ counted }) => counted);
  const known = new Map(pieces.map(({ name, colour }) => [name, colour]));
  return [...kinds].map(([kind, curves]) => {
    const values = curves.flatMap(([, points]) => points.map(([, value]) => value));
    const most = Math.max(1, ...values);
    const draw = ([label, points]: [string, Points], i: number): Curve => {
      const name = crossed.get(label)?.[0] ?? label;
      const colour = known.get(name) ?? LINES[i % LINES.length];
      return { name, colour, line: drawLine(points, most, player.last) };
    };
    return { name: kind, most, curves: curves.map(draw) };
  });
}

/** The figures beside the board by label: where they change, and to what. */
function listFigures({ steps }: ReplayData) {
  const figures = new Map<string, Points>();
  steps.forEach(([, , news], step) => {
    for (const [label, value] of news) {
      if (!/^-?\d+$/.test(value)) continue;
      const points = figures.get(label) ?? [];
      points.push([step, Number(value)]);
      figures.set(label, points);
    }
  });
  return figures;
}

function drawLine(points: Points, most: number, last: number) {
  const [[x, y], ...more] = points.map(([step, value]) => [step, HIGH * (1 - value / most)]);
  return [`M${x} ${y}`, ...more.map(([at, value]) => `H${at}V${value}`), `H${last}`].join("");
}
