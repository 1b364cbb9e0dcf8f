import type { Comparison } from '../../../format/compare.js';
import { type Combined, combinationOf, combinations, comparisons, type SeriesPanel } from '../document.js';
import { Select } from './select.js';

type Combine = keyof typeof combinations;

/** Words for devices that are not combined. */
export const apart = { series: 'A line each', figure: 'All readings' } as const;

const { spread: _spread, ...oneNumber } = combinations;

const splits = {
  none: 'One line',
  site: 'A line for each site',
  product: 'A line for each product',
  tag: 'A line for each tag',
  device: 'A line for each device',
};

const lengths = { auto: 'As short as fits', hour: 'An hour', day: 'A day', week: 'A week', month: 'A month' };

/** Returns a panel with a field, or without it. */
const withField = <Of extends object>(panel: Of, field: keyof Of, value: Of[keyof Of] | undefined): Of => {
  const { [field]: _former, ...rest } = panel;
  return (value === undefined ? rest : { ...rest, [field]: value }) as Of;
};

/** The field that says how the numbers of devices become one. */
export const CombineField = <Of extends Combined<string>>({
  panel,
  none,
  spreads = false,
  change,
}: {
  panel: Of;
  /** Words for a panel that combines nothing; undefined if it always does. */
  none: string | undefined;
  spreads?: boolean;
  change: (panel: Of) => void;
}) => {
  const own = spreads ? combinations : oneNumber;
  // A counter's growth is that of a device.
  const options = none === undefined || panel.aggregate === 'increase' ? own : { none, ...own };
  return (
    <Select<string>
      label="Combine"
      options={options}
      value={combinationOf(panel) ?? 'none'}
      choose={(value) => change(combined(panel, value))}
    />
  );
};

/** Returns a panel that combines its devices in another way. */
const combined = <Of extends Combined<string>>(panel: Of, value: string): Of => {
  const next = withField(panel, 'combine', (value === 'none' ? undefined : value) as Of['combine']);
  return kept(value === 'spread' ? withField(next, 'split', undefined) : next);
};

/** Fields of panels that combine devices. */
const ofCombined: ReadonlySet<string> = new Set(['split', 'every', 'compare']);

/** Returns a panel without the fields that need combined devices, if it combines none. */
export const kept = <Of extends Combined<string>>(panel: Of): Of =>
  combinationOf(panel) === undefined
    ? (Object.fromEntries(Object.entries(panel).filter(([field]) => !ofCombined.has(field))) as Of)
    : panel;

/** The field that says which earlier range a panel compares with. */
export const CompareField = <Of extends Combined<string> & { readonly compare?: Comparison }>({
  panel,
  change,
}: {
  panel: Of;
  change: (panel: Of) => void;
}) => {
  // A split gives each range several lines, which nobody could tell apart.
  if (combinationOf(panel) === undefined || panel.split !== undefined) return null;
  return (
    <Select
      label="Compare with"
      options={{ none: 'Nothing', ...comparisons }}
      value={panel.compare ?? 'none'}
      choose={(value) => change(withField(panel, 'compare', (value === 'none' ? undefined : value) as Of['compare']))}
    />
  );
};

/** The fields of a chart of combined devices. */
export const CombinedSeriesFields = ({
  panel,
  change,
}: {
  panel: SeriesPanel;
  change: (panel: SeriesPanel) => void;
}) => {
  const combine = combinationOf(panel) as Combine | undefined;
  if (combine === undefined) return null;
  return (
    <div class="beside">
      {combine !== 'spread' && (
        <Select
          label="Split"
          options={splits}
          value={panel.split ?? 'none'}
          choose={(value) =>
            change(
              value === 'none'
                ? withField(panel, 'split', undefined)
                : withField({ ...panel, split: value }, 'compare', undefined),
            )
          }
        />
      )}
      <Select
        label={panel.draw === 'bar' ? 'A bar is' : 'A point is'}
        options={lengths}
        value={panel.every ?? 'auto'}
        choose={(value) => change(withField(panel, 'every', value === 'auto' ? undefined : value))}
      />
      <CompareField panel={panel} change={change} />
    </div>
  );
};
