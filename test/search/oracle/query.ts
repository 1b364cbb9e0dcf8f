import type { Dice } from './dice.js';
import { anyField, date, type Field, numbers, texts, valueOf, zone } from './value.js';

/** Makes queries of every clause that both sides serve. */
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
        ),
      })),
      ...this.common(),
    };
  }

  private common(): object {
    const { dice } = this;
    return {
      ...dice.maybe(0.05, () => ({ boost: dice.pick<unknown>(1, 2.5, '2') })),
      ...dice.maybe(0.05, () => ({ _name: 'q' })),
    };
  }

  /** A clause without others in it. */
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
      () => ({ exists: { field: dice.pick<string>(field, 'data', 'metadata', 'device', 'dat', 'data.') } }),
      () => ({ range: { [field]: { ...this.ends(field), ...this.common() } } }),
      () => ({ range: { ts: this.dates() } }),
      () => ({ range: { [dice.pick(...numbers)]: this.oldEnds() } }),
      () => ({ ids: { values: dice.list(dice.some(0, 3, () => dice.pick(...this.ids, 'nobody'))) } }),
      () => ({ prefix: { [text]: dice.pick('a', 'A', 'l', 'é', '', 'ro', '0') } }),
      () => ({ prefix: { [text]: { value: dice.pick('A', 'LO', 'É'), case_insensitive: dice.chance(0.7) } } }),
      () => ({ wildcard: { [text]: this.wildcard() } }),
      () => ({
        wildcard: {
          [text]: {
            [dice.pick('value', 'wildcard')]: this.wildcard(),
            ...dice.maybe(0.5, () => ({ case_insensitive: true })),
          },
        },
      }),
      () => ({ regexp: { [text]: this.regexp() } }),
      () => ({
        regexp: {
          [text]: {
            value: this.regexp(),
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
      () => ({ multi_match: this.multiMatch() }),
      () => ({ query_string: this.queryString() }),
      () => ({ query_string: this.queryString() }),
      () => ({ simple_query_string: this.simpleQueryString() }),
      () => ({
        geo_distance: {
          distance: this.distance(),
          'device.location': this.point(),
          ...dice.maybe(0.2, () => ({ unit: 'km' })),
        },
      }),
      () => ({ geo_bounding_box: { 'device.location': this.box() } }),
    );
  }

  private ends(field: Field): object {
    const { dice } = this;
    return {
      ...dice.maybe(0.7, () => ({ [dice.pick('gte', 'gt')]: dice.chance(0.05) ? null : valueOf(dice, field) })),
      ...dice.maybe(0.7, () => ({ [dice.pick('lte', 'lt')]: valueOf(dice, field) })),
      ...dice.maybe(0.05, () => ({ relation: dice.pick('within', 'INTERSECTS') })),
    };
  }

  private oldEnds(): object {
    const { dice } = this;
    return {
      from: dice.pick(0, 1, null),
      to: dice.pick(2.5, 20.1, null),
      ...dice.maybe(0.5, () => ({ include_lower: dice.chance(0.5) })),
      ...dice.maybe(0.5, () => ({ include_upper: dice.chance(0.5) })),
    };
  }

  private dates(): object {
    const { dice } = this;
    if (dice.chance(0.15)) {
      return dice.pick<object>(
        { gte: '29/03/2026', lt: '01/04/2026', format: 'dd/MM/yyyy' },
        { gte: '2026', format: 'yyyy' },
        { gte: 1774742400000, format: 'epoch_millis' },
        { lte: '1774742400', format: 'epoch_second' },
        { gte: '2026-03-29 01:00', format: 'yyyy-MM-dd HH:mm||yyyy', time_zone: 'Europe/Paris' },
        { gte: 1774742400000, lt: '1793577600000' },
      );
    }
    return {
      ...dice.maybe(0.8, () => ({ [dice.pick('gte', 'gt')]: date(dice) })),
      ...dice.maybe(0.6, () => ({ [dice.pick('lt', 'lte')]: date(dice) })),
      ...dice.maybe(0.4, () => ({ time_zone: zone(dice) })),
    };
  }

  private wildcard(): string {
    return this.dice.pick(
      'a*',
      '?b?',
      '*',
      'a\\%*',
      'y?z',
      '*é',
      'a%*',
      'A?C',
      '',
      '?',
      'LO*a',
      '\\*',
      'a_c',
      '*o*',
      'z?rich',
      '\\',
    );
  }

  private regexp(): string {
    return this.dice.pick(
      'ab[cd]',
      'a.*',
      '^abc$',
      '(x|y z)',
      '[a-z]+',
      'ab{1,2}c',
      '"a%b"',
      '.',
      '@',
      '[^a]*',
      'a.c|x',
      'l(o|a)+ra',
      '\\w+',
      '\\d\\d',
      'Z.rich',
      '.{3}',
      '',
      'ro{1,}f',
      '[A-C]*',
      '#',
      'abc&abd',
      '<1-10>',
      '~abc',
      'a.{0,2}',
      '(',
      '[',
      'a{2',
      'x**',
      '\\',
    );
  }

  private multiMatch(): object {
    const { dice } = this;
    return {
      query: dice.pick<unknown>('abc', 'lora', 1, 'x', '1.5', true),
      fields: dice.list(
        dice.some(1, 3, () =>
          dice.pick('data.txt', 'metadata.*', 'data.n', 'data.*', 'device.name^3', 'metadata.provider'),
        ),
      ),
      ...dice.maybe(0.7, () => ({ lenient: true })),
      ...dice.maybe(0.3, () => ({
        type: dice.pick('best_fields', 'most_fields', 'phrase', 'bool_prefix', 'cross_fields'),
      })),
      ...dice.maybe(0.1, () => ({ operator: 'and' })),
    };
  }

  private queryString(): object {
    const { dice } = this;
    return {
      query: this.lucene(),
      ...dice.maybe(0.2, () => ({ default_operator: dice.pick('AND', 'and', 'OR') })),
      ...dice.maybe(0.2, () => ({ default_field: dice.pick('data.txt', 'data.n', '*', 'ts') })),
      ...dice.maybe(0.1, () => ({ fields: dice.pick(['data.txt', 'metadata.provider'], ['data.*'], ['data.txt^2']) })),
      ...dice.maybe(0.2, () => ({ analyze_wildcard: true })),
      ...dice.maybe(0.1, () => ({ lenient: true })),
      ...dice.maybe(0.05, () => ({ time_zone: zone(dice) })),
      ...dice.maybe(0.05, () => ({ minimum_should_match: dice.pick<unknown>(1, 2, '50%') })),
    };
  }

  private lucene(): string {
    const { dice } = this;
    const term = (): string =>
      dice.pick(
        'data.txt:abc',
        'data.n:>=2',
        'data.t:[1 TO 20.5}',
        'metadata.provider:(lora OR wifi)',
        '_exists_:data.on',
        'data.txt:a*',
        'data.txt:/ab[cd]/',
        'data.txt:"y z"',
        'abc',
        'data.n:{* TO 4]',
        'data.on:true',
        '*',
        '*:*',
        'data.n:<10',
        'data.txt:y\\ z',
        'device.name:(north -South)',
        'data.txt:*',
        'ts:[2026-03-29 TO 2026-10-25]',
        'ts:2026-03-29',
        'ts:>2026-10',
        'data.\\*:abc',
        'metadata.provider:l?ra',
        'lora',
        '(abc OR data.n:1)',
        '!data.txt:abc',
        'data.txt:abc^2',
        'nope:1',
        'data.n:abc',
        'data.t:-3',
        'data.t:\\-3',
        'data.txt:[a TO b]',
        'data.w:(+red)',
        'data.k:255',
      );
    if (dice.chance(0.04))
      return dice.pick(
        '',
        'data.t:[1 TO',
        '(abc',
        'abc)',
        'AND',
        'a:b:c',
        '"abc',
        'data.n:',
        '+',
        '/abc',
        'NOT',
        'a OR',
        '\\',
      );
    const glue = () => dice.pick(' AND ', ' OR ', ' ', ' AND NOT ', ' -', ' +', ' || ', ' && ', ' NOT ', ' OR NOT ');
    return dice.some(0, 2, () => `${term()}${glue()}`).join('') + term();
  }

  private simpleQueryString(): object {
    const { dice } = this;
    const term = () =>
      dice.pick(
        'abc',
        'lora',
        '-abd',
        '"y z"',
        'a*',
        '(x | lora)',
        '-(abc lora)',
        'nothing',
        '+abc',
        '(abc',
        '"x',
        'x)',
        '-',
        '|',
        '\\+',
        '1',
      );
    return {
      query: dice.some(1, 3, () => `${term()}${dice.pick(' ', ' + ', ' | ')}`).join(''),
      ...dice.maybe(0.85, () => ({
        fields: dice.list(dice.pick(['data.txt', 'metadata.provider'], ['data.txt'], ['data.n', 'data.txt'])),
      })),
      ...dice.maybe(0.3, () => ({ default_operator: dice.pick('and', 'OR') })),
      ...dice.maybe(0.1, () => ({ flags: dice.pick('ALL', 'NONE', 'OR|AND', 'PREFIX', 'PHRASE|NOT') })),
      ...dice.maybe(0.1, () => ({ minimum_should_match: dice.pick<unknown>(1, '50%', 2) })),
      ...dice.maybe(0.3, () => ({ lenient: true })),
    };
  }

  private distance(): unknown {
    return this.dice.pick<unknown>('5km', '2000mi', 1000, '900000', '1nmi', '12000km', '0.5 km', '1e3km');
  }

  /** A place in one of the ways of writing it. */
  point(): unknown {
    return this.dice.pick<unknown>(
      { lat: 48.85, lon: 2.35 },
      [2.35, 48.85],
      '48.85,2.35',
      'u09tvw',
      [13.4, 52.5],
      { lat: -17.7, lon: -179.9 },
      'POINT (0 0)',
    );
  }

  private box(): object {
    return this.dice.pick<object>(
      { top_left: { lat: 49, lon: 2 }, bottom_right: { lat: 48.855, lon: 3 } },
      { top_left: '70,-30', bottom_right: [20, 40] },
      { top_right: '70,20', bottom_left: '40,-30' },
      { top_left: [170, 0], bottom_right: [-170, -40] },
      { top: 70, left: -30, bottom: 40, right: 20 },
      { wkt: 'BBOX (-30, 20, 70, 40)' },
      { top_left: 'u0', bottom_right: 'u0' },
      { top_left: { lat: 90, lon: -180 }, bottom_right: { lat: -90, lon: 180 } },
    );
  }
}
