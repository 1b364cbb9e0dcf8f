import sql, { empty, join, type Sql } from 'sql-template-tag';
import { maxBuckets, tooManyBuckets } from '../../../../../search/failure.js';
import type { Field } from '../../../../../search/field/field.js';
import type { Predicate } from '../../../../../search/query/predicate.js';
import { recordCount } from '../../rollup/source.js';
import type { Reader } from '../../snapshot-reader.js';
import { name } from '../../sql/name.js';
import { type Scope, scan } from '../../sql/scan.js';
import { type Bucket, type Cell, type Cut, cellsIn, indexIn, type Key, type Row, type Top } from './bucket.js';

/** Options of a level, without its metrics. */
export interface LevelOptions {
  readonly scope: Scope;
  readonly where: readonly Predicate[];
  readonly parent?: Level;
  readonly keys: readonly Key[];
  readonly cut?: Cut;
  readonly top?: Top;
  /**
   * Restricts a first attempt to some records. If they fill as many buckets as requested, these are the first of all.
   */
  readonly first?: Predicate;
}

/** One SQL statement: the bucket query of one aggregation at one place in the tree, with the metrics of its buckets. */
export class Level {
  private readonly columns: Sql[] = [];
  private readonly values: Sql[] = [];
  private readonly fields: Field[] = [];
  private readonly keys: readonly Key[];
  private rows = new Map<string, Row[]>();
  private costly = false;
  /** Whether something needs the number of records. */
  private counted = false;
  /** Whether rows were omitted, so that inner levels must be restricted to the remaining ones. */
  private partial = false;
  /** Restriction of the records that were read, if not all. */
  private only: readonly Predicate[] = [];

  constructor(private readonly options: LevelOptions) {
    this.keys = [...(options.parent?.keys ?? []), ...options.keys];
  }

  get parent(): Level | undefined {
    return this.options.parent;
  }

  /** Number of keys of its buckets, including those of the enclosing ones. */
  get depth(): number {
    return this.keys.length;
  }

  /** Number of keys of the enclosing buckets. */
  private get outer(): number {
    return this.keys.length - this.options.keys.length;
  }

  /** Creates a level inside this one. */
  inside(
    where: readonly Predicate[],
    keys: readonly Key[],
    more: Pick<LevelOptions, 'cut' | 'top' | 'first'> = {},
  ): Level {
    const { scope, where: around } = this.options;
    return new Level({ scope, parent: this, where: [...around, ...where], keys, ...more });
  }

  /** Adds columns of records, for a level that returns records instead of counts. */
  output(columns: readonly Sql[], fields: readonly Field[]): void {
    this.values.push(...columns);
    this.fields.push(...fields);
  }

  /** Returns the columns of all records, for a level that returns records. */
  allRecords(): (readonly unknown[])[] {
    return [...this.rows.values()].flat().map((row) => row.slice(this.keys.length));
  }

  /** Returns the columns of a bucket's records, for a level that returns records. */
  readonly recordsOf = (bucket: Bucket): (readonly unknown[])[] =>
    (this.rows.get(bucket.id) ?? []).map((row) => row.slice(this.keys.length));

  /** Adds an expression that is computed once per record. Returns the SQL by which aggregates refer to it. */
  perRecord(value: Sql, fields: readonly Field[], costly = false): Sql {
    this.fields.push(...fields);
    this.costly ||= costly;
    return sql`s.${name('value', indexIn(this.values, value))}`;
  }

  /** Adds an aggregate that is computed once per bucket. */
  perBucket(aggregate: Sql): { cell: Cell; column: Sql } {
    const index = indexIn(this.columns, aggregate);
    const at = this.keys.length + 1 + index;
    return { cell: ({ row }) => row?.[at] ?? null, column: sql`g.${name('column', index)}` };
  }

  /** Requests the number of records of buckets. */
  count(): (bucket: Bucket) => number {
    this.counted = true;
    return (bucket) => this.countOf(bucket);
  }

  private countOf({ row }: Bucket): number {
    return Number(row?.[this.keys.length] ?? 0);
  }

  /**
   * Returns the number of records of all buckets inside the same enclosing bucket, including those that were cut off.
   */
  readonly total = ({ row }: Bucket): number => Number(row?.[this.keys.length + 1 + this.columns.length] ?? 0);

