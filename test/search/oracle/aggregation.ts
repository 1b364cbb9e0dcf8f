import { composite, dateHistogram, histogram, keyed, type Make, places } from './bucket.js';
import type { Dice } from './dice.js';
import { metric } from './metric.js';
import { beside, inside } from './pipeline.js';
import type { QueryGrammar } from './query.js';
import { anyField, missingOf, numbers, texts, zone } from './value.js';

/** Generates aggregations of every kind that both sides support, nested and with pipeline aggregations. */
export class AggregationGrammar {
  constructor(
    private readonly dice: Dice,
    private readonly queries: QueryGrammar,
  ) {}

  /** One or two named aggregations, sometimes with a pipeline aggregation beside them. */
  all(depth: number, top = true): { [name: string]: object } {
    const { dice } = this;
    const named = Object.fromEntries(dice.some(1, 2, () => 0).map((_, index) => [`a${index}`, this.one(depth, top)]));
    return { ...named, ...(dice.chance(0.25) && beside(dice, named)) };
  }

  private one(depth: number, top: boolean): object {
    const { dice } = this;
    const meta = dice.maybe(0.03, () => ({ meta: { colour: 'red' } }));
    if (depth === 0 || dice.chance(0.4)) return { ...metric(dice), ...meta };
    const own = this.bucket(top);
    if (!dice.chance(0.65)) return { ...own, ...meta };
    // A parent with a single bucket may have the same children as the top level: there too, OpenSearch derives an
    // automatic interval from one bucket.
    const children = this.all(depth - 1, top && isSingle(own));
    return {
      ...own,
      [dice.chance(0.9) ? 'aggs' : 'aggregations']: { ...children, ...inside(dice, own, children) },
      ...meta,
    };
  }

  private bucket(top: boolean): object {
    const { dice, queries } = this;
    const makers: Make[] = [
      this.terms,
      this.terms,
      this.rareTerms,
      this.multiTerms,
      dateHistogram,
      dateHistogram,
      histogram,
      this.range,
      this.dateRange,
      ...places,
      () => ({ filter: queries.leaf() }),
      this.filters,
      () => ({ missing: { field: anyField(dice) } }),
      ...(top
        ? [composite, composite, this.autoDateHistogram, () => ({ global: dice.chance(0.1) ? { x: 1 } : {} })]
        : []),
    ];
    return dice.pick(...makers)(dice);
  }

  private readonly terms: Make = (dice) => {
    const field = anyField(dice);
    return {
      terms: {
        field,
        ...dice.maybe(0.7, () => ({
          size: dice.chance(0.03) ? dice.pick(0, -1) : dice.loose(dice.pick(1, 2, 5, 20, 500)),
        })),
        ...dice.maybe(0.4, () => ({ order: order(dice) })),
        ...dice.maybe(0.2, () => ({ min_doc_count: dice.pick(0, 2, 10), shard_size: 10_000 })),
        ...dice.maybe(0.15, () => ({ missing: missingOf(field) })),
        ...dice.maybe(0.1, () => keys(dice, field)),
        ...dice.maybe(0.05, () => ({ show_term_doc_count_error: true })),
        ...dice.maybe(0.05, () => ({ format: field === 'ts' ? dice.pick('yyyy-MM-dd', '') : dice.pick('0.00', '') })),
        ...dice.maybe(0.05, () => ({ collect_mode: 'breadth_first', execution_hint: 'map' })),
      },
    };
  };

  private readonly rareTerms: Make = (dice) => {
    const field = dice.pick(...texts, 'data.k', 'data.k', 'ts', 'metadata.rssi', 'nope');
    return {
      rare_terms: {
        field,
        ...dice.maybe(0.7, () => ({ max_doc_count: dice.pick(1, 5, 20, 100, 101, 0) })),
        ...dice.maybe(0.1, () => keys(dice, field)),
      },
    };
  };

  private readonly multiTerms: Make = (dice) => ({
    multi_terms: {
      terms: [
        { field: dice.pick(...texts) },
        {
          field: dice.pick('data.n', 'data.on', 'data.txt', 'data.k', 'data.t', 'ts', 'nope'),
          ...dice.maybe(0.05, () => ({ missing: 1 })),
        },
      ],
      size: dice.pick(3, 30),
      ...dice.maybe(0.3, () => ({ order: order(dice) })),
      ...dice.maybe(0.1, () => ({ min_doc_count: 2, shard_size: 10_000 })),
    },
  });

