import { readValue } from '../../../components/plot-data.js';
import { shown } from '../../../format/value.js';
import { type Aggregate, type FigurePanel, nameOf, type TimelinePanel, type TopPanel } from '../document.js';
import { isState } from '../facts.js';
import type { Reader } from './answer.js';
import type { Context } from './context.js';
import type { FigureResult, Segment, TimelineResult, TopResult } from './results.js';
import {
  type Buckets,
  byTime,
  clausesOf,
  deviceOf,
  type SearchAnswer,
  stepFor,
  valueIn,
  type Who,
  whoAggregation,
} from './search.js';

interface Metric {
  readonly value: number | null;
}

interface Newest {
  readonly top: readonly { readonly metrics: Readonly<Record<string, string | number | null>> }[];
}

/** Maximum number of devices whose newest values are compared, and maximum number of lanes in a timeline. */
const most = { compared: 1000, lanes: 20 } as const;

const newestOf = (variable: string): object => ({
  top_metrics: { metrics: [{ field: variable }], sort: { ts: 'desc' } },
});

const metricOf = (aggregate: Exclude<Aggregate, 'last'>, variable: string): object => ({
  [aggregate === 'count' ? 'value_count' : aggregate]: { field: variable },
});

/** Asks for one number, or the newest value, and its course. */
export const askFigure = ({ source, aggregate, trend }: FigurePanel, context: Context): Reader<FigureResult> => {
  const { request, from, to, facts } = context;
  const { variable } = source;
  const fact = facts.get(nameOf(variable));
  const course = metricOf(aggregate === 'last' ? 'avg' : aggregate, variable);
  const read = request.search({
    size: aggregate === 'last' ? 1 : 0,
    query: clausesOf(source),
    track_total_hits: false,
    _source: ['ts', variable, 'device'],
    aggs: {
      ...(aggregate !== 'last' && { figure: metricOf(aggregate, variable) }),
      ...(trend && !isState(fact?.type) && { trend: byTime(stepFor(from, to, 48), { value: course }) }),
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
    const isEmpty = value == null || (aggregate === 'count' && value === 0);
    return {
      kind: 'figure',
      value: isEmpty ? undefined : value,
      unit: aggregate === 'count' ? 'values' : (source.unit ?? fact?.unit ?? undefined),
      isBoolean: typeof value === 'boolean',
      at: newest?.ts,
      of: newest?.device?.name ?? newest?.device?.serial,
      trend: buckets.flatMap(({ value: { value: one } }) => (one === null ? [] : [one])),
    };
  };
};

/** Asks for the devices with the highest or lowest values. */
export const askTop = (
  { source, aggregate, order, size }: TopPanel,
  { request, facts }: Context,
): Reader<TopResult> => {
  const { variable } = source;
  const isLast = aggregate === 'last';
  const read = request.search({
    size: 0,
    query: clausesOf(source),
    aggs: {
      devices: {
        terms: {
          field: 'device.id',
          // The newest values are compared here, because a search orders buckets by numbers only.
          size: isLast ? most.compared : size,
          ...(!isLast && { order: { value: order === 'highest' ? 'desc' : 'asc' } }),
        },
        aggs: { value: isLast ? newestOf(variable) : metricOf(aggregate, variable), ...whoAggregation },
      },
    },
  });
  return (answer) => {
    const { buckets } = read(answer).aggregations!['devices'] as Buckets<{ value: Metric | Newest; who: Who }>;
    const entries = buckets.flatMap((bucket) => {
      const { value: found } = bucket;
      const value = 'top' in found ? found.top[0]?.metrics[variable] : found.value;
      const device = deviceOf(bucket);
      if (typeof value !== 'number' || device === undefined) return [];
      return [{ id: device.id, name: device.name ?? device.serial, value }];
    });
    if (isLast) entries.sort((a, b) => (order === 'highest' ? b.value - a.value : a.value - b.value));
    return {
      kind: 'top',
      entries: entries.slice(0, size),
      unit: aggregate === 'count' ? 'values' : (source.unit ?? facts.get(nameOf(variable))?.unit ?? undefined),
    };
  };
};

/** Intervals without a value after which a state is no longer known. */
const gapFactor = 2.1;

/** Asks for the states of devices over time. */
export const askTimeline = (
  { sources }: TimelinePanel,
  { request, from, to, facts }: Context,
): Reader<TimelineResult> => {
  const step = stepFor(from, to, 200);
  const parts = sources.map((source) => ({
    source,
    read: request.search({
      size: 0,
      query: clausesOf(source),
      aggs: {
        devices: {
          terms: { field: 'device.id', size: most.lanes, order: { _key: 'asc' } },
          aggs: { ...whoAggregation, time: byTime(step, { state: newestOf(source.variable) }) },
        },
      },
    }),
  }));
  return (answer) => ({
    kind: 'timeline',
    lanes: parts.flatMap(({ source: { variable, unit, label }, read }) => {
      const { buckets } = devicesOf(read(answer));
      const { unit: declared, type } = facts.get(nameOf(variable)) ?? { unit: null, type: undefined };
      const text = (state: string | number): string =>
        type === 'BOOL'
          ? readValue({ name: '', unit: unit ?? declared, type: 'BOOL', ts: [], values: [] }, Number(state))
          : shown(state, type === 'TXT' ? undefined : (unit ?? declared));
      const lanes = buckets.map((bucket) => {
        const device = deviceOf(bucket);
        const name = device?.name ?? device?.serial ?? String(bucket.key);
        const states = bucket.time.buckets.flatMap(({ key, state }) => {
          const value = state.top[0]?.metrics[variable];
          return value == null ? [] : [{ at: Number(key) / 1000, state: text(value) }];
        });
        return {
          name: sources.length > 1 ? `${name} ${label || nameOf(variable)}` : name,
          segments: segmentsOf(states, step, to),
        };
      });
      return lanes.sort((a, b) => a.name.localeCompare(b.name));
    }),
  });
};

interface DeviceBucket {
  readonly who: Who;
  readonly time: Buckets<{ readonly state: Newest }>;
}

const devicesOf = ({ aggregations }: SearchAnswer) => aggregations!['devices'] as Buckets<DeviceBucket>;

/** Joins states that follow each other. A state ends where values are missing for longer than is usual. */
const segmentsOf = (states: readonly { at: number; state: string }[], step: number, to: number): Segment[] => {
  const steps = states.slice(1).map(({ at }, index) => at - states[index]!.at);
  const usual = Math.max(step, steps.toSorted((a, b) => a - b)[Math.floor((steps.length - 1) / 2)] ?? step);
  const segments: Segment[] = [];
  states.forEach(({ at, state }, index) => {
    const next = states[index + 1]?.at ?? to;
    const end = next - at > gapFactor * usual ? at + usual : next;
    const last = segments.at(-1);
    if (last !== undefined && last.state === state && last.to === at)
      segments[segments.length - 1] = { ...last, to: end };
    else segments.push({ from: at, to: end, state });
  });
  return segments;
};
