import type { SeriesFunction } from '#entities/series.js';
import { type Columns, type Drawn, lineKey, sumTooLarge } from '#records/answer/series-answer.js';
import type { UnixRange } from '#records/series-interval.js';
import type { Engine, EngineCall, EngineHit, EngineRange, Part } from '../engine.js';
import { byDevice, type LineSource, type SourcedPair } from './source.js';

type Bucketed = Exclude<SeriesFunction, SeriesFunction.lttb>;

/** Numbers of a bucket of one source, from the engine. */
interface EngineBucket {
  key: number;
  /** A sum that a double cannot hold is the text "Infinity" or "-Infinity". */
  stats?: { count: number; min: number; max: number; sum: number | string };
  end?: { hits: { hits: EngineHit[] } };
}

/**
 * Computes the value of a bucket. It is not finite if the values add up to more than a double holds. For a line with
 * several sources, a bucket has one part per source.
 */
const values: Readonly<Record<Bucketed, (parts: readonly EngineBucket[]) => number>> = {
  avg: (parts) => sum(parts, 'sum') / sum(parts, 'count'),
  min: (parts) => Math.min(...parts.map(({ stats }) => stats!.min)),
  max: (parts) => Math.max(...parts.map(({ stats }) => stats!.max)),
  sum: (parts) => sum(parts, 'sum'),
  count: (parts) => sum(parts, 'count'),
  first: (parts) => valueOf(ends(parts).toSorted(byTime)[0]!),
  last: (parts) => valueOf(ends(parts).toSorted(byTime).at(-1)!),
};

const sum = (parts: readonly EngineBucket[], of: 'sum' | 'count'): number =>
  parts.reduce((total, { stats }) => total + Number(stats![of]), 0);

const ends = (parts: readonly EngineBucket[]): EngineHit[] => parts.map(({ end }) => end!.hits.hits[0]!);

const byTime = (a: EngineHit, b: EngineHit): number =>
  Number(a.sort![0]) - Number(b.sort![0]) || Number(a.sort![1]) - Number(b.sort![1]);

const valueOf = ({ fields }: EngineHit): number => Object.values(fields!)[0]![0] as number;

/** Reads lines with one value per bucket. `interval` is in seconds. */
export const aggregate = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  pairs: readonly SourcedPair[],
  { range, interval, drawing }: { range: UnixRange; interval: number; drawing: Bucketed },
): Promise<Drawn> => {
  const devices = byDevice(pairs);
  const bodies = devices.map(([deviceId, lines]) => ({
    size: 0,
    track_total_hits: false,
    query: { bool: { filter: [{ term: { d: deviceId } }, withinMicros(range)] } },
    aggs: Object.fromEntries(
      lines.flatMap(({ sources }, line) =>
        sources.map((source, part) => [`${line} ${part}`, linePart(source, interval, orders[drawing])]),
      ),
    ),
  }));
  const answers = await engine.search(call, bodies);
  return new Map(
    answers.flatMap(({ aggregations = {} }, index) =>
      devices[index]![1].map((pair, line): [string, Columns] => {
        const parts = pair.sources.flatMap(
          (_, part) => (aggregations[`${line} ${part}`] as LinePart | undefined)?.buckets.buckets ?? [],
        );
        return [lineKey(pair), columnsOf(parts, drawing)];
      }),
    ),
  );
};

interface LinePart {
  buckets: { buckets: EngineBucket[] };
}

const columnsOf = (parts: readonly EngineBucket[], drawing: Bucketed): Columns => {
  const buckets = [...Map.groupBy(parts, ({ key }) => key)].sort(([a], [b]) => a - b);
  const column = buckets.map(([, same]) => values[drawing](same));
  if (!column.every(Number.isFinite)) throw sumTooLarge();
  return { ts: buckets.map(([key]) => key / 1000), values: column };
};

/** Builds the filter of a range of Unix seconds, both included, to the microsecond. */
export const withinMicros = ({ from, to }: UnixRange): Part => ({
  range: { us: { gte: Math.round(from * 1e6), lte: Math.round(to * 1e6) } },
});

type Order = 'asc' | 'desc';

/** Order of time in which the value that counts comes first. */
const orders: Readonly<Partial<Record<Bucketed, Order>>> = { first: 'asc', last: 'desc' };

const linePart = ({ field, filter, mustNot }: LineSource, interval: number, order: Order | undefined): Part => ({
  filter: { bool: { filter, must_not: mustNot } },
  aggs: {
    buckets: {
      date_histogram: { field: 'ts', fixed_interval: `${interval}s`, min_doc_count: 1 },
      aggs: order === undefined ? { stats: { stats: { field } } } : { end: endOf(field, order) },
    },
  },
});

const endOf = (field: string, order: Order): Part => ({
  top_hits: { size: 1, sort: [{ us: order }, { seq: order }], _source: false, docvalue_fields: [field] },
});
