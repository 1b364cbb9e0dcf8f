import sql, { empty, type Sql } from 'sql-template-tag';
import type { ChildrenIn, Counting, PlannedIn } from '#records/answer/children.js';
import type { Times } from '#records/answer/hit.js';
import type { Surroundings } from '#records/postgres/search/hits/hits.js';
import type { Scope } from '#records/postgres/search/sql/record-scan.js';
import { condition } from '#records/postgres/search/sql/sql-condition.js';
import { type StoredField, storedField } from '#records/postgres/search/sql/stored-field.js';
import type { Aggregation, BucketAggregation } from '#search/aggregation/aggregation.js';
import type { Field, Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { findField } from '#search/query/binding.js';
import { and, fieldsOf, type Predicate } from '#search/query/predicate.js';
import type { Input } from '#search/syntax/input.js';
import type { Bucket, Cell, Cut, Key, Top } from './bucket.js';
import type { BucketQuery } from './bucket-query.js';
import type { BucketRows } from './bucket-rows.js';
import type { DateBuckets } from './date-bucket.js';

/** A SQL aggregate. `where` is appended to each aggregate function: nothing, or a filter of records. */
export type Aggregate = (where: Sql) => Sql;

/** State that all aggregations of a query share. */
export interface Planning extends Counting {
  readonly fields: Fields;
  /** Instant of `now`, in milliseconds. */
  readonly now: number;
  /** Time span of the scope's records. */
  readonly span: InstantRange;
  /** Time span of the records of each `auto_date_histogram`; missing without records. */
  readonly found: ReadonlyMap<Aggregation, InstantRange>;
  /** Rows of the records that the query selects. Aggregations over all records of the scope are not inside them. */
  readonly root: BucketRows;
  readonly scope: Scope;
  readonly times: Times;
  readonly query: Predicate;
  /** Rows of all bucket queries, each after the enclosing one. */
  readonly queries: BucketRows[];
  /** Plans sub-aggregations of the same bucket. */
  planAll(aggregations: readonly Aggregation[], context: AggregationContext): Children;
  /** Requests the devices of some records, once all rows are read. */
  needDevices(records: () => readonly (readonly unknown[])[]): void;
  devices(): Surroundings;
}

/** Time buckets, with the index of their key in a row. */
export interface TimeLevel {
  readonly buckets: DateBuckets;
  readonly index: number;
}

/** Options of buckets inside others. */
export interface Inside {
  readonly cut?: Cut;
  /** Time buckets, for rates inside. */
  readonly time?: DateBuckets;
  /** Excludes records that are in none of the buckets. */
  readonly where?: readonly Predicate[];
  /** See {@link BucketQueryOptions}. */
  readonly first?: Predicate;
}

/** Planning context of an aggregation: the rows of the buckets that enclose it, and the filters between them. */
export class AggregationContext {
  constructor(
    readonly planning: Planning,
    readonly rows: BucketRows,
    readonly filters: readonly Predicate[] = [],
    /** Enclosing time buckets, for rates. */
    readonly time?: TimeLevel,
    private readonly inSingle = false,
  ) {}

  /** The query of the enclosing buckets, to which metrics are added. */
  get query(): BucketQuery {
    return this.rows.query;
  }

  /** Whether aggregations here are top-level ones. A bucket of all records counts as enclosing them. */
  get isTop(): boolean {
    return this.rows === this.planning.root && !this.inSingle;
  }

  /** Returns the context inside a single bucket of the same or fewer records. */
  filtered(predicate: Predicate): AggregationContext {
    const filters = predicate.kind === 'all' ? this.filters : [...this.filters, predicate];
    return new AggregationContext(this.planning, this.rows, filters, this.time, true);
  }

  /** Returns the context inside new buckets of these. */
  inside(keys: readonly Key[], { time, where = [], ...more }: Inside = {}): AggregationContext {
    const rows = this.rows.inside([...this.filters, ...where], keys, more);
    this.planning.queries.push(rows);
    return new AggregationContext(
      this.planning,
      rows,
      [],
      time === undefined ? this.time : { buckets: time, index: this.query.depth },
    );
  }

  /** Adds a query of the first few records of each bucket. */
  records(columns: readonly Sql[], fields: readonly Field[], top: Top): BucketRows {
    const rows = this.rows.inside(this.filters, [], { top });
    rows.query.output(columns, fields);
    this.planning.queries.push(rows);
    return rows;
  }

  /**
   * Validates the sub-aggregations of buckets that no record can be in. An aggregation over a missing field has an
   * empty answer, but faults inside it are still reported, as is an order by an unknown metric.
   */
  planEmpty(around: BucketAggregation, time?: DateBuckets): Children {
    const planning = { ...this.planning, queries: [], needDevices: () => undefined };
    const inside = time === undefined ? this.time : { buckets: time, index: this.query.depth };
    return new AggregationContext(planning, this.rows.inside([], []), [], inside).planAll(around);
  }

  /** Returns a function that returns the number of records of a bucket. */
  count(): (bucket: Bucket) => number {
    if (this.filters.length === 0) return this.query.count();
    const { cell } = this.counted();
    return (bucket) => Number(cell(bucket) ?? 0);
  }

  /** Adds the number of records as an aggregate. */
  counted(): { cell: Cell; column: Sql } {
    return this.aggregate(this.query.countRecords());
  }

  /** Adds an aggregate over the records. */
  aggregate(aggregate: Aggregate): { cell: Cell; column: Sql } {
    if (this.filters.length === 0) return this.query.perBucket(aggregate(empty));
    return this.query.perBucket(aggregate(sql` filter (where ${flagOf(this.query, and(this.filters))})`));
  }

  /** Plans the sub-aggregations of these buckets. */
  planAll(around: BucketAggregation): Children {
    return this.planning.planAll(around.children, this);
  }

  /** Returns the field of a path, or undefined if no record has it. */
  field(path: string, at: Input): StoredField | undefined {
    const field = findField(this.planning.fields, path, at);
    return field && storedField(field);
  }
}

/** A planned aggregation. */
export type Planned = PlannedIn<Bucket, SortColumn>;

/** Returns the sort metric of an aggregation over a missing field: no bucket has a value. */
export const noValue = (): SortColumn => ({ column: sql`null::float8`, cell: () => null, empty: 'last' });

/** Returns the sort metric of a single-valued aggregation over a missing field. */
export const noNumber = (property: string): SortColumn | undefined =>
  property === '' || property === 'value' ? noValue() : undefined;

/** Sub-aggregations of the same bucket. */
export type Children = ChildrenIn<Bucket, SortColumn>;

/** A metric by which buckets are ordered. */
export interface SortColumn {
  /** SQL over the alias `g`. */
  readonly column: Sql;
  readonly cell: Cell;
  /** Default for missing values: a number, or `last` to sort them last in either direction. */
  readonly empty: number | 'last';
}

/** Returns a per-record flag of a predicate, by which aggregates can filter. */
export const flagOf = (query: BucketQuery, predicate: Predicate): Sql =>
  query.perRecord(condition(predicate), fieldsOf(predicate));
