import sql, { empty, join, type Sql } from 'sql-template-tag';
import { recordCount } from '#records/postgres/search/rollup/rollup-source.js';
import { name } from '#records/postgres/search/sql/name.js';
import { type Scope, scan, withoutBlocks } from '#records/postgres/search/sql/record-scan.js';
import type { Field } from '#search/field/field.js';
import type { Predicate } from '#search/query/predicate.js';
import { maxBuckets } from '#search/search-failure.js';
import { type Bucket, type BucketRow, type Cell, type Cut, indexIn, type Key, type Top } from './bucket.js';

/** Options of a bucket query, without its metrics. */
export interface BucketQueryOptions {
  readonly scope: Scope;
  readonly where: readonly Predicate[];
  /** Keys of the enclosing buckets. */
  readonly around?: readonly Key[];
  readonly keys: readonly Key[];
  readonly cut?: Cut;
  readonly top?: Top;
  /**
   * Restricts a first attempt to some records. If they fill as many buckets as requested, these are the first of all.
   */
  readonly first?: Predicate;
}

/** Restriction of a query's records, by what was read before. */
export interface Restriction {
  readonly only: readonly Predicate[];
  /** The enclosing buckets that remain, if some were cut off. */
  readonly remaining?: { readonly keys: readonly Key[]; readonly rows: readonly BucketRow[] };
}

/**
 * The query of one aggregation at one place in the tree: its buckets with their metrics, or their first records.
 * Planning adds metrics; `statement` is a pure function of what was added and of a restriction.
 *
 * `{"aggs": {"a": {"weighted_avg": {...}}}}` calls `perRecord` for `v0` and `v1` and `perBucket` for `c0`. Its
 * statement is this, abridged from `test/data/search/golden/aggregations-weighted_avg.sql`. Keys would be `k0`, `k1`.
 *
 * ```sql
 * select count(*) as n, (sum(s.v0) / nullif(sum(s.v1), 0)) as c0
 * from (select r.numbers[$2] * r.numbers[$8] as v0, r.numbers[$17] as v1 from record r where ...) s
 * ```
 */
export class BucketQuery {
  /** Keys of the enclosing buckets, then its own. */
  readonly keys: readonly Key[];
  private readonly columns: Sql[] = [];
  private readonly values: Sql[] = [];
  private readonly fields: Field[] = [];
  private costly = false;
  /** Whether a metric needs the number of records. */
  private counted = false;

  constructor(readonly options: BucketQueryOptions) {
    this.keys = [...(options.around ?? []), ...options.keys];
  }

  /** Number of keys of its buckets, including those of the enclosing ones. */
  get depth(): number {
    return this.keys.length;
  }

  /** Number of keys of the enclosing buckets. */
  get outer(): number {
    return this.keys.length - this.options.keys.length;
  }

  /** Whether buckets are cut off or records are shown, so that rows do not hold every bucket. */
  get isLimited(): boolean {
    return this.options.cut !== undefined || this.options.top !== undefined;
  }

  /** Whether its rows are of use without keys: a query may only exist to enclose others. */
  get hasOutput(): boolean {
    return this.counted || this.columns.length > 0 || this.options.top !== undefined;
  }

  /** Whether its rows end with the places of shown records in blocks. */
  get isPlaced(): boolean {
    return this.options.top !== undefined && this.options.scope.alone !== undefined;
  }

  /** Adds columns of records, for a query that returns records instead of counts. */
  output(columns: readonly Sql[], fields: readonly Field[]): void {
    this.values.push(...columns);
    this.fields.push(...fields);
  }

  /** Adds an expression that is computed once per record. Returns the SQL by which aggregates refer to it. */
  perRecord(value: Sql, fields: readonly Field[], costly = false): Sql {
    this.fields.push(...fields);
    this.costly ||= costly;
    return sql`s.${name('value', indexIn(this.values, value))}`;
  }

  /** Adds an aggregate that is computed once per bucket. */
  perBucket(aggregate: Sql): { cell: Cell; column: Sql } {
    const index = indexIn(this.columns, aggregate);
    const at = this.depth + 1 + index;
    return { cell: ({ row }) => row?.[at] ?? null, column: sql`g.${name('column', index)}` };
  }

  /** Requests the number of records of buckets. */
  count(): (bucket: Bucket) => number {
    this.counted = true;
    return ({ row }) => this.countIn(row);
  }

  /** Returns an aggregate of the number of records, by rollups if the scope has them. */
  countRecords(): (where: Sql) => Sql {
    if (this.options.scope.rollup === undefined) return (where) => sql`count(*)${where}`;
    return (where) => sql`coalesce(sum(${this.perRecord(recordCount, [])})${where}, 0)::int8`;
  }

  /** Returns the number of records of a row. */
  countIn(row: BucketRow | undefined): number {
    return Number(row?.[this.depth] ?? 0);
  }

  /** Returns the number of records of all buckets around a row's, including those that were cut off. */
  totalIn(row: BucketRow | undefined): number {
    return Number(row?.[this.depth + 1 + this.columns.length] ?? 0);
  }

  /** Builds its SQL. */
  statement(restriction: Restriction): Sql {
    const { cut, top } = this.options;
    if (top !== undefined) return this.firstRecords(top, restriction);
    const buckets = this.buckets(restriction);
    if (this.depth === 0) return buckets;
    if (cut === undefined) return sql`${buckets}\nlimit ${maxBuckets + 1}::int`;
    return this.firstBuckets(cut, buckets);
  }

