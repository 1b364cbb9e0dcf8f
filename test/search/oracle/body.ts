import { AggregationGrammar } from './aggregation.js';
import type { Dice } from './dice.js';
import type { Plain } from './plain.js';
import { QueryGrammar } from './query.js';

/** Generates search bodies. */
export class BodyGrammar {
  private readonly queries: QueryGrammar;
  private readonly aggregations: AggregationGrammar;

  /** @param ids identifiers of documents, for queries by identifier. */
  constructor(
    private readonly dice: Dice,
    ids: readonly string[],
  ) {
    this.queries = new QueryGrammar(dice, ids);
    this.aggregations = new AggregationGrammar(dice, this.queries);
  }

  body(): Plain {
    const { dice } = this;
    const sort = dice.chance(0.5) ? { sort: this.sort() } : {};
    return {
      ...dice.maybe(0.85, () => ({ size: dice.loose(dice.pick(0, 0, 3, 7, 1000)) })),
      ...dice.maybe(0.7, () => ({ query: this.queries.query(3) })),
      ...dice.maybe(0.6, () => ({ [dice.chance(0.9) ? 'aggs' : 'aggregations']: this.aggregations.all(2) })),
      ...sort,
      ...dice.maybe(0.05, () => ({ from: dice.pick(1, 5, 1, 5, -1, 10_000) })),
      ...dice.maybe(0.1, () => ({ post_filter: this.queries.leaf() })),
      ...dice.maybe(0.3, () => ({ _source: this.source() })),
      ...dice.maybe(0.15, () => ({ fields: this.fields() })),
      ...dice.maybe(0.1, () => ({ docvalue_fields: this.fields() })),
      ...dice.maybe(0.4, () => ({ track_total_hits: dice.pick<unknown>(true, false, 5, 10_000, -1, 'true') })),
      ...dice.maybe(0.03, () => ({ timeout: dice.pick<unknown>('5s', '5s', '1.5s', '5', '5D', 'abc', 5000) })),
      ...dice.maybe(0.03, () => ({
        version: true,
        track_scores: true,
        stored_fields: ['*'],
        script_fields: {},
      })),
    };
  }

  private sort(): unknown {
    const { dice } = this;
    if (dice.chance(0.1))
      return dice.pick<unknown>(
        'ts',
        ['ts', { _doc: 'desc' }],
        { 'data.n': 'asc', ts: { order: 'desc' } },
        '_doc',
        [{ _doc: 'asc' }],
        ['data.txt'],
      );
    const key = () => {
      const field = dice.pick(
        'data.t',
        'data.n',
        'data.on',
        'data.txt',
        'metadata.rssi',
        'ts',
        'device.name',
        'data.big',
        'data.x',
        'data.k',
        'device.tags',
        'nope',
      );
      return {
        [field]: {
          order: dice.pick('asc', 'desc', 'DESC'),
          ...dice.maybe(0.4, () => ({ missing: dice.pick<unknown>('_first', '_last', '_last', 2, 'm') })),
          ...dice.maybe(0.2, () => ({
            mode: dice.pick('min', 'max', 'avg', 'sum', 'median'),
          })),
          ...dice.maybe(field === 'nope' ? 0.7 : 0.1, () => ({
            unmapped_type: dice.pick('long', 'boolean', 'keyword', 'double', 'date'),
          })),
          ...dice.maybe(field === 'data.x' ? 0 : 0.1, () => ({
            numeric_type: dice.pick('long', 'double', 'date', 'long', 'double', 'abc'),
          })),
        },
      };
    };
    return [
      ...dice.some(1, 2, key),
      dice.pick<object | string>({ 'metadata.number': 'asc' }, { _id: 'desc' }, 'metadata.number'),
    ];
  }

  private source(): unknown {
    return this.dice.pick<unknown>(
      true,
      false,
      'data',
      ['data.*'],
      ['*.t', 'metadata.rs*'],
      'nope',
      ['meta*', 'data.n'],
      { includes: ['data', 'ts'], excludes: ['data.t', '*.txt'] },
      { excludes: 'device' },
      { include: 'data.*' },
      ['d*.t*'],
      [],
      { includes: [], excludes: ['metadata.*'] },
      ['data.t', 'data'],
      ['device.tags', 'device.loc*'],
      '*',
    );
  }

  private fields(): unknown {
    const { dice } = this;
    const asked = dice.some(1, 2, () =>
      dice.pick<unknown>(
        'ts',
        'data.n',
        'data.on',
        'data.txt',
        'data.t',
        'metadata.provider',
        'device.name',
        'nope',
        { field: 'ts', format: 'epoch_millis' },
        { field: 'ts', format: 'strict_date_optional_time_nanos' },
        { field: 'ts', format: 'yyyy-MM-dd' },
        { field: 'ts', format: '' },
        { field: 'data.n', format: '' },
        { field: 'data.n' },
        { field: 'data.t', format: '0.0' },
        { field: 'data.*', format: '0.0' },
      ),
    );
    const nameOf = (one: unknown) => (typeof one === 'string' ? one : (one as { field: string }).field);
    return [...new Map(asked.map((one) => [nameOf(one), one])).values()];
  }
}
