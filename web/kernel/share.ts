// Sending a file by what a phone has for that; where it cannot, the file is saved.

/** What a browser has for it. */
export interface Ways {
  canShare?: (wish: ShareData) => boolean;
  share?: (wish: ShareData) => Promise<void>;
  save: (name: string, file: Blob) => void;
}

const NO_PICTURE = "Your browser cannot make the picture: take one of the screen.";

/** Save a picture; says what has been done. */
export async function saveFile(
  draw: () => Promise<Blob>,
  name: string,
  { save }: Pick<Ways, "save">,
) {
  try {
    save(name, await draw());
    return "The picture is saved.";
  } catch {
    return NO_PICTURE;
  }
}

/** Send a picture, or save it; says what has been done. */
export async function shareFile(
  draw: () => Promise<Blob>,
  name: string,
  title: string,
  ways: Ways,
) {
  let file;
  try {
    file = new File([await draw()], name, { type: "image/png" });
  } catch {
    return NO_PICTURE;
  }
  const wish = { files: [file], title };
  try {
    if (!ways.share || !ways.canShare?.(wish)) throw new Error("it sends no files");
    await ways.share(wish);
    return "";
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return ""; // the user has cancelled it
    ways.save(name, file);
    return "The picture is saved.";
  }
}
