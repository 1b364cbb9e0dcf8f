import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { palette } from '../browser/shortcuts.js';
import { toast } from '../browser/toast.js';

/** The search over everything and the list of shortcuts, loaded when one is first opened. */
export function LazyPalette() {
  const what = palette.value;
  const [loaded, setLoaded] = useState<Record<'Finder' | 'Shortcuts', FunctionComponent> | undefined>();
  useEffect(() => {
    if (what === undefined || loaded !== undefined) return;
    import('./palette.js').then(setLoaded, () => {
      palette.value = undefined;
      toast('This part of the console could not be loaded. Reload the page.');
    });
  }, [what]);
  if (what === undefined || loaded === undefined) return null;
  return what === 'find' ? <loaded.Finder /> : <loaded.Shortcuts />;
}
