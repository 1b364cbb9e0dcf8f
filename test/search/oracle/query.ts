import type { Dice } from './dice.js';
import { dates, ends, oldEnds } from './ends.js';
import { box, distance, point } from './place.js';
import { multiMatch, queryString, regexp, simpleQueryString, wildcard } from './text.js';
import { anyField, numbers, texts, valueOf } from './value.js';

/** Generates queries with every clause that both sides support. */
export class QueryGrammar {
  constructor(
    private readonly dice: Dice,
    private readonly ids: readonly string[],
  ) {}

  query(depth: number): object {
    const { dice } = this;
    if (depth === 0 || dice.chance(0.45)) return this.leaf();
    const inner = () => this.query(depth - 1);
    return dice.one<object>(
      () => ({ bool: this.bool(inner) }),
      () => ({ bool: this.bool(inner) }),
      () => ({ bool: this.bool(inner) }),
      () => ({ constant_score: { filter: inner(), ...this.common() } }),
      () => ({ dis_max: { queries: dice.some(1, 3, inner), tie_breaker: 0.3 } }),
      () => ({ boosting: { positive: inner(), negative: inner(), negative_boost: 0.2 } }),
      () => ({ function_score: dice.chance(0.8) ? { query: inner() } : {} }),
    );
  }

  private bool(inner: () => object): object {
    const { dice } = this;
    const many = () => (dice.chance(0.4) ? inner() : dice.some(0, 3, inner));
    return {
      ...dice.maybe(0.3, () => ({ must: many() })),
      ...dice.maybe(0.4, () => ({ filter: many() })),
      ...dice.maybe(0.4, () => ({ should: many() })),
      ...dice.maybe(0.4, () => ({ must_not: many() })),
      ...dice.maybe(0.3, () => ({
        minimum_should_match: dice.pick<unknown>(
          0,
          1,
          2,
          5,
          -1,
          '1',
          '50%',
          '-1',
          '-25%',
          '75%',
          '1<50%',
          '2<-1 3<80%',
          '1 < 50%',
        ),
      })),
      ...dice.maybe(0.1, () => ({ adjust_pure_negative: dice.pick<unknown>(true, false, 'false') })),
      ...this.common(),
    };
  }

  private common(): object {
    const { dice } = this;
    return {
      ...dice.maybe(0.05, () => ({ boost: dice.pick<unknown>(1, 2.5, '2') })),
      ...dice.maybe(0.15, () => ({ _name: dice.pick('q', 'r', 's', 'long name', '') })),
    };
  }

  /** A clause without inner clauses. */
  leaf(): object {
    const { dice } = this;
    const field = anyField(dice);
    const value = () => valueOf(dice, field);
    const text = dice.pick(...texts);
    return dice.one<object>(
      () => ({ [dice.pick('match_all', 'match_all', 'match_none')]: this.common() }),
      () => ({ term: { [field]: value() } }),
      () => ({ term: { [field]: { value: value(), ...this.common() } } }),
      () => ({ term: { [text]: { value: dice.pick('ABC', 'été', 'ÉTÉ', 'zÜrich', 'LORA'), case_insensitive: true } } }),
      () => ({ terms: { [field]: dice.some(0, 4, value), ...this.common() } }),
      () => ({
        exists: {
          field: dice.pick<string>(
            field,
            'data',
            'metadata',
            'device',
            'dat',
            'data.',
            'data.t*',
            'data.*',
            'device.n*',
          ),
        },
      }),
      () => ({ range: { [field]: { ...ends(dice, field), ...this.common() } } }),
      () => ({ range: { ts: dates(dice) } }),
      () => ({ range: { [dice.pick(...numbers)]: oldEnds(dice) } }),
      () => ({ ids: { values: dice.list(dice.some(0, 3, () => dice.pick(...this.ids, 'nobody'))) } }),
      () => ({ ids: { values: [dice.pick(...this.ids).toUpperCase()] } }),
      () => ({ prefix: { [text]: dice.pick('a', 'A', 'l', 'é', '', 'ro', '0') } }),
      () => ({ prefix: { [text]: { value: dice.pick('A', 'LO', 'É'), case_insensitive: dice.chance(0.7) } } }),
      () => ({ wildcard: { [text]: wildcard(dice) } }),
      () => ({
        wildcard: {
          [text]: {
            [dice.pick('value', 'wildcard')]: wildcard(dice),
            ...dice.maybe(0.5, () => ({ case_insensitive: true })),
          },
        },
      }),
      () => ({ regexp: { [text]: regexp(dice) } }),
      () => ({
        regexp: {
          [text]: {
            value: regexp(dice),
            ...dice.maybe(0.5, () => ({ case_insensitive: true })),
            ...dice.maybe(0.4, () => ({ flags: dice.pick('ALL', 'NONE', 'INTERVAL|COMPLEMENT', 'ANYSTRING') })),
          },
        },
      }),
      () => ({ [dice.pick('match', 'match_phrase', 'match_bool_prefix')]: { [field]: value() } }),
      () => ({
        match: {
          [field]: {
            query: value(),
            ...dice.maybe(0.5, () => ({ lenient: true })),
            ...dice.maybe(0.3, () => ({ operator: 'and' })),
          },
        },
      }),
      () => ({ multi_match: multiMatch(dice) }),
      () => ({ query_string: queryString(dice) }),
      () => ({ query_string: queryString(dice) }),
      () => ({ simple_query_string: simpleQueryString(dice) }),
      () => ({
        geo_distance: {
          distance: distance(dice),
          'device.location': point(dice),
          ...dice.maybe(0.2, () => ({ unit: 'km' })),
        },
      }),
      () => ({ geo_bounding_box: { 'device.location': box(dice) } }),
    );
  }
}
