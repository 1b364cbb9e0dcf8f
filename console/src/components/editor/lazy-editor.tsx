import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EditorProps } from './editor.js';

/**
 * The query editor, loaded when it is first shown. Until it is loaded, and when loading fails, a text field takes its
 * place.
 */
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
