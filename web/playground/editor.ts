/* The editor of rule files: CodeMirror with the words of answer set programs. */

import type { Diagnostic } from "@codemirror/lint";
import type { StateEffectType } from "@codemirror/state";
import type { DecorationSet } from "@codemirror/view";
import type { Completion, CompletionContext } from "@codemirror/autocomplete";
import type { Message } from "../mirror/program.ts";
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Chunk } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField, Text } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { make } from "../kernel/dom.ts";

// The kind of a word: the first pattern that matches.
const WORDS: [RegExp, string | null][] = [
  [/%.*/, "comment"],
  [/"(?:\\.|[^"\\])*"?/, "string"],
  [/#[a-z]+|not\b/, "keyword"],
  [/_*[A-Z][\w']*|_(?!\w)/, "variableName"],
  [/\d+/, "number"],
  [/_*[a-z][\w']*(?=\()/, "propertyName"],
  [/:-|:~|\.\./, "operator"],
  [/_*[a-z][\w']*|./, null],
];

const rules = StreamLanguage.define({
  name: "asp",
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    if (state.depth || stream.match("%*")) {
      state.depth ||= 1;
      while (state.depth && !stream.eol()) {
        if (stream.match("*%")) state.depth -= 1;
        else if (stream.match("%*")) state.depth += 1;
        else stream.next();
      }
      return "comment";
    }
    if (stream.eatSpace()) return null;
    return WORDS.find(([pattern]) => stream.match(pattern))?.[1] ?? null;
  },
  languageData: { commentTokens: { line: "%", block: { open: "%*", close: "*%" } } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--mark)" },
  { tag: tags.keyword, color: "var(--word)", fontWeight: "bold" },
  { tag: tags.variableName, color: "var(--name)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.propertyName, color: "var(--ink)", fontWeight: "bold" },
  { tag: tags.operator, color: "var(--word)" },
]);

const theme = EditorView.theme({
  "&": { border: "1px solid var(--line)", maxHeight: "70vh", backgroundColor: "var(--paper)" },
  "&.cm-focused": { outline: "3px solid var(--mark)" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", fontSize: ".875rem" },
  ".cm-gutters": { color: "var(--dim)", backgroundColor: "var(--band)" },
  ".cm-activeLine": { backgroundColor: "var(--now)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--chosen)",
  },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--band)" },
  ".cm-changed": { boxShadow: "inset 4px 0 #d55e00", backgroundColor: "var(--changed)" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--band)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--paper)",
    backgroundColor: "var(--mark)",
  },
  ".cm-completionInfo": { maxWidth: "20rem" },
  ".cm-said": {
    padding: "0 .5rem",
    fontFamily: "system-ui, sans-serif",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
    backgroundColor: "var(--band)",
  },
  ".cm-said.error": { color: "var(--wrong)" },
  ".cm-missing": { borderTop: "2px dashed #d55e00" },
});

/** A message below the line that it is about. */
class Said extends WidgetType {
  severity: Diagnostic["severity"];
  message: string;

  constructor({ severity, message }: Diagnostic) {
    super();
    this.severity = severity;
    this.message = message;
  }

  eq(other: Said) {
    return other.severity === this.severity && other.message === this.message;
  }
  toDOM() {
    return make("div", this.message, { class: `cm-said ${this.severity}` });
  }
}

const sayInline: StateEffectType<Diagnostic[]> = StateEffect.define();
const said: StateField<DecorationSet> = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    const effect = transaction.effects.find((one) => one.is(sayInline));
    if (!effect) return shown.map(transaction.changes);
    const { doc } = transaction.state;
    const widgets = effect.value.map((found) =>
      Decoration.widget({ widget: new Said(found), block: true, side: 1 }).range(
        doc.lineAt(found.from).to,
      ),
    );
    return Decoration.set(widgets, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Mark the lines that differ from the rules as shipped, and the lines before which some are missing. */
function decorate({ doc }: EditorState, shipped: string | null) {
  if (shipped === null) return Decoration.none;
  const lines = Chunk.build(Text.of(shipped.split("\n")), doc).flatMap(({ fromB, toB }) => {
    const [first, last] = [fromB, Math.max(fromB, toB - 1)].map(
      (at) => doc.lineAt(Math.min(at, doc.length)).number,
    );
    return Array.from({ length: last - first + 1 }, (_, i) =>
      Decoration.line({ class: fromB < toB ? "cm-changed" : "cm-missing" }).range(
        doc.line(first + i).from,
      ),
    );
  });
  return Decoration.set(lines, true);
}

/** What the editor shows of a file. */
export type Shown = { name: string; text: string; shipped: string | null };

export class Editor {
  change: (name: string, text: string) => void;
  words: Completion[];
  name = "";
  states: Map<string, EditorState> = new Map();
  view: EditorView;

  /** `folder`: where it stands. `change` is called when the text of a file has changed. `words`: predicates, each with its arguments and its meaning. */
  constructor(
    folder: HTMLElement,
    change: (name: string, text: string) => void,
    words: Completion[] = [],
  ) {
    this.change = change;
    this.words = words;
    this.view = new EditorView({ parent: folder });
  }

  /** Show a file; what was done to it before can still be undone. */
  open(file: Shown) {
    if (this.name) this.states.set(this.name, this.view.state);
    const known = this.states.get(file.name);
    this.name = file.name;
    this.view.setState(known?.doc.toString() === file.text ? known : this.begin(file));
  }

  begin({ name, text, shipped }: Shown) {
    const { change } = this;
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        highlightActiveLine(),
        lintGutter(),
        said,
        rules,
        theme,
        syntaxHighlighting(colours),
        search({ top: true }),
        highlightSelectionMatches(),
        autocompletion({ override: [(context) => this.complete(context)], icons: false }),
        keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": `rules of ${name}`,
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.decorations.compute(["doc"], (state) => decorate(state, shipped)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) change(name, update.state.doc.toString());
        }),
      ],
    });
  }

  /** The completions of a part of a word. */
  complete(context: CompletionContext) {
    const word = context.matchBefore(/_*[a-z]\w*/);
    return word && (word.to - word.from > 1 || context.explicit)
      ? { from: word.from, options: this.words, validFor: /^\w*$/ }
      : null;
  }

  /** Show the messages about the open file: underlined, and below their lines. */
  tell(messages: Message[]) {
    const { doc } = this.view.state;
    const at = (line: number, column: number) => {
      const { from, to } = doc.line(Math.min(line, doc.lines));
      return Math.min(from + column, to);
    };
    const diagnostics: Diagnostic[] = messages
      .filter(({ name }) => name === this.name)
      .map((message) => {
        const [from, to] = [
          at(message.line, message.column),
          at(message.endLine, message.endColumn),
        ];
        const severity = message.kind === "error" ? "error" : "warning";
        // At the end of a line the character before it is underlined.
        return to > from
          ? { from, to, severity, message: message.text }
          : {
              from: Math.max(0, from - 1),
              to: Math.max(from, to),
              severity,
              message: message.text,
            };
      });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics), {
      effects: sayInline.of(diagnostics),
    });
  }

  /** Go to a place: line from 1, column from 0. */
  go(line: number, column: number) {
    const { doc } = this.view.state;
    const { from, to } = doc.line(Math.min(line, doc.lines));
    this.view.dispatch({
      selection: { anchor: Math.min(from + column, to) },
      scrollIntoView: true,
    });
    this.view.focus();
  }
}