  /**
   * Returns the total number of records in its buckets. Returns undefined if a record may be in none of them, or in
   * several.
   */
  sumOf(around: Level): number | undefined {
    const { parent, where, keys, cut, top } = this.options;
    if (cut !== undefined || top !== undefined || !this.isNeeded) return undefined;
    if (this !== around && (parent !== around || where.length > around.options.where.length)) return undefined;
    if (keys.some(({ lateral, where: only }) => lateral !== undefined || only !== undefined)) return undefined;
    return [...this.rows.values()].flat().reduce((sum, row) => sum + this.countOf({ id: '', row }), 0);
  }

  /** Returns the own keys of a row. */
  keysOf(row: Row): readonly unknown[] {
    return row.slice(this.outer, this.keys.length);
  }

  /** Returns the buckets inside an enclosing bucket. */
  bucketsOf(around: Bucket): Bucket[] {
    return (this.rows.get(around.id) ?? []).map((row) => ({ id: JSON.stringify(row.slice(0, this.keys.length)), row }));
  }

  /** Reads its buckets and returns the number of their cells. The enclosing level must have its rows. */
  async read(reader: Reader): Promise<number> {
    if (!this.isNeeded) return this.take([]);
    const { first, cut, parent, scope } = this.options;
    const ask = scope.ofFew ? reader.prepared : reader.tuples;
    this.only = parent?.only ?? [];
    if (first !== undefined) {
      this.only = [first];
      const rows = (await ask(this.statement())) as Row[];
      if (rows.length >= cut!.size) return this.take(rows);
      this.only = [];
    }
    return this.take((await ask(this.statement())) as Row[]);
  }

  private take(rows: readonly Row[]): number {
    if (rows.length > maxBuckets) throw tooManyBuckets(rows.length);
    const around = this.options.top === undefined ? this.outer : this.keys.length;
    this.rows = Map.groupBy(rows, (row) => JSON.stringify(row.slice(0, around))) as Map<string, Row[]>;
    this.partial = this.options.cut !== undefined && [...this.rows.values()].some((group) => this.cutFrom(group));
    return cellsIn(rows);
  }

  /** Whether its statement can find anything that is needed: a level without keys may only exist to enclose others. */
  private get isNeeded(): boolean {
    const { parent, scope } = this.options;
    if (scope.deviceIds.length === 0) return false;
    if (this.keys.length === 0) return this.counted || this.columns.length > 0 || this.options.top !== undefined;
    return parent === undefined || parent.keys.length === 0 || parent.rows.size > 0;
  }

  /** Builds its SQL. The enclosing level must have its rows. */
  statement(): Sql {
    if (this.options.top !== undefined) return this.shown(this.options.top);
    const grouped = this.grouped();
    const { cut } = this.options;
    if (this.keys.length === 0) return grouped;
    if (cut === undefined) return sql`${grouped} limit ${maxBuckets + 1}::int`;
    const within = this.outer === 0 ? empty : sql`partition by ${join(this.names('g', this.outer))}`;
    const own = this.names('g', this.keys.length);
    const order = join([...cut.order(), ...own.slice(this.outer).map((key) => sql`${key}`)]);
    const columns = join([
      ...this.names('t', this.keys.length),
      sql`t.n`,
      ...this.columns.map((_, index) => sql`t.${name('column', index)}`),
    ]);
    return sql`select ${columns}, t.total from (select g.*, row_number() over (${within} order by ${order}) as place, sum(g.n) over (${within}) as total from (${grouped}) g where g.n >= ${cut.minDocCount}::int8${cut.maxDocCount === undefined ? empty : sql` and g.n <= ${cut.maxDocCount}::int8`}) t where t.place <= ${cut.size}::int8 order by t.place limit ${maxBuckets + 1}::int`;
  }

  private cutFrom(rows: readonly Row[]): boolean {
    const shown = rows.reduce((sum, row) => sum + Number(row[this.keys.length]), 0);
    return this.options.cut!.minDocCount > 1 || shown < Number(this.total({ id: '', row: rows[0] }));
  }

