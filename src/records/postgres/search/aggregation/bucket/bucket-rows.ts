import type { Sql } from 'sql-template-tag';
import { type BlockHits, completeHits, noBlockHits } from '#records/postgres/search/hits/block-hit.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { Predicate } from '#search/query/predicate.js';
import { maxBuckets, tooManyBuckets } from '#search/search-failure.js';
import { type Bucket, type BucketRow, cellsIn, type Key } from './bucket.js';
import { BucketQuery, type BucketQueryOptions, type Restriction } from './bucket-query.js';

/** The rows of a bucket query. They are read after those of the enclosing buckets. */
export class BucketRows {
  /** Rows by the keys of the enclosing bucket; for a query of records, by those of the bucket. */
  private rows = new Map<string, BucketRow[]>();
  /** Whether rows were omitted, so that inner queries must be restricted to the remaining ones. */
  private partial = false;
  /** Shown records that only blocks hold. */
  inBlocks: BlockHits = noBlockHits;
  /** Restriction of the records that were read, if not all. */
  private only: readonly Predicate[] = [];

  constructor(
    readonly query: BucketQuery,
    private readonly parent?: BucketRows,
  ) {}

  /** Creates the rows of a query inside these buckets. */
  inside(
    where: readonly Predicate[],
    keys: readonly Key[],
    more: Pick<BucketQueryOptions, 'cut' | 'top' | 'first'> = {},
  ): BucketRows {
    const { scope, where: outer } = this.query.options;
    const options = { scope, where: [...outer, ...where], around: this.query.keys, keys, ...more };
    return new BucketRows(new BucketQuery(options), this);
  }

  /**
   * Reads the rows and returns the number of their cells. The enclosing rows must have been read.
   * @param weigh counts the memory of records from blocks, in bytes
   */
  async read(reader: QueryReader, weigh: (bytes: number) => void): Promise<number> {
    if (!this.isNeeded) return this.take([]);
    const { first, cut, scope } = this.query.options;
    const ask = scope.hasFewDevices ? reader.prepared : reader.tuples;
    this.only = this.parent?.only ?? [];
    if (first !== undefined) {
      this.only = [first];
      const rows = (await ask(this.statement())) as BucketRow[];
      if (rows.length >= cut!.size) return this.take(rows);
      this.only = [];
    }
    const rows = await ask(this.statement());
    if (this.query.isPlaced) this.inBlocks = await completeHits(reader, rows, this.query.depth, weigh);
    return this.take(rows as BucketRow[]);
  }

  /** Builds the SQL of the query, restricted to what the enclosing rows show. */
  statement(): Sql {
    return this.query.statement(this.restriction());
  }

  /** Returns the buckets inside an enclosing bucket. */
  bucketsOf(around: Bucket): Bucket[] {
    const { depth } = this.query;
    return (this.rows.get(around.id) ?? []).map((row) => ({ id: JSON.stringify(row.slice(0, depth)), row }));
  }

  /** Returns the own keys of a row. */
  keysOf(row: BucketRow): readonly unknown[] {
    return row.slice(this.query.outer, this.query.depth);
  }

  /**
   * Returns the number of records of all buckets inside the same enclosing bucket, including those that were cut off.
   */
  readonly total = ({ row }: Bucket): number => this.query.totalIn(row);

  /** Returns the columns of all records, for a query of records. */
  allRecords(): (readonly unknown[])[] {
    return this.all().map((row) => row.slice(this.query.depth));
  }

  /** Returns the columns of a bucket's records, for a query of records. */
  readonly recordsOf = (bucket: Bucket): (readonly unknown[])[] =>
    (this.rows.get(bucket.id) ?? []).map((row) => row.slice(this.query.depth));

  /**
   * Returns the total number of records in the buckets. Returns undefined if a record may be in none of them, or in
   * several.
   */
  sumOf(around: BucketRows): number | undefined {
    const { where, keys } = this.query.options;
    if (this.query.isLimited || !this.isNeeded) return undefined;
    if (this !== around && (this.parent !== around || where.length > around.query.options.where.length))
      return undefined;
    if (keys.some(({ lateral, where: only }) => lateral !== undefined || only !== undefined)) return undefined;
    return this.all().reduce((sum, row) => sum + this.query.countIn(row), 0);
  }

  private all(): BucketRow[] {
    return [...this.rows.values()].flat();
  }

  private take(rows: readonly BucketRow[]): number {
    if (rows.length > maxBuckets) throw tooManyBuckets(rows.length);
    const { outer, depth, options } = this.query;
    const around = options.top === undefined ? outer : depth;
    this.rows = Map.groupBy(rows, (row) => JSON.stringify(row.slice(0, around))) as Map<string, BucketRow[]>;
    this.partial = options.cut !== undefined && [...this.rows.values()].some((group) => this.isCut(group));
    return cellsIn(rows);
  }

  /** Whether buckets of the same enclosing bucket were cut off. */
  private isCut(rows: readonly BucketRow[]): boolean {
    const shown = rows.reduce((sum, row) => sum + this.query.countIn(row), 0);
    return this.query.options.cut!.minDocCount > 1 || shown < this.query.totalIn(rows[0]);
  }

  /** Whether the query can find rows of use. */
  private get isNeeded(): boolean {
    if (this.query.options.scope.deviceIds.length === 0) return false;
    if (this.query.depth === 0) return this.query.hasOutput;
    return this.parent === undefined || this.parent.query.depth === 0 || this.parent.rows.size > 0;
  }

  private restriction(): Restriction {
    const cut = this.nearestPartial();
    return { only: this.only, ...(cut && { remaining: { keys: cut.query.keys, rows: cut.all() } }) };
  }

  /** Returns the nearest enclosing rows of which some were cut off. */
  private nearestPartial(): BucketRows | undefined {
    const { parent } = this;
    return parent === undefined || parent.partial ? parent : parent.nearestPartial();
  }
}
