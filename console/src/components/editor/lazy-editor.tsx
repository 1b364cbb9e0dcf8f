import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EditorProps } from './editor.js';

/** The editor of queries, loaded when it is first shown. Until then, and where it does not load, a text field. */
export function LazyEditor(props: EditorProps) {
  const [loaded, setLoaded] = useState<{ Editor: FunctionComponent<EditorProps> } | undefined>();
  useEffect(() => {
    import('./editor.js').then(setLoaded, () => undefined);
  }, []);
  const { label, text, change } = props;
  if (loaded === undefined)
    return (
      <textarea
        class="editor"
        aria-label={label}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return <loaded.Editor {...props} />;
}