  private shown({ from, size, order }: Top): Sql {
    const keys = this.names('s', this.keys.length);
    const outputs = [
      ...this.keys.map(({ output }, index) => (output === undefined ? keys[index]! : output(keys[index]!))),
      ...this.values.map((_, index) => sql`s.${name('value', index)}`),
    ];
    const within = this.keys.length === 0 ? empty : sql`partition by ${join(this.keys.map(({ value }) => value))} `;
    const records = this.records(sql`row_number() over (${within}order by ${order}) as place`);
    return sql`select ${join(outputs)} from (${records}) s where s.place > ${from}::int8 and s.place <= ${from + size}::int8 order by s.place limit ${maxBuckets + 1}::int`;
  }

  /** Returns an aggregate of the number of records, by rollups if the scope has them. */
  countRecords(): (where: Sql) => Sql {
    if (this.options.scope.rollup === undefined) return (where) => sql`count(*)${where}`;
    return (where) => sql`coalesce(sum(${this.perRecord(recordCount, [])})${where}, 0)::int8`;
  }

  private grouped(): Sql {
    const keys = this.names('s', this.keys.length);
    const outputs = [
      ...this.keys.map(({ output }, index) =>
        output === undefined ? keys[index]! : sql`${output(keys[index]!)} as ${name('key', index)}`,
      ),
      sql`${this.countRecords()(empty)} as n`,
      ...this.columns.map((column, index) => sql`${column} as ${name('column', index)}`),
    ];
    const grouping = keys.length === 0 ? empty : sql` group by ${join(keys)}`;
    return sql`select ${join(outputs)} from (${this.records()}) s${grouping}`;
  }

  /**
   * Builds the subquery that yields one row per (record, bucket) pair, with the bucket keys and metric inputs as
   * columns.
   */
  private records(place?: Sql): Sql {
    const fields = [...this.fields, ...this.keys.flatMap((key) => key.fields)];
    const { source, where } = scan(this.options.scope, [...this.options.where, ...this.only], fields);
    const outputs = [
      ...this.keys.map(({ value }, index) => sql`${value} as ${name('key', index)}`),
      ...this.values.map((value, index) => sql`${value} as ${name('value', index)}`),
      ...(place === undefined ? [] : [place]),
    ];
    const laterals = this.keys.flatMap(({ lateral }) =>
      lateral === undefined ? [] : [sql` cross join lateral ${lateral}`],
    );
    const conditions = this.keys.flatMap((key) => (key.where === undefined ? [] : [key.where]));
    const all = join([where, ...conditions, ...this.onlyStayed()], ' and ');
    // `offset 0` keeps PostgreSQL from parsing the same JSON once for each aggregate over it.
    const fence = this.costly ? sql` offset 0` : empty;
    return sql`select ${outputs.length === 0 ? sql`1` : join(outputs)} from ${source}${laterals.length === 0 ? empty : join(laterals, '')} where ${all}${fence}`;
  }

  /** Restricts the records to the enclosing buckets that remain. */
  private onlyStayed(): Sql[] {
    const around = this.parent;
    if (around === undefined) return [];
    if (!around.partial) return around.onlyStayed();
    const rows = [...around.rows.values()].flat();
    const sent = ({ send }: Key, row: Row, index: number) => (send === undefined ? row[index] : send(row[index]));
    const lists = around.keys.map((key, index) => sql`${rows.map((row) => sent(key, row, index))}::${key.type}[]`);
    const values = around.keys.map(({ value }) => value);
    if (!rows.some((row) => row.slice(0, around.keys.length).includes(null))) {
      return [sql`(${join(values)}) in (select * from unnest(${join(lists)}))`];
    }
    const same = values.map((value, index) => sql`${value} is not distinct from p.${name('key', index)}`);
    const names = values.map((_, index) => name('key', index));
    return [sql`exists (select from unnest(${join(lists)}) as p(${join(names)}) where ${join(same, ' and ')})`];
  }

  private names(alias: 's' | 'g' | 't', count: number): Sql[] {
    const prefix = { s: sql`s`, g: sql`g`, t: sql`t` }[alias];
    return this.keys.slice(0, count).map((_, index) => sql`${prefix}.${name('key', index)}`);
  }
}
