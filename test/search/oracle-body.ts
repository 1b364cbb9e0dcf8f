/** Makes documents and requests at random, the same ones for the same seed: what the differential test sends to both sides. */
export class Generator {
  constructor(private state: number) {}

  /** 0 to less than 1 (mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }

  private chance(part: number): boolean {
    return this.random() < part;
  }

  private pick<T>(...items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  private some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }

  private maybe(part: number, extra: () => object): object {
    return this.chance(part) ? extra() : {};
  }

  /** A document: values missing, null, several, tied, extreme; days on which clocks change. */
  document(number: number): Document {
    const days = ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26', '2026-11-02'];
    const second =
      Date.parse(`${this.pick(...days)}T00:00:00Z`) / 1000 + this.below(24 * 4) * 900 + (this.chance(0.2) ? 0.5 : 0);
    const one = <T>(...items: readonly T[]): T | T[] | null | undefined => {
      if (this.chance(0.2)) return undefined;
      if (this.chance(0.08)) return null;
      if (this.chance(0.15)) return this.some(0, 3, () => this.pick(...items));
      return this.pick(...items);
    };
    return {
      ts: second,
      metadata: { number, rssi: this.pick(-120, -100.5, -90, -80), provider: this.pick('lora', 'sigfox', 'wifi') },
      data: {
        t: one(0, 1, 1.5, 2.5, -3, 20.1, 20.5, 1e9, -0.001),
        n: one(0, 1, 2, 3, 4, 10, 100, -5),
        on: one(true, false),
        txt: one('abc', 'abd', 'ABC', 'x', 'y z', 'été', 'a%b', ''),
      },
    };
  }

  /** The body of a search. */
  body(): object {
    return {
      size: this.pick(0, 3, 100),
      ...this.maybe(0.75, () => ({ query: this.query(2) })),
      ...this.maybe(0.7, () => ({ aggs: this.aggregations(2) })),
      ...this.maybe(0.5, () => ({ sort: this.sort() })),
      track_total_hits: true,
    };
  }

  private field(): string {
    return this.pick('data.t', 'data.n', 'data.on', 'data.txt', 'metadata.rssi', 'metadata.provider', 'ts', 'nope');
  }

  private numeric(): string {
    return this.pick('data.t', 'data.n', 'metadata.rssi', 'data.n', 'data.t');
  }

  private value(field: string): unknown {
    switch (field) {
      case 'data.on':
        return this.pick<unknown>(true, false, 'true');
      case 'data.txt':
        return this.pick('abc', 'ABC', 'x', 'y z', 'été', 'a%b', '', 'none');
      case 'metadata.provider':
        return this.pick('lora', 'sigfox', 'none');
      case 'ts':
        return this.date();
      case 'data.n':
        return this.pick<unknown>(0, 1, 4, '2', 2.5, 1e3);
      default:
        return this.pick<unknown>(0, 1.5, 20.1, -90, '2.5', 1e9);
    }
  }

  private date(): string {
    return this.pick(
      '2026-03-29',
      '2026-03-29T01:30:00Z',
      '2026-10-25||/d',
      '2026-03',
      '2026-10-25T02:00:00+02:00',
      '2026-10||+1M/M',
      '2026-11-02T12:00:00.500Z',
    );
  }

  private query(depth: number): object {
    const leaf = () => this.leaf();
    if (depth === 0 || this.chance(0.5)) return leaf();
    const inner = () => this.query(depth - 1);
    return {
      bool: {
        ...this.maybe(0.3, () => ({ must: this.some(0, 2, inner) })),
        ...this.maybe(0.4, () => ({ filter: this.chance(0.5) ? inner() : this.some(0, 2, inner) })),
        ...this.maybe(0.4, () => ({ should: this.some(0, 3, inner) })),
        ...this.maybe(0.4, () => ({ must_not: this.some(0, 2, inner) })),
        ...this.maybe(0.2, () => ({ minimum_should_match: this.pick<unknown>(0, 1, 2, '50%', '-1', '-25%', '1<50%') })),
      },
    };
  }

