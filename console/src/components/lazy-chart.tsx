import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ChartProps } from './chart.js';

/** A chart, loaded when it is first shown. Its space is reserved meanwhile, and a failure to load is reported. */
export function LazyChart(props: ChartProps) {
  const [loaded, setLoaded] = useState<{ Chart: FunctionComponent<ChartProps> } | 'failed' | undefined>();
  useEffect(() => {
    import('./chart.js').then(setLoaded, () => setLoaded('failed'));
  }, []);
  if (loaded === 'failed') return <p class="quiet">The chart could not be loaded.</p>;
  if (loaded === undefined) return <div class="placeholder" style={{ '--rows': 9 }} />;
  return <loaded.Chart {...props} />;
}
