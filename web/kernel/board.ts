// A board that is pointed at: by fingers, a mouse or keys; what is done there is told to those who cannot see it.
import type { Bare, Piece } from "./picture.ts";
import { makeSvg } from "./dom.ts";
import { frameBoard, listHexes, Picture } from "./picture.ts";

const FAR = 8; // pixels that a finger moves before it is a stroke
const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** What a page does about its board; places count row by row. */
interface Acts {
  /** A hex is tapped, clicked, or chosen by a key. */
  tap: (place: number) => void;
  /** A stroke goes over hexes, in their order: to be shown at once, and done when it `isDone`. */
  stroke?: (places: number[], isDone: boolean) => void;
  /** A stroke has come to nothing, such as when a second finger comes. */
  drop?: () => void;
  /** Another key is pressed; whether it is for anything. */
  key?: (event: KeyboardEvent, place: number) => boolean;
  /** What is on a hex, in words. */
  tell: (place: number) => string;
}

export class HexBoard {
  readonly picture: Picture;
  /** Where keys act. */
  cursor = 0;
  private readonly folder: HTMLElement;
  private readonly acts: Acts;
  /** The pointer that goes over the board, where it began, and the hexes that it has met. */
  private pointer: {
    id: number;
    x: number;
    y: number;
    places: number[];
    isStroke: boolean;
  } | null = null;
  private shown = "";
  private size = "";

  /** `folder` becomes the board; a live region beside it has the class `told`. */
  constructor(folder: HTMLElement, acts: Acts) {
    this.folder = folder;
    this.acts = acts;
    this.picture = new Picture(folder, { hasNumbers: false });
    folder.addEventListener("pointerdown", (event) => this.begin(event));
    folder.addEventListener("pointermove", (event) => this.go(event));
    folder.addEventListener("pointerup", (event) => this.end(event));
    folder.addEventListener("pointercancel", () => this.drop());
    folder.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
    folder.addEventListener("focus", () => this.point());
    folder.addEventListener("blur", () => this.picture.point(null));
    new ResizeObserver(() => this.fit()).observe(folder);
  }

  /** Show a board, as large as there is room. */
  show(board: Bare, cells: ArrayLike<number>) {
    const key = JSON.stringify([board.rows, board.columns, board.titles, board.looks.length]);
    if (key !== this.shown || this.picture.looks !== board.looks) {
      this.shown = key;
      this.size = "";
      this.cursor = Math.min(this.cursor, board.rows * board.columns - 1);
      this.picture.begin(board);
    }
    this.fit();
    void this.picture.draw(cells);
    if (this.hasFocus) this.picture.point(this.cursor);
  }

  /** Mark pieces; the hexes that they are not about are dimmed. */
  mark(pieces: Piece[]) {
    const { picture } = this;
    picture.mark(pieces);
    const hexes = pieces.flatMap(({ hexes, span }) => (span ? listHexes(span) : hexes));
    if (!hexes.length) return;
    const holes = hexes.map(([row, column]) => {
      const [x, y] = picture.middle(row * picture.columns + column);
      return `M${picture.shape.corners.map(([right, down]) => `${x + right} ${y + down}`).join("L")}z`;
    });
    const { x, y, width, height } = frameBoard(picture);
    const d = `M${x} ${y}h${width}v${height}h${-width}z${[...new Set(holes)].join("")}`;
    picture.marks.prepend(makeSvg("path", { class: "veil", d, "fill-rule": "evenodd" }));
  }

  private get hasFocus() {
    return document.activeElement === this.folder;
  }

  /** Make the hexes as large as the room of the board allows. */
  private fit() {
    const { folder, picture } = this;
    const { clientWidth: wide, clientHeight: high } = folder;
    if (!wide || !picture.rows) return;
    const size = `${wide} ${high} ${this.shown}`;
    if (size === this.size) return;
    this.size = size;
    picture.resize(fit(picture, wide, high));
  }

  private begin(event: PointerEvent) {
    if (this.pointer) {
      this.drop(); // a second finger: the page is scrolled, or made larger
      return;
    }
    const place = this.picture.placeAt(event);
    if (place === null || event.button !== 0) return;
    if (event.pointerType === "mouse") event.preventDefault(); // so that no text is selected
    this.folder.focus({ preventScroll: true });
    if (event.pointerType === "mouse") this.folder.setPointerCapture(event.pointerId);
    const { pointerId: id, clientX: x, clientY: y } = event;
    this.pointer = { id, x, y, places: [place], isStroke: false };
    this.picture.point(null);
  }

  private go(event: PointerEvent) {
    const { pointer } = this;
    if (pointer?.id !== event.pointerId) return;
    const far = Math.hypot(event.clientX - pointer.x, event.clientY - pointer.y);
    if (!pointer.isStroke && far < FAR) return;
    // Not every browser tells where a pointer has been since the last event, and no event that a script makes.
    for (const one of [...(event.getCoalescedEvents?.() ?? []), event]) {
      const place = this.picture.placeAt(one);
      if (place !== null && !pointer.places.includes(place)) pointer.places.push(place);
    }
    pointer.isStroke ||= pointer.places.length > 1;
    if (pointer.isStroke) this.acts.stroke?.(pointer.places, false);
  }

  private end(event: PointerEvent) {
    const { pointer } = this;
    if (pointer?.id !== event.pointerId) return;
    this.pointer = null;
    this.cursor = pointer.places.at(-1) ?? this.cursor;
    if (pointer.isStroke) this.acts.stroke?.(pointer.places, true);
    else this.acts.tap(pointer.places[0]);
  }

  private drop() {
    const isStroke = this.pointer?.isStroke;
    this.pointer = null;
    if (isStroke) this.acts.drop?.();
  }

  /** Show where keys act, and tell what is there. */
  private point() {
    this.picture.point(this.cursor);
    this.tell(this.acts.tell(this.cursor));
  }

  /** Tell something to those who cannot see the board. */
  tell(text: string) {
    const region = this.folder.parentElement?.querySelector(".told");
    if (region) region.textContent = text;
  }

  private key(event: KeyboardEvent) {
    const { key, altKey, ctrlKey, metaKey } = event;
    const { rows, columns } = this.picture;
    if (!altKey && !ctrlKey && !metaKey) {
      if (key in STEPS) {
        const [row, column] = this.picture.split(this.cursor).map((at, i) => at + STEPS[key][i]);
        if (row >= 0 && row < rows && column >= 0 && column < columns)
          this.cursor = row * columns + column;
        this.point();
        return true;
      }
      if (key === " " || key === "Enter") {
        this.acts.tap(this.cursor);
        this.point();
        return true;
      }
    }
    return this.acts.key?.(event, this.cursor) ?? false;
  }
}

/** How many pixels wide a place may be for a board to fit into a room. */
export function fit(board: Pick<Bare, "rows" | "columns" | "shape">, wide: number, high: number) {
  const { rows, columns, shape } = board;
  const across = wide / (columns + (shape.hexes ? 0.5 : 0));
  const down = (high / ((rows - 1) * shape.height + shape.tall)) * shape.width;
  return Math.min(across, down);
}