  private leaf(): object {
    const field = this.field();
    const value = this.value(field);
    const text = this.pick('data.txt', 'metadata.provider');
    const date = { time_zone: this.pick('Europe/Paris', '+05:30', 'UTC') };
    return this.pick<() => object>(
      () => ({ match_all: {} }),
      () => ({ term: { [field]: value } }),
      () => ({ term: { [field]: { value } } }),
      () => ({ terms: { [field]: this.some(0, 3, () => this.value(field)) } }),
      () => ({ exists: { field: this.pick(field, 'data', 'metadata') } }),
      () => ({ range: { [field]: this.ends(field) } }),
      () => ({
        range: {
          ts: {
            [this.pick('gte', 'gt')]: this.date(),
            ...this.maybe(0.5, () => ({ [this.pick('lt', 'lte')]: this.date() })),
            ...this.maybe(0.4, () => date),
          },
        },
      }),
      () => ({ prefix: { [text]: this.pick('a', 'A', 'l', 'é', '') } }),
      () => ({ prefix: { [text]: { value: 'A', case_insensitive: true } } }),
      () => ({ wildcard: { [text]: this.pick('a*', '?b?', '*', 'a\\%*', 'y?z', '*é', 'a%*') } }),
      () => ({ wildcard: { [text]: { value: 'A?C', case_insensitive: true } } }),
      () => ({
        regexp: { [text]: this.pick('ab[cd]', 'a.*', '^abc$', '(x|y z)', '[a-z]+', 'ab{1,2}c', '"a%b"', '.', '@') },
      }),
      () => ({ match: { [field]: this.chance(0.5) ? value : { query: value, lenient: true } } }),
      () => ({
        query_string: {
          query: this.lucene(),
          ...this.maybe(0.2, () => ({ default_operator: 'AND' })),
          ...this.maybe(0.3, () => ({ default_field: this.pick('data.txt', 'data.n') })),
        },
      }),
      () => ({
        simple_query_string: {
          query: this.simple(),
          fields: ['data.txt', 'metadata.provider'],
          ...this.maybe(0.3, () => ({ default_operator: 'and' })),
        },
      }),
      () => ({ constant_score: { filter: { term: { [field]: value } } } }),
    )();
  }

  private ends(field: string): object {
    return {
      ...this.maybe(0.7, () => ({ [this.pick('gte', 'gt')]: this.value(field) })),
      ...this.maybe(0.7, () => ({ [this.pick('lte', 'lt')]: this.value(field) })),
    };
  }

  private lucene(): string {
    const term = () =>
      this.pick(
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
      );
    const glue = () => this.pick(' AND ', ' OR ', ' ', ' AND NOT ', ' -', ' +', ' || ', ' && ');
    return this.some(0, 2, () => `${term()}${glue()}`).join('') + term();
  }

  private simple(): string {
    const term = () => this.pick('abc', 'lora', '-abd', '"y z"', 'a*', '(x | lora)', '-(abc lora)', 'nothing');
    return this.some(1, 3, () => `${term()}${this.pick(' ', ' + ', ' | ')}`).join('');
  }

  private sort(): unknown[] {
    const key = () => {
      const field = this.pick('data.t', 'data.n', 'data.on', 'data.txt', 'metadata.rssi', 'ts');
      return {
        [field]: {
          order: this.pick('asc', 'desc'),
          ...this.maybe(0.4, () => ({ missing: this.pick('_first', '_last') })),
          ...this.maybe(0.2, () => ({ mode: this.pick('min', 'max') })),
        },
      };
    };
    return [...this.some(1, 2, key), { 'metadata.number': 'asc' }];
  }

  private aggregations(depth: number): object {
    return Object.fromEntries(this.some(1, 2, () => 0).map((_, index) => [`a${index}`, this.aggregation(depth)]));
  }

  private aggregation(depth: number): object {
    const own = this.chance(0.55) && depth > 0 ? this.bucket() : this.metric();
    const takesChildren = Object.keys(own).some((kind) => buckets.has(kind));
    return { ...own, ...(takesChildren && depth > 0 && this.chance(0.6) ? { aggs: this.inside(own, depth) } : {}) };
  }

