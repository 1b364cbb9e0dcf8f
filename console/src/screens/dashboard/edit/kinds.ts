import type { Fact } from '../data/context.js';
import { combinationOf, type FigurePanel, type Panel, type SeriesPanel, sourcesOf, variableName } from '../document.js';
import { type Application, factsOf, isState } from '../facts.js';

type Kind = Panel['kind'];

/** The kinds of panels, with their uses and initial sizes. */
export const kinds: readonly { kind: Kind; use: string; w: number; h: number; icon: string }[] = [
  { kind: 'series', use: 'Values over time', w: 6, h: 8, icon: 'M2 2v12h12M4.5 10 7 6.5l2.5 2L13 4' },
  {
    kind: 'figure',
    use: 'One value, large',
    w: 3,
    h: 4,
    icon: 'M3 5h2.5v7M3 12h5M9.5 6a2 2 0 1 1 3.5 1.3L9.5 12H13',
  },
  {
    kind: 'table',
    use: 'A row for each device',
    w: 6,
    h: 8,
    icon: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10',
  },
  {
    kind: 'map',
    use: 'Where devices are',
    w: 6,
    h: 9,
    icon: 'M8 14s4.5-4.2 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 9.8 8 14 8 14zM8 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  },
  {
    kind: 'timeline',
    use: 'On, off and words over time',
    w: 6,
    h: 6,
    icon: 'M2 4h5v2.5H2zM7 4h7v2.5H7zM2 9.5h8V12H2zM10 9.5h4V12h-4z',
  },
  { kind: 'top', use: 'Highest or lowest devices', w: 4, h: 8, icon: 'M2 4h12M2 8h8M2 12h5' },
  {
    kind: 'query',
    use: 'The search language',
    w: 4,
    h: 8,
    icon: 'M5.5 3C3.5 3 4.5 8 2.5 8c2 0 1 5 3 5M10.5 3c2 0 1 5 3 5-2 0-1 5-3 5',
  },
  { kind: 'text', use: 'Notes and links', w: 4, h: 4, icon: 'M3 3.5h10M8 3.5V13' },
];

/** Returns the variables that a kind of panel can show, as fields of records. Those that suit it best are first. */
export const variablesFor = (application: Application, kind: Kind): string[] => {
  const facts = [...factsOf(application)];
  const fitting = facts.filter(([, { type }]) =>
    kind === 'top' ? !isState(type) : kind === 'series' ? type !== 'TXT' : true,
  );
  const ordered = kind === 'table' ? fitting : fitting.toSorted(([, a], [, b]) => rank(kind, a) - rank(kind, b));
  return ordered.map(([name]) => `data.${name}`);
};

const rank = (kind: Kind, { type }: Fact): number => Number(isState(type) !== (kind === 'timeline'));

/** Whether a panel marks ranges of values. Booleans and texts have no ranges, but their counts and sums do. */
export const showsLevels = (panel: FigurePanel | SeriesPanel, application: Application): boolean => {
  const facts = factsOf(application);
  const { aggregate = 'avg' } = panel;
  const isNumber =
    combinationOf(panel) !== undefined ||
    aggregate === 'count' ||
    aggregate === 'sum' ||
    (panel.kind === 'figure' && aggregate !== 'last');
  return isNumber || sourcesOf(panel).some(({ variable }) => !isState(facts.get(variableName(variable))?.type));
};

/** Returns a new panel of a kind with default settings and without a place. */
export const newPanel = (application: Application, kind: Kind, id: string): Panel => {
  const { w, h } = kinds.find((one) => one.kind === kind)!;
  const [first = 'data.temperature'] = variablesFor(application, kind);
  const base = { id, title: '', x: 0, y: 0, w, h };
  const source = { variable: first };
  switch (kind) {
    case 'series':
      return { ...base, kind, sources: [source], draw: 'line' };
    case 'figure':
      return { ...base, kind, source, aggregate: 'last', trend: true };
    case 'table':
      return {
        ...base,
        kind,
        sources: variablesFor(application, kind)
          .slice(0, 4)
          .map((variable) => ({ variable })),
      };
    case 'map':
      return { ...base, kind };
    case 'timeline':
      return { ...base, kind, sources: [source] };
    case 'top':
      return { ...base, kind, source, aggregate: 'last', order: 'highest', size: 10 };
    case 'query':
      return {
        ...base,
        kind,
        query: { aggs: { device: { terms: { field: 'device.name', size: 10 } } } },
        show: 'bars',
      };
    default:
      return { ...base, kind: 'text', text: '' };
  }
};
