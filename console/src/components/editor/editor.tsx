import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import { completeQuery } from './complete.js';

/** Properties of a query editor. */
export interface EditorProps {
  readonly label: string;
  /** Initial text. Later text is reported by `change`. */
  readonly text: string;
  /** Fields that can be searched. */
  readonly fields: readonly string[];
  readonly root: 'query' | 'clause';
  /** Called with the text after each edit. */
  readonly change: (text: string) => void;
  /** Called on Ctrl+Enter (Command+Enter). */
  readonly run: () => void;
}

const look = EditorView.theme({
  '&': { color: 'var(--ink)', background: 'var(--paper)', fontSize: '12px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-matchingBracket': { background: 'var(--line)' },
  '.cm-tooltip': { background: 'var(--raised)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
});

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

/**
 * An editor of JSON that completes fields and clauses. It is in a shadow root, where its styles are constructed sheets,
 * which the page's policy allows; style elements, which it would use otherwise, are refused. Tab moves the focus on;
 * Ctrl+Space completes.
 */
export function Editor({ label, text, fields, root, change, run }: EditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const calls = useRef({ change, run });
  calls.current = { change, run };
  const fieldNames = fields.join('\n');
  useEffect(() => {
    const host = frame.current!;
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = new EditorView({
      parent: shadow,
      root: shadow,
      state: EditorState.create({
        doc: view.current?.state.doc ?? text,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (calls.current.run(), true) }])),
          history(),
          json(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [completeQuery(fields, root)], icons: false }),
          syntaxHighlighting(colors),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.change(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [fieldNames, root, label]);
  return <div class="editor" ref={frame} />;
}