  private inside(own: object, depth: number): object {
    const children: Record<string, object> = { ...this.aggregations(depth - 1) };
    if (
      'date_histogram' in own &&
      this.chance(0.5) &&
      (own.date_histogram as { min_doc_count: number }).min_doc_count === 0
    ) {
      children['m'] = { [this.pick('sum', 'avg', 'max')]: { field: this.numeric() } };
      children['p'] = this.pick<object>(
        { derivative: { buckets_path: 'm' } },
        { cumulative_sum: { buckets_path: 'm' } },
        { serial_diff: { buckets_path: 'm', lag: 2 } },
        { derivative: { buckets_path: '_count', gap_policy: 'insert_zeros' } },
        { bucket_sort: { sort: [{ _key: { order: 'desc' } }], size: 3 } },
      );
    }
    return children;
  }

  private metric(): object {
    const field = this.pick(this.numeric(), this.numeric(), this.field());
    const kind = this.pick('avg', 'sum', 'min', 'max', 'stats', 'extended_stats', 'value_count', 'cardinality');
    return {
      [kind]: {
        field,
        ...(this.chance(0.2) && field !== 'nope'
          ? {
              missing:
                field === 'ts' ? '2026-01-01' : field === 'data.on' ? true : field.startsWith('data.n') ? 7 : 1.5,
            }
          : {}),
      },
    };
  }

  private bucket(): object {
    const zone = () =>
      this.maybe(0.6, () => ({
        time_zone: this.pick('Europe/Paris', 'America/New_York', '+05:30', 'Asia/Kolkata', 'Australia/Lord_Howe'),
      }));
    const order = () =>
      this.maybe(0.4, () => ({ order: this.pick<object>({ _key: 'asc' }, { _key: 'desc' }, { _count: 'asc' }) }));
    return this.pick<() => object>(
      () => ({
        terms: {
          field: this.field(),
          size: this.pick(2, 20),
          ...order(),
          ...this.maybe(0.15, () => ({ min_doc_count: this.pick(0, 2) })),
        },
      }),
      () => ({
        date_histogram: {
          field: 'ts',
          [this.pick('calendar_interval')]: this.pick('hour', '1d', 'week', 'month', 'quarter', 'year'),
          min_doc_count: 1,
          ...zone(),
          ...order(),
        },
      }),
      () => ({
        date_histogram: {
          field: 'ts',
          fixed_interval: this.pick('3h', '12h', '1d', '7d', '90m', '1h'),
          min_doc_count: this.pick(0, 1),
          ...zone(),
          ...this.maybe(0.3, () => ({ offset: this.pick('+6h', '-90m', '1d') })),
        },
      }),
      () => ({
        histogram: {
          field: this.pick('data.n', 'metadata.rssi'),
          interval: this.pick(1, 5, 2.5),
          ...this.maybe(0.3, () => ({ offset: 1 })),
          min_doc_count: this.pick(0, 1),
        },
      }),
      () => ({
        range: {
          field: this.numeric(),
          ranges: [{ to: 1.5 }, { from: 0, to: 20 }, { from: 2.5, key: 'up' }],
          keyed: this.chance(0.3),
        },
      }),
      () => ({
        date_range: {
          field: 'ts',
          ranges: [{ to: '2026-03-29' }, { from: '2026-03-29', to: '2026-03-29||+1M' }, { from: '2026-10' }],
          ...zone(),
        },
      }),
      () => ({ filter: this.leaf() }),
      () => ({ filters: { filters: { a: this.leaf(), b: this.leaf() }, other_bucket: this.chance(0.5) } }),
      () => ({ missing: { field: this.field() } }),
      () => ({
        multi_terms: {
          terms: [{ field: 'metadata.provider' }, { field: this.pick('data.n', 'data.on', 'data.txt') }],
          size: 30,
        },
      }),
    )();
  }
}

const buckets = new Set([
  'terms',
  'date_histogram',
  'histogram',
  'range',
  'date_range',
  'filter',
  'filters',
  'missing',
  'rare_terms',
  'multi_terms',
]);

/** A document of the differential test; `ts` in seconds. */
export interface Document {
  ts: number;
  metadata: { number: number; rssi: number; provider: string };
  data: Record<string, unknown>;
}
