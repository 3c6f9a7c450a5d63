/* The rule files: which there are, which differ from those shipped, and what clingo says of them. */

import { byId, make, makeButton, save } from "../../kb_score/shell/page/dom.js";
import { Editor } from "./editor.js";
import { FILE_NAME } from "./link.js";

export class Rules {
  /* A file has a name, the folder it lies in, its text, and the shipped text, null for a new one. */
  constructor(data, change) {
    this.template = data.template;
    this.files = new Map(data.files.map((file) => [file.name, { ...file, given: file.text }]));
    this.messages = [];
    this.change = change;
    this.editor = new Editor(byId("editor"), (name, text) => this.edit(name, text));
    byId("file").addEventListener("change", () => this.open(byId("file").value));
    byId("new").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(byId("new-name").value.trim());
    });
    byId("restore").addEventListener("click", () => this.restore());
    byId("save-file").addEventListener("click", () => save(this.current.name, this.current.text));
    byId("save-files").addEventListener("click", () => this.changed().forEach(({ name, text }) => save(name, text)));
    this.list();
    this.open(data.open);
  }

  get current() { return this.files.get(this.editor.name); }

  /* All files; ours are those that stand as they were shipped. */
  all() {
    return [...this.files.values()].map((file) => ({ ...file, isOurs: file.text === file.shipped, isNew: file.shipped === null }));
  }

  changed() { return this.all().filter(({ isOurs }) => !isOurs); }

  /* The files of a use, by names, and all new ones. */
  of(names) {
    const wanted = new Set(names);
    return this.all().filter(({ name, isNew }) => isNew || wanted.has(name));
  }

  list() {
    const folders = Map.groupBy(this.all(), ({ folder }) => folder);
    byId("file").replaceChildren(...[...folders].map(([folder, files]) => {
      const options = files.map(({ name, isOurs, isNew }) => make("option", `${name}${isNew ? " (new)" : isOurs ? "" : " (changed)"}`, { value: name }));
      return make("optgroup", options, { label: folder });
    }));
    byId("file").value = this.editor.name;
    const changed = this.changed();
    byId("differs").replaceChildren(...changed.map(({ name, isNew }) => make("li", makeButton(`${name}, ${isNew ? "new" : "changed"}`, () => this.open(name)))));
    byId("same").hidden = changed.length > 0;
    byId("save-files").disabled = !changed.length;
  }

  open(name) {
    this.editor.open(this.files.get(name));
    byId("file").value = name;
    this.editor.tell(this.messages);
    const { given, shipped } = this.current;
    byId("restore").textContent = shipped === null && given === undefined ? "remove this file" : "restore this file";
  }

  /* Open a file that may not be there. */
  show(name) {
    if (!this.files.has(name)) throw new Error(`there is no file ${name}`);
    this.open(name);
  }

  edit(name, text) {
    const file = this.files.get(name);
    const was = file.text === file.shipped;
    file.text = text;
    if (was !== (text === file.shipped)) this.list();
    this.change();
  }

  add(name) {
    const file = name.endsWith(".lp") ? name : `${name}.lp`;
    const isTaken = this.files.has(file);
    byId("new-error").textContent = isTaken ? `there is a file ${file}: choose another name` : FILE_NAME.test(file) ? "" : "a name has small letters, digits and _, such as shepherds";
    if (byId("new-error").textContent) return;
    this.put(file, this.template);
    byId("new-name").value = "";
    this.list();
    this.open(file);
    this.editor.go(this.editor.view.state.doc.lines, 0);
    this.change();
  }

  put(name, text) {
    const old = this.files.get(name);
    this.files.set(name, old ? { ...old, text } : { name, folder: "new", text, shipped: null });
  }

  /* Take the file back to what the page was made with; a file made here goes. */
  restore() {
    const { name, given } = this.current;
    if (given === undefined) {
      this.files.delete(name);
      this.open(this.files.keys().next().value);
    } else {
      this.put(name, given);
      this.open(name);
    }
    this.list();
    this.change();
  }

  /* Take the files of a link: what it does not name is as shipped, or as the page was made. */
  replace(texts) {
    for (const [name, { given }] of this.files) {
      if (given === undefined) this.files.delete(name);
      else this.put(name, given);
    }
    for (const [name, text] of texts) this.put(name, text);
    this.open(texts.keys().next().value ?? (this.files.has(this.editor.name) ? this.editor.name : this.files.keys().next().value));
    this.list();
    this.change();
  }

  /* Show messages: underlined in the editor, and in a list that leads to their places. */
  tell(messages) {
    this.messages = messages;
    this.editor.tell(messages);
    byId("messages").replaceChildren(...messages.map((message) => {
      const { name, line, column, kind, text } = message;
      return make("li", makeButton(`${name ?? "board"}:${line}:${column + 1}: ${kind}: ${text}`, () => {
        if (!name) return;
        this.open(name);
        this.editor.go(line, column);
      }));
    }));
  }
}
