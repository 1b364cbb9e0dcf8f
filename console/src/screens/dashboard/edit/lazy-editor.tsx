import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Page } from '../../../components/page.js';
import type { EditorProps } from './editor.js';

/** The editor of a dashboard, loaded when it is first opened. */
export function LazyEditor(props: EditorProps) {
  const [loaded, setLoaded] = useState<{ Editor: FunctionComponent<EditorProps> } | 'failed' | undefined>();
  useEffect(() => {
    import('./editor.js').then(setLoaded, () => setLoaded('failed'));
  }, []);
  if (loaded === 'failed' || loaded === undefined)
    return (
      <Page title={props.application.name}>
        {loaded === 'failed' ? (
          <p role="alert">The editor could not be loaded. Reload the page.</p>
        ) : (
          <div class="placeholder" role="status" aria-label="Loading" style={{ '--rows': 20 }} />
        )}
      </Page>
    );
  return <loaded.Editor {...props} />;
}
