// The editors: CodeMirror, set up for the lab.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { json as jsonMode } from "@codemirror/legacy-modes/mode/javascript";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import words from "virtual:vocabulary";

// the JSON mode's name for member names is not a tag of CodeMirror
const json = { ...jsonMode, tokenTable: { ...jsonMode.tokenTable, property: tags.propertyName } };

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.standard(tags.variableName), tags.propertyName], color: "var(--word)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--paper)", fontSize: "var(--code-size)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--dim)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
  "&.cm-focused": { outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionInfo": { maxWidth: "26em", fontFamily: "var(--sans)" },
  ".cm-pointed": { backgroundColor: "var(--pointed)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", whiteSpace: "pre-wrap" },
});

// The line of the script that read the bytes at the pointer.
const point = StateEffect.define();
const pointed = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(point)) {
        const line = effect.value && effect.value <= transaction.state.doc.lines ? transaction.state.doc.line(effect.value) : null;
        value = line ? Decoration.set([Decoration.line({ class: "cm-pointed" }).range(line.from)]) : Decoration.none;
      }
    }
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks a line (from 1) of an editor; 0: none. */
export function pointAt(view, line) {
  view.dispatch({ effects: point.of(line) });
}

/** Shows an error at its line; null: none. */
export function showError(view, error) {
  if (!error) {
    view.dispatch(setDiagnostics(view.state, []));
    return;
  }
  const line = view.state.doc.line(Math.min(Math.max(error.line || 1, 1), view.state.doc.lines));
  const from = line.from + /^\s*/.exec(line.text)[0].length;
  view.dispatch(setDiagnostics(view.state, [{ from: Math.min(from, line.to), to: line.to, severity: "error", message: error.message }]));
}

// Returns the call whose braces contain the position: "syntax", "inherit", a word's name, or null.
function insideOf(text) {
  let depth = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === "}") depth++;
    if (text[i] === "{" && depth-- === 0) {
      const before = text.slice(0, i);
      const word = /\bs\.(\w+)\s*\(?\s*$/.exec(before);
      if (word) return word[1];
      return /\binherit\s*\([^()]*,\s*$/.test(before) ? "inherit" : null;
    }
  }
  return null;
}

const wordOptions = words.words.map(({ name, signature, info }) => ({
  label: name, type: "function", detail: signature.length > 44 ? `${signature.slice(0, 43)}…` : signature, info,
}));
const fieldOptions = words.fields.map(({ name, type, info }) => ({ label: name, type: "property", detail: type, info, apply: `${name} = ` }));

/** Completion of the vocabulary; `syntaxes()` returns the names that can be inherited from. */
function completions(syntaxes) {
  return (context) => {
    const back = (expression) => { // like matchBefore, across lines
      const start = Math.max(0, context.pos - 400);
      const found = expression.exec(context.state.sliceDoc(start, context.pos));
      return found && { from: start + found.index, to: context.pos, text: found[0] };
    };
    const word = context.matchBefore(/\bs\.\w*/);
    if (word) return { from: word.from + 2, options: wordOptions, validFor: /^\w*$/ };
    const parent = context.matchBefore(/\binherit\s*\(\s*["'][\w.-]*/);
    if (parent) {
      const from = parent.from + /["']/.exec(parent.text).index + 1;
      return { from, options: syntaxes().map((label) => ({ label, type: "class" })), validFor: /^[\w.-]*$/ };
    }
    const name = back(/[{,]\s*\w*$/);
    if (!name || (!context.explicit && !/\w$/.test(name.text))) return null;
    const from = name.to - /\w*$/.exec(name.text)[0].length;
    const inside = insideOf(context.state.sliceDoc(0, from));
    if (inside === "syntax" || inside === "inherit") return { from, options: fieldOptions, validFor: /^\w*$/ };
    const options = words.words.find((item) => item.name === inside)?.options ?? [];
    return options.length > 0 ? { from, options: options.map((label) => ({ label, type: "property", apply: `${label} = ` })), validFor: /^\w*$/ } : null;
  };
}

function editor(parent, label, change, extensions) {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: "",
      extensions: [
        EditorView.cspNonce.of("sluice"), history(), drawSelection(), EditorView.lineWrapping, theme, syntaxHighlighting(colours),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) change(update);
        }),
        ...extensions, keymap.of([...completionKeymap, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
      ],
    }),
  });
}

export const scriptEditor = (parent, change, syntaxes) =>
  editor(parent, "Script", change, [
    lineNumbers(), lintGutter(), bracketMatching(), closeBrackets(), highlightActiveLine(), StreamLanguage.define(lua), pointed,
    autocompletion({ override: [completions(syntaxes)] }),
  ]);

export const sampleEditor = (parent, change) =>
  editor(parent, "Sample", change, [lineNumbers(), placeholder("Paste a model's raw output, or drop a file or a server's capture here.")]);

export const toolsEditor = (parent, change) =>
  editor(parent, "Tools", change, [
    bracketMatching(), lintGutter(), StreamLanguage.define(json), placeholder('[{"type": "function", "function": {"name": …, "parameters": {…}}}]'),
  ]);

export const textOf = (view) => view.state.doc.toString();

/** Replaces an editor's text if it differs. */
export function setText(view, text) {
  if (textOf(view) !== text) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  }
}
