import sql, { empty, type Sql } from 'sql-template-tag';
import type { Aggregation, BucketAggregation } from '../../../../../search/aggregation/aggregation.js';
import type { Field, Fields } from '../../../../../search/field/field.js';
import { findField } from '../../../../../search/query/binding.js';
import { and, fieldsOf, type Predicate } from '../../../../../search/query/predicate.js';
import type { Span } from '../../../../../search/span.js';
import type { Input } from '../../../../../search/syntax/input.js';
import type { ChildrenIn, Counting, PlannedIn } from '../../../../answer/children.js';
import type { Times } from '../../../../answer/hit.js';
import type { Surroundings } from '../../hits/hits.js';
import { condition } from '../../sql/condition.js';
import type { Scope } from '../../sql/scan.js';
import { type StoredField, storedField } from '../../sql/stored-field.js';
import type { Bucket, Cell, Cut, Key, Top } from './bucket.js';
import type { DateBuckets } from './date-bucket.js';
import type { Level } from './level.js';

/** An expression of SQL aggregates, each followed by what it is told: nothing, or which records it counts. */
export type Aggregate = (where: Sql) => Sql;

/** What all aggregations of a query share. */
export interface Planning extends Counting {
  readonly fields: Fields;
  /** The instant that `now` means, in milliseconds. */
  readonly now: number;
  /** The time that records of the scope can be in. */
  readonly span: Span;
  /** Of each `auto_date_histogram` the time that its records are in; none where it has no records. */
  readonly found: ReadonlyMap<Aggregation, Span>;
  /** What restricts records: the query. Aggregations over all records of the scope leave it out. */
  readonly root: Level;
  readonly scope: Scope;
  readonly times: Times;
  readonly query: Predicate;
  /** All levels of the query, each after the one around it. */
  readonly levels: Level[];
  /** Plans aggregations that stand in the same buckets, by their names. */
  planAll(aggregations: readonly Aggregation[], stage: Stage): Children;
  /** Says that the devices of some records are needed, once the levels have their rows. */
  needDevices(records: () => readonly (readonly unknown[])[]): void;
  devices(): Surroundings;
}

/** Buckets of time, and which key of a row is theirs. */
export interface TimeLevel {
  readonly buckets: DateBuckets;
  readonly index: number;
}

/** What buckets inside others are made with. */
export interface Inside {
  readonly cut?: Cut;
  /** Buckets of time, for rates inside. */
  readonly time?: DateBuckets;
  /** What leaves out records that are in none of the buckets anyway. */
  readonly where?: readonly Predicate[];
  /** See {@link LevelOptions}. */
  readonly first?: Predicate;
}

/** Where an aggregation stands: the buckets of a level, and of their records those that the filters around it let through. */
export class Stage {
  constructor(
    readonly planning: Planning,
    readonly level: Level,
    readonly filters: readonly Predicate[] = [],
    /** The buckets of time around, for rates. */
    readonly time?: TimeLevel,
    private readonly inSingle = false,
  ) {}

  /** Whether aggregations here are the query's own, inside no other: a bucket of all records counts as one around them. */
  get isTop(): boolean {
    return this.level === this.planning.root && !this.inSingle;
  }

  /** Inside one bucket of the same records, or of fewer. */
  filtered(predicate: Predicate): Stage {
    const filters = predicate.kind === 'all' ? this.filters : [...this.filters, predicate];
    return new Stage(this.planning, this.level, filters, this.time, true);
  }

  /** Buckets inside these. */
  inside(keys: readonly Key[], { time, where = [], ...more }: Inside = {}): Stage {
    const level = this.level.inside([...this.filters, ...where], keys, more);
    this.planning.levels.push(level);
    return new Stage(
      this.planning,
      level,
      [],
      time === undefined ? this.time : { buckets: time, index: this.level.depth },
    );
  }

  /** The records themselves, the first few of each bucket. */
  records(columns: readonly Sql[], fields: readonly Field[], top: Top): Level {
    const level = this.level.inside(this.filters, [], { top });
    level.output(columns, fields);
    this.planning.levels.push(level);
    return level;
  }

  /**
   * Plans what stands in buckets that nothing can be in, for its faults alone: a field that does not exist answers
   * nothing, but what is wrong inside is wrong all the same, as is an order by what is not inside.
   */
  planBarren(around: BucketAggregation, time?: DateBuckets): Children {
    const planning = { ...this.planning, levels: [], needDevices: () => undefined };
    const inside = time === undefined ? this.time : { buckets: time, index: this.level.depth };
    return new Stage(planning, this.level.inside([], []), [], inside).planAll(around);
  }

  /** How many records there are. */
  count(): (bucket: Bucket) => number {
    if (this.filters.length === 0) return this.level.count();
    const { cell } = this.counted();
    return (bucket) => Number(cell(bucket) ?? 0);
  }

  /** How many records there are, as an aggregate. */
  counted(): { cell: Cell; column: Sql } {
    return this.aggregate(this.level.countRecords());
  }

  /** An aggregate over the records. */
  aggregate(aggregate: Aggregate): { cell: Cell; column: Sql } {
    if (this.filters.length === 0) return this.level.perBucket(aggregate(empty));
    return this.level.perBucket(aggregate(sql` filter (where ${flagOf(this.level, and(this.filters))})`));
  }

  /** Plans what stands in these buckets. */
  planAll(around: BucketAggregation): Children {
    return this.planning.planAll(around.children, this);
  }

  /** The field of a path, undefined where nothing has it. */
  field(path: string, at: Input): StoredField | undefined {
    const field = findField(this.planning.fields, path, at);
    return field && storedField(field);
  }
}

/** An aggregation, planned. */
export type Planned = PlannedIn<Bucket, SortColumn>;

/** What a metric over a field that nothing has orders buckets by: none has a value. */
export const noValue = (): SortColumn => ({ column: sql`null::float8`, cell: () => null, empty: 'last' });

/** The same of a metric of one number. */
export const noNumber = (property: string): SortColumn | undefined =>
  property === '' || property === 'value' ? noValue() : undefined;

/** What stands in the same buckets. */
export type Children = ChildrenIn<Bucket, SortColumn>;

/** A metric to order buckets by. */
export interface SortColumn {
  /** Over alias `g`. */
  readonly column: Sql;
  readonly cell: Cell;
  /** What stands in for no value: a number that it counts as; `last` in either direction where it has none. */
  readonly empty: number | 'last';
}

/** A condition per record as a flag that aggregates can filter by. */
export const flagOf = (level: Level, predicate: Predicate): Sql =>
  level.perRecord(condition(predicate), fieldsOf(predicate));
