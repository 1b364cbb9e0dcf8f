import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { palette } from '../browser/shortcuts.js';

/** The search over everything and the list of shortcuts, loaded when one is first opened. */
export function LazyPalette() {
  const what = palette.value;
  const [loaded, setLoaded] = useState<Record<'Finder' | 'Shortcuts', FunctionComponent> | undefined>();
  useEffect(() => {
    if (what !== undefined && loaded === undefined) import('./palette.js').then(setLoaded, () => undefined);
  }, [what]);
  if (what === undefined || loaded === undefined) return null;
  return what === 'find' ? <loaded.Finder /> : <loaded.Shortcuts />;
}
