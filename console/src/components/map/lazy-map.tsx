import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MapProps } from './outline-map.js';

/** A map, loaded when it is first shown. Its space is reserved meanwhile, and a failure to load is reported. */
export function LazyMap(props: MapProps) {
  const [loaded, setLoaded] = useState<{ OutlineMap: FunctionComponent<MapProps> } | 'failed' | undefined>();
  useEffect(() => {
    import('./outline-map.js').then(setLoaded, () => setLoaded('failed'));
  }, []);
  if (loaded === 'failed') return <p class="quiet">The map could not be loaded.</p>;
  if (loaded === undefined) return <div class="map" />;
  return <loaded.OutlineMap {...props} />;
}
