// Parts of views that more than one page has.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Shape } from "../data.d.ts";

/** An element that is made elsewhere, such as a picture. */
export function Part({ element, class: name = "part" }: { element: Element; class?: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(element), [element]);
  return <span ref={place} class={name} />;
}

/** The house of a player, of its tile: without the hex below it. */
export function House({ tile, shape, size = 24 }: { tile: string; shape: Shape; size?: number }) {
  const piece = tile.replace(/^<path[^>]*>/, "");
  const edge = shape.width + 2;
  return (
    <svg
      class="house"
      width={size}
      height={size}
      viewBox={`${-edge / 2} ${-edge / 2 - 1} ${edge} ${edge}`}
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: piece }}
    />
  );
}

/** The look of a place, beside a text. */
export function Tile({ tile, shape: { width, tall } }: { tile: string; shape: Shape }) {
  return (
    <svg
      width={width}
      height={tall}
      viewBox={`${-width / 2} ${-tall / 2} ${width} ${tall}`}
      font-family="sans-serif"
      text-anchor="middle"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: tile }}
    />
  );
}

/** Listen to the keys of the document while the view is there. */
export function useKeys(listen: (event: KeyboardEvent) => void) {
  useEffect(() => {
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** The colour of a player's pieces, of the tile of one. */
export const colourOf = (tile: string) =>
  [...tile.matchAll(/<g fill="(#\w+)"/g)].at(-1)?.[1] ?? "#000";

/** A dialog, which Escape and the browser's Back close. */
export function Dialog(more: {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
  id?: string;
}) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={place}
      id={more.id}
      aria-labelledby="dialog-heading"
      onCancel={(event) => {
        event.preventDefault();
        more.onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current) more.onClose(); // beside it
      }}
    >
      <div>
        <h2 id="dialog-heading">{more.label}</h2>
        {more.children}
      </div>
    </dialog>
  );
}
