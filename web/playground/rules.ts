/* The rule files: which there are, which differ from those shipped, and what clingo says of them. */

import type { PlaygroundData, RuleFile } from "../data.d.ts";
import type { Message } from "../mirror/program.ts";
import { byId, groupBy, list, make, makeButton, on, save } from "../kernel/dom.ts";
import { Editor } from "./editor.ts";
import { FILE_NAME } from "../kernel/link.ts";

/** A file as it is now; `given` is the text that the page was made with, which new files do not have. */
export type File = RuleFile & { given?: string };

type Judged = File & { isOurs: boolean; isNew: boolean };

/** The documented predicates, for completion. */
function listWords({ why }: PlaygroundData) {
  return Object.entries(why?.says ?? {}).map(([signature, [names, sentence]]) => {
    const [name] = signature.split("/");
    const args = names.length ? `(${names.join(",")})` : "";
    return { label: name, displayLabel: name + args, apply: name + args, info: sentence };
  });
}

export class Rules {
  template: string;
  files: Map<string, File>;
  messages: Message[] = [];
  change: () => void;
  drop: (what: string) => void;
  editor: Editor;

  /** `change` is called when the rules have changed, and `drop` before a text is discarded. */
  constructor(data: PlaygroundData, change: () => void, drop: (what: string) => void) {
    this.drop = drop;
    this.template = data.template;
    this.files = new Map(data.files.map((file) => [file.name, { ...file, given: file.text }]));
    this.change = change;
    this.editor = new Editor(
      byId("editor"),
      (name, text) => this.edit(name, text),
      listWords(data),
    );
    on("file", () => this.open(byId("file").value), "change");
    on(
      "new",
      (event) => {
        event.preventDefault();
        this.add(byId("new-name").value.trim());
      },
      "submit",
    );
    on("restore", () => this.restore());
    on("save-file", () => save(this.current.name, this.current.text));
    on("save-files", () => this.changed().forEach(({ name, text }) => save(name, text)));
    this.list();
    this.open(data.open);
  }

  get current() {
    return this.get(this.editor.name);
  }

  /** The file of a name that there is. */
  get(name: string) {
    const file = this.files.get(name);
    if (!file) throw new Error(`there is no file ${name}`);
    return file;
  }

  /** All files; ours are those that stand as they were shipped. */
  all(): Judged[] {
    return [...this.files.values()].map((file) => ({
      ...file,
      isOurs: file.text === file.shipped,
      isNew: file.shipped === null,
    }));
  }

  changed() {
    return this.all().filter(({ isOurs }) => !isOurs);
  }

  /** The files of a use, by names, and all new ones. */
  of(names: string[]) {
    const wanted = new Set(names);
    return this.all().filter(({ name, isNew }) => isNew || wanted.has(name));
  }

  list() {
    const folders = groupBy(this.all(), ({ folder }) => folder);
    byId("file").replaceChildren(
      ...[...folders].map(([folder, files]) => {
        const options = files.map(({ name, isOurs, isNew }) =>
          make("option", `${name}${isNew ? " (new)" : isOurs ? "" : " (changed)"}`, {
            value: name,
          }),
        );
        return make("optgroup", options, { label: folder });
      }),
    );
    byId("file").value = this.editor.name;
    const changed = this.changed();
    list(
      "differs",
      changed.map(({ name, place, isNew }) =>
        makeButton(`${place}, ${isNew ? "new" : "changed"}`, () => this.open(name)),
      ),
    );
    byId("same").hidden = changed.length > 0;
    byId("save-files").disabled = !changed.length;
  }

  open(name: string) {
    this.editor.open(this.get(name));
    byId("file").value = name;
    this.editor.tell(this.messages);
    const { given, shipped } = this.current;
    byId("restore").textContent =
      shipped === null && given === undefined ? "Remove this file" : "Undo my changes";
  }

  /** Open a file that may not be there. */
  show(name: string) {
    if (!this.files.has(name)) throw new Error(`there is no file ${name}`);
    this.open(name);
  }

  edit(name: string, text: string) {
    const file = this.get(name);
    const was = file.text === file.shipped;
    file.text = text;
    if (was !== (text === file.shipped)) this.list();
    this.change();
  }

  add(name: string) {
    const file = name.endsWith(".lp") ? name : `${name}.lp`;
    let wrong = FILE_NAME.test(file) ? "" : "use lowercase letters, digits and _, as in shepherds";
    if (this.files.has(file)) wrong = `there is already a file ${file}: choose another name`;
    byId("new-error").textContent = wrong;
    if (wrong) return;
    this.put(file, this.template);
    byId("new-name").value = "";
    this.showChange(file);
    this.editor.go(this.editor.view.state.doc.lines, 0);
  }

  put(name: string, text: string) {
    this.files.set(name, {
      name,
      folder: "new",
      place: name,
      shipped: null,
      ...this.files.get(name),
      text,
    });
  }

  /** Put a text into a file, and show it. */
  write(name: string, text: string) {
    this.put(name, text);
    this.showChange(name);
  }

  /** Take a file back to what the page was made with; a file made here goes. */
  reset({ name, given }: File) {
    if (given === undefined) this.files.delete(name);
    else this.put(name, given);
  }

  restore() {
    const { given, name } = this.current;
    this.drop(given === undefined ? `${name} is removed.` : `${name} is as it was.`);
    this.reset(this.current);
    this.showChange();
  }

  /** Take the files of a link: what it does not name is as shipped, or as the page was made. */
  replace(texts: Map<string, string>) {
    [...this.files.values()].forEach((file) => this.reset(file));
    for (const [name, text] of texts) this.put(name, text);
    this.showChange(texts.keys().next().value);
  }

  /** Show the changes, and a file: the given one, the open one, or the first. */
  showChange(name = this.editor.name) {
    this.open(this.files.has(name) ? name : [...this.files.keys()][0]);
    this.list();
    this.change();
  }

  /** Show messages: underlined in the editor, and in a list that leads to their places. */
  tell(messages: Message[]) {
    this.messages = messages;
    this.editor.tell(messages);
    list(
      "messages",
      messages.map(({ name, line, column, kind, text }) =>
        makeButton(`${name ?? "board"}:${line}:${column + 1}: ${kind}: ${text}`, () => {
          if (!name) return;
          this.open(name);
          this.editor.go(line, column);
        }),
      ),
    );
  }
}
