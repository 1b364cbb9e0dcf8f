import sql, { empty, join, type Sql } from 'sql-template-tag';
import { maxBuckets, tooManyBuckets } from '../../../../../search/failure.js';
import type { Field } from '../../../../../search/field/field.js';
import type { Predicate } from '../../../../../search/query/predicate.js';
import { recordCount } from '../../rollup/source.js';
import type { Reader } from '../../snapshot-reader.js';
import { name } from '../../sql/name.js';
import { type Scope, scan } from '../../sql/scan.js';
import { type Bucket, type Cell, type Cut, cellsIn, indexIn, type Key, type Row, type Top } from './bucket.js';

/** What a level is made of, beside what its metrics add. */
export interface LevelOptions {
  readonly scope: Scope;
  readonly where: readonly Predicate[];
  readonly parent?: Level;
  readonly keys: readonly Key[];
  readonly cut?: Cut;
  readonly top?: Top;
  /** Records that are looked at first: where they fill as many buckets as are asked for, these are the first of all. */
  readonly first?: Predicate;
}

/** One statement: all buckets of one place in the tree of aggregations, with the metrics in them. */
export class Level {
  private readonly columns: Sql[] = [];
  private readonly values: Sql[] = [];
  private readonly fields: Field[] = [];
  private readonly keys: readonly Key[];
  private rows = new Map<string, Row[]>();
  private costly = false;
  /** Whether anything asks how many records there are. */
  private counted = false;
  /** Whether rows were left out, so that what is inside must look only into those that stayed. */
  private partial = false;
  /** The records that were looked at, where not all. */
  private only: readonly Predicate[] = [];

  constructor(private readonly options: LevelOptions) {
    this.keys = [...(options.parent?.keys ?? []), ...options.keys];
  }

  get parent(): Level | undefined {
    return this.options.parent;
  }

  /** The number of keys of its buckets, those around included. */
  get depth(): number {
    return this.keys.length;
  }

  /** The number of keys of the buckets around. */
  private get outer(): number {
    return this.keys.length - this.options.keys.length;
  }

  /** Options of a level inside this one. */
  inside(
    where: readonly Predicate[],
    keys: readonly Key[],
    more: Pick<LevelOptions, 'cut' | 'top' | 'first'> = {},
  ): Level {
    const { scope, where: around } = this.options;
    return new Level({ scope, parent: this, where: [...around, ...where], keys, ...more });
  }

  /** What records are shown with, where they are not counted. */
  output(columns: readonly Sql[], fields: readonly Field[]): void {
    this.values.push(...columns);
    this.fields.push(...fields);
  }

  /** The columns of all records, where they are not counted. */
  allRecords(): (readonly unknown[])[] {
    return [...this.rows.values()].flat().map((row) => row.slice(this.keys.length));
  }

  /** The columns of the records of a bucket, where they are not counted. */
  readonly recordsOf = (bucket: Bucket): (readonly unknown[])[] =>
    (this.rows.get(bucket.id) ?? []).map((row) => row.slice(this.keys.length));

  /** Computes something once per record; answers how an aggregate names it. */
  perRecord(value: Sql, fields: readonly Field[], costly = false): Sql {
    this.fields.push(...fields);
    this.costly ||= costly;
    return sql`s.${name('value', indexIn(this.values, value))}`;
  }

  /** Computes something once per bucket. */
  perBucket(aggregate: Sql): { cell: Cell; column: Sql } {
    const index = indexIn(this.columns, aggregate);
    const at = this.keys.length + 1 + index;
    return { cell: ({ row }) => row?.[at] ?? null, column: sql`g.${name('column', index)}` };
  }

  /** How many records a bucket has. */
  count(): (bucket: Bucket) => number {
    this.counted = true;
    return (bucket) => this.countOf(bucket);
  }

  private countOf({ row }: Bucket): number {
    return Number(row?.[this.keys.length] ?? 0);
  }

  /** How many records all buckets around the same bucket have, those that were cut off included. */
  readonly total = ({ row }: Bucket): number => Number(row?.[this.keys.length + 1 + this.columns.length] ?? 0);

  /** How many records of a level its buckets have together; undefined where one may be in none of them, or in several. */
  sumOf(around: Level): number | undefined {
    const { parent, where, keys, cut, top } = this.options;
    if (cut !== undefined || top !== undefined || !this.isNeeded) return undefined;
    if (this !== around && (parent !== around || where.length > around.options.where.length)) return undefined;
    if (keys.some(({ lateral, where: only }) => lateral !== undefined || only !== undefined)) return undefined;
    return [...this.rows.values()].flat().reduce((sum, row) => sum + this.countOf({ id: '', row }), 0);
  }

  /** The own keys of a row. */
  keysOf(row: Row): readonly unknown[] {
    return row.slice(this.outer, this.keys.length);
  }

  /** The buckets inside one of the level around. */
  bucketsOf(around: Bucket): Bucket[] {
    return (this.rows.get(around.id) ?? []).map((row) => ({ id: JSON.stringify(row.slice(0, this.keys.length)), row }));
  }

  /** Reads its buckets, and answers how many cells they have. The level around must have its rows. */
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

  /** Whether its statement can find anything that is asked for: all records together may just be where buckets begin. */
  private get isNeeded(): boolean {
    const { parent, scope } = this.options;
    if (scope.deviceIds.length === 0) return false;
    if (this.keys.length === 0) return this.counted || this.columns.length > 0 || this.options.top !== undefined;
    return parent === undefined || parent.keys.length === 0 || parent.rows.size > 0;
  }

  /** Its SQL. The level around must have its rows. */
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

  /** Counts records, or what rollups say of how many there are. */
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

  /** The records with their keys and values, one row for each bucket that a record counts in. */
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
    // The fence keeps PostgreSQL from taking the same JSON apart once for each aggregate over it.
    const fence = this.costly ? sql` offset 0` : empty;
    return sql`select ${outputs.length === 0 ? sql`1` : join(outputs)} from ${source}${laterals.length === 0 ? empty : join(laterals, '')} where ${all}${fence}`;
  }

  /** Looks only into the buckets around that stayed. */
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