  private readonly range: Make = (dice) => ({
    range: {
      field: dice.pick<string>(...numbers, 'data.x', 'nope', 'data.txt'),
      ranges: dice.some(1, 3, () =>
        dice.pick<object>(
          { to: 1.5 },
          { from: 0, to: 20 },
          { from: 2.5, key: 'up' },
          { from: '1', to: '3' },
          { from: 3, to: 1 },
          {},
          { from: null, to: 2 },
        ),
      ),
      ...keyed(dice),
      ...dice.maybe(0.1, () => ({ format: dice.pick('0.00', '') })),
      ...dice.maybe(0.1, () => ({ missing: 1 })),
    },
  });

  private readonly dateRange: Make = (dice) => {
    const moments = dice.chance(0.4);
    return {
      date_range: {
        field: dice.pick('ts', 'ts', 'ts', 'nope'),
        ranges: dice.some(1, 3, () =>
          dice.pick<object>(
            { to: '2026-03-29' },
            { from: '2026-03-29', to: '2026-03-29||+1M' },
            { from: '2026-10', key: 'late' },
            { to: '2026-10-04||/d' },
            { from: '2026-03-29T01:00:00Z' },
            ...(moments ? [{ from: 1774742400000 }, { from: '1774742400000', to: 1793577600000 }] : []),
          ),
        ),
        // OpenSearch shifts numbers by the time zone (explained in docs/search.md).
        ...(moments ? {} : dice.maybe(0.6, () => ({ time_zone: zone(dice) }))),
        ...keyed(dice),
        ...dice.maybe(0.15, () => ({ format: dice.pick('yyyy-MM-dd', 'yyyy', 'epoch_millis') })),
        ...dice.maybe(0.1, () => ({ missing: '2026-03-30' })),
      },
    };
  };

  private readonly autoDateHistogram: Make = (dice) => ({
    auto_date_histogram: {
      field: 'ts',
      ...dice.maybe(0.8, () => ({ buckets: dice.pick(1, 3, 10, 40, 200, 200, 0, -1) })),
      ...dice.maybe(0.3, () => ({ time_zone: zone(dice) })),
      ...dice.maybe(0.15, () => ({
        minimum_interval: dice.pick('minute', 'hour', 'day', 'month', 'year', 'week', 'days'),
      })),
      ...dice.maybe(0.15, () => ({ format: dice.pick('yyyy-MM-dd', '') })),
    },
  });

  private readonly filters: Make = (dice) => {
    const leaf = () => this.queries.leaf();
    return {
      filters: {
        filters: dice.chance(0.7) ? { b: leaf(), a: leaf() } : [leaf(), leaf()],
        ...dice.maybe(0.3, () => ({ other_bucket: true })),
        ...dice.maybe(0.1, () => ({ other_bucket_key: 'rest' })),
      },
    };
  };
}

/**
 * Whether an aggregation has a single bucket with the query's records; `composite` and `global` cannot be inside it.
 */
const isSingle = (own: object): boolean => 'filter' in own || 'missing' in own;

/** Returns a random `include` and `exclude`, which select the buckets of a field. */
const keys = (dice: Dice, field: string): object => {
  const list = field.startsWith('data.n') || field === 'data.k' ? [1, 2, 100] : ['abc', 'lora', 'roof', 'x'];
  const one = () => dice.pick<unknown>(list, list.slice(1), 'a.*', '[lr].*');
  return { ...dice.maybe(0.7, () => ({ include: one() })), ...dice.maybe(0.4, () => ({ exclude: one() })) };
};

const order = (dice: Dice): unknown =>
  dice.pick<unknown>(
    { _key: 'asc' },
    { _key: 'desc' },
    { _count: 'asc' },
    { _count: 'desc' },
    [{ _count: 'asc' }, { _key: 'desc' }],
    { a0: 'desc' },
    { 'a0.avg': 'asc' },
    { 'a1.max': 'desc' },
    { 'a0[50.0]': 'asc' },
    { 'a0>a1': 'desc' },
    [],
    {},
    { _key: 'up' },
  );
