import { type Look, lookAfter } from '../../../format/look.js';
import { type Aggregate, choiceOf, type FigurePanel, type Source, type TopPanel, variableName } from '../document.js';
import { isState } from '../facts.js';
import type { Reader } from './answer.js';
import { type Context, lookOf } from './context.js';
import type { FigureResult, TopResult } from './results.js';
import {
  type Buckets,
  byTime,
  type DeviceBucket,
  deviceNameOf,
  recordsOf,
  stepFor,
  valueIn,
  valuesOf,
  whoAggregation,
} from './search.js';

/** Buckets of a figure's course. Those of a day are whole hours, which sums answer. */
const trendPoints = 30;

interface Metric {
  readonly value: number | null;
}

const metricOf = (aggregate: Exclude<Aggregate, 'last'>, variable: string): object => ({
  [aggregate === 'count' ? 'value_count' : aggregate]: { field: variable },
});

/** Returns how results of a function over a variable are shown. */
const lookIn = ({ variable, unit }: Source, aggregate: Aggregate, { facts }: Context): Look => {
  if (aggregate === 'count') return { unit: 'values' };
  const fact = facts.get(variableName(variable));
  return { ...lookOf(fact, unit), ...lookAfter(aggregate, fact) };
};

/** Asks for one number, or the newest value, and its course. */
export const askFigure = ({ source, aggregate, trend }: FigurePanel, context: Context): Reader<FigureResult> => {
  const { request, from, to, facts } = context;
  const { variable } = source;
  const fact = facts.get(variableName(variable));
  const isCount = aggregate === 'count';
  const course = metricOf(aggregate === 'last' ? 'avg' : aggregate, variable);
  const read = request.search({
    size: aggregate === 'last' ? 1 : 0,
    // Only the newest value needs a condition: without one, sums of the records answer.
    query: aggregate === 'last' ? valuesOf(source) : recordsOf(source),
    track_total_hits: false,
    _source: ['ts', variable, 'device'],
    aggs: {
      ...(aggregate !== 'last' && { figure: metricOf(aggregate, variable) }),
      ...(trend && !isState(fact?.type) && { trend: byTime(stepFor(from, to, trendPoints), { value: course }) }),
    },
  });
  return (answer) => {
    const { hits, aggregations = {} } = read(answer);
    const newest = hits?.hits[0]?._source as
      | { ts: number; device?: { name?: string | null; serial: string } }
      | undefined;
    const value =
      aggregate === 'last'
        ? valueIn(newest as Record<string, unknown> | undefined, variable)
        : (aggregations['figure'] as Metric | undefined)?.value;
    const buckets = (aggregations['trend'] as Buckets<{ value: Metric }> | undefined)?.buckets ?? [];
    const isEmpty = value == null || (isCount && value === 0);
    return {
      kind: 'figure',
      value: isEmpty ? undefined : value,
      look: lookIn(source, aggregate, context),
      at: newest?.ts,
      of: newest?.device?.name ?? newest?.device?.serial,
      trend: buckets.flatMap(({ value: { value: one } }) => (one === null || (one === 0 && isCount) ? [] : [one])),
    };
  };
};

/** Asks for the devices with the highest or lowest values. */
export const askTop = (panel: TopPanel, context: Context): Reader<TopResult> => {
  const { source, aggregate, order, size } = panel;
  const read = aggregate === 'last' ? askNewest(panel, context) : askAggregates(panel, aggregate, context);
  const look = lookIn(source, aggregate, context);
  const sign = order === 'highest' ? -1 : 1;
  return (answer) => {
    const { entries, left } = read(answer);
    const sorted = entries.toSorted((a, b) => sign * (a.value - b.value));
    return { kind: 'top', entries: sorted.slice(0, size), look, left };
  };
};

/** Entries of a top list in any order, and the number of devices that were not compared. */
type Compared = Pick<TopResult, 'entries' | 'left'>;

/** Asks for the newest value of each device. */
const askNewest = ({ source }: TopPanel, { request }: Context): Reader<Compared> => {
  const { variable, ...choice } = source;
  const read = request.newest(choiceOf(choice), variableName(variable));
  return (answer) => {
    const { items, total } = read(answer);
    const entries = items.flatMap(({ id, name, serial, lines: [line] }) => {
      const value = line?.values.at(-1);
      return value === undefined ? [] : [{ id, name: name ?? serial, value }];
    });
    return { entries, left: total - items.length };
  };
};

/** Asks for the devices with the highest or lowest results of a function. */
const askAggregates = (
  { source, order, size }: TopPanel,
  aggregate: Exclude<Aggregate, 'last'>,
  { request }: Context,
): Reader<Compared> => {
  const read = request.search({
    size: 0,
    query: isOrderedLast(aggregate, order) ? recordsOf(source) : valuesOf(source),
    track_total_hits: false,
    aggs: {
      devices: {
        terms: { field: 'device.id', size, order: { value: order === 'highest' ? 'desc' : 'asc' } },
        aggs: { value: metricOf(aggregate, source.variable), ...whoAggregation },
      },
    },
  });
  return (answer) => {
    const { buckets } = read(answer).aggregations!['devices'] as Buckets<DeviceBucket & { value: Metric }>;
    const entries = buckets.flatMap((bucket) => {
      const { value } = bucket.value;
      return value === null || (value === 0 && aggregate === 'count')
        ? []
        : [{ id: String(bucket.key), name: deviceNameOf(bucket), value }];
    });
    return { entries, left: 0 };
  };
};

/**
 * Whether a search orders devices without a value last. Only then need it not be told to leave them out, and sums of the
 * records can answer it.
 */
const isOrderedLast = (aggregate: Aggregate, order: TopPanel['order']): boolean =>
  aggregate === 'avg' ||
  aggregate === (order === 'highest' ? 'max' : 'min') ||
  (aggregate === 'count' && order === 'highest');