  /** One row per bucket: its keys, number of records and metrics. */
  private buckets(restriction: Restriction): Sql {
    const keys = this.keysOver(sql`s`, this.depth);
    const outputs = [
      ...this.keys.map(({ output }, index) =>
        output === undefined ? keys[index]! : sql`${output(keys[index]!)} as ${name('key', index)}`,
      ),
      sql`${this.countRecords()(empty)} as n`,
      ...this.columns.map((column, index) => sql`${column} as ${name('column', index)}`),
    ];
    const grouping = keys.length === 0 ? empty : sql`\ngroup by ${join(keys)}`;
    return sql`select ${join(outputs)}
from (${this.records(restriction)}) s${grouping}`;
  }

  /** The first buckets in an order, within each enclosing bucket. */
  private firstBuckets({ order, size, minDocCount, maxDocCount }: Cut, buckets: Sql): Sql {
    const within = this.outer === 0 ? empty : sql`partition by ${join(this.keysOver(sql`g`, this.outer))}`;
    const own = this.keysOver(sql`g`, this.depth).slice(this.outer);
    const columns = [
      ...this.keysOver(sql`t`, this.depth),
      sql`t.n`,
      ...this.columns.map((_, index) => sql`t.${name('column', index)}`),
    ];
    const atMost = maxDocCount === undefined ? empty : sql` and g.n <= ${maxDocCount}::int8`;
    return sql`select ${join(columns)}, t.total
from (select g.*,
row_number() over (${within} order by ${join([...order(), ...own])}) as place,
sum(g.n) over (${within}) as total
from (${buckets}) g
where g.n >= ${minDocCount}::int8${atMost}) t
where t.place <= ${size}::int8
order by t.place
limit ${maxBuckets + 1}::int`;
  }

  /** The first records in an order, within each bucket. */
  private firstRecords({ from, size, order }: Top, restriction: Restriction): Sql {
    const keys = this.keysOver(sql`s`, this.depth);
    const outputs = [
      ...this.keys.map(({ output }, index) => (output === undefined ? keys[index]! : output(keys[index]!))),
      ...this.values.map((_, index) => sql`s.${name('value', index)}`),
      ...(this.isPlaced ? [sql`s.block`, sql`s.place_in_block`] : []),
    ];
    const within = this.depth === 0 ? empty : sql`partition by ${join(this.keys.map(({ value }) => value))} `;
    const place = sql`row_number() over (${within}order by ${order}) as place`;
    return sql`select ${join(outputs)}
from (${this.records(restriction, place)}) s
where s.place > ${from}::int8 and s.place <= ${from + size}::int8
order by s.place
limit ${maxBuckets + 1}::int`;
  }

  /**
   * Builds the subquery that yields one row per (record, bucket) pair, with the bucket keys and metric inputs as
   * columns.
   */
  private records({ only, remaining }: Restriction, place?: Sql): Sql {
    const fields = [...this.fields, ...this.keys.flatMap((key) => key.fields)];
    // Records that are shown need their identifiers and JSON.
    const scope = place === undefined ? this.options.scope : withoutBlocks(this.options.scope);
    const { source, where, places } = scan(scope, [...this.options.where, ...only], fields, this.isPlaced);
    const [block, placeInBlock] = places;
    const outputs = [
      ...this.keys.map(({ value }, index) => sql`${value} as ${name('key', index)}`),
      ...this.values.map((value, index) => sql`${value} as ${name('value', index)}`),
      ...(place === undefined ? [] : [place]),
      ...(this.isPlaced ? [sql`${block} as block`, sql`${placeInBlock} as place_in_block`] : []),
    ];
    const laterals = this.keys.flatMap(({ lateral }) =>
      lateral === undefined ? [] : [sql`\ncross join lateral ${lateral}`],
    );
    const conditions = [
      where,
      ...this.keys.flatMap((key) => (key.where === undefined ? [] : [key.where])),
      ...(remaining === undefined ? [] : [inBuckets(remaining)]),
    ];
    // `offset 0` keeps PostgreSQL from parsing the same JSON once for each aggregate over it.
    const fence = this.costly ? sql`\noffset 0` : empty;
    return sql`select ${outputs.length === 0 ? sql`1` : join(outputs)}
from ${source}${laterals.length === 0 ? empty : join(laterals, '')}
where ${join(conditions, ' and ')}${fence}`;
  }

  /** Returns the first keys, over an alias. */
  private keysOver(alias: Sql, count: number): Sql[] {
    return this.keys.slice(0, count).map((_, index) => sql`${alias}.${name('key', index)}`);
  }
}

/** Builds the condition that a record is in one of these buckets. */
const inBuckets = ({ keys, rows }: NonNullable<Restriction['remaining']>): Sql => {
  const sent = ({ send }: Key, row: BucketRow, index: number) => (send === undefined ? row[index] : send(row[index]));
  const lists = keys.map((key, index) => sql`${rows.map((row) => sent(key, row, index))}::${key.type}[]`);
  const values = keys.map(({ value }) => value);
  if (!rows.some((row) => row.slice(0, keys.length).includes(null))) {
    return sql`(${join(values)}) in (select * from unnest(${join(lists)}))`;
  }
  const same = values.map((value, index) => sql`${value} is not distinct from p.${name('key', index)}`);
  const names = values.map((_, index) => name('key', index));
  return sql`exists (select from unnest(${join(lists)}) as p(${join(names)}) where ${join(same, ' and ')})`;
};
